//! A line of `results.jsonl`: a game that is over.

use super::finished::Finished;
use super::resolved::BuiltTournament;
use runner_stats::MoveTimes;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of moves, which no real game reaches. Sums of it fit into 64 bits.
const LONGEST_GAME: u64 = 1 << 40;

/// A game as its line holds it. The names are the labels of the game and the agent.
#[derive(Serialize, Deserialize)]
pub struct GameLine<'a> {
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
}

impl<'a> GameLine<'a> {
    pub fn of(built: &'a BuiltTournament, cell: usize, game: &'a Finished) -> Self {
        Self::new(built.labels(cell), built.cells[cell].seed.0, game)
    }

    fn new([game, agent]: [&'a str; 2], seed: u64, finished: &'a Finished) -> Self {
        Self {
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
        }
    }

    /// Returns the game, or why it cannot be a game of a cell with this seed and these numbers.
    pub fn check(self, seed: u64, numbers: Range<u64>) -> Result<Finished, String> {
        let Self { number, moves, .. } = self;
        if self.seed != seed {
            return Err(format!("its seed is {}, not {seed}", self.seed));
        }
        if !numbers.contains(&number) {
            let Range { start, end } = numbers;
            return Err(format!(
                "its number is {number}, and those of the games are {start} to {}",
                end - 1
            ));
        }
        if self.score.is_some() == self.fault.is_some() {
            return Err("it needs either a score or a fault".into());
        }
        if moves > LONGEST_GAME {
            return Err(format!("no game has {moves} moves"));
        }
        if self.seconds < 0.0 {
            return Err("its time is negative".into());
        }
        if self.move_times.as_ref().is_some_and(|times| times.moves() != moves) {
            return Err(format!("its `move_times` are not those of {moves} moves"));
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
            seconds: 0.000_020_172,
            ..Finished::default()
        }
    }

    fn written(game: &Finished) -> String {
        serde_json::to_string(&GameLine::new(["a \"board\"", "\u{e9}"], 3, game)).unwrap()
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
            let read: GameLine<'_> = serde_json::from_str(&text).unwrap();
            assert_eq!((&*read.game, &*read.agent), ("a \"board\"", "\u{e9}"));
            assert_eq!(read.check(3, 0..8), Ok(game));
        }
    }

    #[test]
    fn line_that_can_be_no_game_is_refused() {
        let line = written(&finished());
        let refused = |old: &str, new: &str| {
            assert!(line.contains(old), "{old}");
            let line = line.replacen(old, new, 1);
            let line: GameLine<'_> = serde_json::from_str(&line).map_err(|e| e.to_string())?;
            line.check(3, 0..8)
        };
        for (old, new, why) in [
            ("\"number\"", "\"numbers\"", "missing field `number`"),
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
}
