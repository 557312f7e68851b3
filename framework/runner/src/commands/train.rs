//! `runner train`: trains a learner, and saves its model and its learning curve.

mod files;
mod options;
mod report;

use crate::context::{Context, Execute};
use crate::options::CommandLine;
use crate::positions::read_starts;
use files::Files;
pub use options::TrainOptions;
use report::{Outcome, Report};
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::print;
use runner_core::{Seed, Start, TrainingBudget, TrainingProgress};
use runner_files::Header;
use runner_play::failure::Failure;
use runner_play::models::{self, Mismatch};
use runner_play::setting::Setting;
use runner_plugin::Registry;
use runner_spec::quantity::{Count, PositiveTime, seconds};
use runner_training::{
    Curve, Evaluations, Event, Job, JobFailure, JobFiles, LearnerCurves, Source, draw,
};
use runner_watch::training::{Place, TrainingDisplay};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Training time if no limit is given.
const BUDGET: Duration = Duration::from_secs(600);

impl Execute for TrainOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        // Before the plugins load, which takes a moment.
        interrupt::listen();
        self.check()?;
        run(&self, context)
    }
}

fn run(train: &TrainOptions, context: &Context) -> Result<(), Failure> {
    let registry = context.registry();
    let source = match (&train.from, train.resume) {
        (Some(model), _) => Some(model.clone()),
        (None, true) => Files::requested(train)?.resumed()?,
        (None, false) => None,
    };
    let setting = setting(train, source.as_deref(), registry)?;
    let files = Files::new(train, &setting, registry)?;
    files.check(train)?;
    if train.model.is_none() {
        note(format!("note: the model is saved as {}; --model names another file", files.models()));
    }
    if train.budget.get() == TrainingBudget::default() {
        note("note: training for 10 minutes; --for, --moves or --episodes set another limit");
    }
    Trainings { train, typed: &context.typed, registry, files }.run(setting)
}

/// Builds the game and the learner: those of the options, or those of the model that the training
/// begins with.
fn setting(
    train: &TrainOptions,
    source: Option<&Path>,
    registry: &Arc<Registry>,
) -> Result<Setting, Failure> {
    let players = &train.players;
    let described = match source {
        Some(model) => players.describe(model, false, registry)?.map(|header| (model, header)),
        None => None,
    };
    let mut resources = train.resources;
    let setting = match &described {
        Some((model, header)) => {
            // With several seeds, the seed selects the model, so it cannot come from it.
            if resources.seed.is_none() && train.seeds() == 1 {
                resources.seed = models::trained_seed(header).map(Count::from);
            }
            players.setting_of(model, header, &resources, registry)?
        }
        None => players.setting(&resources, registry)?,
    };
    setting.trained_learner()?;
    Ok(setting)
}

/// The trainings of one command, one for each seed.
struct Trainings<'a> {
    train: &'a TrainOptions,
    typed: &'a CommandLine,
    registry: &'a Arc<Registry>,
    files: Files,
}

