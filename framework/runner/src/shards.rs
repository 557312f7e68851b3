//! Work cut into shards for several machines: the games of a tournament or of an evaluation, or
//! the trainings of an experiment.
//!
//! In dependency order: the plan (`plan`), shards of games (`games`) and of trainings (`parts`).

mod games;
mod parts;
mod plan;

pub use games::{GameShards, count};
pub use parts::PartShards;
pub use plan::{ShardPlan, Work};
