//! `runner run`, the main job: from two names to a table of scores in a minute.

use super::eval::{Evaluation, evaluate};
use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::learning;
use crate::options::{
    GameOptions, InputOutputOptions, Options, PlayerOptions, ResourceOptions, Time,
};
use crate::setting::Setting;
use clap::Args;
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

/// Learning and playing take about this long together; no game begins later.
const TOTAL: Duration = Duration::from_secs(60);
/// At least this long is played, however long learning took.
const MIN_PLAY: Duration = Duration::from_secs(10);
/// How long a learner without a model learns.
const LEARNING: Duration = Duration::from_secs(45);

/// Play for a minute and print the scores; a learner without a model learns first
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunOptions {
    /// The game and its player.
    #[command(flatten)]
    #[serde(rename = "..players")]
    players: PlayerOptions,
    /// Learning time of a player without a model [default: 45s]
    #[arg(long = "for", value_name = "TIME")]
    #[serde(rename = "for")]
    time: Option<Time>,
    /// The games.
    #[command(flatten)]
    #[serde(rename = "..games")]
    games: GameOptions,
    /// Threads and seed.
    #[command(flatten)]
    #[serde(rename = "..resources")]
    resources: ResourceOptions,
    /// Configuration file and output.
    #[command(flatten)]
    #[serde(rename = "..io")]
    io: InputOutputOptions,
}

impl Options for RunOptions {
    fn config(&self) -> Option<&Path> {
        self.io.config.as_deref()
    }
}

impl Execute for RunOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let options = context.resolve(self)?;
        let registry = context.registry();
        let mut setting = Setting::new(&options.players, &options.resources, registry)?;
        let mut time = TOTAL;
        if !setting.names_model && setting.player.learner().is_some() {
            let budget = options.time.map_or(LEARNING, |Time(time)| time);
            let learned;
            (setting, learned) = learning::prepare(setting, registry, budget)?;
            time = TOTAL.saturating_sub(learned).max(MIN_PLAY);
        }
        evaluate(&Evaluation {
            setting: &setting,
            games: &options.games,
            time: Some(time),
            json: options.io.json,
        })
    }
}
