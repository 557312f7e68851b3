//! Tournaments: every agent plays every game, and a report compares them.
//!
//! Each result names its game, and game `k` of an agent draws from its own random stream, so the
//! results do not depend on threads, and an interrupted tournament continues with the games that
//! are missing.
//!
//! In dependency order: the file (`definition`), its games and agents (`resolved`), the games
//! that are over (`finished`), their lines (`line`), the results (`results`), the folder (`folder`), the games that are left (`queue`), the recorded games
//! (`records`), the live standings (`standings`), the run (`run`), the report (`report`), and
//! tournaments and experiments on several machines ([`shards`]).
#![forbid(unsafe_code)]

mod definition;
mod finished;
mod folder;
mod line;
mod queue;
mod records;
mod report;
mod resolved;
mod results;
mod run;
pub mod shards;
mod standings;

pub use definition::{Contest, Labelled, Rounds, Tournament};
pub use finished::{Finished, faults, forfeited};
pub use folder::{Folder, resolved};
pub use line::LineFormat;
pub use records::RecordFiles;
pub use report::Report;
pub use resolved::Built;
pub use results::{Games, read, read_scores, resume};
pub use run::{Played, play};
