//! The MDP that every game, value and agent is written against.
//!
//! ```text
//! State --action--> (Afterstate, reward) --chance--> State
//! ```
//!
//! A game, a player, and one episode:
//!
//! ```
//! use runner_core::*;
//! use std::sync::atomic::AtomicBool;
//!
//! const ROLL: Action = Action(0);
//! const STOP: Action = Action(1);
//!
//! /// A die is rolled until the player stops, which earns the sum of the rolls. A sum above 20
//! /// ends the game without points.
//! struct Rolls(Description);
//!
//! // The first word of a position holds the sum; the second is 1 after the player has stopped.
//! impl Game for Rolls {
//!     fn description(&self) -> &Description {
//!         &self.0
//!     }
//!     fn start(&self, _: u64) -> State {
//!         State::new(0, 0)
//!     }
//!     fn successors(&self, State { lo: sum, hi: stopped }: State, out: &mut Successors) {
//!         out.clear();
//!         if stopped == 0 && sum <= 20 {
//!             out.push(ROLL, Afterstate::new(sum, 0), 0.0);
//!             out.push(STOP, Afterstate::new(sum, 1), sum as f32);
//!         }
//!     }
//!     fn outcomes(&self, Afterstate { lo: sum, hi: stopped }: Afterstate, out: &mut Outcomes) {
//!         out.clear();
//!         match stopped {
//!             0 => (1..=6).for_each(|face| out.push(1.0 / 6.0, State::new(sum + face, 0))),
//!             _ => out.push(1.0, State::new(sum, 1)),
//!         }
//!     }
//!     fn spawn(&self, Afterstate { lo: sum, hi: stopped }: Afterstate, random: u64) -> State {
//!         let face = 1 + u64::from(scale(random as u32, 6));
//!         if stopped == 0 { State::new(sum + face, 0) } else { State::new(sum, 1) }
//!     }
//!     fn write(&self, State { lo: sum, hi: stopped }: State) -> String {
//!         format!("{sum},{stopped}")
//!     }
//!     fn write_afterstate(&self, Afterstate { lo: sum, hi: stopped }: Afterstate) -> String {
//!         format!("{sum},{stopped}")
//!     }
//!     fn parse(&self, text: &str) -> Result<State, TextError> {
//!         let numbers = text.split_once(',').and_then(|(sum, stopped)| {
//!             Some(State::new(sum.parse().ok()?, stopped.parse().ok()?))
//!         });
//!         numbers.ok_or_else(|| TextError::new(0, "two numbers are expected, such as `7,0`"))
//!     }
//! }
//!
//! /// Rolls as long as no face can end the game.
//! struct Careful;
//!
//! impl Agent for Careful {
//!     fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
//!         Some(if turn.state.lo <= 14 { ROLL } else { STOP })
//!     }
//! }
//!
//! let actions = vec!["roll".to_owned(), "stop".to_owned()];
//! let game = Rolls(Description { actions, max_outcomes: 6, ..Description::default() });
//! let mut random = Random::stream(Seed(1), 0);
//! let episode = play(&game, &mut Careful, &mut random, &AtomicBool::new(false));
//! assert!(episode.finished && (15.0..=20.0).contains(&episode.score));
//! ```
//!
//! Its parts are positions and lists ([`State`], [`Successors`], [`Outcomes`]),
//! the rules ([`Game`], [`Description`]), estimates ([`Value`], [`Learner`]), players
//! ([`Agent`] and the [`wrappers`]), playing ([`play`], [`play_interleaved`], [`playouts`]),
//! and how they are named and built ([`Plugin`] and the traits of each kind).
//!
//! A game on a board may offer its rules as tables ([`rows`]), and a value its estimates
//! ([`lines`]): code that holds them calls nothing.
//!
//! Nothing here knows an ABI, starts a thread or does I/O.
#![deny(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod agent;
mod analysis;
mod description;
mod episode;
mod fault;
mod game;
pub mod geometry;
mod hex;
mod host;
mod in_progress;
mod interleaved;
#[allow(missing_docs)]
pub mod lines;
mod locks;
mod outcomes;
mod playout;
mod plugin;
mod prefetch;
mod random;
#[allow(missing_docs)]
pub mod rows;
pub mod slots;
mod state;
mod stop;
mod successors;
mod training;
mod value;
pub mod wrappers;

pub use agent::{Agent, AnyAgent, GreedyPolicy, Turn, best_action, order_by_value, value_facts};
pub use analysis::{Analysis, Fact, Facts};
pub use description::{Description, TextError};
pub use episode::{Episode, play, play_from};
pub use fault::{BuildError, Fault, catch};
pub use game::Game;
pub use hex::{read_position, write_hex};
pub use host::{BuildContext, GameContext, Host, SingleThread};
pub use in_progress::GameInProgress;
pub use interleaved::play_interleaved;
pub use locks::{locked, unpoisoned};
pub use outcomes::{Outcome, Outcomes};
pub use playout::{Playout, PlayoutTotals};
pub use plugin::{AgentPlugin, ForeignModel, GamePlugin, LearnerPlugin, Plugin, ValuePlugin};
pub use prefetch::{prefers_second_level, prefetch, prefetch_to_second_level};
pub use random::{Random, Seed, scale};
pub use runner_spec::{
    Allowed, Kind, Parameter, ParameterType, ParameterValue, Parameters, Preset, Probability, Spec,
    SpecError, SpecValue, TimeLimit, allowed, parameters, words,
};
pub use state::{Action, Afterstate, State};
pub use stop::{Pulse, Stop};
pub use successors::{MAX_ACTIONS, Successor, Successors};
pub use training::{
    Control, Learner, ModelFormat, Start, TrainingBudget, TrainingProgress, TrainingSession,
};
pub use value::{Value, ValueScale, above_end, afterstate_action_values, uniform_priors};

/// Games with uniformly random actions, the kernel of Monte Carlo methods.
pub mod playouts {
    pub use crate::game::random_games as play;
    pub use crate::playout::{general_totals, totals};
}

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
