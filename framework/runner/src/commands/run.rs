//! `runner run`, the main job: from two names to a table of scores in a minute.

mod prepare;

use crate::context::{Context, Execute};
use crate::evaluate::{Evaluation, evaluate};
use crate::options::{
    GameOptions, InputOutputOptions, Options, PlayerOptions, ResourceOptions, missing_agent,
};
use clap::Args;
use prepare::prepare;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_core::Spec;
use runner_play::failure::Failure;
use runner_spec::quantity::Time;
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

/// Time for training and playing together. No game starts later.
const TOTAL: Duration = Duration::from_secs(60);
/// Minimum time for playing, however long the training took.
const MIN_PLAY: Duration = Duration::from_secs(10);
/// Default training time of a learner without a model.
const TRAINING: Duration = Duration::from_secs(45);

/// Play for at most a minute and print the scores; train a learner without a model first
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunOptions {
    /// The game and its player.
    #[command(flatten)]
    #[serde(rename = "..players")]
    players: PlayerOptions,
    /// Total training time of a learner without a model [default: 45s]
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
        // Before the learner is built, which takes a moment: its model is to be saved.
        interrupt::listen();
        let options = context.resolve(self)?;
        let registry = context.registry();
        let agent = options.players.agent.clone().ok_or_else(|| missing_agent(registry))?;
        let budget = options.time.map_or(TRAINING, |Time(time)| time);
        let build = |agent: &Spec| {
            let players = PlayerOptions { agent: Some(agent.clone()), ..options.players.clone() };
            players.setting(&options.resources, registry)
        };
        let prepared = prepare(&agent, budget, build, registry)?;
        if options.time.is_some() && !prepared.learns() {
            note(format!(
                "note: --for has no effect: `{}` has no learner without a model",
                agent.name()
            ));
        }
        let time = match prepared.trained {
            Duration::ZERO => TOTAL,
            trained => TOTAL.saturating_sub(trained).max(MIN_PLAY),
        };
        evaluate(&Evaluation {
            setting: &prepared.setting(build)?,
            games: &options.games,
            time: Some(time),
            json: options.io.json,
            scores: false,
            starts: &[],
        })
    }
}
