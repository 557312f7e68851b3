//! From a transcript to bytes. One encoder for each thread that plays; it holds
//! nothing of a game once that is encoded.

use super::block::{Block, GameRecord};
use runner_core::wrappers::Transcript;
use runner_core::{Afterstate, Game, Outcomes, State};

/// Encodes games of one set of rules.
pub struct Encoder<'a, G> {
    game: &'a G,
    outcomes: Outcomes,
}

/// Why a game cannot be recorded. Moves are counted from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// A position follows that chance cannot have made: the transcript is of
    /// other rules, or the game's `spawn` and `outcomes` disagree.
    #[error("game {game}, move {number}: {next} is no outcome of {afterstate}")]
    NoOutcome {
        /// The game.
        game: u64,
        /// The move.
        number: u64,
        /// The position before chance.
        afterstate: String,
        /// The position that followed.
        next: String,
    },
    /// The action is not on the game's list.
    #[error("game {game}, move {number}: the game has no action number {action}")]
    NoAction {
        /// The game.
        game: u64,
        /// The move.
        number: u64,
        /// The action, counted from 0.
        action: u8,
    },
    /// The game is too long for a block.
    #[error("game {game} has {moves} moves, which is more than a record can hold")]
    TooLong {
        /// The game.
        game: u64,
        /// Its moves.
        moves: u64,
    },
}

impl<'a, G: Game> Encoder<'a, G> {
    /// An encoder for this game's transcripts.
    pub fn new(game: &'a G) -> Self {
        Self { game, outcomes: Outcomes::with_capacity(game.description().max_outcomes) }
    }

    /// Encodes game `number` of a run. `score` and `finished` are those of its
    /// [`Episode`](runner_core::Episode).
    pub fn encode(
        &mut self,
        number: u64,
        transcript: &Transcript,
        score: f64,
        finished: bool,
    ) -> Result<Block, EncodeError> {
        let actions = self.game.description().actions.len();
        let mut record = GameRecord::new(number, transcript.start, score, finished);
        for step in &transcript.steps {
            let ply = record.moves() + 1;
            if step.action.index() >= actions {
                let action = step.action.0;
                return Err(EncodeError::NoAction { game: number, number: ply, action });
            }
            let Some(outcome) = self.outcome(step.afterstate, step.next) else {
                return Err(self.no_outcome(number, ply, step.afterstate, step.next));
            };
            record.push(outcome as u64 * actions as u64 + step.action.index() as u64);
        }
        let moves = record.moves();
        record.to_block().ok_or(EncodeError::TooLong { game: number, moves })
    }

    fn outcome(&mut self, afterstate: Afterstate, next: State) -> Option<usize> {
        self.game.outcomes(afterstate, &mut self.outcomes);
        self.outcomes.iter().position(|outcome| outcome.state == next)
    }

    #[cold]
    fn no_outcome(
        &self,
        game: u64,
        number: u64,
        afterstate: Afterstate,
        next: State,
    ) -> EncodeError {
        let next = match next {
            // What a step holds whose chance event never came.
            State::RESERVED => "no position".to_owned(),
            next => self.game.write(next),
        };
        let afterstate = self.game.write_afterstate(afterstate);
        EncodeError::NoOutcome { game, number, afterstate, next }
    }
}

#[cfg(test)]
mod tests {
    use super::super::counting::{Counting, played};
    use super::*;
    use runner_core::Action;

    #[test]
    fn a_move_takes_two_bytes_where_actions_times_outcomes_are_16384() {
        let game = Counting::new(4, 4096, 1_000_000);
        let (transcript, episode) = played(&game, 1);
        let block = Encoder::new(&game).encode(1, &transcript, episode.score, true).unwrap();
        // 49 bytes stand around the codes: lengths, checksum, and the fixed part.
        assert!(episode.moves > 300 && block.bytes().len() <= 49 + 2 * episode.moves as usize);
    }

    #[test]
    fn a_position_that_chance_cannot_make_is_named() {
        let game = Counting::default();
        let (mut transcript, _) = played(&game, 1);
        transcript.steps[2].next = State::new(999, 0);
        let error = Encoder::new(&game).encode(5, &transcript, 0.0, true).unwrap_err().to_string();
        assert!(error.starts_with("game 5, move 3: 999 is no outcome of "), "{error}");
        transcript.steps[1].next = State::RESERVED;
        let error = Encoder::new(&game).encode(5, &transcript, 0.0, true).unwrap_err().to_string();
        assert!(error.starts_with("game 5, move 2: no position is no outcome"), "{error}");
        transcript.steps[0].action = Action(9);
        let error = Encoder::new(&game).encode(5, &transcript, 0.0, true).unwrap_err();
        assert_eq!(error, EncodeError::NoAction { game: 5, number: 1, action: 9 });
    }
}
