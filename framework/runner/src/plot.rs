//! Charts: curves, marks with intervals, axes and a legend, as SVG or PNG. Text is drawn with
//! an embedded font, so a chart looks the same on every machine.

use plotters::chart::{ChartContext, SeriesLabelPosition};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use runner_spec::quantity::grouped;
use std::error::Error;
use std::ops::Range;
use std::path::Path;
use std::sync::Once;

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Title, one paragraph each.
    pub title: Vec<String>,
    /// Label of the horizontal axis.
    pub x: String,
    /// Label of the vertical axis.
    pub y: String,
    /// Curves, ascending in x. If there are several, their mean is drawn too.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// Name of the curves in the legend.
    pub curve: String,
    /// Curves with names in the legend and their own colors.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
    /// Groups of marks, each with its name in the legend and its own color.
    pub marks: Vec<(String, Vec<Mark>)>,
    /// True if groups of marks are not shifted sideways, because their places differ.
    pub in_place: bool,
    /// Labels of the horizontal axis, if they are not its numbers.
    pub x_label: Option<TickLabels>,
    /// True if the legend is at the top right, above falling curves.
    pub legend_at_top: bool,
    /// Panels below the chart, with the same horizontal axis.
    pub panels: Vec<Panel>,
}

/// Labels of the horizontal axis.
#[derive(Clone, Debug)]
pub enum TickLabels {
    /// The label of each place.
    At(fn(f64) -> String),
    /// The labels of the places 0, 1 and so on.
    Names(Vec<String>),
}

impl TickLabels {
    /// Returns the label of a tick; nothing between names.
    fn of(&self, tick: f64) -> String {
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

/// A panel below a chart.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Label of the vertical axis.
    pub y: String,
    /// Curves, ascending in x.
    pub curves: Vec<Vec<(f64, f64)>>,
}

/// A measurement with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mark {
    /// Horizontal position.
    pub x: f64,
    /// The measurement.
    pub y: f64,
    /// Interval of the measurement.
    pub interval: Option<[f64; 2]>,
}

/// A file format of charts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Scalable vector graphics.
    Svg,
    /// Portable network graphics, in twice the resolution.
    Png,
}

impl Format {
    /// Returns the format that the extension of a path names.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            _ => None,
        }
    }
}

/// Size in pixels.
const SIZE: (u32, u32) = (840, 500);
/// Height of a panel in pixels.
const PANEL: u32 = 170;
/// Height of a line of the title in pixels.
const LINE: u32 = 17;
/// Maximum number of characters of a line of the title.
const TITLE_COLUMNS: usize = 118;
/// Maximum number of lines of the title.
const TITLE_LINES: usize = 4;
/// Maximum number of characters of a name in the legend.
const NAME_COLUMNS: usize = 90;
/// Number of points of the mean of several curves.
const MEAN_POINTS: usize = 200;

const CURVE: RGBColor = RGBColor(0x1f, 0x6f, 0xb4);
/// Colors of lines and of groups of marks. The first is that of curves.
const COLORS: [RGBColor; 6] = [
    CURVE,
    RGBColor(0xc8, 0x50, 0x1e),
    RGBColor(0x2b, 0x8a, 0x3e),
    RGBColor(0x7a, 0x4f, 0xb5),
    RGBColor(0xa0, 0x78, 0x00),
    RGBColor(0x55, 0x55, 0x55),
];
const TEXT: RGBColor = RGBColor(0x22, 0x22, 0x22);
const LABEL: RGBColor = RGBColor(0x44, 0x44, 0x44);
const AXIS: RGBColor = RGBColor(0x88, 0x88, 0x88);
const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);
const FONT: &str = "sans-serif";

type Area<B> = DrawingArea<B, plotters::coord::Shift>;
type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

