//! `runner train`: a learner learns, and its model and its curve are kept.

mod files;
mod go_on;
mod options;
mod report;

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::models;
use crate::notes::note;
use crate::options::{Count, PlayerOptions, PositiveTime};
use crate::output::print;
use crate::setting::Setting;
use crate::training::{Broken, Curve, Examination, Training, chart, rest};
use files::Files;
use report::{Outcome, Report};
use runner_core::{Game, Learner, Seed, Spec, TrainingBudget};
use runner_files::{Header, can_be_written, replace};
use runner_plugin::{DynValue, Registry};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long it trains where nothing is said.
const BUDGET: Duration = Duration::from_secs(600);

/// How often the model is saved.
const CHECKPOINT: Duration = Duration::from_secs(300);
/// How many games an evaluation has.
const GAMES: u64 = 1000;

pub use options::TrainOptions;

impl Execute for TrainOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        run(&context.resolve(self)?, context.registry())
    }
}

fn run(train: &TrainOptions, registry: &Arc<Registry>) -> Result<(), Failure> {
    let header = if train.resume { Files::typed(train)?.header()? } else { None };
    let setting = setting(train, header.as_ref(), registry)?;
    let files = Files::new(train, &setting);
    files.check(train)?;
    if train.model.is_none() {
        note(format!("note: the model will be {}; say otherwise with --model", files.told()));
    }
    Session { train, registry, files, budget: budget(train) }.run(setting)
}

/// How long each seed is trained.
fn budget(train: &TrainOptions) -> TrainingBudget {
    let given = train.budget.get();
    if given != TrainingBudget::default() {
        return given;
    }
    note("note: training for 10 minutes; say otherwise with --for, --moves or --episodes");
    TrainingBudget { time: Some(BUDGET), ..given }
}

/// Game, learner and threads: those that were named, or those of the model.
fn setting(
    train: &TrainOptions,
    header: Option<&Header>,
    registry: &Arc<Registry>,
) -> Result<Setting, Failure> {
    let or_of_model = |given: &Option<Spec>, of_model: fn(&Header) -> &String| match given {
        Some(given) => Ok(Some(given.clone())),
        None => header.map(|header| of_model(header).parse()).transpose(),
    };
    let players = PlayerOptions {
        game: or_of_model(&train.players.game, |header| &header.game)?,
        agent: or_of_model(&train.players.agent, |header| &header.spec)?,
    };
    let mut resources = train.resources.clone();
    // Of several seeds, the first says which model is which.
    if resources.seed.is_none() && train.seeds() == 1 {
        resources.seed = header.and_then(files::seed).map(Count::from);
    }
    let setting = Setting::new(&players, &resources, registry)?;
    let spec = &setting.player.spec;
    if setting.names_model {
        return Err(Failure::usage(format!(
            "`{}` plays the model that it names and does not learn; leave out its `model`, and \
             go on with one by --model FILE --resume",
            spec.name()
        )));
    }
    if setting.player.learner().is_none() {
        let learners = registry.plugins().into_iter().filter(|plugin| plugin.learner);
        let learners: Vec<_> = learners.map(|plugin| plugin.name).collect();
        let learners = if learners.is_empty() { "none".into() } else { learners.join(", ") };
        let name = spec.name();
        return Err(Failure::usage(format!("`{name}` does not learn; those that do: {learners}")));
    }
    Ok(setting)
}

/// The trainings of one command.
struct Session<'a> {
    train: &'a TrainOptions,
    registry: &'a Arc<Registry>,
    files: Files,
    /// How long each learns.
    budget: TrainingBudget,
}

