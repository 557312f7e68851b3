//! The main job, `runner --game SPEC --agent SPEC`: trains the player if it has to learn, plays,
//! and prints a table of scores, all in about a minute.

use crate::context::{Context, Execute};
use crate::evaluate::{EvaluationJob, evaluate};
use crate::options::{GameOptions, PlayerOptions, ResourceOptions};
use clap::Args;
use runner_console::interrupt;
use runner_core::Spec;
use runner_play::failure::Failure;
use runner_spec::quantity::Time;
use runner_training::{Prepared, TrainingWatch};
use runner_watch::training::TrainingDisplay;
use std::time::Duration;

/// Time for training and playing. No game starts later; all end a quarter of the playing time
/// later.
const TOTAL: Duration = Duration::from_secs(60);
/// Minimum time for playing, however long the training took.
const MIN_PLAY: Duration = Duration::from_secs(10);
/// Default training time of a learner without a model.
const TRAINING: Duration = Duration::from_secs(45);

/// Play for at most a minute and print the scores; train a learner without a model first
#[derive(Debug, Clone, Default, Args)]
pub struct MainOptions {
    #[command(flatten)]
    players: PlayerOptions,
    /// Total training time of a learner without a model [default: 45s]; of other players, the time
    /// after which no game starts; a quarter of it later, all games end [default: 60s]
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Time>,
    #[command(flatten)]
    games: GameOptions,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for MainOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        // An interrupt must not end the program before the model of a learner is saved.
        interrupt::listen();
        let registry = context.registry();
        let given = self.time.map(|Time(time)| time);
        let budget = given.unwrap_or(TRAINING);
        context.end_after(Some(budget));
        let PlayerOptions { game, agent } = self.players.completed(registry, &context.linked)?;
        let agent = agent.expect("the options are complete");
        let build = |agent: &Spec| {
            let players = PlayerOptions { game: game.clone(), agent: Some(agent.clone()) };
            players.setting(&self.resources, registry)
        };
        let mut display = TrainingDisplay::new(true);
        let watch: TrainingWatch<'_> = &mut |event| display.show(event);
        let prepared = Prepared::new(&agent, budget, build, registry, interrupt::listen(), watch)?;
        drop(display);
        let time = if prepared.trained > Duration::ZERO {
            TOTAL.saturating_sub(prepared.trained).max(MIN_PLAY)
        } else if prepared.learns() {
            // --for is the training time, which can be longer than a minute.
            given.map_or(TOTAL, |given| given.min(TOTAL))
        } else {
            given.unwrap_or(TOTAL)
        };
        context.end_after(Some(time));
        evaluate(&EvaluationJob {
            context,
            setting: &prepared.setting(build)?,
            games: &self.games,
            time: Some(time),
            json: self.json,
            scores: false,
            starts: &[],
            luck: None,
            kept: None,
            keep: None,
        })
    }
}
