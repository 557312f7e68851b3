//! Colours and characters that a terminal has.

use ratatui::style::{Color, Modifier, Style};
use std::env;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    None,
    /// The sixteen of every terminal.
    Sixteen,
    All,
}

/// The colours and characters of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub colors: Colors,
    /// True if it shows more than ASCII.
    pub unicode: bool,
}

impl Look {
    /// Returns what the environment says about the terminal.
    pub fn of_environment() -> Self {
        Self::new(|name| env::var(name).unwrap_or_default())
    }

    fn new(variable: impl Fn(&str) -> String) -> Self {
        let term = variable("TERM");
        let full = ["truecolor", "24bit"].contains(&variable("COLORTERM").as_str());
        let colors = if !variable("NO_COLOR").is_empty() || term == "dumb" {
            Colors::None
        } else if full || term.ends_with("direct") {
            Colors::All
        } else {
            Colors::Sixteen
        };
        // The first of these that is set decides, as in the C library.
        let mut locales = ["LC_ALL", "LC_CTYPE", "LANG"].map(&variable).into_iter();
        let locale = locales.find(|value| !value.is_empty()).unwrap_or_default().to_lowercase();
        let unicode = locale.contains("utf-8") || locale.contains("utf8") || cfg!(windows);
        Self { colors, unicode }
    }

    pub fn emphasis(self) -> Style {
        Style::default().add_modifier(Modifier::BOLD)
    }

    pub fn faint(self) -> Style {
        self.style(Color::DarkGray)
    }

    fn style(self, color: Color) -> Style {
        if self.colors == Colors::None { Style::default() } else { Style::default().fg(color) }
    }

    pub fn bar(self) -> &'static str {
        if self.unicode { "█" } else { "#" }
    }

    /// The character that fills a cell with a stone.
    pub fn stone(self) -> &'static str {
        if self.unicode { "▒" } else { "#" }
    }

    /// Returns the background of a tile and the colour of its text; `None` without colours.
    pub fn tile(self, rank: u8) -> Option<(Color, Color)> {
        const SIXTEEN: [(Color, Color); 9] = [
            (Color::White, Color::Black),
            (Color::Gray, Color::Black),
            (Color::LightYellow, Color::Black),
            (Color::Yellow, Color::Black),
            (Color::LightRed, Color::Black),
            (Color::Red, Color::White),
            (Color::Magenta, Color::White),
            (Color::Blue, Color::White),
            (Color::Green, Color::Black),
        ];
        match self.colors {
            Colors::None => None,
            Colors::Sixteen => Some(SIXTEEN[usize::from(rank.max(1) - 1) % SIXTEEN.len()]),
            Colors::All => Some(ramp(rank)),
        }
    }

    pub fn empty(self) -> Option<Color> {
        match self.colors {
            Colors::None => None,
            Colors::Sixteen => Some(Color::DarkGray),
            Colors::All => Some(Color::Rgb(64, 60, 58)),
        }
    }
}

/// Returns the colours of a rank: from sand over orange, red and violet to blue and green, each
/// darker than the last one before it.
fn ramp(rank: u8) -> (Color, Color) {
    let step = f32::from(rank.max(1) - 1);
    let hue = (48.0 - 16.0 * step).rem_euclid(360.0);
    let saturation = (0.25 + 0.08 * step).min(0.75);
    let lightness = (0.85 - 0.035 * step).max(0.42);
    let (r, g, b) = rgb(hue, saturation, lightness);
    let luminance = 0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b);
    let text = if luminance > 140.0 { Color::Rgb(40, 36, 32) } else { Color::Rgb(250, 248, 244) };
    (Color::Rgb(r, g, b), text)
}

/// Returns a colour of hue (degrees), saturation and lightness (0 to 1).
fn rgb(hue: f32, saturation: f32, lightness: f32) -> (u8, u8, u8) {
    let chroma = saturation * lightness.min(1.0 - lightness);
    let part = |offset: f32| {
        let k = (offset + hue / 30.0) % 12.0;
        let value = lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (255.0 * value).round() as u8
    };
    (part(0.0), part(8.0), part(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(variables: &[(&str, &str)]) -> Look {
        Look::new(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map_or(String::new(), |(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn environment_says_what_the_terminal_shows() {
        let full = look(&[("COLORTERM", "truecolor"), ("LANG", "de_DE.UTF-8")]);
        assert_eq!(full, Look { colors: Colors::All, unicode: true });
        let plain = look(&[("TERM", "linux"), ("LANG", "C")]);
        assert_eq!(plain, Look { colors: Colors::Sixteen, unicode: false });
        assert_eq!(look(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]).colors, Colors::None);
        assert!(!look(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).unicode);
    }
}
