//! The games of a record that may have no end.

use runner_console::notes::note;
use runner_play::failure::Failure;
use runner_records::{GameRecord, RecordError};

/// Returns a game, or `None` with a note if the file has no end: the games before it are whole.
pub fn whole(record: Result<GameRecord, RecordError>) -> Result<Option<GameRecord>, Failure> {
    match record {
        Err(error) if error.lacks_end() => {
            note(format!("note: {error}"));
            Ok(None)
        }
        record => Ok(Some(record?)),
    }
}