impl Trainings<'_> {
    fn run(&self, mut setting: Setting) -> Result<(), Failure> {
        let (spec, first) = (setting.player.spec.clone(), setting.seed.0);
        let starts = self.starts(&setting)?;
        let mut outcomes: Vec<Outcome> = Vec::new();
        for index in 0..self.train.seeds() {
            if index > 0 {
                setting = setting.with_player(self.registry, &spec)?;
            }
            outcomes.push(self.train(&setting, &starts, Seed(first + index), index)?);
            if outcomes.last().is_some_and(|outcome| outcome.trained.interrupted) {
                break;
            }
        }
        if self.files.are_several() {
            self.draw(&setting, &outcomes)?;
        }
        print(&Report::new(&setting, &outcomes), self.train.json)?;
        match outcomes.last() {
            Some(last) if last.trained.interrupted => {
                let command = self.resume_command(&last.trained.before, &last.model);
                Err(Failure::Interrupted(format!("the model is saved; continue with: {command}")))
            }
            _ => Ok(()),
        }
    }

    /// Reads the positions that games begin at, once for all seeds: a pipe can be read only once.
    fn starts(&self, setting: &Setting) -> Result<Vec<Start>, Failure> {
        let starts = match &self.train.starts {
            Some(file) => read_starts(file, &setting.game, self.registry)?,
            None => Vec::new(),
        };
        Ok(starts.into_iter().map(|state| Start { state, score: 0.0 }).collect())
    }

    /// Trains with one seed.
    fn train(
        &self,
        setting: &Setting,
        starts: &[Start],
        seed: Seed,
        index: u64,
    ) -> Result<Outcome, Failure> {
        let (files, model) = (&self.files, self.files.model(seed));
        let job = Job {
            setting,
            seed,
            starts,
            files: JobFiles {
                source: match &self.train.from {
                    Some(other) => Source::Other(other.clone()),
                    None if self.train.resume => Source::Resumed(files.source(seed)),
                    None => Source::Nothing,
                },
                model: model.clone(),
                curve: files.curve(seed),
                chart: files.chart(seed),
            },
            accepts: &|header| check_resumed(&files.source(seed), header, setting, seed),
            budget: &|before| self.checked_budget(before, &model),
            checkpoint: self.train.checkpoint.map_or(Job::CHECKPOINT, PositiveTime::get),
            evaluations: self.evaluations(setting)?,
        };
        let place = Place { index, count: self.train.seeds() };
        let mut display = TrainingDisplay::new(place, !self.train.json);
        let watch = &mut |event: Event<'_>| display.show(event);
        let trained = job.run(interrupt::listen(), watch).map_err(|failed| match *failed {
            JobFailure { failure, resumable: None } => failure,
            JobFailure { failure, resumable: Some(before) } => {
                self.failure(failure, &before, &model)
            }
        })?;
        Ok(Outcome { seed, model, trained })
    }

    /// Returns where a training ends, and notes it if that is before its start.
    fn checked_budget(&self, before: &TrainingProgress, model: &Path) -> TrainingBudget {
        let budget = self.budget(before);
        if budget.is_spent(before) && self.train.from.is_none() {
            let why = match before.moves {
                0 => "is not trained, because the limit is 0",
                _ => {
                    "has reached its limit before; --for, --moves and --episodes count from the \
                     start of the training"
                }
            };
            note(format!("note: {} {why}", model.display()));
        }
        budget
    }

    /// Returns where a training ends, counted from the learner's first move. Without a limit,
    /// 10 minutes are added to a model that is resumed; several seeds get the same in total.
    fn budget(&self, before: &TrainingProgress) -> TrainingBudget {
        let given = self.train.budget.get();
        if given != TrainingBudget::default() {
            return given;
        }
        let before = if self.files.are_several() { Duration::ZERO } else { before.elapsed };
        TrainingBudget { time: Some(before.saturating_add(BUDGET)), ..given }
    }

    fn evaluations(&self, setting: &Setting) -> Result<Option<Evaluations>, Failure> {
        let Some(interval) = self.train.evaluate else { return Ok(None) };
        let games = self.train.evaluate_games.map_or(Evaluations::GAMES, Count::get);
        Evaluations::new(interval.get(), games, &self.train.evaluate_with, setting).map(Some)
    }

    /// Adds the command that resumes the training to a failure, unless it has no checkpoint.
    fn failure(&self, failure: Failure, before: &TrainingProgress, model: &Path) -> Failure {
        let failure = match self.files.are_several() {
            true => failure.of(&model.display().to_string()),
            false => failure,
        };
        // The model of a training that failed before its first checkpoint has learned nothing.
        match models::header(model) {
            Ok(Some(header)) if header.fact(models::MOVES) == Some("0") => failure,
            _ => failure.with_command(
                "continue from the last checkpoint with",
                self.resume_command(before, model),
            ),
        }
    }

    /// Returns the command that resumes a training which had done `before` at its start.
    fn resume_command(&self, before: &TrainingProgress, model: &Path) -> String {
        let model = if self.files.are_several() { self.files.base() } else { model };
        let typed = self.typed.clone().without(&["for", "moves", "episodes", "from", "force"]);
        let command = typed.with("model", model.display()).with_flag("resume");
        // Limits count from the start of the training, so they are those of the first command.
        let TrainingBudget { time, moves, episodes } = self.budget(before);
        let limits = [
            ("for", time.map(seconds)),
            ("moves", moves.map(|moves| moves.to_string())),
            ("episodes", episodes.map(|episodes| episodes.to_string())),
        ];
        let limits = limits.into_iter().filter_map(|(flag, limit)| Some((flag, limit?)));
        limits.fold(command, |command, (flag, limit)| command.with(flag, limit)).to_string()
    }

    /// Draws the curves of all seeds in one chart.
    fn draw(&self, setting: &Setting, outcomes: &[Outcome]) -> Result<(), Failure> {
        let learner = setting.player.spec.to_string();
        let title =
            vec![setting.game.spec.to_string(), format!("{learner}, {} seeds", outcomes.len())];
        let curves = outcomes.iter().filter_map(|outcome| outcome.trained.curve.as_ref());
        let points = curves.map(Curve::points).collect();
        let trainings = LearnerCurves { learner: &learner, points, name: None };
        Ok(draw(&self.files.chart_of_all(), title, &[trainings])?)
    }
}

/// Refuses to resume a model of another game, learner or seed.
fn check_resumed(
    model: &Path,
    header: &Header,
    setting: &Setting,
    Seed(seed): Seed,
) -> Result<(), Failure> {
    let (game, learner) = (&setting.game.spec, &setting.player.spec);
    let registry = setting.services.registry();
    let Some(Mismatch { what, found, wanted }) =
        models::mismatch(header, game, learner, seed, registry)
    else {
        return Ok(());
    };
    let (flag, instead) = match what {
        "learner" => ("--agent", ", or begin another model with its weights by --from"),
        "game" => ("--game", ""),
        _ => ("--seed", ""),
    };
    Err(Failure::usage(format!(
        "the {what} of {} is {found}, not {wanted}: leave out {flag} to resume it, or --resume to \
         start another model{instead}",
        model.display()
    )))
}
