//! Charts: curves, marks with intervals, axes and a legend, as SVG, PNG and PDF. An embedded font
//! measures the texts, so a chart has the same layout on every machine.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod curves;
mod legend;
mod outlines;
pub mod results;
mod style;
mod ticks;
mod trainings;

pub use curves::{Curves, Line};
pub use ticks::{TickLabels, is_drawable};
pub use trainings::{LearnerCurves, chart};

use legend::{Legend, Sample};
use outlines::Outlines;
use plotters::prelude::*;
use runner_spec::printable;
use std::cell::RefCell;
use std::error::Error;
use std::ops::Range;
use std::rc::Rc;
use style::{
    AXIS, Area, Backend, COLORS, Chart, Drawn, GRID, LABEL, LINE, MARGIN, SIZE, TEXT, dot, font,
    use_embedded_font, wrapped,
};
use ticks::{label, padded, range};

#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Title, one paragraph each.
    pub title: Vec<String>,
    pub x: String,
    pub y: String,
    /// Curves, each group with its name in the legend and its own color.
    pub curves: Vec<Curves>,
    pub marks: Vec<Marks>,
    /// True if groups of marks are not shifted sideways, because their places differ.
    pub in_place: bool,
    /// Labels of the horizontal axis, if they are not its numbers.
    pub x_label: Option<TickLabels>,
    /// Unit behind the numbers of the vertical axis.
    pub y_unit: &'static str,
    /// True if the legend is beside the chart; see [`color_of`].
    pub has_outside_legend: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Svg,
    Png,
    Pdf,
}

impl Format {
    /// Returns the format of files whose names end so.
    pub fn of(extension: &str) -> Option<Self> {
        let all = [("svg", Self::Svg), ("png", Self::Png), ("pdf", Self::Pdf)];
        all.into_iter()
            .find(|(name, _)| extension.eq_ignore_ascii_case(name))
            .map(|(_, format)| format)
    }
}

/// A group of marks with its name in the legend.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    pub name: String,
    pub marks: Vec<Mark>,
    /// Index of the curves whose color they have; without one they have their own.
    pub of: Option<usize>,
}

impl Marks {
    pub fn new(name: impl Into<String>, marks: Vec<Mark>) -> Self {
        Self { name: name.into(), marks, of: None }
    }
}

/// A measurement with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mark {
    pub x: f64,
    pub y: f64,
    pub interval: Option<[f64; 2]>,
}

const TITLE_LINES: usize = 4;

impl Plot {
    pub fn svg(&self) -> Result<String, Box<dyn Error>> {
        let mut svg = String::new();
        self.draw(|size| SVGBackend::with_string(&mut svg, size).into_drawing_area())?;
        Ok(svg)
    }

    pub fn file(&self, format: Format) -> Result<Vec<u8>, Box<dyn Error>> {
        let outlines = Rc::new(RefCell::new(Outlines::new()?));
        if format != Format::Svg {
            self.draw(|size| {
                outlines.borrow_mut().size = size;
                DrawingArea::from(&outlines)
            })?;
        }
        match format {
            Format::Svg => Ok(self.svg()?.into_bytes()),
            Format::Png => Ok(outlines.borrow().png().ok_or("the chart is too large")?),
            Format::Pdf => Ok(outlines.borrow().pdf()),
        }
    }

    fn draw<B: Backend>(
        &self,
        area: impl FnOnce((u32, u32)) -> Area<B>,
    ) -> Result<(), Box<dyn Error>> {
        use_embedded_font();
        let (title, legend) = (self.title_lines(), self.legend());
        // Title and legend take nothing from the chart.
        let above = MARGIN + LINE * title.len() as u32 + legend.height();
        let area = area((SIZE.0, above + SIZE.1));
        Ok(self.draw_on(&area, &title, &legend).map_err(|error| error.to_string())?)
    }

