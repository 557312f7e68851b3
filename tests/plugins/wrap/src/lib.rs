//! A game that wraps a game, an agent that wraps agents, a value with action priors, and a
//! learner that starts from given positions.
#![deny(unsafe_code)]

mod agent;
mod game;
mod learner;
mod policy;

pub use agent::Alternate;
pub use game::{Without, WithoutConfig};
pub use learner::Starter;
pub use policy::Policy;

runner_plugin::export_plugin! {
    games: [Without],
    values: [Policy],
    learners: [Starter],
    agents: [Alternate],
}
