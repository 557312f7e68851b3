//! Learning from games of the greedy policy. After the action of step t + 1 is chosen,
//!
//! ```text
//! V(a_t) += alpha * (r_{t+1} + V(a_{t+1}) - V(a_t))
//! ```
//!
//! with the values at the moment of the update; at the end of the game the target is 0.
//! The chance reward between a_t and the next state is part of the target.

use crate::__Type__;
use runner_core::{
    Afterstate, Fault, Game, GameInProgress, Successor, Successors, TrainingProgress,
    TrainingSession, locked};
use runner_learning::{History, Run, Trained};
use std::mem::take;
use std::sync::Mutex;

/// Number of moves after which a thread adds them to the totals and checks the budget, which
/// is exceeded by at most this number per thread.
const BATCH: u64 = 256;

/// What training changes beside the table.
#[derive(Default)]
pub struct TrainingState {
    /// Moves, games, time and the last games.
    pub history: History,
    /// Games that were in progress when the last call ended: the next call continues them.
    unfinished: Vec<Playing>,
}

/// A game in progress, with the last afterstate and the chance reward after it.
struct Playing(GameInProgress, Option<(Afterstate, f32)>);

impl TrainingState {
    /// Returns the state that a model file describes. It holds no games in progress.
    pub fn restored(history: History) -> Self {
        Self { history, unfinished: Vec::new() }
    }
}

impl Trained for TrainingState {
    fn progress(&self) -> TrainingProgress {
        self.history.progress()
    }
}

/// Plays and learns on all threads of the host.
pub fn train<G: Game>(
    table: &__Type__,
    game: &G,
    session: &TrainingSession<'_>,
    state: &mut TrainingState,
) -> Result<TrainingProgress, Fault> {
    let run = Run::new(session, take(&mut state.history));
    let unfinished = Mutex::new(take(&mut state.unfinished));
    let trained = run.on_threads(&|_| {
        while !run.is_stopped() {
            let next = locked(&unfinished).pop();
            let begin = || Playing(run.begin(game, run.claim_games(1).start), None);
            let mut playing = next.unwrap_or_else(begin);
            if table.play(game, &mut playing, &run) {
                run.add_game(playing.0.score, game.max_tile(playing.0.state));
                run.update();
            } else {
                locked(&unfinished).push(playing);
            }
        }
    });
    state.history = run.end();
    state.unfinished = take(&mut locked(&unfinished));
    trained?;
    Ok(state.progress())
}

impl __Type__ {
    /// Plays until the game ends or the training stops. Returns true if the game has ended.
    fn play<G: Game>(&self, game: &G, playing: &mut Playing, run: &Run<'_>) -> bool {
        let Playing(playing, last) = playing;
        let mut moves = 0;
        while playing.list_actions(game) {
            let (chosen, action_value) = self.choose(&playing.successors);
            if let Some((afterstate, chance_reward)) = *last {
                self.update(afterstate, chance_reward + action_value);
            }
            *last = Some((chosen.afterstate, playing.apply(game, chosen)));
            moves += 1;
            if moves == BATCH {
                run.add_moves(take(&mut moves));
                run.update();
                if run.is_stopped() {
                    return false;
                }
            }
        }
        if let Some((afterstate, chance_reward)) = *last {
            self.update(afterstate, chance_reward);
        }
        run.add_moves(moves);
        true
    }

    /// Returns the action with the largest sum of reward and value, the first of equals,
    /// and that sum.
    fn choose(&self, successors: &Successors) -> (Successor, f32) {
        let values = successors.iter().map(|s| (*s, s.reward + self.value(s.afterstate)));
        let best = values.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.expect("the game is not over")
    }
}