    fn draw_on(&self, area: &Area<impl Backend>, title: &[String], legend: &Legend) -> Drawn {
        area.fill(&WHITE)?;
        let style = font().color(&TEXT);
        for (line, i) in title.iter().zip(0..) {
            let place = [MARGIN, MARGIN + LINE * i].map(|pixels| pixels as i32);
            area.draw(&Text::new(line.clone(), place.into(), style.clone()))?;
        }
        let (_, rest) = area.split_vertically(MARGIN + LINE * title.len() as u32);
        let (names, body) = rest.split_vertically(legend.height());
        legend.draw(&names)?;
        let x = match &self.x_label {
            // Labels are shown in place of the numbers, so the axis need not contain 0.
            Some(_) => padded(self.xs()),
            None => range(self.xs(), true),
        };
        let mut chart = frame(&body, (x, range(self.ys(), false)))?;
        axes(&mut chart, self)?;
        for (curves, color) in self.curves.iter().zip(colors(0)) {
            curves.draw(color, &mut chart)?;
        }
        for (i, look) in self.looks().into_iter().enumerate() {
            self.draw_marks(i, look, &mut chart, area)?;
        }
        area.present()
    }

    /// Returns the color of each group of marks, and the size of its rings: 0 for dots.
    fn looks(&self) -> Vec<(RGBColor, u32)> {
        let mut rings = vec![0; self.curves.len()];
        let mut own = colors(self.curves.len());
        let look = |marks: &Marks| match marks.of {
            Some(curves) => {
                rings[curves] += 1;
                (color(curves), rings[curves] - 1)
            }
            None => (own.next().unwrap_or(BLACK), 0),
        };
        self.marks.iter().map(look).collect()
    }

    fn draw_marks<B: Backend>(
        &self,
        index: usize,
        look: (RGBColor, u32),
        chart: &mut Chart<'_, B>,
        area: &Area<B>,
    ) -> Drawn {
        let marks = &self.marks[index].marks;
        // Groups are shifted sideways, so that none hides another.
        let place = 2 * index as i32 - (self.marks.len() as i32 - 1);
        let shift = if self.in_place { 0 } else { 3 * place };
        let shown = || marks.iter().filter(|mark| is_drawable(mark.x) && is_drawable(mark.y));
        for mark in shown() {
            if let Some(ends) = mark.interval
                && ends.iter().all(|&y| is_drawable(y))
            {
                let pixel = |y: f64| chart.plotting_area().map_coordinate(&(mark.x, y));
                let bar = ends.map(pixel).map(|(x, y)| (x + shift, y));
                area.draw(&PathElement::new(bar, look.0.stroke_width(1)))?;
            }
        }
        let dots = shown().map(|mark| EmptyElement::at((mark.x, mark.y)) + dot((shift, 0), look));
        chart.draw_series(dots)?;
        Ok(())
    }

    fn title_lines(&self) -> Vec<String> {
        let mut lines: Vec<_> =
            self.title.iter().flat_map(|paragraph| wrapped(paragraph, 0)).collect();
        if lines.len() > TITLE_LINES {
            lines.truncate(TITLE_LINES);
            lines[TITLE_LINES - 1].push('…');
        }
        lines
    }

    fn legend(&self) -> Legend {
        if self.has_outside_legend {
            return Legend::default();
        }
        let mut names = Vec::new();
        for (curves, color) in self.curves.iter().zip(colors(0)) {
            names.push((curves.name.as_str(), Sample::Line, color));
        }
        for (marks, (color, ring)) in self.marks.iter().zip(self.looks()) {
            names.push((marks.name.as_str(), Sample::Dot(ring), color));
        }
        Legend::new(names.into_iter().filter(|(name, ..)| !name.is_empty()))
    }

    fn xs(&self) -> impl Iterator<Item = f64> {
        let marks = self.marks.iter().flat_map(|marks| &marks.marks);
        self.curves.iter().flat_map(Curves::xs).chain(marks.map(|mark| mark.x))
    }

