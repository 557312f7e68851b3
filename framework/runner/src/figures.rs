//! Figures as every result prints them.

use runner_spec::quantity::number;

/// Returns a mean with its 95% interval, or a hyphen without a mean.
pub fn mean_with_interval(mean: Option<f64>, ci95: Option<[f64; 2]>) -> String {
    let mean = mean.map_or("-".into(), number);
    match ci95.map(|ends| ends.map(number)) {
        Some([low, high]) => format!("{mean}, 95% interval {low} to {high}"),
        None => mean,
    }
}
