//! A chart as SVG: curves, points with interval bars, axes that a person can read.
//! Written by hand, as it is little: text, lines and circles.

use runner_spec::quantity::grouped;
use std::fmt::Write;

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What it shows, a paragraph each.
    pub title: Vec<String>,
    /// What the horizontal axis counts.
    pub x: String,
    /// What the vertical axis counts.
    pub y: String,
    /// Lines, ascending in x. Of several, the mean is drawn as well.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// What the lines are, for the legend.
    pub curve: String,
    /// Points, each kind in a colour of its own that a legend names.
    pub marks: Vec<(String, Vec<Mark>)>,
}

/// A point with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mark {
    /// Where it stands.
    pub x: f64,
    /// What was measured.
    pub y: f64,
    /// The interval of the measurement, if it has one.
    pub interval: Option<[f64; 2]>,
}

const WIDTH: f64 = 840.0;
const HEIGHT: f64 = 500.0;
/// Around what is drawn: room for the numbers of the axes.
const LEFT: f64 = 84.0;
const RIGHT: f64 = 28.0;
const BOTTOM: f64 = 56.0;
/// A line of the title.
const LINE: f64 = 17.0;
/// So many characters fit into one.
const TITLE_COLUMNS: usize = 118;
/// A title is no longer.
const TITLE_LINES: usize = 4;

const CURVE: &str = "#1f6fb4";
/// The colours of the marks.
const MARKS: [&str; 5] = ["#c8501e", "#2b8a3e", "#7a4fb5", "#a07800", "#555555"];
/// How many points the mean of several curves has.
const MEAN_POINTS: usize = 200;

impl Plot {
    /// The chart as a file.
    pub fn svg(&self) -> String {
        let title = self.title_lines();
        let top = 22.0 + LINE * title.len() as f64;
        let (x, y) = (Axis::of(self.xs(), true), Axis::of(self.ys(), false));
        let frame = Frame { x, y, top };
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
        );
        for (i, line) in title.iter().enumerate() {
            let (y, text) = (20.0 + LINE * i as f64, escaped(line));
            let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"{y}\" fill=\"#222222\">{text}</text>");
        }
        frame.axes(&self.x, &self.y, &mut out);
        let (width, shade) = if self.curves.len() > 1 { (1.0, 0.45) } else { (2.0, 1.0) };
        for curve in &self.curves {
            frame.line(curve, width, shade, &mut out);
        }
        if self.curves.len() > 1 {
            frame.line(&mean(&self.curves), 2.5, 1.0, &mut out);
        }
        for (i, ((_, marks), colour)) in self.marks.iter().zip(MARKS.iter().cycle()).enumerate() {
            // Side by side, so that none hides another.
            let aside = 6.0 * (i as f64 - (self.marks.len() - 1) as f64 / 2.0);
            marks.iter().for_each(|mark| frame.mark(mark, aside, colour, &mut out));
        }
        self.legend(&frame, &mut out);
        out + "</svg>\n"
    }

    fn title_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for paragraph in &self.title {
            let mut line = String::new();
            for word in paragraph.split_whitespace() {
                let length = line.chars().count() + word.chars().count();
                if !line.is_empty() && length >= TITLE_COLUMNS {
                    lines.push(std::mem::take(&mut line));
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line.extend(word.chars().take(TITLE_COLUMNS));
            }
            lines.push(line);
        }
        if lines.len() > TITLE_LINES {
            lines.truncate(TITLE_LINES);
            lines[TITLE_LINES - 1].push('…');
        }
        lines
    }

    fn xs(&self) -> impl Iterator<Item = f64> {
        let curves = self.curves.iter().flatten().map(|point| point.0);
        curves.chain(self.marks.iter().flat_map(|(_, marks)| marks).map(|mark| mark.x))
    }

    fn ys(&self) -> impl Iterator<Item = f64> {
        let curves = self.curves.iter().flatten().map(|point| point.1);
        let marks = self.marks.iter().flat_map(|(_, marks)| marks);
        curves.chain(marks.flat_map(|mark| {
            let [low, high] = mark.interval.unwrap_or([mark.y; 2]);
            [low, mark.y, high]
        }))
    }

    /// Names lines and marks, at the lower right, where a curve that rises leaves
    /// room.
    fn legend(&self, frame: &Frame, out: &mut String) {
        let right = WIDTH - RIGHT - 14.0;
        let marks = self.marks.iter().map(|(name, _)| name).zip(MARKS.iter().cycle());
        let named = std::iter::once((&self.curve, &CURVE)).chain(marks);
        for (i, (name, colour)) in named.enumerate() {
            let y = frame.bottom() - 14.0 - LINE * (self.marks.len() - i) as f64;
            let name: String = name.chars().take(90).collect();
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\" fill=\"#222222\" \
                 stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>\n\
                 <circle cx=\"{right}\" cy=\"{}\" r=\"3.5\" fill=\"{colour}\"/>",
                right - 10.0,
                escaped(&name),
                y - 4.0
            );
        }
    }
}

