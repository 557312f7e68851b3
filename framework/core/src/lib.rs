//! The MDP that every game, value and agent is written against.
//!
//! ```text
//! State --action--> (Afterstate, reward) --chance--> State
//! ```
//!
//! In dependency order: positions and lists ([`State`], [`Successors`], [`Outcomes`]),
//! the rules ([`Game`], [`Description`], and for boards [`board`] and [`rows`]), estimates
//! ([`Value`], [`Learner`], and for boards [`lines`]), players ([`Agent`] and the
//! [`wrappers`]), playing ([`play`], [`play_interleaved`], [`playouts`]), and how they are
//! named and built ([`Plugin`] and the traits of each kind).
//!
//! Nothing here knows an ABI, starts a thread or does I/O.
#![deny(unsafe_code)]

mod agent;
mod analysis;
pub mod board;
mod description;
mod episode;
mod fault;
mod game;
mod host;
mod in_progress;
mod interleaved;
pub mod layout;
pub mod lines;
mod outcomes;
mod playout;
mod playout_totals;
mod plugin;
mod prefetch;
mod random;
pub mod rows;
mod state;
mod successors;
mod training;
mod value;
pub mod wrappers;

pub use agent::{Agent, AnyAgent, GreedyPolicy, Turn, best_action, order_by_value};
pub use analysis::{Analysis, Fact};
pub use description::{Description, TextError};
pub use episode::{Episode, play, play_from};
pub use fault::{BuildError, Fault, catch};
pub use game::Game;
pub use host::{BuildContext, GameContext, Host, SingleThread};
pub use in_progress::GameInProgress;
pub use interleaved::play_interleaved;
pub use outcomes::{Outcome, Outcomes};
pub use playout::{Playout, PlayoutTotals};
pub use plugin::{AgentPlugin, ForeignModel, GamePlugin, LearnerPlugin, Plugin, ValuePlugin};
pub use prefetch::prefetch;
pub use random::{Random, Seed, scale};
pub use runner_spec::{Parameter, Preset, Probability, Spec, SpecError};
pub use state::{Action, Afterstate, State};
pub use successors::{MAX_ACTIONS, Successor, Successors};
pub use training::{
    COUNTED_TILES, CollectedStarts, Control, Learner, ModelFormat, Start, TrainingBudget,
    TrainingProgress, TrainingSession,
};
pub use value::{Value, ValueScale, afterstate_action_values, uniform_priors};

/// Games with uniformly random actions, the kernel of Monte Carlo methods.
pub mod playouts {
    pub use crate::game::random_games as play;
    pub use crate::playout_totals::{general_totals, totals};
}
