//! The report of a tournament. Every form of it shows the same figures.
//!
//! In dependency order: the figures (`figures`), how they are written for people (`words`), the
//! table of the terminal (`terminal`), Markdown (`markdown`), CSV (`csv`), the plots (`plots`) and
//! the page (`html`).

mod csv;
mod figures;
mod html;
mod markdown;
mod plots;
mod terminal;
mod words;

pub use figures::Report;

use super::folder::Folder;
use crate::failure::Failure;

impl Report {
    /// Writes the report into the folder of the tournament.
    pub fn write(&self, folder: &Folder) -> Result<(), Failure> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        folder.write("report.json", &json)?;
        folder.write("report.csv", &csv::text(self))?;
        folder.write("report.md", &markdown::text(self))?;
        folder.write("report.html", &html::text(self)?)
    }
}
