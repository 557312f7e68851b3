//! Curves, and the mean of several with its interval.

use super::Mark;
use super::style::{Backend, Chart, Drawn};
use super::ticks::is_drawable;
use plotters::prelude::*;
use runner_stats::student;

/// The points of a curve, ascending in x.
pub type Line = Vec<(f64, f64)>;

/// Curves of one kind, such as those of trainings with different seeds. Of several, the mean and
/// its 95% interval are drawn.
#[derive(Clone, Debug, Default)]
pub struct Curves {
    /// Name in the legend; empty if they are not in it.
    pub name: String,
    lines: Vec<Line>,
    /// True if each of several is drawn, too.
    pub shows_each: bool,
    /// The mean of several curves, with its interval.
    mean: Vec<Mark>,
}

const MEAN_POINTS: usize = 200;

impl Curves {
    pub fn new(name: impl Into<String>, lines: Vec<Line>) -> Self {
        let mean = if lines.len() > 1 { mean(&lines) } else { Vec::new() };
        Self { name: name.into(), lines, shows_each: false, mean }
    }

    pub fn has_mean(&self) -> bool {
        !self.mean.is_empty()
    }

    /// Bounds the interval of the mean, as that of a share.
    #[must_use]
    pub fn at_most(mut self, most: f64) -> Self {
        let intervals = self.mean.iter_mut().filter_map(|mark| mark.interval.as_mut());
        intervals.flatten().for_each(|end| *end = end.min(most));
        self
    }

    /// Returns the curves that are drawn beside the mean.
    fn shown(&self) -> &[Line] {
        if self.has_mean() && !self.shows_each { &[] } else { &self.lines }
    }

    pub fn xs(&self) -> impl Iterator<Item = f64> {
        let mean = self.mean.iter().map(|mark| mark.x);
        self.shown().iter().flatten().map(|point| point.0).chain(mean)
    }

    /// Returns the vertical positions of all points, those of the interval included.
    pub fn ys(&self) -> impl Iterator<Item = f64> {
        let mean = self.mean.iter().flat_map(|mark| mark.interval.unwrap_or([mark.y; 2]));
        self.shown().iter().flatten().map(|point| point.1).chain(mean)
    }

    pub fn draw<B: Backend>(&self, color: RGBColor, chart: &mut Chart<'_, B>) -> Drawn {
        let ends = |end: usize| {
            let ends = self.mean.iter().filter_map(move |mark| Some((mark.x, mark.interval?[end])));
            ends.collect::<Line>()
        };
        let band = ends(1).into_iter().chain(ends(0).into_iter().rev()).collect::<Line>();
        chart.draw_series((!band.is_empty()).then(|| Polygon::new(band, color.mix(0.15))))?;
        let (opacity, width) = if self.has_mean() { (0.45, 1) } else { (1.0, 2) };
        for line in self.shown() {
            let color = color.mix(opacity);
            chart.draw_series(LineSeries::new(drawable(line), color.stroke_width(width)))?;
            // A line of one point cannot be seen.
            let dots = drawable(line).take(usize::from(drawable(line).count() == 1));
            chart.draw_series(dots.map(|dot| Circle::new(dot, 3, color.filled())))?;
        }
        let mean = self.mean.iter().map(|mark| (mark.x, mark.y));
        chart.draw_series(LineSeries::new(mean, color.stroke_width(3)))?;
        if let [Mark { x, y, interval }] = self.mean[..] {
            let bar = interval.map(|[low, high]| [(x, low), (x, high)]);
            let style = color.stroke_width(2);
            chart.draw_series(bar.map(|bar| PathElement::new(bar, style)))?;
            chart.draw_series([Circle::new((x, y), 4, color.filled())])?;
        }
        Ok(())
    }
}

fn drawable(line: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    line.iter().copied().filter(|&(x, y)| is_drawable(x) && is_drawable(y))
}

/// Returns the mean of several curves with Student's interval where all of them are defined,
/// interpolated linearly. If no curve is negative, the interval is not either.
fn mean(lines: &[Line]) -> Vec<Mark> {
    let lines: Vec<Line> = lines.iter().map(|line| drawable(line).collect()).collect();
    let firsts = lines.iter().filter_map(|line| line.first());
    let lasts = lines.iter().filter_map(|line| line.last());
    let from = firsts.fold(f64::NEG_INFINITY, |from, point| from.max(point.0));
    let to = lasts.fold(f64::INFINITY, |to, point| to.min(point.0));
    if lines.iter().any(Vec::is_empty) || from > to {
        return Vec::new();
    }
    let has_negative = lines.iter().flatten().any(|point| point.1 < 0.0);
    let least = if has_negative { f64::NEG_INFINITY } else { 0.0 };
    let mark = |i: usize| {
        let x = from + (to - from) * i as f64 / (MEAN_POINTS - 1) as f64;
        let ys: Vec<_> = lines.iter().map(|line| interpolated(line, x)).collect();
        // Where all curves have one value, they show no variance.
        let varies = ys.iter().any(|&y| y != ys[0]);
        let interval = student(&ys).filter(|_| varies).map(|[low, high]| [low.max(least), high]);
        Mark { x, y: ys.iter().sum::<f64>() / ys.len() as f64, interval }
    };
    // Curves that meet in one point have one mean.
    let count = if from == to { 1 } else { MEAN_POINTS };
    (0..count).map(mark).collect()
}

/// Returns the value of a curve at `x`, which must be within it.
fn interpolated(line: &[(f64, f64)], x: f64) -> f64 {
    let after = line.partition_point(|point| point.0 < x).clamp(1, line.len().max(2) - 1);
    let [(x0, y0), (x1, y1)] = [line[after - 1], *line.get(after).unwrap_or(&line[0])];
    let share = if x1 > x0 { ((x - x0) / (x1 - x0)).clamp(0.0, 1.0) } else { 0.0 };
    y0 + (y1 - y0) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_its_interval_are_taken_where_all_curves_are_defined() {
        let lines = vec![vec![(0.0, 0.0), (10.0, 10.0)], vec![(5.0, 1.0), (20.0, 1.0)]];
        let curves = Curves::new("", lines);
        let (first, last) = (curves.mean[0], curves.mean[curves.mean.len() - 1]);
        assert_eq!((first.x, first.y, last.x, last.y), (5.0, 3.0, 10.0, 5.5));
        let high = student(&[5.0, 1.0]).unwrap()[1];
        assert_eq!(first.interval, Some([0.0, high]), "no curve is negative");
        assert!(curves.ys().any(|y| y == high));
        assert!(mean(&[vec![(0.0, 1.0)], vec![(1.0, 2.0)]]).is_empty());
        let point = mean(&[vec![(3.0, 1.0)], vec![(3.0, 2.0)]]);
        assert_eq!((point.len(), point[0].x, point[0].y), (1, 3.0, 1.5));
        assert!(mean(&[vec![], vec![(0.0, 2.0)]]).is_empty());
        let equal = vec![vec![(0.0, 9.0), (1.0, 9.0)], vec![(0.0, 9.0), (1.0, 1.0)]];
        let bounded = Curves::new("", equal).at_most(10.0);
        assert_eq!(bounded.mean[0].interval, None);
        assert_eq!(bounded.mean[MEAN_POINTS - 1].interval, Some([0.0, 10.0]));
        assert!(Curves::new("", vec![vec![(0.0, 1.0), (1.0, 2.0)]]).mean.is_empty());
    }
}
