//! A line of `results.jsonl`: a game that is over, as a JSON object whose last field is a checksum.

use super::finished::Finished;
use super::resolved::Built;
use runner_files::sealed;
use runner_stats::MoveTimes;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// Number of moves that no game reaches: sums of them fit into 64 bits.
const LONGEST_GAME: u64 = 1 << 40;

#[derive(Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    luck: Option<f64>,
    seconds: f64,
    #[serde(borrow)]
    fault: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    move_times: Option<Cow<'a, MoveTimes>>,
    #[serde(rename = "check", skip_serializing)]
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
    /// Appends the line of a game of a cell.
    pub fn append(lines: &mut Vec<u8>, built: &Built, cell: usize, game: &Finished) {
        let labels = built.labels(cell);
        Self::append_of(lines, labels, built.cells[cell].seed.0, game);
    }

    fn append_of(lines: &mut Vec<u8>, [game, agent]: [&str; 2], seed: u64, finished: &Finished) {
        let start = lines.len();
        let line = Line {
            game: game.into(),
            agent: agent.into(),
            number: finished.number,
            seed,
            score: finished.score,
            max_tile: finished.max_tile,
            moves: finished.moves,
            luck: finished.luck,
            seconds: finished.seconds,
            fault: finished.fault.as_deref().map(Cow::Borrowed),
            move_times: finished.move_times.as_deref().map(Cow::Borrowed),
            _check: "",
        };
        // Writing to memory fails only for maps whose keys are no strings.
        let written = serde_json::to_writer(&mut *lines, &line);
        debug_assert!(written.is_ok());
        sealed::seal_line(lines, start);
        lines.push(b'\n');
    }

    /// Reads a line, without its end.
    pub fn read(line: &'a [u8]) -> Result<Self, LineError> {
        sealed::open_line(line).map_err(|broken| LineError::Damaged(broken.to_string()))?;
        serde_json::from_slice(line).map_err(|error| LineError::Damaged(error.to_string()))
    }

    /// Returns the game, if it can be one of a cell with this seed, in a tournament with games of these
    /// numbers.
    pub fn check(self, seed: u64, numbers: Range<u64>) -> Result<Finished, LineError> {
        let Self { number, moves, .. } = self;
        let times = self.move_times.as_ref();
        if self.seed != seed {
            let why = format!("its seed is {}, not {seed}", self.seed);
            return Err(LineError::Foreign(why));
        }
        if !numbers.contains(&number) {
            let Range { start, end } = numbers;
            let why = format!(
                "its number is {number}, and those of the games are {start} to {}",
                end - 1
            );
            return Err(LineError::Foreign(why));
        }
        let damaged = |why: String| Err(LineError::Damaged(why));
        if self.score.is_some() == self.fault.is_some() {
            return damaged("it needs either a score or a fault".into());
        }
        if moves > LONGEST_GAME {
            return damaged(format!("no game has {moves} moves"));
        }
        if self.seconds < 0.0 {
            return damaged("its time is negative".into());
        }
        if times.is_some_and(|times| times.moves() != moves) {
            return damaged(format!("its `move_times` are not those of {moves} moves"));
        }
        Ok(Finished {
            number,
            score: self.score,
            max_tile: self.max_tile,
            moves,
            luck: self.luck,
            seconds: self.seconds,
            fault: self.fault.as_deref().map(Into::into),
            move_times: self.move_times.map(|times| Box::new(times.into_owned())),
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
            luck: None,
            seconds: 0.000_020_172,
            fault: None,
            move_times: None,
        }
    }

    fn written(game: &Finished) -> String {
        let mut lines = b"{}\n".to_vec();
        Line::append_of(&mut lines, ["a \"board\"", "\u{e9}"], 3, game);
        String::from_utf8(lines).unwrap()
    }

    #[test]
    fn games_are_read_back() {
        let mut times = MoveTimes::default();
        times.add(Duration::from_micros(3));
        let timed = Finished { move_times: Some(Box::new(times)), ..finished() };
        let fault = Some("it said \"no\"\n".into());
        let forfeited = Finished { score: None, max_tile: None, moves: 0, fault, ..finished() };
        let lucky = Finished { luck: Some(-1.5), ..finished() };
        for game in [finished(), timed, forfeited, lucky] {
            let text = written(&game);
            let [_, line] = *text.lines().collect::<Vec<_>>() else { panic!("{text}") };
            let read = Line::read(line.as_bytes()).unwrap();
            assert_eq!((&*read.game, &*read.agent), ("a \"board\"", "\u{e9}"));
            assert_eq!(read.check(3, 0..8), Ok(game));
        }
    }

    #[test]
    fn line_that_can_be_no_game_is_refused() {
        let text = written(&finished());
        let line = text.lines().nth(1).unwrap();
        let refused = |old: &str, new: &str| {
            assert!(line.contains(old), "{old}");
            let line = line.replacen(old, new, 1);
            let line: Line<'_> = serde_json::from_str(&line).map_err(|e| e.to_string())?;
            match line.check(3, 0..8) {
                Err(LineError::Damaged(why) | LineError::Foreign(why)) => Err::<(), _>(why),
                Ok(game) => panic!("{game:?}"),
            }
        };
        for (old, new, why) in [
            ("\"number\"", "\"numbers\"", "unknown field `numbers`"),
            ("\"score\":2932.5", "\"score\":null", "it needs either a score or a fault"),
            ("\"seconds\":", "\"seconds\":-", "its time is negative"),
            ("\"moves\":1", "\"moves\":18446744073709551615", "no game has 18446744073709551615"),
            ("\"fault\":null", "\"fault\":null,\"move_times\":[[40,2]]", "not those of 1 moves"),
            ("\"fault\":null", "\"fault\":null,\"move_times\":[[4000,1]]", "no histogram of"),
            ("\"seed\":3", "\"seed\":4", "its seed is 4, not 3"),
            ("\"number\":7", "\"number\":8", "its number is 8, and those of the games are 0 to 7"),
        ] {
            let found = refused(old, new).unwrap_err();
            assert!(found.contains(why), "{new}: {found}");
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
