//! Encodes transcripts, with one encoder per thread.

use super::block::{Block, GameError, GameRecord};
use runner_core::wrappers::Transcript;
use runner_core::{Game, Outcomes, State};

pub struct Encoder<'a, G> {
    game: &'a G,
    outcomes: Box<Outcomes>,
}

impl<'a, G: Game> Encoder<'a, G> {
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
    ) -> Result<Block, GameError> {
        let actions = self.game.description().actions.len();
        let error = |message| GameError { game: number, message };
        let mut record = GameRecord::new(number, transcript.start, score, finished);
        for step in &transcript.steps {
            let (ply, action) = (record.moves() + 1, step.action.index());
            if action >= actions {
                let message = format!(", move {ply}: the game has no action number {action}");
                return Err(error(message));
            }
            self.game.outcomes(step.afterstate, &mut self.outcomes);
            let found = self.outcomes.iter().position(|outcome| outcome.state == step.next);
            let Some(outcome) = found else {
                // The transcript is of other rules, or `spawn` and `outcomes` disagree.
                let next = match step.next {
                    // The value of a step without a chance event.
                    State::RESERVED => "no position".to_owned(),
                    next => self.game.write(next),
                };
                let after = self.game.write_afterstate(step.afterstate);
                return Err(error(format!(", move {ply}: {next} is no outcome of {after}")));
            };
            record.push(outcome as u64 * actions as u64 + action as u64);
        }
        let moves = record.moves();
        record.to_block().ok_or_else(|| {
            error(format!(" has {moves} moves, which is more than a record can hold"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Counting, played};
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
        let error = Encoder::new(&game).encode(5, &transcript, 0.0, true).unwrap_err().to_string();
        assert_eq!(error, "game 5, move 1: the game has no action number 9");
    }
}
