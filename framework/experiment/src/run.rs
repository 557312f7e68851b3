//! Runs an experiment: trains what is missing, evaluates what is missing, one part after the
//! other, and keeps each result.

use super::definition::{Evaluation, Experiment, scaled};
use super::folder::{ExperimentFolder, model_name};
use super::parts::Part;
use super::record::{EvaluationRecord, ExperimentRecord, TrainingRecord};
use super::resolved::read_starts;
use runner_core::{Game, Learner, Seed, Start};
use runner_files::Header;
use runner_play::evaluation::Plan;
use runner_play::failure::Failure;
use runner_play::inputs::{InputFiles, ReplacedInput};
use runner_play::models::{self, Mismatch};
use runner_play::registry::Registry;
use runner_play::setting::{Resources, Setting};
use runner_spec::quantity::{Count, PositiveTime, grouped};
use runner_stats::{Maximum, quantile};
use runner_training::{
    Evaluations, JobFiles, ModelSource, TrainingEvent, TrainingJob, TrainingWatch, finite_series,
    learned,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Number of scores that are kept of an evaluation.
const QUANTILES: usize = 201;

pub struct ExperimentRun<'a> {
    /// The resolved experiment.
    pub experiment: &'a Experiment,
    pub folder: ExperimentFolder,
    /// Threads of trainings and evaluations.
    pub resources: Resources,
    /// True if a model is removed after its evaluations.
    pub deletes_models: bool,
    pub registry: &'a Arc<Registry>,
    /// Ends the run.
    pub stop: &'a AtomicBool,
    /// Receives the events of trainings and evaluations.
    pub watch: TrainingWatch<'a>,
}

