//! The legend: names above the chart, where they hide nothing of it.

use super::style::{Area, Backend, Drawn, LINE, MARGIN, SIZE, TEXT, dot, font, width, wrapped};
use plotters::prelude::*;

/// How a name is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    Line,
    /// A dot, or a ring of this size.
    Dot(u32),
}

/// The names of a chart, in rows.
#[derive(Clone, Debug, Default)]
pub struct Legend {
    names: Vec<Name>,
    rows: u32,
}

#[derive(Clone, Debug)]
struct Name {
    /// Place of the sample, in pixels from the left.
    x: u32,
    row: u32,
    /// Text, one line for each row.
    lines: Vec<String>,
    sample: Sample,
    color: RGBColor,
}

/// Room of a sample and of the gap after it, in pixels.
const SAMPLE: u32 = 24;
/// Gap after a name, in pixels.
const GAP: u32 = 22;

impl Legend {
    /// Places names from left to right. A name that is longer than a row is wrapped.
    pub fn new<'a>(names: impl Iterator<Item = (&'a str, Sample, RGBColor)>) -> Self {
        let mut legend = Self::default();
        // Place of the next name, in pixels from the left. A place beyond `end` begins another row.
        let (mut x, end) = (u32::MAX, SIZE.0 - MARGIN);
        for (name, sample, color) in names {
            let lines = wrapped(name, SAMPLE);
            let room = SAMPLE + lines.iter().map(|line| width(line)).max().unwrap_or(0);
            let rows = lines.len().max(1) as u32;
            if rows > 1 || x.saturating_add(room) > end {
                x = MARGIN;
                legend.rows += rows;
            }
            let is_one_row = lines.len() == 1;
            legend.names.push(Name { x, row: legend.rows - rows, lines, sample, color });
            x = if is_one_row { x + room + GAP } else { u32::MAX };
        }
        legend
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u32 {
        LINE * self.rows
    }

    pub fn draw(&self, area: &Area<impl Backend>) -> Drawn {
        let place = |x: u32, y: u32| (x as i32, y as i32);
        let style = font().color(&TEXT);
        for Name { x, row, lines, sample, color } in &self.names {
            let top = LINE * row;
            let middle = top + LINE / 2 - 3;
            match sample {
                Sample::Line => {
                    let line = [place(*x, middle), place(x + SAMPLE - 8, middle)];
                    area.draw(&PathElement::new(line, color.stroke_width(3)))?;
                }
                Sample::Dot(ring) => area.draw(&dot(place(x + 8, middle), (*color, *ring)))?,
            }
            for (line, y) in lines.iter().zip((top..).step_by(LINE as usize)) {
                area.draw(&Text::new(line.clone(), place(x + SAMPLE, y), style.clone()))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::use_embedded_font;

    #[test]
    fn names_share_rows_and_long_ones_are_wrapped_as_a_whole() {
        use_embedded_font();
        let long = "word ".repeat(60);
        let names = ["a", "b", long.trim(), "c", "d"];
        let legend = Legend::new(names.map(|name| (name, Sample::Dot(0), BLACK)).into_iter());
        let [a, b, wrapped, c, d] = &legend.names[..] else { panic!("five names") };
        assert_eq!((a.row, b.row, wrapped.row), (0, 0, 1));
        assert!(a.x < b.x && c.x < d.x && c.row == d.row);
        assert_eq!(wrapped.lines.join(" "), long.trim());
        assert!(wrapped.lines.len() > 1 && wrapped.lines.iter().all(|line| width(line) < SIZE.0));
        assert_eq!(c.row, 1 + wrapped.lines.len() as u32);
        assert_eq!(legend.height(), LINE * (c.row + 1));
        assert_eq!(Legend::default().height(), 0);
    }
}