impl Plot {
    /// Returns the chart as a file of this format.
    pub fn image(&self, format: Format) -> Result<Vec<u8>, Box<dyn Error>> {
        let (width, height) = (SIZE.0, SIZE.1 + PANEL * self.panels.len() as u32);
        match format {
            Format::Svg => {
                let mut svg = String::new();
                let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
                self.draw(&area, 1).map_err(|error| error.to_string())?;
                drop(area);
                Ok(svg.into_bytes())
            }
            Format::Png => {
                let (width, height) = (2 * width, 2 * height);
                let mut pixels = vec![0; 3 * width as usize * height as usize];
                let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
                let area = backend.into_drawing_area();
                self.draw(&area, 2).map_err(|error| error.to_string())?;
                drop(area);
                let mut file = Vec::new();
                let mut encoder = png::Encoder::new(&mut file, width, height);
                encoder.set_color(png::ColorType::Rgb);
                encoder.write_header()?.write_image_data(&pixels)?;
                Ok(file)
            }
        }
    }

    /// Draws the chart, enlarged by `scale`.
    fn draw<B>(&self, area: &Area<B>, scale: u32) -> Result<(), DrawingAreaErrorKind<B::ErrorType>>
    where
        B: DrawingBackend,
    {
        use_embedded_font();
        let title = self.title_lines();
        area.fill(&WHITE)?;
        let style = font(scale).color(&TEXT);
        for (i, line) in title.iter().enumerate() {
            let y = scale * (10 + LINE * i as u32);
            area.draw(&Text::new(line.clone(), ((20 * scale) as i32, y as i32), style.clone()))?;
        }
        let (_, body) = area.split_vertically(scale * (12 + LINE * title.len() as u32));
        let panels = scale * PANEL * self.panels.len() as u32;
        let (main, below) = body.split_vertically(body.dim_in_pixel().1 - panels);
        let x = match &self.x_label {
            // Not the numbers are shown, so 0 has no meaning.
            Some(_) => padded(self.xs()),
            None => range(self.xs(), true),
        };
        let mut chart = frame(&main, (x.clone(), range(self.ys(), false)), scale)?;
        axes(&mut chart, (&self.x, &self.y), self.x_label.as_ref(), 8, scale)?;
        let name = Some(self.curve.as_str()).filter(|name| !name.is_empty());
        draw_curves(&self.curves, name, &mut chart, scale)?;
        for ((name, line), &color) in self.lines.iter().zip(self.colors()) {
            let style = color.stroke_width(2 * scale);
            chart
                .draw_series(LineSeries::new(finite(line), style))?
                .label(name.chars().take(NAME_COLUMNS).collect::<String>())
                .legend(move |place| dot(place, color, scale));
        }
        for (i, &color) in (0..self.marks.len()).zip(self.colors()) {
            self.draw_marks(i, color, &mut chart, area, scale)?;
        }
        chart
            .configure_series_labels()
            .position(match self.legend_at_top {
                true => SeriesLabelPosition::UpperRight,
                false => SeriesLabelPosition::LowerRight,
            })
            .legend_area_size(14 * scale)
            .margin(10 * scale)
            .label_font(font(scale).color(&TEXT))
            .background_style(WHITE.mix(0.85))
            .draw()?;
        for (panel, area) in self.panels.iter().zip(below.split_evenly((self.panels.len(), 1))) {
            let ys = panel.curves.iter().flatten().map(|point| point.1);
            let mut chart = frame(&area, (x.clone(), range(ys, false)), scale)?;
            axes(&mut chart, (&self.x, &panel.y), self.x_label.as_ref(), 3, scale)?;
            draw_curves(&panel.curves, None, &mut chart, scale)?;
        }
        area.present()
    }

    fn draw_marks<B: DrawingBackend>(
        &self,
        index: usize,
        color: RGBColor,
        chart: &mut Chart<'_, B>,
        area: &Area<B>,
        scale: u32,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let (name, marks) = &self.marks[index];
        // Groups are shifted sideways, so that none hides another.
        let shift = match self.in_place {
            true => 0,
            false => 6 * scale as i32 * (2 * index as i32 - (self.marks.len() as i32 - 1)) / 2,
        };
        let shown = || marks.iter().filter(|mark| mark.x.is_finite() && mark.y.is_finite());
        for mark in shown() {
            if let Some([low, high]) = mark.interval {
                let pixel = |y: f64| chart.plotting_area().map_coordinate(&(mark.x, y));
                let bar = [low, high].map(pixel).map(|(x, y)| (x + shift, y));
                area.draw(&PathElement::new(bar, color.stroke_width(scale)))?;
            }
        }
        let name: String = name.chars().take(NAME_COLUMNS).collect();
        chart
            .draw_series(
                shown()
                    .map(|mark| EmptyElement::at((mark.x, mark.y)) + dot((shift, 0), color, scale)),
            )?
            .label(name)
            .legend(move |place| dot(place, color, scale));
        Ok(())
    }

