//! The lines that show a training on a terminal: what it does, its curve, and how many games
//! reached each tile.

use crate::colors::Look;
use crate::graph::Graph;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use runner_spec::quantity::{grouped, number};

/// The smallest terminal for a panel, in columns and lines.
pub const SMALLEST: (usize, usize) = (40, 10);
/// Most columns of a panel.
const COLUMNS: usize = 120;
/// Most lines of the curve.
const CURVE: usize = 10;
/// Columns of the bars beside the curve.
const BARS: u16 = 26;
/// Columns below which there are no bars.
const NARROW: usize = 55;
/// Most lines of facts.
const FACTS: usize = 3;

/// The state of a training, as its panel shows it.
pub struct Panel<'a> {
    /// Texts of the first lines, which are filled one after the other.
    pub facts: Vec<String>,
    pub curve: &'a [(f64, f64)],
    /// Tiles with the share of the last games that reached them, ascending.
    pub rates: &'a [(u64, f64)],
}

impl Panel<'_> {
    /// Returns the lines for a terminal of this size, with the codes of their colours.
    pub fn lines(self, columns: usize, rows: usize, look: Look) -> Vec<String> {
        let columns = columns.saturating_sub(1).min(COLUMNS);
        let mut lines = filled(&self.facts, columns, FACTS);
        // One line stays free for the command that started the training.
        let height = rows.saturating_sub(lines.len() + 1).min(CURVE);
        let area = Rect::new(0, 0, columns as u16, height as u16);
        let mut buffer = Buffer::empty(area);
        let bars = if columns < NARROW { 0 } else { BARS };
        let layout = Layout::horizontal([Constraint::Min(1), Constraint::Length(bars)]).spacing(2);
        let [curve, bars] = layout.areas(area);
        self.draw_curve(&mut buffer, curve, look);
        self.draw_bars(&mut buffer, bars, look);
        lines.extend(buffer.content.chunks(columns.max(1)).map(coloured));
        lines
    }

    fn draw_curve(&self, buffer: &mut Buffer, area: Rect, look: Look) {
        let (Some(first), Some(last)) = (self.curve.first(), self.curve.last()) else { return };
        let means = || self.curve.iter().map(|point| point.1);
        let (low, high) = (means().fold(f64::INFINITY, f64::min), means().fold(f64::MIN, f64::max));
        // A flat curve has no height.
        let high = if high > low { high } else { low + 1.0 };
        let mean = |mean: f64| (mean, number(mean.round()));
        let end = if last.0 > first.0 { last.0 } else { first.0 + 1.0 };
        let (from, to) = (grouped(first.0 as u64), format!("{} moves", grouped(end as u64)));
        let graph = Graph {
            points: self.curve,
            x: [(first.0, from), (end, to)],
            y: [mean(low), mean(high)],
        };
        graph.draw(buffer, area, look);
    }

    fn draw_bars(&self, buffer: &mut Buffer, area: Rect, look: Look) {
        let shown = &self.rates[self.rates.len().saturating_sub(usize::from(area.height))..];
        let width = shown.iter().map(|(tile, _)| tile.to_string().len()).max().unwrap_or(0);
        let room = usize::from(area.width).saturating_sub(width + 6);
        for (y, (tile, rate)) in (area.y..).zip(shown) {
            // A learner of a plugin may count more games than it says.
            let full = (rate.min(1.0) * room as f64).round() as usize;
            let (bar, percent) = (look.bar().repeat(full), format!("{:.0}%", 100.0 * rate));
            buffer.set_string(area.x, y, format!("{tile:>width$}"), look.faint());
            let x = area.x + width as u16 + 1;
            buffer.set_string(x, y, bar, look.curve());
            buffer.set_string(x + room as u16, y, format!("{percent:>5}"), Style::default());
        }
    }
}

/// Returns texts joined by commas, in at most `most` lines of at most this many columns. What does
/// not fit is left out.
pub fn filled(texts: &[String], columns: usize, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for text in texts {
        let last = lines.last_mut().expect("there is one");
        let joint = if last.is_empty() { "" } else { ", " };
        if last.chars().count() + joint.len() + text.chars().count() <= columns {
            *last += &format!("{joint}{text}");
        } else if lines.len() < most && text.chars().count() <= columns {
            lines.push(text.clone());
        }
    }
    lines
}

/// Returns the text of a line of cells, with the codes of the colours that the panel uses.
fn coloured(cells: &[Cell]) -> String {
    let code = |cell: &Cell| match cell.fg {
        Color::Cyan => Some(36),
        Color::DarkGray => Some(90),
        _ => None,
    };
    let (mut line, mut current) = (String::new(), None);
    let end = cells.iter().rposition(|cell| cell.symbol() != " ").map_or(0, |last| last + 1);
    for cell in &cells[..end] {
        // A space has no colour.
        let next = if cell.symbol() == " " { current } else { code(cell) };
        if next != current {
            if current.is_some() {
                line += "\x1b[0m";
            }
            if let Some(code) = next {
                line += &format!("\x1b[{code}m");
            }
            current = next;
        }
        line += cell.symbol();
    }
    if current.is_some() {
        line += "\x1b[0m";
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colors::Colors;

    const PLAIN: Look = Look { colors: Colors::None, unicode: false };
    const FULL: Look = Look { colors: Colors::Sixteen, unicode: true };

    fn lines(columns: usize, rows: usize, look: Look) -> Vec<String> {
        let curve: Vec<(f64, f64)> =
            (0..400).map(|k| (1e6 * f64::from(k), 1e5 * f64::from(k).sqrt())).collect();
        let rates: Vec<(u64, f64)> = (1..=15).map(|k| (1 << k, 1.0 / k as f64)).collect();
        let facts =
            ["12m 5s left", "2.50 M/s", "1,234,567,890 moves", "mean 123,456", "best 32768"];
        let facts = facts.map(str::to_owned).to_vec();
        Panel { facts, curve: &curve, rates: &rates }.lines(columns, rows, look)
    }

    fn width(line: &str) -> usize {
        console::measure_text_width(line)
    }

    #[test]
    fn panel_fits_every_terminal() {
        for columns in SMALLEST.0..200 {
            for rows in [SMALLEST.1, 16, 24, 60] {
                for look in [PLAIN, FULL] {
                    let lines = lines(columns, rows, look);
                    assert!(lines.len() < rows, "{columns} x {rows}: {lines:#?}");
                    assert!(lines.iter().all(|line| width(line) < columns), "{lines:#?}");
                    let text = lines.join("\n");
                    assert!(text.contains("399,000,000 moves"), "{text}");
                    assert!(text.contains("7%") || columns <= NARROW, "{text}");
                }
            }
        }
    }

    #[test]
    fn without_colours_and_unicode_there_is_only_ascii() {
        let text = lines(80, 24, PLAIN).join("\n");
        assert!(text.chars().all(|c| c == '\n' || (' '..='~').contains(&c)), "{text}");
        assert!(text.contains('*') && text.contains('#'), "{text}");
        let text = lines(80, 24, FULL).join("\n");
        assert!(text.contains("\x1b[36m") && text.contains('█'), "{text}");
    }
}
