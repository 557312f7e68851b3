//! Work cut into shards for several machines: the games of a tournament, or the trainings of an
//! experiment.
//!
//! In dependency order: the plan (`plan`), shards of games (`games`) and of trainings (`parts`);
//! the folder of a merge (`new_folder`).

mod games;
mod new_folder;
mod parts;
mod plan;

pub use games::GameShards;
pub use new_folder::NewFolder;
pub use parts::PartShards;
pub use plan::{Shard, ShardPlan, Work};
