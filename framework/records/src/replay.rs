//! Replays a recorded game against the rules, move by move.

use super::block::{GameError, GameRecord};
use super::metadata::Starts;
use runner_core::{Action, Afterstate, Game, Outcomes, State, Successors};

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReplayedMove {
    pub state: State,
    pub action: Action,
    pub reward: f32,
    pub afterstate: Afterstate,
    pub next: State,
    pub chance_reward: f32,
}

/// Returns an iterator over the moves of a game. The first violation of the rules is its last
/// item. Score and end are checked after the last move.
///
/// The recorded actions must be those of the game: see
/// [`check_actions`](super::Metadata::check_actions).
pub fn replay<'a, G: Game>(game: &'a G, record: &'a GameRecord) -> Replay<'a, G> {
    Replay {
        game,
        record,
        outcomes: Outcomes::with_capacity(game.description().max_outcomes),
        state: record.start,
        score: 0.0,
        at: 0,
        number: 0,
        over: false,
    }
}

/// An iterator over the moves of a recorded game: see [`replay()`].
#[derive(Debug)]
pub struct Replay<'a, G> {
    game: &'a G,
    record: &'a GameRecord,
    outcomes: Box<Outcomes>,
    state: State,
    score: f64,
    at: usize,
    number: u64,
    over: bool,
}

impl<G: Game> Replay<'_, G> {
    /// Replays the rest of the game.
    pub fn verify(mut self) -> Result<(), GameError> {
        self.try_for_each(|replayed| replayed.map(|_| ()))
    }

    fn step(&mut self) -> Result<Option<ReplayedMove>, GameError> {
        if self.number == 0 {
            self.begin()?;
        }
        let Some((code, at)) = self.record.code(self.at) else {
            self.end()?;
            return Ok(None);
        };
        self.at = at;
        self.number += 1;
        let state = self.state;
        let actions = self.game.description().actions.len().max(1) as u64;
        let (action, outcome) = (Action((code % actions) as u8), code / actions);
        let place = || {
            let name = self.game.description().action_name(action);
            (self.number, name, self.game.write(state))
        };
        let Some(chosen) = self.game.successor(state, action) else {
            let (number, name, position) = place();
            let message = format!(", move {number}: `{name}` is not legal in {position}");
            return Err(self.error(message));
        };
        self.game.outcomes(chosen.afterstate, &mut self.outcomes);
        let found = usize::try_from(outcome).ok().and_then(|outcome| self.outcomes.get(outcome));
        let Some(next) = found.map(|outcome| outcome.state) else {
            let ((number, name, position), of) = (place(), self.outcomes.len());
            return Err(self.error(format!(
                ", move {number}: outcome {outcome} of `{name}` in {position}, which has only {of}"
            )));
        };
        let mut chance_reward = 0.0;
        // Added in the order of an episode, so that the sums are equal to the last bit.
        self.score += f64::from(chosen.reward);
        if self.game.has_chance_rewards() {
            chance_reward = self.game.chance_reward(Some(chosen.afterstate), next);
            self.score += f64::from(chance_reward);
        }
        self.state = next;
        let (reward, afterstate) = (chosen.reward, chosen.afterstate);
        Ok(Some(ReplayedMove { state, action, reward, afterstate, next, chance_reward }))
    }

    /// Checks that the start is one of the game's, or, if the game does not list them or other
    /// starts are allowed, that it is a position.
    fn begin(&mut self) -> Result<(), GameError> {
        let start = self.record.start;
        let listed = match self.record.starts {
            Starts::OfRules => self.game.starts(),
            Starts::Edited | Starts::Given => None,
        };
        let possible = match listed {
            Some(starts) => starts.iter().any(|outcome| outcome.state == start),
            None => self.game.parse(&self.game.write(start)) == Ok(start),
        };
        if !possible {
            // A position that is none of the game may have no text.
            let message =
                format!(" starts in {start:?}, which is no start position of these rules");
            return Err(self.error(message));
        }
        self.score = self.record.first(self.game).score;
        Ok(())
    }

    fn end(&mut self) -> Result<(), GameError> {
        let GameRecord { score, finished, .. } = *self.record;
        if self.score != score {
            let sum = self.score;
            let message = format!(": the rewards sum to {sum}, the recorded score is {score}");
            return Err(self.error(message));
        }
        let mut successors = Successors::new();
        self.game.successors(self.state, &mut successors);
        let over = successors.is_empty();
        if over != finished {
            let (is, position) = (if over { "is" } else { "is not" }, self.game.write(self.state));
            return Err(self.error(format!(" {is} over in {position}, unlike its record states")));
        }
        Ok(())
    }

    #[cold]
    fn error(&self, message: String) -> GameError {
        GameError { game: self.record.number, message }
    }
}