    /// Wraps the title.
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

    /// Returns the colors of lines and marks, repeated. Without curves theirs is used too.
    fn colors(&self) -> impl Iterator<Item = &RGBColor> {
        let curve = if self.curves.is_empty() { &COLORS[..] } else { &COLORS[1..] };
        curve.iter().cycle()
    }

    fn points(&self) -> impl Iterator<Item = &(f64, f64)> {
        let lines = self.lines.iter().flat_map(|(_, line)| line);
        self.curves.iter().flatten().chain(lines)
    }

    fn xs(&self) -> impl Iterator<Item = f64> {
        let curves = self.points().map(|point| point.0);
        curves.chain(self.marks.iter().flat_map(|(_, marks)| marks).map(|mark| mark.x))
    }

    fn ys(&self) -> impl Iterator<Item = f64> {
        let curves = self.points().map(|point| point.1);
        let marks = self.marks.iter().flat_map(|(_, marks)| marks);
        curves.chain(marks.flat_map(|mark| {
            let [low, high] = mark.interval.unwrap_or([mark.y; 2]);
            [low, mark.y, high]
        }))
    }
}

/// Returns an empty chart of these ranges.
fn frame<'a, B: DrawingBackend>(
    area: &'a Area<B>,
    (x, y): (Range<f64>, Range<f64>),
    scale: u32,
) -> Result<Chart<'a, B>, DrawingAreaErrorKind<B::ErrorType>> {
    ChartBuilder::on(area)
        .margin(10 * scale)
        .margin_right(28 * scale)
        .x_label_area_size(42 * scale)
        .y_label_area_size(72 * scale)
        .build_cartesian_2d(x, y)
}

/// Draws the axes of a chart, with about `ticks` labels on the vertical one.
fn axes<B: DrawingBackend>(
    chart: &mut Chart<'_, B>,
    (x_label, y_label): (&str, &str),
    x_tick: Option<&TickLabels>,
    ticks: usize,
    scale: u32,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let (x, y) = (chart.x_range(), chart.y_range());
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GRID.stroke_width(scale))
        .light_line_style(TRANSPARENT)
        .axis_style(AXIS.stroke_width(scale))
        .label_style(font(scale).color(&LABEL))
        .axis_desc_style(font(scale).color(&TEXT))
        .x_labels(if matches!(x_tick, Some(TickLabels::Names(_))) { 20 } else { 8 })
        .y_labels(ticks)
        .x_label_formatter(&|tick| {
            x_tick.map_or_else(|| label(*tick, &x), |labels| labels.of(*tick))
        })
        .y_label_formatter(&|tick| label(*tick, &y))
        .x_desc(x_label)
        .y_desc(y_label)
        .draw()
}

/// Draws curves; of several, also their mean. `name` is that of the legend.
fn draw_curves<B: DrawingBackend>(
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

/// Makes the embedded font the one that charts use.
fn use_embedded_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // It fails only for a font that cannot be read.
        let _ = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
    });
}

fn font(scale: u32) -> TextStyle<'static> {
    (FONT, 12 * scale).into_text_style(&(SIZE.0 * scale, SIZE.1 * scale))
}

fn dot(place: (i32, i32), color: RGBColor, scale: u32) -> Circle<(i32, i32), u32> {
    Circle::new(place, 7 * scale / 2, color.filled())
}

