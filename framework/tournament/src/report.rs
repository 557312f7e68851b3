//! The report of a tournament. Its four forms show the same figures: [`TournamentReport`].

mod csv;
mod figures;
mod html;
mod markdown;
mod run;
mod tables;

pub use figures::TournamentReport;
pub use run::ReportRun;
pub use tables::ReportTable;

use super::folder::TournamentFolder;
use runner_core::Fault;
use runner_play::failure::Failure;

impl TournamentReport {
    pub(crate) fn write(&self, folder: &TournamentFolder) -> Result<(), Failure> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        let files = [
            ("report.json", json),
            ("report.md", markdown::text(self)),
            ("report.csv", csv::text(self)),
            ("report.html", html::text(self)?),
        ];
        // The files are written at the same time, because each write waits for the disk.
        std::thread::scope(|scope| {
            let writes = files.map(|(name, text)| scope.spawn(move || folder.write(name, &text)));
            for write in writes {
                write.join().map_err(Fault::from_panic)??;
            }
            Ok(())
        })
    }
}
