//! Parts that the tests share: games, learners, trainings and models.

pub mod bare_learner;
pub mod fixture;

pub use agent_ntuple::learners::{Autostep, Tc, Td};
pub use agent_ntuple::rule::Rule;
pub use agent_ntuple::schedule::Schedule;
pub use agent_ntuple::update::UpdateScheme;
pub use agent_ntuple::{AutostepNtuple, MsTd, MsTdConfig, TcConfig, TcNtuple, TdNtuple};
pub use agent_ntuple_network::{Inheritance, Lookup, Network, Stages, ValueFunction};
pub use bare_learner::{BareLearner, Event, LoggedGame, SEED, episodes, moves, session, training};
pub use fixture::{Fixture, config, forged, refused, saved, setting, values};
pub use game_2048::Game2048;
pub use game_threes::Threes;
pub use runner_core::geometry::Geometry;
pub use runner_core::{
    Action, Afterstate, Control, Fault, Game, GamePlugin, Host, Learner, LearnerPlugin, Parameters,
    Plugin, Random, Seed, SingleThread, Spec, Start, State, Successor, Successors, TrainingBudget,
    TrainingProgress, TrainingSession, Value, ValuePlugin,
};
pub use runner_files::Container;
pub use runner_laws::doubles::TestThreads;
pub use runner_learning::Trained as _;

pub fn game_2048(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(game_2048::Config { rows, cols, ..Default::default() }).unwrap()
}

pub fn threes(rows: usize, cols: usize) -> Threes {
    Threes::new(game_threes::Config { rows, cols, ..Default::default() }).unwrap()
}

pub fn board_of(game: &impl Game) -> Geometry {
    game.description().geometry.clone().unwrap()
}