impl ExperimentRun<'_> {
    /// Runs parts until all are done; returns false if the stop flag ends them.
    pub fn run(&mut self, parts: &[Part<'_>]) -> Result<bool, Failure> {
        for part in parts {
            if self.stop.load(Relaxed)
                || !self.run_part(part).map_err(|failure| failure.of(&part.name()))?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Refuses models that are gone or that were replaced, before hours of other work.
    pub fn check_models(&self, parts: &[Part<'_>]) -> Result<(), Failure> {
        for part in parts {
            self.check_model(part)?;
        }
        Ok(())
    }

    fn check_model(&self, part: &Part<'_>) -> Result<(), Failure> {
        let records = &self.folder.records;
        let training = records.training(&part.configuration.name, part.seed);
        let (missing, model) = (part.missing(records), self.model(part));
        let (consequence, remedy) = match (training, missing.first()) {
            (Some(_), Some(Evaluation { name, .. })) => (
                format!("the evaluation `{name}` of {} cannot be played", part.name()),
                "restore it",
            ),
            (None, _) if model.exists() => (
                format!("the training of {} cannot be resumed", part.name()),
                "remove it to begin the training again",
            ),
            _ => return Ok(()),
        };
        let advise = |what: String| {
            format!("{what}, so {consequence}: {remedy}, or start again in another folder")
        };
        let file = model.display();
        if !model.exists() {
            return Err(Failure::failed(advise(format!("{file} is gone"))));
        }
        let header = models::header(&model).map_err(|failure| failure.map_message(advise))?;
        // A format of the learner's own does not state its training.
        if let Some(header) = header
            && let Some(difference) = difference(part, &header, training, self.registry)
        {
            return Err(Failure::failed(advise(format!("{file} was replaced ({difference})"))));
        }
        Ok(())
    }

    fn model(&self, part: &Part<'_>) -> PathBuf {
        self.folder.path_of(&model_name(&part.configuration.name, part.seed))
    }

    /// Trains one configuration with one seed, and evaluates it.
    fn run_part(&mut self, part: &Part<'_>) -> Result<bool, Failure> {
        let model = self.model(part);
        if part.is_done(&self.folder.records) {
            self.delete_model(part, &model)?;
            return Ok(true);
        }
        let setting = part.configuration.setting(self.resources, self.registry)?;
        if part.is_untrained(&self.folder.records) {
            if !self.train(part, &setting, &model)? {
                return Ok(false);
            }
        } else {
            setting.trained_learner()?.load(&[&model])?;
        }
        for evaluation in part.missing(&self.folder.records) {
            if !self.evaluate(part, evaluation, &setting)? {
                return Ok(false);
            }
        }
        self.delete_model(part, &model)?;
        Ok(true)
    }

    /// Removes the model of a part that is done, if models are to be removed. An evaluation with
    /// faults can only be played again with the model.
    fn delete_model(&self, part: &Part<'_>, model: &Path) -> Result<(), Failure> {
        if self.deletes_models && !part.has_faults(&self.folder.records) && model.exists() {
            runner_files::remove(model)?;
        }
        Ok(())
    }

    /// Trains, or continues the training of the model; returns false if the stop flag ends it.
    fn train(&mut self, part: &Part<'_>, setting: &Setting, model: &Path) -> Result<bool, Failure> {
        let (Part { configuration, seed }, registry) = (*part, self.registry);
        let scale = self.experiment.scale();
        let evaluations = configuration.evaluate.map(|interval| {
            let interval = scaled(interval.get(), scale);
            let games = configuration.evaluate_games.map_or(Evaluations::GAMES, Count::get);
            Evaluations::new(interval, games, &configuration.evaluate_with, setting)
        });
        let (game, player) = (&setting.game.spec, &setting.player.spec);
        let mut starts = Vec::new();
        for state in read_starts(configuration.starts.as_deref(), setting, registry)? {
            starts.push(Start { state, score: 0.0 });
        }
        let job = TrainingJob {
            setting,
            seed: Seed(seed),
            starts: &starts,
            files: JobFiles {
                source: ModelSource::Resumed(model.to_owned()),
                model: model.to_owned(),
            },
            inputs: &InputFiles::find([game], [player], &[], registry),
            // The experiment compares its inputs.
            replaced: ReplacedInput::Accepted,
            accepts: &|header| match difference(part, header, None, registry) {
                Some(difference) => Err(Failure::in_file(model, difference)),
                None => Ok(()),
            },
            budget: &|_| configuration.budget(scale),
            checkpoint: configuration.checkpoint.map_or(TrainingJob::CHECKPOINT, PositiveTime::get),
            evaluations: evaluations.transpose()?,
        };
        (self.watch)(TrainingEvent::Next(&part.name()));
        let trained = job.run(self.stop, self.watch).map_err(|failed| failed.failure)?;
        if trained.interrupted {
            return Ok(false);
        }
        let now = trained.now;
        self.folder.add(ExperimentRecord::Training(TrainingRecord {
            configuration: configuration.name.clone(),
            seed,
            agent: setting.player.spec.to_string(),
            moves: now.moves,
            episodes: now.episodes,
            seconds: now.elapsed.as_secs_f64(),
            threads: setting.threads.count(),
            mean: (now.window > 0).then_some(now.mean).filter(|mean| mean.is_finite()),
            max_tile: now.max_tile(),
            series: finite_series(&now),
            model: model_name(&configuration.name, seed),
        }))?;
        Ok(true)
    }

    /// Plays the games of an evaluation; returns false if the stop flag ends it.
    fn evaluate(
        &mut self,
        part: &Part<'_>,
        evaluation: &Evaluation,
        setting: &Setting,
    ) -> Result<bool, Failure> {
        let named = learned::player(evaluation.with.as_ref(), setting)?;
        let name = format!("{}, {}", part.name(), evaluation.name);
        let (games, seed) = (self.experiment.games(evaluation), Seed(evaluation.seed.get()));
        let starts = read_starts(evaluation.starts.as_deref(), setting, self.registry)?;
        let plan =
            Plan { starts: &starts, ..Plan::new(&setting.game, games, seed, &setting.threads) };
        let Some(played) = learned::evaluate(&name, &plan, &named, self.stop, self.watch)? else {
            return Ok(false);
        };
        let tiles = &setting.game.rules.description().tiles;
        let summary = played.results.summary(tiles, played.faults.count());
        let mut scores = played.results.scores();
        let maximum = Maximum::of(&scores).map(|maximum| maximum.mean);
        scores.sort_unstable_by(f64::total_cmp);
        let count = QUANTILES.min(scores.len());
        let mut quantiles = Vec::new();
        for k in 0..count {
            quantiles.push(quantile(&scores, k as f64 / (count - 1).max(1) as f64));
        }
        self.folder.add(ExperimentRecord::Evaluation(EvaluationRecord {
            configuration: part.configuration.name.clone(),
            seed: part.seed,
            evaluation: evaluation.name.clone(),
            agent: named.spec.to_string(),
            games: summary.games,
            moves: summary.moves,
            seconds: played.elapsed.as_secs_f64(),
            threads: setting.threads.count(),
            faults: played.faults.count(),
            score: summary.score,
            maximum,
            tiles: summary.tiles,
            quantiles,
        }))?;
        Ok(true)
    }
}

/// Describes how a model differs from that of a part, whose training may be done.
fn difference(
    Part { configuration, seed }: &Part<'_>,
    header: &Header,
    training: Option<&TrainingRecord>,
    registry: &Registry,
) -> Option<String> {
    let game = configuration.game.as_ref()?;
    let mismatch = models::mismatch(header, game, &configuration.agent, *seed, registry);
    if let Some(Mismatch { what, found, wanted }) = mismatch {
        return Some(format!("its {what} is {found}, not {wanted}"));
    }
    let found = header.fact(models::MOVES)?.parse().ok()?;
    let wanted = training?.moves;
    (found != wanted)
        .then(|| format!("it was trained for {} moves, not {}", grouped(found), grouped(wanted)))
}