    fn ys(&self) -> impl Iterator<Item = f64> {
        let marks = self.marks.iter().flat_map(|marks| &marks.marks);
        let ends = marks.flat_map(|mark| {
            let [low, high] = mark.interval.unwrap_or([mark.y; 2]);
            [low, mark.y, high]
        });
        self.curves.iter().flat_map(Curves::ys).chain(ends)
    }
}

/// Returns the color of a group. The second round of the colors is darker, and the third one
/// lighter.
fn color(index: usize) -> RGBColor {
    let RGBColor(red, green, blue) = COLORS[index % COLORS.len()];
    let shade = |part: u8| match index / COLORS.len() % 3 {
        0 => part,
        1 => part / 2,
        _ => 128 + part / 2,
    };
    RGBColor(shade(red), shade(green), shade(blue))
}

/// Returns the colors from this place on. Those of the marks follow those of the curves.
fn colors(first: usize) -> impl Iterator<Item = RGBColor> {
    (first..).map(color)
}

/// Returns the color of a group of curves, or of marks in a chart without curves: `#1F6FB4`.
pub fn color_of(index: usize) -> String {
    let RGBColor(red, green, blue) = color(index);
    format!("#{red:02X}{green:02X}{blue:02X}")
}

fn frame<B: Backend>(area: &Area<B>, (x, y): (Range<f64>, Range<f64>)) -> Drawn<Chart<'_, B>> {
    ChartBuilder::on(area)
        .margin(10)
        // Half of a label such as 300,000 at the end of the axis.
        .margin_right(42)
        .x_label_area_size(58)
        .y_label_area_size(108)
        .build_cartesian_2d(x, y)
}

