//! The curves of trainings, which may be under way.

use super::refusal::Refusal;
use runner_files::Lines;
use runner_play::failure::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// Largest part of a file that is read at once, in bytes.
const PART: u64 = 1 << 20;

/// The files of curves that the command line names.
pub struct Curves(pub Vec<PathBuf>);

/// A place in the file of a curve, up to which its points are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Known {
    /// Number of bytes before the place.
    from: u64,
    /// Hash of the first line, by which a file is known that replaced the other.
    file: u32,
}

/// New points of a curve.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Points {
    points: Vec<Value>,
    /// The place after these points, from which to ask next.
    next: Known,
    /// True if the file was replaced: a new training has begun, and these are its points.
    restarted: bool,
}

impl Curves {
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|path| path.display().to_string()).collect()
    }

    /// Returns the points of a curve after those that are known. A file that does not exist has
    /// none yet; an incomplete last line is left for the next time.
    pub fn points(&self, curve: usize, known: Known) -> Result<Points, Refusal> {
        let path = self.0.get(curve).ok_or_else(|| Refusal::missing("there is no such curve"))?;
        let failed = |error| {
            Refusal::from(Failure::failed(format!("cannot read {}: {error}", path.display())))
        };
        if !path.exists() {
            return Ok(Points::default());
        }
        let mut file = BufReader::new(runner_files::open(path).map_err(Failure::from)?);
        let first = first_line(&mut file).map_err(failed)?;
        let length = file.get_ref().metadata().map_err(failed)?.len();
        let restarted = known.from > 0 && (known.file != first || known.from > length);
        let from = if restarted { 0 } else { known.from };
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(from)).map_err(failed)?;
        file.take(PART).read_to_end(&mut part).map_err(failed)?;
        let part_length = part.len() as u64;
        let lines = Lines::from(part);
        let end = lines.complete().len();
        let points: Result<_, _> =
            lines.iter().map(|(_, line)| serde_json::from_slice(line)).collect();
        let points = points.map_err(|error| {
            Failure::failed(format!("{} is no curve of a training: {error}", path.display()))
        })?;
        if end == 0 && part_length == PART {
            return Err(Failure::failed(format!("{} has no lines", path.display())).into());
        }
        Ok(Points { points, next: Known { from: from + end as u64, file: first }, restarted })
    }
}

/// Returns the hash of the first line.
fn first_line(file: &mut BufReader<File>) -> io::Result<u32> {
    let mut line = Vec::new();
    file.take(PART).read_until(b'\n', &mut line)?;
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    Ok(hasher.finish() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn points_come_in_parts_and_incomplete_lines_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.curve.jsonl");
        let curves = Curves(vec![path.clone()]);
        let start = Known::default();
        assert_eq!(curves.points(0, start).unwrap(), Points::default(), "no file yet");
        fs::write(&path, "{\"moves\":1}\n{\"moves\":2}\n{\"mov").unwrap();
        let first = curves.points(0, start).unwrap();
        assert_eq!((first.points.len(), first.next.from, first.restarted), (2, 24, false));
        fs::write(&path, "{\"moves\":1}\n{\"moves\":2}\n{\"moves\":3}\n").unwrap();
        let second = curves.points(0, first.next).unwrap();
        assert_eq!((second.points.len(), second.next.from, second.restarted), (1, 36, false));
        fs::write(&path, "{\"moves\":9}\n").unwrap();
        let third = curves.points(0, second.next).unwrap();
        assert_eq!((third.points.len(), third.next.from, third.restarted), (1, 12, true));
        // Another training may replace the file by a longer one.
        fs::write(&path, "{\"moves\":10}\n{\"moves\":20}\n").unwrap();
        let fourth = curves.points(0, third.next).unwrap();
        assert_eq!((fourth.points.len(), fourth.next.from, fourth.restarted), (2, 26, true));
        fs::write(&path, "a shopping list\n").unwrap();
        assert!(curves.points(0, start).unwrap_err().message.contains("a.curve.jsonl"));
        assert_eq!(curves.points(1, start).unwrap_err().status.as_u16(), 404);
    }
}
