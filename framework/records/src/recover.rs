//! Makes a complete record of the file of a run that did not finish.

use crate::reader::{ReadError, ReadErrorKind, RecordReader};
use crate::writer::{RecordWriter, WriteError};
use runner_files as files;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Recovered {
    pub games: u64,
    pub moves: u64,
    /// Why the file ends; `None` if it is complete.
    pub end: Option<ReadError>,
}

#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    #[error("{} is in use: the run that writes it has not ended", .0.display())]
    InUse(PathBuf),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Writes the complete games of a file to a new file. Nothing is written if there are none.
pub fn recover(from: &Path, to: &Path) -> Result<Recovered, RecoverError> {
    if files::is_in_use(from) {
        return Err(RecoverError::InUse(from.to_owned()));
    }
    let mut recovered = Recovered { games: 0, moves: 0, end: None };
    for game in RecordReader::open(from)? {
        match game {
            Ok(game) => {
                recovered.games += 1;
                recovered.moves += game.moves();
            }
            Err(error @ ReadError { problem: ReadErrorKind::Io(_), .. }) => {
                return Err(error.into());
            }
            Err(error) => recovered.end = Some(error),
        }
    }
    if recovered.games == 0 {
        return Ok(recovered);
    }
    let reader = RecordReader::open(from)?;
    let mut writer = RecordWriter::create(to, reader.metadata())?;
    for game in reader.map_while(Result::ok) {
        writer.write(&game.to_block().expect("a block of this length was read"))?;
    }
    writer.finish()?;
    Ok(recovered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partial::has_games;
    use crate::tests::file;
    use std::fs;

    #[test]
    fn a_file_that_ends_at_any_byte_becomes_a_record_of_its_games() {
        let (whole, one) = (file(3), file(2).len() - 16);
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a.rec.partial"), folder.path().join("a.rec"));
        let empty = file(0).len() - 16;
        for length in empty..=whole.len() {
            fs::write(&from, &whole[..length]).unwrap();
            assert_eq!(has_games(&from), Some(length >= file(1).len() - 16));
            let Recovered { games, end, .. } = recover(&from, &to).unwrap();
            // A run may be killed when its last game is written, before the file gets its name.
            assert_eq!(end.is_none(), length == whole.len());
            assert_eq!(games >= 2, length >= one);
            assert_eq!(to.exists(), games > 0);
            if games > 0 {
                assert_eq!(fs::read(&to).unwrap(), file(games));
                fs::remove_file(&to).unwrap();
            }
        }
        for (length, games) in [(0, Some(false)), (20, Some(false))] {
            fs::write(&from, &whole[..length]).unwrap();
            assert_eq!(has_games(&from), games);
        }
        fs::write(&from, "a text of the user").unwrap();
        assert_eq!(has_games(&from), None);
    }
}
