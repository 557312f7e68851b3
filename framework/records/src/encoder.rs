//! Encodes transcripts, with one encoder per thread.

use super::block::{Block, GameRecord};
use runner_core::wrappers::Transcript;
use runner_core::{Afterstate, Game, Outcomes, State};

/// Encodes the games of one set of rules.
pub struct Encoder<'a, G> {
    game: &'a G,
    outcomes: Outcomes,
}

/// A game that cannot be encoded. Moves are counted from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// A position is no outcome of the afterstate before it: the transcript is of other rules,
    /// or the game's `spawn` and `outcomes` disagree.
    #[error("game {game}, move {number}: {next} is no outcome of {afterstate}")]
    NoOutcome {
        /// Number of the game.
        game: u64,
        /// Number of the move.
        number: u64,
        afterstate: String,
        /// The position after it.
        next: String,
    },
    /// The game has no such action.
    #[error("game {game}, move {number}: the game has no action number {action}")]
    NoAction {
        /// Number of the game.
        game: u64,
        /// Number of the move.
        number: u64,
        /// Index of the action.
        action: u8,
    },
    /// The game is too long for a block.
    #[error("game {game} has {moves} moves, which is more than a record can hold")]
    TooLong {
        /// Number of the game.
        game: u64,
        /// Number of its moves.
        moves: u64,
    },
}

impl<'a, G: Game> Encoder<'a, G> {
    /// Creates an encoder for this game.
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
            // The value of a step without a chance event.
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
    fn move_takes_two_bytes_up_to_16384_actions_times_outcomes() {
        let game = Counting::new(4, 4096, 1_000_000);
        let (transcript, episode) = played(&game, 1);
        let block = Encoder::new(&game).encode(1, &transcript, episode.score, true).unwrap();
        // 49 bytes besides the codes: length, checksum, and the fixed part of the body.
        assert!(episode.moves > 300 && block.bytes().len() <= 49 + 2 * episode.moves as usize);
    }

    #[test]
    fn position_that_is_no_outcome_is_named() {
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
