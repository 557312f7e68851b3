//! A small SVG writer: text, lines, boxes and game boards.

use std::fmt::Write;

/// Colour of text and outlines.
pub const INK: &str = "#1f2933";
/// Colour of secondary text.
pub const GREY: &str = "#6b7785";
pub const BLUE: &str = "#1f6fb4";
pub const ORANGE: &str = "#c8501e";
pub const GREEN: &str = "#2b8a3e";

/// Where a text is aligned at its x coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    Start,
    Middle,
    End,
}

/// A picture of fixed size, in pixels, filled from top to bottom.
pub struct Canvas {
    width: f64,
    height: f64,
    body: String,
}

impl Canvas {
    #[must_use]
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    #[must_use]
    pub fn svg(self) -> String {
        let Self { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }

    /// Writes a text whose baseline is at `y`.
    pub fn text(&mut self, x: f64, y: f64, align: Align, colour: &str, text: &str) {
        self.sized_text(x, y, 13.0, align, colour, text);
    }

    /// Writes a text with a white outline, over lines that run behind it.
    pub fn label(&mut self, x: f64, y: f64, align: Align, colour: &str, text: &str) {
        self.body.push_str("<g stroke=\"#ffffff\" stroke-width=\"7\" paint-order=\"stroke\">\n");
        self.text(x, y, align, colour, text);
        self.body.push_str("</g>\n");
    }

    /// Writes a text of this size in pixels.
    pub fn sized_text(
        &mut self,
        x: f64,
        y: f64,
        size: f64,
        align: Align,
        colour: &str,
        text: &str,
    ) {
        let anchor = match align {
            Align::Start => "start",
            Align::Middle => "middle",
            Align::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.line_of(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.1}\" text-anchor=\"{anchor}\" \
             fill=\"{colour}\">{text}</text>"
        ));
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.line_of(format_args!(
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    pub fn dashes(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        self.line_of(format_args!(
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{colour}\" stroke-dasharray=\"4 4\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Draws connected straight lines.
    pub fn polyline(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.line_of(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\"/>",
            points.join(" ")
        ));
    }

    pub fn dot(&mut self, x: f64, y: f64, radius: f64, colour: &str) {
        self.line_of(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{colour}\" \
             stroke=\"{colour}\" stroke-width=\"1.5\"/>"
        ));
    }

    /// Draws a board of tiles, row by row, 0 for an empty cell; `cell` is the side of one
    /// cell in pixels.
    pub fn board(&mut self, x: f64, y: f64, cell: f64, rows: &[Vec<u64>]) {
        let columns = rows.first().map_or(0, Vec::len);
        let (width, height) = (cell * columns as f64, cell * rows.len() as f64);
        self.line_of(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\" \
             fill=\"#9aa5b1\" stroke=\"#9aa5b1\" stroke-width=\"1.5\"/>",
            x - 2.0,
            y - 2.0,
            width + 4.0,
            height + 4.0
        ));
        for (row, tiles) in rows.iter().enumerate() {
            for (column, &tile) in tiles.iter().enumerate() {
                let (left, top) = (x + cell * column as f64, y + cell * row as f64);
                self.tile(left, top, cell, tile);
            }
        }
    }

    /// Draws one cell of a board.
    fn tile(&mut self, x: f64, y: f64, cell: f64, tile: u64) {
        let inner = cell - 2.0;
        self.line_of(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{inner:.1}\" height=\"{inner:.1}\" rx=\"2\" \
             fill=\"{}\"/>",
            x + 1.0,
            y + 1.0,
            tile_colour(tile)
        ));
        if tile > 0 {
            let digits = tile.to_string();
            let size = cell * (0.95 / (digits.len() as f64 + 1.0)).clamp(0.2, 0.42);
            let colour = if tile >= 64 { "#ffffff" } else { INK };
            let (x, y) = (x + cell / 2.0, y + cell / 2.0 + 0.36 * size);
            self.sized_text(x, y, size, Align::Middle, colour, &digits);
        }
    }

    fn line_of(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "{text}");
    }
}

/// A colour from pale yellow through red to violet, by the logarithm of the tile.
fn tile_colour(tile: u64) -> String {
    if tile == 0 {
        return "#e4e9ee".into();
    }
    let stops: [(f64, [f64; 3]); 4] = [
        (0.0, [252.0, 246.0, 222.0]),
        (6.0, [231.0, 135.0, 61.0]),
        (11.0, [186.0, 51.0, 73.0]),
        (17.0, [72.0, 38.0, 110.0]),
    ];
    let rank = (tile as f64).log2().clamp(0.0, 17.0);
    let upper = stops.iter().position(|(at, _)| *at >= rank).unwrap_or(3).max(1);
    let ((from, low), (to, high)) = (stops[upper - 1], stops[upper]);
    let share = (rank - from) / (to - from);
    let channel = |k: usize| (low[k] + (high[k] - low[k]) * share).round() as u8;
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2))
}
