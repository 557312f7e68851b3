//! The options of `runner tune`.

use crate::options::{ChangeOptions, LIMITS, PlayerOptions, ResourceOptions};
use clap::Args;
use runner_spec::quantity::{Count, PositiveNumber, Time};
use runner_tuning::Budget;
use std::path::PathBuf;

/// The number of generations if no limit is given.
const GENERATIONS: u64 = 50;

/// Tune the numeric parameters of a player by CMA-ES
///
/// Each generation draws candidates around the current mean, lets all of them play the
/// same games, and moves the mean towards those that score best. At the end, the start
/// and the result play fresh games, and the result is written to --out; play it with
/// --agent "$(cat FILE)".
#[derive(Debug, Clone, Default, Args)]
#[command(mut_arg("game", |arg| arg.help("Game [default with --resume: that of the tuning; otherwise that of the model, or 2048]")))]
#[command(mut_arg("agent", |arg| {
    arg.help("Player [default with --resume: that of the tuning]")
}))]
#[command(mut_arg("seed", |arg| {
    arg.help("Seed of all random numbers [default: 1; with --resume: that of the tuning]")
}))]
pub struct TuneOptions {
    #[command(flatten)]
    pub players: PlayerOptions,
    /// Parameter to tune, by its path, like value.empty or value.empty=270:0..2000:log:
    /// its start, its bounds (one may be omitted), and whether steps are ratios; may be
    /// repeated
    #[arg(long, value_name = "PATH[=START][:LOW..HIGH][:log]")]
    pub parameter: Vec<String>,
    /// File for the tuned agent; FILE.jsonl has the generations, with which --resume continues
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub limits: TuningLimits,
    /// Number of games of each candidate [default: 200]
    #[arg(long, value_name = "N")]
    pub games: Option<Count<1>>,
    /// Size of the first steps, as a share of the distance between the bounds, or of the
    /// start, or of a factor of ten for ratios [default: 0.3]
    #[arg(long, value_name = "X")]
    pub step: Option<PositiveNumber>,
    /// Number of fresh games of start and result at the end [default: 1000]
    #[arg(long, value_name = "N")]
    pub evaluate_games: Option<Count<1>>,
    /// Continue the tuning of --out
    #[arg(long)]
    pub resume: bool,
    #[command(flatten)]
    pub changes: ChangeOptions,
    /// Overwrite an existing result and its generations
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    #[command(flatten)]
    pub resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// How long to tune: until one of these is reached.
#[derive(Debug, Clone, Default, Args)]
#[group(id = LIMITS)]
pub struct TuningLimits {
    /// Number of generations in total [default: 50 if there is no other limit]
    #[arg(long, value_name = "N")]
    generations: Option<Count>,
    /// Time in total, like 60s or 2h; no generation starts later
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Time>,
}

impl TuningLimits {
    pub fn get(&self) -> Budget {
        let generations = self.generations.map(Count::get);
        Budget {
            generations: generations.or(self.time.is_none().then_some(GENERATIONS)),
            time: self.time.map(|Time(time)| time),
        }
    }
}
