//! The options of `runner train`.

use crate::options::{ChangeOptions, LIMITS, PlayerOptions, ResourceOptions};
use clap::Args;
use runner_core::TrainingBudget;
use runner_spec::Spec;
use runner_spec::quantity::{Count, PositiveTime, Time};
use std::path::PathBuf;

/// Train a learner, and save its model and its learning curve
#[derive(Debug, Clone, Default, Args)]
#[command(mut_arg("game", |arg| {
    arg.help("Game [default with --resume or --from: that of the model; otherwise 2048]")
}))]
#[command(mut_arg("agent", |arg| {
    arg.help("Learner [default with --resume or --from: that of the model]")
}))]
#[command(mut_arg("seed", |arg| {
    arg.help("Seed of all random numbers [default: 1; with --resume or --from: that of the model]")
}))]
pub struct TrainOptions {
    #[command(flatten)]
    pub players: PlayerOptions,
    #[command(flatten)]
    pub budget: BudgetOptions,
    /// Model file [default: GAME-AGENT.model in the current folder]; the learning curve, which
    /// `plot curve` draws, is MODEL.curve.jsonl
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Continue the training of the model; limits count from its start
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub changes: ChangeOptions,
    /// Begin with the weights and the learning state of this model, perhaps with other
    /// parameters; limits count from its start
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub from: Option<PathBuf>,
    /// File with a position on each line: whole games begin at one of them, drawn at random. The
    /// model does not keep them: name the file again with --resume
    #[arg(long, value_name = "FILE")]
    pub starts: Option<PathBuf>,
    /// Overwrite an existing model and its curve
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    #[command(flatten)]
    pub resources: ResourceOptions,
    /// Time between checkpoints of the model [default: 5m]
    #[arg(long, value_name = "TIME")]
    pub checkpoint: Option<PositiveTime>,
    /// Number of moves between evaluations; there is another one at the end
    #[arg(long, value_name = "MOVES")]
    pub evaluate: Option<Count<1>>,
    /// Number of games of each evaluation [default: 1000]
    #[arg(long, value_name = "N", requires = "evaluate")]
    pub evaluate_games: Option<Count<1>>,
    /// Agent that is also evaluated, with the learner as its value; may be repeated
    #[arg(long, value_name = "SPEC", requires = "evaluate")]
    pub evaluate_with: Vec<Spec>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// How long to train: until one of these is reached.
#[derive(Debug, Clone, Default, Args)]
#[group(id = LIMITS)]
pub struct BudgetOptions {
    /// Training time in total, like 60s or 2h [default: 10m, or 10m more with --resume]
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Time>,
    /// Number of moves in total, like 20M
    #[arg(long, value_name = "N")]
    moves: Option<Count>,
    /// Number of games in total
    #[arg(long, value_name = "N")]
    episodes: Option<Count>,
}

impl BudgetOptions {
    pub fn get(&self) -> TrainingBudget {
        TrainingBudget {
            moves: self.moves.map(Count::get),
            episodes: self.episodes.map(Count::get),
            time: self.time.map(|Time(time)| time),
        }
    }
}