fn axes<B: Backend>(chart: &mut Chart<'_, B>, plot: &Plot) -> Drawn {
    let (x, y) = (chart.x_range(), chart.y_range());
    let x_tick = plot.x_label.as_ref();
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GRID.stroke_width(1))
        .light_line_style(TRANSPARENT)
        .axis_style(AXIS.stroke_width(1))
        .label_style(font().color(&LABEL))
        .axis_desc_style(font().color(&TEXT))
        .x_labels(if matches!(x_tick, Some(TickLabels::Names(_))) { 20 } else { 4 })
        .y_labels(6)
        .x_label_formatter(&|tick| {
            x_tick.map_or_else(|| label(*tick, &x), |labels| labels.of(*tick))
        })
        .y_label_formatter(&|tick| label(*tick, &y) + plot.y_unit)
        .x_desc(printable(&plot.x))
        .y_desc(printable(&plot.y))
        .draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn curves(name: &str) -> Curves {
        let lines = vec![vec![(0.0, 1.0), (100.0, 80.0)], vec![(0.0, 2.0), (100.0, 70.0)]];
        Curves::new(name, lines)
    }

    fn plot() -> Plot {
        let marks = vec![Mark { x: 50.0, y: 70.0, interval: Some([60.0, 90.0]) }];
        Plot {
            title: vec!["a < b & \"c\"".into(), "word ".repeat(400)],
            x: "moves".into(),
            y: "mean".into(),
            curves: vec![curves("training")],
            marks: vec![Marks::new("greedy", marks)],
            ..Plot::default()
        }
    }

    #[test]
    fn svg_shows_curves_marks_and_texts() {
        let svg = plot().svg().unwrap();
        assert!(svg.contains("a &lt; b &amp;") && svg.contains('…'), "{svg}");
        for text in ["moves", "mean", "training", "greedy"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        let control = Plot { y: "loss \u{1}".into(), ..plot() }.svg().unwrap();
        assert!(control.contains("loss \\u{1}"));
        // The mark, and that of the legend.
        assert_eq!(svg.matches("<circle").count(), 2);
        let empty = Plot::default().svg().unwrap();
        assert!(empty.starts_with("<svg") && !empty.contains("NaN"), "{empty}");
    }

    #[test]
    fn the_last_label_of_an_axis_is_whole() {
        let lines = vec![vec![(0.0, 1.0), (300_000.0, 2.0)]];
        let svg = Plot { curves: vec![Curves::new("", lines)], ..Plot::default() }.svg().unwrap();
        let (before, _) = svg.split_once("\n300,000").unwrap();
        let x = before.rsplit("<text x=\"").next().unwrap().split('"').next().unwrap();
        assert!(x.parse::<u32>().unwrap() + style::width("300,000").div_ceil(2) <= SIZE.0, "{x}");
    }

    #[test]
    fn png_and_pdf_hold_the_same_shapes() {
        let png = plot().file(Format::Png).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.ends_with(b"IEND\xaeB`\x82"), "{}", png.len());
        let pdf = plot().file(Format::of("PDF").unwrap()).unwrap();
        assert!(pdf.starts_with(b"%PDF-1.4\n") && pdf.ends_with(b"%%EOF\n"), "{}", pdf.len());
        let text = String::from_utf8_lossy(&pdf);
        let start = text.rsplit("startxref\n").next().unwrap().lines().next().unwrap();
        assert!(pdf[start.parse::<usize>().unwrap()..].starts_with(b"xref\n"));
        assert_eq!((Format::of("svg"), Format::of("gif")), (Some(Format::Svg), None));
    }

    #[test]
    fn marks_of_curves_have_their_color_and_another_form() {
        let mark = vec![Mark { x: 1.0, y: 1.0, interval: None }];
        let of = |of| Marks { of, ..Marks::new("m", mark.clone()) };
        let marks = vec![of(Some(1)), of(Some(1)), of(None), of(Some(0))];
        let plot = Plot { curves: vec![curves("a"), curves("b")], marks, ..Plot::default() };
        let looks = plot.looks();
        assert_eq!(looks, [(color(1), 0), (color(1), 1), (color(2), 0), (color(0), 0)]);
    }

    #[test]
    fn text_without_characters_that_xml_forbids_is_drawn() {
        let forbidden = ['\0', '\u{1b}', '\u{fffe}', '\u{ffff}'];
        let text = String::from_iter(forbidden);
        let marks = vec![Marks::new(&*text, Vec::new())];
        let (title, x, y) = (vec![text.clone()], text.clone(), text.clone());
        let plot = Plot { title, x, y, curves: vec![curves(&text)], marks, ..plot() };
        let svg = plot.svg().unwrap();
        assert!(!svg.contains(forbidden), "{svg}");
        assert_eq!(svg.matches("\\u{1b}").count(), 5, "{svg}");
    }

    #[test]
    fn thirty_groups_have_different_colors() {
        let mark = |k: usize| vec![Mark { x: k as f64, y: 1.0, interval: None }];
        let marks = |k: usize| Marks::new(k.to_string(), mark(k));
        let svg = Plot { marks: (0..30).map(marks).collect(), ..Plot::default() }.svg().unwrap();
        let colors: BTreeSet<_> = (0..30).map(color_of).collect();
        assert_eq!(colors.len(), 30);
        // The mark, and that of the legend.
        let dots =
            |color: &String| svg.matches(&format!("fill=\"{color}\" stroke=\"none\"")).count();
        assert!(colors.iter().all(|color| dots(color) == 2), "{svg}");
    }

    /// Ticks, lines to infinity or their labels could take for ever.
    #[test]
    fn numbers_that_are_too_large_are_not_drawn() {
        let large = |y: f64| {
            let lines = vec![vec![(0.0, y), (100.0, -y)], vec![(0.0, 1.0), (100.0, f64::INFINITY)]];
            let marks = vec![Mark { x: 50.0, y: 1.0, interval: Some([-y, f64::INFINITY]) }];
            Plot {
                curves: vec![Curves::new("", lines)],
                marks: vec![Marks::new("", marks)],
                ..Plot::default()
            }
        };
        for y in [1e20, 1e99, 1e101, f64::MAX] {
            let svg = large(y).svg().unwrap();
            assert!(svg.len() < 20_000 && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