impl<G: Game> Iterator for Replay<'_, G> {
    type Item = Result<ReplayedMove, GameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let step = self.step().transpose();
        self.over = !matches!(step, Some(Ok(_)));
        step
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Encoder, RecordReader};
    use super::*;
    use crate::tests::{Counting, file, played};

    fn records(games: u64) -> Vec<GameRecord> {
        RecordReader::new(&file(games)[..], "games").unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn replay_returns_every_position_and_reward() {
        let game = Counting::default();
        for (record, number) in records(50).iter().zip(0..) {
            let (transcript, episode) = played(&game, number);
            let moves: Vec<ReplayedMove> = replay(&game, record).map(Result::unwrap).collect();
            assert_eq!(moves.len(), transcript.steps.len());
            assert_eq!(record.moves(), episode.moves);
            let mut state = transcript.start;
            for (replayed, step) in moves.iter().zip(&transcript.steps) {
                assert_eq!((replayed.state, replayed.action), (state, step.action));
                assert_eq!((replayed.afterstate, replayed.next), (step.afterstate, step.next));
                // Action `a` scores `a`, chance a quarter of its increment.
                assert_eq!(replayed.reward, f32::from(step.action.0));
                assert_eq!(
                    4.0 * replayed.chance_reward,
                    (step.next.lo - step.afterstate.lo) as f32
                );
                state = replayed.next;
            }
            assert_eq!(state, episode.last);
        }
    }

    #[test]
    fn stopped_game_verifies_as_unfinished() {
        let game = Counting::default();
        let (mut transcript, _) = played(&game, 1);
        transcript.steps.clear();
        let score = transcript.start.lo as f64;
        let mut encoder = Encoder::new(&game);
        let mut verify = |finished| {
            let block = encoder.encode(1, &transcript, score, finished).unwrap();
            let body = &block.bytes()[4..block.bytes().len() - 4];
            replay(&game, &GameRecord::from_body(body).unwrap()).verify()
        };
        assert_eq!(verify(false), Ok(()));
        let error = verify(true).unwrap_err().to_string();
        assert!(error.contains("game 1 is not over in "), "{error}");
    }

    #[test]
    fn illegal_move_is_named() {
        let game = Counting::default();
        // From 18 of 20, adding 2 is illegal; its code is 2 + 3 * 0.
        let mut record = GameRecord::new(7, State::new(0, 0), 0.0, true);
        // Add 2, then chance adds 4 (outcome 3): three times from 0 to 18.
        (0..3).for_each(|_| record.push(3 * 3 + 2));
        record.push(2);
        let moves: Vec<_> = replay(&game, &record).collect();
        assert!(moves[..3].iter().all(Result::is_ok) && moves.len() == 4);
        let error = moves[3].as_ref().unwrap_err().to_string();
        assert_eq!(error, "game 7, move 4: `add 2` is not legal in 18");
    }

    #[test]
    fn impossible_outcome_is_named() {
        let game = Counting::default();
        for outcome in [4, u64::MAX / 3 - 1] {
            let mut record = GameRecord::new(7, State::new(1, 0), 0.0, true);
            record.push(outcome * 3);
            let error = replay(&game, &record).verify().unwrap_err().to_string();
            let expected = format!("game 7, move 1: outcome {outcome} of `add 0` in 1, which has");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn wrong_score_end_and_start_are_found() {
        let game = Counting::default();
        let record = &records(1)[0];
        assert_eq!(replay(&game, record).verify(), Ok(()));
        for score in [record.score + 0.25, -record.score, f64::NAN] {
            let wrong = GameRecord { score, ..record.clone() };
            let error = replay(&game, &wrong).verify().unwrap_err();
            assert!(error.message.contains("the rewards sum to"), "{error}");
        }
        let wrong = GameRecord { finished: false, ..record.clone() };
        let error = replay(&game, &wrong).verify().unwrap_err();
        assert!(error.message.contains("is over in"), "{error}");
        let wrong = GameRecord { start: State::new(2, 0), ..record.clone() };
        let error = replay(&game, &wrong).verify().unwrap_err();
        assert!(error.to_string().contains("no start position"), "{error}");
    }

    #[test]
    fn a_game_from_a_given_position_verifies_in_a_file_that_says_so() {
        let game = Counting::default();
        // The rules start at 0 or 1 and score that number.
        let given = GameRecord::new(1, State::new(2, 0), 0.0, false);
        for (starts, score, verifies) in [
            (Starts::OfRules, 2.0, false),
            (Starts::Edited, 2.0, true),
            (Starts::Edited, 0.0, false),
            (Starts::Given, 0.0, true),
        ] {
            let record = GameRecord { starts, score, ..given.clone() };
            assert_eq!(replay(&game, &record).verify().is_ok(), verifies, "{starts:?} {score}");
        }
    }

    #[test]
    fn any_changed_move_violates_the_rules_or_the_score() {
        // There is no checksum here. Another outcome changes the rewards of chance, and no
        // later move compensates for that.
        let game = Counting::default();
        for record in records(20) {
            let mut codes = Vec::new();
            let mut at = 0;
            while let Some((code, next)) = record.code(at) {
                codes.push(code);
                at = next;
            }
            for changed in 0..codes.len() {
                let mut wrong =
                    GameRecord::new(record.number, record.start, record.score, record.finished);
                for (i, code) in codes.iter().enumerate() {
                    wrong.push(if i == changed { (code + 3) % 12 } else { *code });
                }
                assert!(replay(&game, &wrong).verify().is_err());
            }
        }
    }
}
