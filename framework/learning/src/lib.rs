//! The harness of a training. A learner plays the games and applies its learning rule; this crate
//! counts moves and games, keeps the budget, reports to the session, and records the trainings of a
//! model in its file.
//!
//! - [`History`]: moves, games, time, seed and the last games of a model, in its file;
//! - [`Run`]: one call of [`Learner::train`](runner_core::Learner::train), shared by its threads;
//! - [`TrainingCell`]: the state of a learner between such calls.
//!
//! The learner of this example learns the mean reward of a move:
//!
//! ```
//! use game_2048::Game2048;
//! use runner_core::{
//!     Control, Fault, Game, GamePlugin, SingleThread, TrainingBudget, TrainingProgress,
//!     TrainingSession,
//! };
//! use runner_learning::{History, Run, Trained, TrainingCell};
//!
//! #[derive(Default)]
//! struct State {
//!     history: History,
//!     reward: f64,
//! }
//!
//! impl Trained for State {
//!     fn progress(&self) -> TrainingProgress {
//!         self.history.progress()
//!     }
//! }
//!
//! fn train<G: Game>(
//!     cell: &TrainingCell<State>,
//!     game: &G,
//!     session: &TrainingSession<'_>,
//! ) -> Result<(), Fault> {
//!     cell.with(|state| {
//!         let run = Run::new(session, std::mem::take(&mut state.history));
//!         while !run.is_stopped() {
//!             // Always the first legal action. A learner would choose the best, and learn.
//!             let mut playing = run.begin(game, run.claim_games(1).start);
//!             while playing.list_actions(game) {
//!                 let chosen = playing.successors[0];
//!                 playing.apply(game, chosen);
//!                 state.reward += 0.01 * (f64::from(chosen.reward) - state.reward);
//!             }
//!             run.add_moves(playing.moves);
//!             run.add_game(playing.score, game.max_tile(playing.state));
//!             run.set_series([("reward", state.reward)]);
//!             run.update();
//!         }
//!         state.history = run.end();
//!     })
//! }
//!
//! let game = Game2048::alone(game_2048::Config::default()).unwrap();
//! let report = |_: &TrainingProgress| Control::Continue;
//! let budget = TrainingBudget { episodes: Some(10), ..TrainingBudget::default() };
//! let session = TrainingSession { budget, ..TrainingSession::new(&SingleThread, &report) };
//! let cell = TrainingCell::new(State::default());
//! train(&cell, &game, &session).unwrap();
//! train(&cell, &game, &session).unwrap();
//! let done = cell.progress();
//! assert_eq!((done.episodes, done.window), (20, 20));
//! assert!(done.figure("reward") > Some(0.0));
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod cell;
mod history;
mod recent;
mod run;

pub use cell::{Trained, TrainingCell};
pub use history::{History, count};
pub use recent::{FinishedGame, RecentGames};
pub use run::{Run, over_at_start};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