impl Session<'_> {
    fn run(&self, mut setting: Setting) -> Result<(), Failure> {
        let (spec, first) = (setting.player.spec.clone(), setting.seed.0);
        let mut outcomes: Vec<Outcome> = Vec::new();
        for k in 0..self.train.seeds() {
            if k > 0 {
                setting = setting.with_player(self.registry, &spec)?;
            }
            outcomes.push(self.one(&setting, Seed(first.wrapping_add(k)))?);
            if outcomes.last().is_some_and(|outcome| outcome.trained.interrupted) {
                break;
            }
        }
        if self.files.are_several() {
            self.draw(&setting, &outcomes)?;
        }
        print(&Report::new(&setting, &outcomes), self.train.io.json)?;
        match outcomes.last().map(|outcome| &outcome.trained) {
            Some(last) if last.interrupted => {
                let command = self.command(&rest(&self.budget, &last.now.since(&last.before)));
                Err(Failure::Interrupted(format!("the model is saved; go on with: {command}")))
            }
            _ => Ok(()),
        }
    }

    /// Trains with one seed.
    fn one(&self, setting: &Setting, seed: Seed) -> Result<Outcome, Failure> {
        let learner = setting.player.learner().ok_or_else(|| Failure::failed("nobody learns"))?;
        let (model, curve) = (self.files.model(seed), self.files.curve(seed));
        if self.train.resume && model.exists() {
            files::check_header(&model, setting, seed)?;
            learner.load(&[&model])?;
        }
        let examination = self.examination(learner, setting)?;
        let before = models::progress(learner)?;
        // What is there and is not gone on with stays until there is a checkpoint to
        // take its place.
        let replaces = !self.train.resume && model.exists();
        // If it cannot be saved, that shows before it has learned for hours.
        if replaces {
            can_be_written(&model)?;
            can_be_written(&curve)?;
        } else if before.moves == 0 {
            models::save(learner, &model, &models::full_form(learner)?)?;
        }
        // Several seeds are to be compared: each gets the same in all.
        let budget =
            if self.files.are_several() { rest(&self.budget, &before) } else { self.budget };
        let (player, tiles) = (&setting.player.spec, &setting.game.rules.description().tiles);
        let title = vec![setting.game.spec.to_string(), format!("{player}, seed {}", seed.0)];
        let mut curve = Curve::new(&curve, &before, title, player.to_string(), tiles)?;
        if !replaces {
            curve.begin()?;
        }
        let training = Training {
            setting,
            learner,
            seed,
            budget,
            model: &model,
            checkpoint: Some(self.train.checkpoint.map_or(CHECKPOINT, PositiveTime::get)),
            examination: examination.as_ref(),
            curve: Some(curve),
            plain: !self.train.io.json,
        };
        match training.run() {
            Ok(trained) => Ok(Outcome { seed, model, trained }),
            Err(broken) if replaces && !broken.is_saved => Err(broken.failure),
            Err(broken) => Err(self.broken(*broken, &model)),
        }
    }

    fn examination(
        &self,
        learner: &DynValue,
        setting: &Setting,
    ) -> Result<Option<Examination>, Failure> {
        let Some(every) = self.train.evaluate else { return Ok(None) };
        let games = self.train.evaluate_games.map_or(GAMES, Count::get);
        Examination::new(every.get(), games, &self.train.evaluate_with, learner, setting).map(Some)
    }

    /// Says how to go on after a failure, if there is a checkpoint.
    fn broken(&self, broken: Broken, model: &Path) -> Failure {
        let command = self.command(&broken.rest);
        match broken.failure {
            Failure::Failed { message, detail } if model.exists() => Failure::Failed {
                message: format!("{message}; go on from the last checkpoint with: {command}"),
                detail,
            },
            other => other,
        }
    }

    /// The command that goes on where a training ended that has this much left.
    fn command(&self, rest: &TrainingBudget) -> String {
        let rest = if self.files.are_several() { &self.budget } else { rest };
        let typed = std::env::args_os().skip(1);
        let typed = typed.map(|word| word.to_string_lossy().into_owned());
        go_on::command(typed, rest, self.files.base())
    }

    /// All seeds in one chart.
    fn draw(&self, setting: &Setting, outcomes: &[Outcome]) -> Result<(), Failure> {
        let learner = setting.player.spec.to_string();
        let title = vec![
            setting.game.spec.to_string(),
            format!("{learner}, {} seeds and their mean", outcomes.len()),
        ];
        let curves = outcomes.iter().filter_map(|outcome| outcome.trained.curve.as_ref());
        let curves: Vec<_> = curves.map(Curve::points).collect();
        let svg = chart(title, &learner, &curves).svg();
        Ok(replace(&self.files.chart(), |file| file.write_all(svg.as_bytes()))?)
    }
}