/// The mean of several curves where all of them are, points between theirs
/// interpolated.
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

/// A curve at `x`, which lies within it.
fn interpolated(curve: &[(f64, f64)], x: f64) -> f64 {
    let after = curve.partition_point(|point| point.0 < x).clamp(1, curve.len().max(2) - 1);
    let [(x0, y0), (x1, y1)] = [curve[after - 1], *curve.get(after).unwrap_or(&curve[0])];
    let share = if x1 > x0 { ((x - x0) / (x1 - x0)).clamp(0.0, 1.0) } else { 0.0 };
    y0 + (y1 - y0) * share
}

/// An axis from a round number to a round number.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// The axis that shows all of these. From 0, unless that would waste most of
    /// it; if `tight`, it ends where the numbers do.
    fn of(numbers: impl Iterator<Item = f64>, tight: bool) -> Self {
        let finite = numbers.filter(|x| x.is_finite());
        let (low, high) = finite
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let (mut low, mut high) = if low > high { (0.0, 1.0) } else { (low, high) };
        if low > 0.0 && low < 0.7 * high {
            low = 0.0;
        }
        if low == high {
            high = low + low.abs().max(1.0);
        }
        let step = round_step((high - low) / 6.0);
        low = (low / step).floor() * step;
        if !tight {
            high = (high / step).ceil() * step;
        }
        Self { low, high, step }
    }

    /// The place of a number, from 0 to 1.
    fn place(&self, x: f64) -> f64 {
        (x - self.low) / (self.high - self.low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step + 1e-6).floor() as usize;
        (0..=count).map(|i| self.low + self.step * i as f64)
    }

    /// A tick's number: whole thousands, millions and so on by their letter.
    fn label(&self, x: f64) -> String {
        let digits = |x: f64, unit: f64| {
            let places = (-(self.step / unit).log10()).ceil().max(0.0) as usize;
            format!("{x:.places$}", x = x / unit)
        };
        match self.high.abs().max(self.low.abs()) {
            _ if x.abs() < self.step / 2.0 => "0".into(),
            1e12.. => digits(x, 1e12) + "T",
            1e9.. => digits(x, 1e9) + "G",
            1e6.. => digits(x, 1e6) + "M",
            _ if self.step >= 1.0 => {
                let sign = if x < 0.0 { "-" } else { "" };
                sign.to_owned() + &grouped(x.abs().round() as u64)
            }
            _ => digits(x, 1.0),
        }
    }
}

/// The least of 1, 2, 5, 10, 20 and so on that is not below.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    steps.into_iter().find(|&step| step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// Where numbers are on the paper.
struct Frame {
    x: Axis,
    y: Axis,
    top: f64,
}

impl Frame {
    fn bottom(&self) -> f64 {
        HEIGHT - BOTTOM
    }

    fn across(&self, x: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * self.x.place(x)
    }

    fn down(&self, y: f64) -> f64 {
        self.bottom() - (self.bottom() - self.top) * self.y.place(y)
    }

