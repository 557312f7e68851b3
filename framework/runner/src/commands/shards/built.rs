//! The work of a plan.

use crate::context::Context;
use runner_play::failure::Failure;
use runner_spec::quantity::ThreadCount;
use runner_tournament::shards::{GameShards, PartShards, ShardPlan, Work};
use std::path::Path;

/// The work of a plan, with its games and players built.
pub enum Built {
    /// The games of a tournament or of an evaluation.
    Games(GameShards),
    /// The trainings of an experiment.
    Parts(PartShards),
}

/// Reads a plan, and builds its work.
pub fn built(
    plan: &Path,
    threads: Option<ThreadCount>,
    context: &Context,
) -> Result<(ShardPlan, Built), Failure> {
    let plan = ShardPlan::read(plan)?;
    let threads = threads.map(|threads| threads.get() as usize);
    let registry = context.registry();
    let games = |text, is_evaluation| GameShards::built(text, is_evaluation, threads, registry);
    let built = match &plan.work {
        Work::Tournament(text) => Built::Games(games(text, false)?),
        Work::Evaluation(text) => Built::Games(games(text, true)?),
        Work::Experiment(text) => Built::Parts(PartShards::built(text, registry)?),
    };
    Ok((plan, built))
}
