//! `runner train`: trains a learner, and saves its model and its learning curve.

mod files;
mod options;
mod report;

use crate::context::{Context, Execute};
use crate::options::CommandLine;
use crate::positions::read_starts;
pub use options::TrainOptions;
use report::report;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::print_report;
use runner_core::{Start, TrainingBudget, TrainingProgress};
use runner_files::Header;
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_play::models;
use runner_play::setting::Setting;
use runner_spec::quantity::{Count, PositiveTime, seconds};
use runner_training::{Evaluations, JobFailure, JobFiles, TrainingJob};
use runner_watch::training::TrainingDisplay;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Training time if no limit is given.
const BUDGET: Duration = Duration::from_secs(600);

impl Execute for TrainOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        // An interrupt while plugins are loaded must not end the program without a message.
        interrupt::listen();
        context.end_after(self.budget.get().time);
        files::refuse_existing(&self)?;
        // The model that the training begins with.
        let source = if let Some(model) = &self.from {
            Some(model.clone())
        } else if self.resume {
            Some(files::resumed(&self, &context.linked)?)
        } else {
            None
        };
        let setting = setting(&self, source.as_deref(), context)?;
        let (inputs, files) = files::checked_files(&self, &setting, context)?;
        if self.model.is_none() {
            let model = files.model.display();
            note(format!("note: the model is saved as {model}; --model names another file"));
        }
        if self.budget.get() == TrainingBudget::default() {
            note("note: training for 10 minutes; --for, --moves or --episodes set another limit");
        }
        let model = files.model.clone();
        let command = TrainCommand { train: &self, context, setting, model };
        command.run(&inputs, files, source.as_deref())
    }
}

/// Builds the game and the learner of the options, or else those of the model that the training
/// begins with.
fn setting(
    train: &TrainOptions,
    source: Option<&Path>,
    context: &Context,
) -> Result<Setting, Failure> {
    let registry = context.registry();
    let players = &train.players;
    let mut of_model = None;
    if let Some(model) = source
        && let Some(header) = players.describe(model, false, registry)?
    {
        let mut resources = train.resources;
        resources.seed = resources.seed.or(models::trained_seed(&header).map(Count::from));
        of_model = Some(players.setting_of(model, &header, &resources, registry)?);
    }
    let setting = match of_model {
        Some(setting) => setting,
        None => players.with_game(&context.linked)?.setting(&train.resources, registry)?,
    };
    // Refuses a player that cannot be trained.
    setting.trained_learner()?;
    Ok(setting)
}

struct TrainCommand<'a> {
    train: &'a TrainOptions,
    context: &'a Context,
    setting: Setting,
    /// The model that is written.
    model: PathBuf,
}

impl TrainCommand<'_> {
    /// Trains; `source` is the model that the training begins with.
    fn run(
        &self,
        inputs: &InputFiles,
        files: JobFiles,
        source: Option<&Path>,
    ) -> Result<(), Failure> {
        let Self { train, setting, model, .. } = self;
        let states = match &train.starts {
            Some(file) => read_starts(file, &setting.game, self.context.registry())?,
            None => Vec::new(),
        };
        let starts: Vec<_> = states.into_iter().map(|state| Start { state, score: 0.0 }).collect();
        let job = TrainingJob {
            setting,
            seed: setting.seed,
            starts: &starts,
            files,
            inputs,
            replaced: train.changes.replaced(),
            // Called only with --resume, where `source` is the model that is resumed.
            accepts: &|header| check_resumed(source.unwrap_or(model), header, setting),
            budget: &|before| self.checked_budget(before),
            checkpoint: train.checkpoint.map_or(TrainingJob::CHECKPOINT, PositiveTime::get),
            evaluations: self.evaluations()?,
        };
        let mut display = TrainingDisplay::new(!train.json);
        let ended = job.run(interrupt::listen(), &mut |event| display.show(event));
        drop(display);
        let trained = ended.map_err(|failed| match *failed {
            JobFailure { failure, resumable: None, .. } => failure,
            JobFailure { failure, resumable: Some(before), .. } => self.failure(failure, &before),
        })?;
        print_report(&report(setting, model, &trained), train.json)?;
        if trained.interrupted {
            let command = self.resume_command(&trained.before);
            let message = format!("the model is saved; continue with: {command}");
            return Err(Failure::Interrupted(message));
        }
        Ok(())
    }

    /// Returns [`Self::budget`], and notes if the limits are reached already. With --from, the job
    /// refuses such limits.
    fn checked_budget(&self, before: &TrainingProgress) -> TrainingBudget {
        let budget = self.budget(before);
        if budget.is_spent(before) && self.train.from.is_none() {
            let why = match before.moves {
                0 => "is not trained, because the limit is 0",
                _ => {
                    "has reached its limit before; --for, --moves and --episodes count from the \
                     start of the training"
                }
            };
            note(format!("note: {} {why}", self.model.display()));
        }
        budget
    }

    /// Returns the limits of a training, counted from the learner's first move. If none is given,
    /// the training ends 10 minutes after `before`, the progress at its start.
    fn budget(&self, before: &TrainingProgress) -> TrainingBudget {
        let given = self.train.budget.get();
        if given != TrainingBudget::default() {
            return given;
        }
        let end = before.elapsed.saturating_add(BUDGET).as_secs_f64();
        // Whole seconds, for the command that resumes the training.
        TrainingBudget { time: Some(Duration::from_secs(end.ceil() as u64)), ..given }
    }

    fn evaluations(&self) -> Result<Option<Evaluations>, Failure> {
        let Some(interval) = self.train.evaluate else { return Ok(None) };
        let games = self.train.evaluate_games.map_or(Evaluations::GAMES, Count::get);
        let with = &self.train.evaluate_with;
        Evaluations::new(interval.get(), games, with, &self.setting).map(Some)
    }

    /// Adds the command that resumes the training to a failure, unless there is nothing to resume:
    /// before the first checkpoint, a model has learned nothing.
    fn failure(&self, failure: Failure, before: &TrainingProgress) -> Failure {
        match models::header(&self.model) {
            Ok(Some(header)) if header.fact(models::MOVES) == Some("0") => failure,
            _ => failure.with_command(
                "continue from the last checkpoint with",
                self.resume_command(before),
            ),
        }
    }

    /// Returns the command that resumes a training which had done `before` at its start.
    fn resume_command(&self, before: &TrainingProgress) -> CommandLine {
        let removed = ["for", "moves", "episodes", "from", "force"];
        let model = self.model.display();
        let mut command = self.context.typed.clone().with("model", model).resuming(&removed);
        // Limits count from the start of the training, so they are those of the first command.
        let TrainingBudget { time, moves, episodes } = self.budget(before);
        if let Some(time) = time {
            command = command.with("for", seconds(time));
        }
        if let Some(moves) = moves {
            command = command.with("moves", moves);
        }
        if let Some(episodes) = episodes {
            command = command.with("episodes", episodes);
        }
        command
    }
}

/// Refuses to resume a model of another game, learner or seed.
fn check_resumed(model: &Path, header: &Header, setting: &Setting) -> Result<(), Failure> {
    let Some(mismatch) = setting.mismatch(header) else { return Ok(()) };
    let (flag, instead) = match mismatch.what {
        "learner" => ("--agent", ", or begin another model with its weights by --from"),
        "game" => ("--game", ""),
        _ => ("--seed", ""),
    };
    Err(Failure::usage(format!(
        "{}: leave out {flag} to resume it, or --resume to start another model{instead}",
        mismatch.of(model)
    )))
}
