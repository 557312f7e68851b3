//! The MDP that every game, value and agent is written against.
//!
//! ```text
//! State --action--> (Afterstate, reward) --chance--> State
//! ```
//!
//! In dependency order: positions and lists ([`State`], [`Successors`],
//! [`Outcomes`]), the rules ([`Game`], [`Description`], and for boards
//! [`board`] and [`rows`]), estimates ([`Value`], [`Learner`], and for boards [`lines`]), players
//! ([`Agent`] and the [`wrappers`]), what is done with them ([`play`],
//! [`playouts`], [`laws`], [`transcript`]), and how they are named and built ([`Spec`],
//! [`Plugin`] and its kin).
//!
//! Nothing here knows an ABI, starts a thread, or does I/O, but for the files of
//! tests in [`transcript`].
#![deny(unsafe_code)]

mod agent;
mod analysis;
pub mod board;
mod description;
mod episode;
mod fault;
mod game;
mod host;
mod interleaved;
pub mod lines;
mod outcomes;
pub mod playouts;
mod plugin;
mod prefetch;
mod random;
pub mod rows;
mod state;
mod successors;
mod value;
pub mod wrappers;

pub use agent::{Agent, GreedyPolicy, Turn, best_action, order_by_value};
pub use analysis::{Analysis, Fact};
pub use description::{Description, TextError};
pub use episode::{Episode, play};
pub use fault::{BuildError, Fault, catch};
pub use game::Game;
pub use host::{BuildContext, Host, SingleThread};
pub use interleaved::play_interleaved;
pub use outcomes::{Outcome, Outcomes};
pub use playouts::Playouts;
pub use plugin::{AgentPlugin, ForeignModel, GamePlugin, LearnerPlugin, Plugin, ValuePlugin};
pub use prefetch::prefetch;
pub use random::{Random, Seed, scale};
pub use runner_spec::{Parameter, Probability, Spec, SpecError};
pub use state::{Action, Afterstate, State};
pub use successors::{MAX_ACTIONS, Successor, Successors};
pub use value::{
    COUNTED_TILES, Control, Learner, ModelFormat, TrainingBudget, TrainingProgress,
    TrainingSession, Value, ValueScale, afterstate_action_values,
};
