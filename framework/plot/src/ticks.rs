//! The range of an axis, and its labels.

use super::style::width;
use runner_spec::quantity::grouped;
use std::ops::Range;

/// Labels of the horizontal axis.
#[derive(Clone, Debug)]
pub enum TickLabels {
    /// The label of each place.
    At(fn(f64) -> String),
    /// The labels of the places 0, 1 and so on.
    Names(Vec<String>),
}

impl TickLabels {
    /// Returns names, of which as many are shown as the axis has room for, the last among them.
    pub fn names(mut names: Vec<String>) -> Self {
        let widest = names.iter().map(|name| width(name) + 10).max().unwrap_or(0);
        let every = (names.len() * widest as usize).div_ceil(X_AXIS).max(1);
        for (k, name) in names.iter_mut().rev().enumerate() {
            if k % every > 0 {
                name.clear();
            }
        }
        Self::Names(names)
    }

    /// Returns the label of a tick; nothing between names.
    pub fn of(&self, tick: f64) -> String {
        match self {
            Self::At(label) => label(tick),
            Self::Names(names) => {
                let is_place = tick >= -0.5 && (tick - tick.round()).abs() < 1e-6;
                let name = names.get(tick.round() as usize).filter(|_| is_place);
                name.cloned().unwrap_or_default()
            }
        }
    }
}

/// Length of the horizontal axis in pixels.
const X_AXIS: usize = 320;

/// Largest absolute value of a number in a chart: sums of their squares are finite.
const LARGEST: f64 = 1e100;

pub fn is_drawable(x: f64) -> bool {
    x.abs() <= LARGEST
}

/// Returns the least and the largest of the numbers that a chart can show.
fn extremes(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let pairs = numbers.filter(|&x| is_drawable(x)).map(|x| (x, x));
    pairs.reduce(|(low, high), (x, _)| (low.min(x), high.max(x)))
}

/// Returns the range of an axis that shows these numbers. It starts at 0 unless most of it
/// would be empty. If `tight`, it ends at the last number.
pub fn range(numbers: impl Iterator<Item = f64>, tight: bool) -> Range<f64> {
    let (mut low, mut high) = extremes(numbers).unwrap_or((0.0, 1.0));
    if low > 0.0 && low < 0.7 * high {
        low = 0.0;
    }
    // Between ends that are closer, floating-point numbers cannot tell the ticks apart.
    let least = 1e-9 * low.abs().max(high.abs()).max(1e-3);
    if high - low < least {
        high = low + low.abs().max(1.0);
    }
    let room = 0.05 * (high - low);
    if low != 0.0 && !tight {
        low -= room;
    }
    low..if tight { high } else { high + room }
}

/// Returns the range of an axis that shows these numbers, with room at both ends.
pub fn padded(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    extremes(numbers).map_or(0.0..1.0, |(low, high)| low - 0.4..high + 0.4)
}

/// Returns the label of a tick: thousands are grouped, millions and more abbreviated, and numbers
/// above 999 trillions written with an exponent.
pub fn label(tick: f64, range: &Range<f64>) -> String {
    let extent = range.end - range.start;
    let digits = |unit: f64| {
        // Ticks are at least a twentieth of the range apart, in steps of 1, 2, 2.5 or 5.
        let places = (2.3 - (extent / unit).log10()).ceil().max(0.0) as usize;
        let text = format!("{:.places$}", tick / unit);
        if !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match range.end.abs().max(range.start.abs()) {
        _ if tick.abs() < extent / 1e6 => "0".into(),
        1e15.. => {
            // The sum of the steps from tick to tick has rounding errors.
            let rounded: f64 = format!("{tick:.6e}").parse().unwrap_or(tick);
            format!("{rounded:e}")
        }
        1e12.. => digits(1e12) + "T",
        1e9.. => digits(1e9) + "G",
        1e6.. => digits(1e6) + "M",
        _ if extent >= 20.0 => {
            let sign = if tick < 0.0 { "-" } else { "" };
            sign.to_owned() + &grouped(tick.abs().round() as u64)
        }
        _ => digits(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_grouped_or_abbreviated() {
        let labels = |range: Range<f64>, ticks: &[f64]| -> Vec<String> {
            ticks.iter().map(|tick| label(*tick, &range)).collect()
        };
        assert_eq!(labels(0.0..59_273.0, &[0.0, 10_000.0]), ["0", "10,000"]);
        assert_eq!(labels(0.0..2.5e7, &[5e6, 1.25e7]), ["5M", "12.5M"]);
        assert_eq!(labels(-35.0..-5.0, &[-35.0]), ["-35"]);
        assert_eq!(labels(0.0..1.0, &[0.2]), ["0.2"]);
        assert_eq!(
            labels(-2e20..2e20, &[-1.5e20, 1.0, 1.000_000_000_1e20]),
            ["-1.5e20", "0", "1e20"]
        );
    }

    #[test]
    fn range_starts_at_0_unless_most_of_it_would_be_empty() {
        assert_eq!(range([10.0, 100.0].into_iter(), true), 0.0..100.0);
        assert!(range([9_000.0, 9_900.0].into_iter(), false).start > 8_900.0);
        for numbers in [
            &[][..],
            &[5.0],
            &[f64::NAN],
            &[1e308, f64::NEG_INFINITY],
            &[1e100, -1e100],
            &[1e20, 1e20_f64.next_up()],
            &[1e-300, 2e-300],
        ] {
            let range = range(numbers.iter().copied(), false);
            assert!(range.end - range.start > 1e-9 * range.end.abs(), "{numbers:?}");
            assert!((range.end - range.start).is_finite(), "{numbers:?}");
        }
    }
}
