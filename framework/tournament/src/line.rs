//! A line of `results.jsonl`: a game that is over, as a JSON object whose last field is a checksum.

use super::finished::Finished;
use super::resolved::Built;
use runner_files::sealed;
use runner_stats::MoveTimes;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Number of moves that no game reaches: sums of them fit into 64 bits.
const LONGEST_GAME: u64 = 1 << 40;

/// Writes the lines of the games of a cell. A fast player ends a game every 20 µs, so what is the
/// same in all lines is formatted once, and the rest without the detours of a generic writer.
pub struct LineFormat {
    /// The fields before the number of the game, and the name of that field.
    start: Vec<u8>,
    /// The fields after the number up to the score, and the name of that field.
    middle: Vec<u8>,
}

impl LineFormat {
    pub fn of_cells(built: &Built) -> Vec<Self> {
        let format = |cell| {
            let [game, agent] = built.labels(cell);
            Self::new(game, agent, built.cells[cell].seed.0)
        };
        (0..built.cells.len()).map(format).collect()
    }

    fn new(game: &str, agent: &str, seed: u64) -> Self {
        let mut start = b"{\"game\":".to_vec();
        append(&mut start, game);
        start.extend_from_slice(b",\"agent\":");
        append(&mut start, agent);
        start.extend_from_slice(b",\"number\":");
        Self { start, middle: format!(",\"seed\":{seed},\"score\":").into_bytes() }
    }

    /// Appends the line of a game.
    pub fn write(&self, game: &Finished, lines: &mut Vec<u8>) {
        let start = lines.len();
        lines.extend_from_slice(&self.start);
        append(lines, &game.number);
        lines.extend_from_slice(&self.middle);
        append(lines, &game.score);
        lines.extend_from_slice(b",\"max_tile\":");
        append(lines, &game.max_tile);
        lines.extend_from_slice(b",\"moves\":");
        append(lines, &game.moves);
        lines.extend_from_slice(b",\"seconds\":");
        append(lines, &game.seconds);
        lines.extend_from_slice(b",\"fault\":");
        append(lines, &game.fault);
        if let Some(times) = &game.move_times {
            lines.extend_from_slice(b",\"move_times\":");
            append(lines, times);
        }
        lines.push(b'}');
        sealed::seal_line(lines, start);
        lines.push(b'\n');
    }
}

/// Appends a value as JSON.
fn append<T: Serialize + ?Sized>(lines: &mut Vec<u8>, value: &T) {
    // Writing to memory fails only for maps whose keys are no strings.
    let written = serde_json::to_writer(lines, value);
    debug_assert!(written.is_ok());
}

/// A line that was read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line<'a> {
    #[serde(borrow)]
    pub game: Cow<'a, str>,
    #[serde(borrow)]
    pub agent: Cow<'a, str>,
    pub number: u64,
    seed: u64,
    /// Score; `None` if the game was forfeited.
    pub score: Option<f64>,
    max_tile: Option<u64>,
    moves: u64,
    seconds: f64,
    #[serde(borrow)]
    fault: Option<Cow<'a, str>>,
    #[serde(default)]
    move_times: Option<MoveTimes>,
    #[serde(rename = "check")]
    _check: &'a str,
}

/// The reason why a line is refused.
#[derive(Debug, PartialEq)]
pub enum LineError {
    /// The line is no result, or was changed.
    Damaged(String),
    /// The line is the result of a game that this tournament does not have.
    Foreign(String),
}

impl<'a> Line<'a> {
    /// Reads a line, without its end.
    pub fn read(line: &'a [u8]) -> Result<Self, LineError> {
        sealed::open_line(line).map_err(|broken| LineError::Damaged(broken.to_string()))?;
        serde_json::from_slice(line).map_err(|error| LineError::Damaged(error.to_string()))
    }

    /// Returns the game, if it can be one of a cell with this seed in a tournament with this many
    /// rounds.
    pub fn check(self, seed: u64, rounds: u64) -> Result<Finished, LineError> {
        if self.seed != seed {
            return Err(LineError::Foreign(format!("its seed is {}, not {seed}", self.seed)));
        }
        if self.number >= rounds {
            return Err(LineError::Foreign(format!(
                "its number is {}, and there are {rounds} games",
                self.number
            )));
        }
        let damaged = |why: String| Err(LineError::Damaged(why));
        if self.score.is_some() == self.fault.is_some() {
            return damaged("it needs either a score or a fault".into());
        }
        if self.moves > LONGEST_GAME {
            return damaged(format!("no game has {} moves", self.moves));
        }
        if self.seconds < 0.0 {
            return damaged("its time is negative".into());
        }
        if self.move_times.as_ref().is_some_and(|times| times.moves() != self.moves) {
            return damaged(format!("its `move_times` are not those of {} moves", self.moves));
        }
        Ok(Finished {
            number: self.number,
            score: self.score,
            max_tile: self.max_tile,
            moves: self.moves,
            seconds: self.seconds,
            fault: self.fault.as_deref().map(Into::into),
            move_times: self.move_times.map(Box::new),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn finished() -> Finished {
        Finished {
            number: 7,
            score: Some(2932.5),
            max_tile: Some(256),
            moves: 1,
            seconds: 0.000_020_172,
            fault: None,
            move_times: None,
        }
    }

    fn written(game: &Finished) -> String {
        let mut lines = b"{}\n".to_vec();
        LineFormat::new("a \"board\"", "\u{e9}", 3).write(game, &mut lines);
        String::from_utf8(lines).unwrap()
    }

    #[test]
    fn games_are_read_back() {
        let mut times = MoveTimes::default();
        times.add(Duration::from_micros(3));
        let timed = Finished { move_times: Some(Box::new(times)), ..finished() };
        let fault = Some("it said \"no\"\n".into());
        let forfeited = Finished { score: None, max_tile: None, moves: 0, fault, ..finished() };
        for game in [finished(), timed, forfeited] {
            let text = written(&game);
            let [_, line] = *text.lines().collect::<Vec<_>>() else { panic!("{text}") };
            let read = Line::read(line.as_bytes()).unwrap();
            assert_eq!((&*read.game, &*read.agent), ("a \"board\"", "\u{e9}"));
            assert_eq!(read.check(3, 8), Ok(game));
        }
    }

    #[test]
    fn every_other_digit_is_detected() {
        let text = written(&finished());
        let line = text.lines().nth(1).unwrap().as_bytes();
        for place in (0..line.len()).filter(|&place| line[place].is_ascii_digit()) {
            let mut edited = line.to_vec();
            edited[place] = if edited[place] == b'1' { b'3' } else { b'1' };
            let Err(LineError::Damaged(why)) = Line::read(&edited) else { panic!("{place}") };
            assert!(why.contains("checksum"), "{why}");
        }
    }
}
