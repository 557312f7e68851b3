//! A curve with its axes, drawn with characters.

use crate::colors::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

/// A curve with its axes.
pub struct Graph<'a> {
    pub points: &'a [(f64, f64)],
    /// The ends of the horizontal axis, with their labels.
    pub x: [(f64, String); 2],
    /// The ends of the vertical axis, with their labels.
    pub y: [(f64, String); 2],
}

impl Graph<'_> {
    pub fn draw(self, buffer: &mut Buffer, area: Rect, look: Look) {
        let data = Dataset::default()
            .marker(if look.unicode { Marker::Braille } else { Marker::Custom('*') })
            .graph_type(GraphType::Line)
            .style(look.curve())
            .data(self.points);
        let axis = |bounds: [f64; 2], labels: [String; 2]| {
            Axis::default().bounds(bounds).labels(labels).style(look.faint())
        };
        let ([(left, from), (right, to)], [(low, bottom), (high, top)]) = (self.x, self.y);
        let beside = bottom.len().max(top.len()) + 1;
        let x = axis([left, right], [String::new(), String::new()]);
        let y = axis([low, high], [bottom, top]);
        Chart::new(vec![data]).x_axis(x).y_axis(y).legend_position(None).render(area, buffer);
        // The chart would cut labels at half of its width.
        let room = usize::from(area.width).saturating_sub(beside + to.len());
        let from = if from.len() < room { from } else { String::new() };
        let line = format!("{from:<room$}{to}");
        if area.height > 2 {
            let (x, y) = (area.x + beside as u16, area.bottom() - 1);
            let width = usize::from(area.width).saturating_sub(beside);
            buffer.set_stringn(x, y, line, width, look.faint());
        }
        if look.unicode {
            return;
        }
        for place in area.positions() {
            match buffer[place].symbol() {
                "│" => buffer[place].set_symbol("|"),
                "─" => buffer[place].set_symbol("-"),
                "└" => buffer[place].set_symbol("+"),
                _ => continue,
            };
        }
    }
}
