//! How charts look: sizes, colors and the font.

use plotters::chart::ChartContext;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use plotters_backend::DrawingBackend;
use runner_spec::printable;
use std::io;
use std::sync::Once;

/// Size of the chart with its axes in pixels. It is small for the text, which can be read on a
/// phone, and in a column of 8 cm: a text has 11 pixels where the chart is 300 wide.
pub const SIZE: (u32, u32) = (480, 340);
/// Margin of title and legend in pixels.
pub const MARGIN: u32 = 12;
/// Height of a line of text in pixels.
pub const LINE: u32 = 24;
/// Size of texts in pixels.
const TEXT_SIZE: f64 = 18.0;

/// Colors of groups of curves and of marks.
pub const COLORS: [RGBColor; 10] = [
    RGBColor(0x1f, 0x6f, 0xb4),
    RGBColor(0xc8, 0x50, 0x1e),
    RGBColor(0x2b, 0x8a, 0x3e),
    RGBColor(0x7a, 0x4f, 0xb5),
    RGBColor(0xa0, 0x78, 0x00),
    RGBColor(0x55, 0x55, 0x55),
    RGBColor(0x0b, 0x8a, 0x8f),
    RGBColor(0xb8, 0x3a, 0x86),
    RGBColor(0x8a, 0x5a, 0x3c),
    RGBColor(0x6b, 0x7d, 0x00),
];
pub const TEXT: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub const LABEL: RGBColor = RGBColor(0x44, 0x44, 0x44);
pub const AXIS: RGBColor = RGBColor(0x88, 0x88, 0x88);
pub const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);
const FONT: &str = "sans-serif";

pub trait Backend: DrawingBackend<ErrorType = io::Error> {}
impl<B: DrawingBackend<ErrorType = io::Error>> Backend for B {}
pub type Area<B> = DrawingArea<B, plotters::coord::Shift>;
pub type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
pub type Drawn<T = ()> = Result<T, DrawingAreaErrorKind<io::Error>>;

/// Makes the embedded font the one that charts use.
pub fn use_embedded_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // It fails only for a font that cannot be read.
        let _ = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
    });
}

pub fn font() -> TextStyle<'static> {
    // Plotters writes a size as one that is smaller by this factor.
    (FONT, 1.24 * TEXT_SIZE).into_text_style(&SIZE)
}

/// Returns the width of a text in pixels.
pub fn width(text: &str) -> u32 {
    use_embedded_font();
    // It fails only for a font that cannot be read.
    font().font.box_size(text).map_or(0, |size| size.0)
}

/// Wraps a text between the margins, with `indent` pixels free at the left. A word that is longer
/// than a line is cut. Control characters, which XML forbids, are escaped.
pub fn wrapped(text: &str, indent: u32) -> Vec<String> {
    let text = printable(text);
    let room = SIZE.0 - 2 * MARGIN - indent;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if width(&longer) <= room {
                *line = longer;
                continue;
            }
        }
        let mut line = String::new();
        for c in word.chars() {
            line.push(c);
            if width(&line) > room {
                line.pop();
                lines.push(std::mem::replace(&mut line, c.into()));
            }
        }
        lines.push(line);
    }
    lines
}

/// Returns the dot of a mark, or of a name in the legend: of several groups with one color, the
/// first has filled dots, and each other one larger rings.
pub fn dot(place: (i32, i32), (color, ring): (RGBColor, u32)) -> Circle<(i32, i32), u32> {
    let style = if ring == 0 { color.filled() } else { color.stroke_width(2) };
    Circle::new(place, 4 + 2 * ring, style)
}