fn finite(curve: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
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

/// Returns the range of an axis that shows these numbers. It starts at 0 unless most of it
/// would be empty. If `tight`, it ends at the last number.
fn range(numbers: impl Iterator<Item = f64>, tight: bool) -> Range<f64> {
    let finite = numbers.filter(|x| x.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let (mut low, mut high) = if low > high { (0.0, 1.0) } else { (low, high) };
    if low > 0.0 && low < 0.7 * high {
        low = 0.0;
    }
    if low == high {
        high = low + low.abs().max(1.0);
    }
    let room = 0.05 * (high - low);
    if low != 0.0 && !tight {
        low -= room;
    }
    low..if tight { high } else { high + room }
}

/// Returns the range of an axis that shows these numbers, with room at both ends.
fn padded(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    let finite = numbers.filter(|x| x.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    match low <= high {
        true => low - 0.4..high + 0.4,
        false => 0.0..1.0,
    }
}

/// Returns the label of a tick: thousands are grouped, millions and more abbreviated.
fn label(tick: f64, range: &Range<f64>) -> String {
    let extent = range.end - range.start;
    let digits = |unit: f64| {
        // Ticks are at least a twentieth of the range apart, in steps of 1, 2, 2.5 or 5.
        let places = (2.3 - (extent / unit).log10()).ceil().max(0.0) as usize;
        let text = format!("{:.places$}", tick / unit);
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    };
    match range.end.abs().max(range.start.abs()) {
        _ if tick.abs() < extent / 1e6 => "0".into(),
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
    }

    #[test]
    fn range_starts_at_0_unless_most_of_it_would_be_empty() {
        assert_eq!(range([10.0, 100.0].into_iter(), true), 0.0..100.0);
        assert!(range([9_000.0, 9_900.0].into_iter(), false).start > 8_900.0);
        for numbers in [&[][..], &[5.0], &[f64::NAN]] {
            let range = range(numbers.iter().copied(), false);
            assert!(range.start < range.end, "{numbers:?}");
        }
    }

    #[test]
    fn mean_is_taken_where_all_curves_are_defined() {
        let curves = [vec![(0.0, 0.0), (10.0, 10.0)], vec![(5.0, 1.0), (20.0, 1.0)]];
        let mean = mean(&curves);
        assert_eq!((mean[0].0, mean[mean.len() - 1].0), (5.0, 10.0));
        assert_eq!((mean[0].1, mean[mean.len() - 1].1), (3.0, 5.5));
        assert!(super::mean(&[vec![(0.0, 1.0)], vec![(0.0, 2.0)]]).is_empty());
        assert!(super::mean(&[vec![], vec![(0.0, 2.0)]]).is_empty());
    }

    fn plot() -> Plot {
        let marks = vec![Mark { x: 50.0, y: 70.0, interval: Some([60.0, 90.0]) }];
        Plot {
            title: vec!["a < b & \"c\"".into(), "word ".repeat(400)],
            x: "moves".into(),
            y: "mean".into(),
            curve: "training".into(),
            curves: vec![vec![(0.0, 1.0), (100.0, 80.0)], vec![(0.0, 2.0), (100.0, 70.0)]],
            marks: vec![("greedy".into(), marks)],
            ..Plot::default()
        }
    }

    #[test]
    fn svg_shows_curves_marks_and_texts() {
        let svg = String::from_utf8(plot().image(Format::Svg).unwrap()).unwrap();
        assert!(svg.contains("a &lt; b &amp;") && svg.contains('…'), "{svg}");
        for text in ["moves", "mean", "training", "greedy"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        let panels = vec![Panel { y: "loss".into(), curves: vec![vec![(0.0, 1.0), (9.0, 2.0)]] }];
        let with_panel = Plot { panels, ..plot() }.image(Format::Svg).unwrap();
        assert!(String::from_utf8(with_panel).unwrap().contains("loss"));
        // The mark, and the two of the legend.
        assert_eq!(svg.matches("<circle").count(), 3);
        let empty = String::from_utf8(Plot::default().image(Format::Svg).unwrap()).unwrap();
        assert!(empty.starts_with("<svg") && !empty.contains("NaN"), "{empty}");
    }

    #[test]
    fn png_has_text_and_the_color_of_the_curve() {
        let file = plot().image(Format::Png).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let row = |y: usize| pixels[3 * 1680 * y..3 * 1680 * (y + 1)].as_chunks::<3>().0;
        let dark = |rows: Range<usize>| {
            rows.flat_map(row).filter(|pixel| pixel.iter().all(|&c| c < 0x60)).count()
        };
        assert!(dark(20..50) > 100, "the title is drawn");
        assert!(dark(960..1000) > 50, "the label of the axis is drawn");
        assert!((0..1000).flat_map(row).any(|pixel| *pixel == [0x1f, 0x6f, 0xb4]));
    }
}