    fn axes(&self, x_title: &str, y_title: &str, out: &mut String) {
        let (right, bottom, top) = (WIDTH - RIGHT, self.bottom(), self.top);
        for tick in self.y.ticks() {
            let (y, label) = (self.down(tick), self.y.label(tick));
            let _ = writeln!(
                out,
                "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#e4e4e4\"/>\n\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#444444\">{label}</text>",
                LEFT - 8.0,
                y + 4.0
            );
        }
        for tick in self.x.ticks() {
            let (x, label) = (self.across(tick), self.x.label(tick));
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {bottom}v5\" stroke=\"#888888\"/>\n\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#444444\">{label}</text>",
                bottom + 19.0
            );
        }
        let (middle, centre) = ((LEFT + right) / 2.0, (top + bottom) / 2.0);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#888888\"/>\n\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" fill=\"#222222\">{}</text>\n\
             <text transform=\"translate(20 {centre}) rotate(-90)\" text-anchor=\"middle\" \
             fill=\"#222222\">{}</text>",
            HEIGHT - 14.0,
            escaped(x_title),
            escaped(y_title)
        );
    }

    fn line(&self, points: &[(f64, f64)], width: f64, shade: f64, out: &mut String) {
        let points = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        let place = |&(x, y): &(f64, f64)| format!("{:.1},{:.1}", self.across(x), self.down(y));
        let places: Vec<_> = points.map(place).collect();
        if !places.is_empty() {
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{CURVE}\" \
                 stroke-width=\"{width}\" stroke-opacity=\"{shade}\" stroke-linejoin=\"round\"/>",
                places.join(" ")
            );
        }
    }

    fn mark(&self, mark: &Mark, aside: f64, colour: &str, out: &mut String) {
        if !(mark.x.is_finite() && mark.y.is_finite()) {
            return;
        }
        let (x, y) = (self.across(mark.x) + aside, self.down(mark.y));
        if let Some([low, high]) = mark.interval.filter(|ends| ends.iter().all(|y| y.is_finite())) {
            let (low, high) = (self.down(low), self.down(high));
            let left = x - 4.0;
            let _ = writeln!(
                out,
                "<path d=\"M{left:.1} {high:.1}h8m-4 0V{low:.1}m-4 0h8\" fill=\"none\" \
                 stroke=\"{colour}\" stroke-width=\"1.5\"/>"
            );
        }
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
    }
}

/// Text as it may stand in a file of XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(numbers: &[f64], tight: bool) -> Vec<String> {
        let axis = Axis::of(numbers.iter().copied(), tight);
        axis.ticks().map(|tick| axis.label(tick)).collect()
    }

    #[test]
    fn ticks_are_round_numbers_that_a_person_reads() {
        assert_eq!(labels(&[0.0, 59_273.0], false)[1..=2], ["10,000", "20,000"]);
        assert_eq!(labels(&[1e5, 2.5e7], true), ["0", "5M", "10M", "15M", "20M", "25M"]);
        assert_eq!(labels(&[-31.0, -7.0], false).first().unwrap(), "-35");
        assert_eq!(labels(&[0.2, 0.9], false)[..2], ["0", "0.2"]);
        // What lies close together does not begin at 0.
        assert_eq!(labels(&[9_000.0, 9_900.0], false).first().unwrap(), "9,000");
        // One number, or none, has an axis all the same.
        assert!(labels(&[5.0], false).len() > 2 && labels(&[], false).len() > 2);
        assert!(labels(&[f64::NAN], true).len() > 2);
    }

    #[test]
    fn the_mean_is_taken_where_all_curves_are() {
        let curves = [vec![(0.0, 0.0), (10.0, 10.0)], vec![(5.0, 1.0), (20.0, 1.0)]];
        let mean = mean(&curves);
        assert_eq!((mean[0].0, mean[mean.len() - 1].0), (5.0, 10.0));
        assert_eq!((mean[0].1, mean[mean.len() - 1].1), (3.0, 5.5));
        assert!(super::mean(&[vec![(0.0, 1.0)], vec![(0.0, 2.0)]]).is_empty());
        assert!(super::mean(&[vec![], vec![(0.0, 2.0)]]).is_empty());
    }

    #[test]
    fn a_chart_holds_all_that_it_was_given_within_its_frame() {
        let marks = vec![Mark { x: 50.0, y: 70.0, interval: Some([60.0, 90.0]) }];
        let plot = Plot {
            title: vec!["a < b & \"c\"".into(), "word ".repeat(400)],
            x: "moves".into(),
            y: "mean".into(),
            curve: "training".into(),
            curves: vec![vec![(0.0, 1.0), (100.0, 80.0)], vec![(0.0, 2.0), (100.0, 70.0)]],
            marks: vec![("greedy".into(), marks)],
        };
        let svg = plot.svg();
        assert!(svg.contains("a &lt; b &amp; \"c\"") && svg.contains('…'), "{svg}");
        // Two curves and their mean.
        assert_eq!(svg.matches("<polyline").count(), 3);
        // A mark, and two in the legend.
        assert_eq!(svg.matches("<circle").count(), 3);
        let places = svg.split("points=\"").skip(1).flat_map(|rest| {
            rest.split('"').next().unwrap().split([' ', ',']).map(|n| n.parse::<f64>().unwrap())
        });
        assert!(places.into_iter().all(|place| (0.0..=WIDTH).contains(&place)));
        let empty = Plot::default().svg();
        assert!(empty.starts_with("<svg") && !empty.contains("NaN"), "{empty}");
    }
}
