//! Curves, and the mean of several.

use super::style::{CURVE, Chart, dot};
use plotters::prelude::*;

/// Number of points of the mean of several curves.
const MEAN_POINTS: usize = 200;

/// Draws curves; of several, also their mean. `name` is that of the legend.
pub fn draw_curves<B: DrawingBackend>(
    curves: &[Vec<(f64, f64)>],
    name: Option<&str>,
    chart: &mut Chart<'_, B>,
    scale: u32,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let several = curves.len() > 1;
    let (opacity, width) = if several { (0.45, 1) } else { (1.0, 2) };
    for curve in curves {
        let style = CURVE.mix(opacity).stroke_width(width * scale);
        chart.draw_series(LineSeries::new(finite(curve), style))?;
    }
    let mean = if several { mean(curves) } else { Vec::new() };
    let style = CURVE.stroke_width(3 * scale);
    let drawn = chart.draw_series(LineSeries::new(finite(&mean), style))?;
    if let Some(name) = name {
        drawn.label(name).legend(move |place| dot(place, CURVE, scale));
    }
    Ok(())
}

/// Returns the points of a curve that can be drawn.
pub fn finite(curve: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    curve.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite())
}

/// Returns the mean of several curves where all of them are defined, interpolated linearly.
fn mean(curves: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    let firsts = curves.iter().filter_map(|curve| curve.first());
    let lasts = curves.iter().filter_map(|curve| curve.last());
    let from = firsts.fold(f64::NEG_INFINITY, |from, point| from.max(point.0));
    let to = lasts.fold(f64::INFINITY, |to, point| to.min(point.0));
    if curves.iter().any(Vec::is_empty) || from >= to {
        return Vec::new();
    }
    let at = |x: f64| curves.iter().map(|curve| interpolated(curve, x)).sum::<f64>();
    let point = |i: usize| {
        let x = from + (to - from) * i as f64 / (MEAN_POINTS - 1) as f64;
        (x, at(x) / curves.len() as f64)
    };
    (0..MEAN_POINTS).map(point).collect()
}

/// Returns the value of a curve at `x`, which must be within it.
fn interpolated(curve: &[(f64, f64)], x: f64) -> f64 {
    let after = curve.partition_point(|point| point.0 < x).clamp(1, curve.len().max(2) - 1);
    let [(x0, y0), (x1, y1)] = [curve[after - 1], *curve.get(after).unwrap_or(&curve[0])];
    let share = if x1 > x0 { ((x - x0) / (x1 - x0)).clamp(0.0, 1.0) } else { 0.0 };
    y0 + (y1 - y0) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_is_taken_where_all_curves_are_defined() {
        let curves = [vec![(0.0, 0.0), (10.0, 10.0)], vec![(5.0, 1.0), (20.0, 1.0)]];
        let mean = mean(&curves);
        assert_eq!((mean[0].0, mean[mean.len() - 1].0), (5.0, 10.0));
        assert_eq!((mean[0].1, mean[mean.len() - 1].1), (3.0, 5.5));
        assert!(super::mean(&[vec![(0.0, 1.0)], vec![(0.0, 2.0)]]).is_empty());
        assert!(super::mean(&[vec![], vec![(0.0, 2.0)]]).is_empty());
    }
}
