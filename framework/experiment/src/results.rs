//! The results of an experiment.

use super::definition::{Configuration, Experiment, Figures};
use super::folder::{ExperimentFolder, Records};
use super::record::{EvaluationRecord, TrainingRecord};
use runner_play::failure::Failure;
use runner_stats::{MeanDifference, student, wilson};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// Number of tiles whose rates are printed where the experiment names none.
const TILES: usize = 3;

/// The results of an experiment so far.
#[derive(Serialize)]
pub struct ExperimentResults {
    pub title: String,
    pub source: Option<String>,
    pub scale: f64,
    pub max_games: Option<u64>,
    pub seeds: u64,
    pub configurations: Vec<ConfigurationResults>,
    /// The configurations after the first, compared with it.
    pub differences: Vec<ConfigurationDifference>,
    /// True if all parts of the experiment are done, those of other configurations too.
    pub complete: bool,
    pub interrupted: bool,
    #[serde(skip)]
    pub tiles: Vec<u64>,
}

#[derive(Serialize)]
pub struct ConfigurationResults {
    pub name: String,
    pub game: String,
    pub agent: String,
    /// Mean number of moves of a training.
    pub moves: Option<f64>,
    /// Mean time of a training in seconds.
    pub seconds: Option<f64>,
    pub moves_per_second: Option<f64>,
    pub paper_time: Option<String>,
    pub trainings: Vec<TrainingRecord>,
    pub evaluations: Vec<EvaluationResults>,
}

/// The results of an evaluation over all trainings.
#[derive(Serialize)]
pub struct EvaluationResults {
    pub name: String,
    /// Mean over the trainings of their mean scores.
    pub mean: Option<f64>,
    pub ci95: Option<[f64; 2]>,
    /// Sample of the interval: the `trainings`, or the `games` of the only training.
    pub interval: Option<&'static str>,
    /// Mean of the maximum scores of every 100 games.
    pub maximum: Option<f64>,
    pub tiles: Vec<Rate>,
    pub moves_per_second: Option<f64>,
    /// The paper's figures, with rates from 0 to 1 like the measured ones.
    pub paper: Option<Figures>,
    pub seeds: Vec<EvaluationRecord>,
}

/// The mean scores of an evaluation of a configuration, over its trainings, less those of the first
/// configuration.
#[derive(Serialize)]
pub struct ConfigurationDifference {
    pub configuration: String,
    pub evaluation: String,
    #[serde(flatten)]
    pub difference: MeanDifference,
    /// Number of trainings of each with which a difference as large as this one would be known, in
    /// nine of ten cases.
    pub seeds_to_know: Option<u64>,
}

#[derive(Serialize)]
pub struct Rate {
    pub tile: u64,
    /// Mean over the trainings.
    pub rate: f64,
    pub ci95: Option<[f64; 2]>,
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let numbers: Vec<f64> = numbers.collect();
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    Some(mean).filter(|mean| mean.is_finite())
}

impl ExperimentResults {
    /// Returns the results of some configurations of a resolved experiment, or of all.
    pub fn new(
        experiment: &Experiment,
        records: &Records,
        only: &[String],
        interrupted: bool,
    ) -> Self {
        let mut configurations = Vec::new();
        for configuration in experiment.chosen(only) {
            configurations.push(ConfigurationResults::new(configuration, experiment, records));
        }
        let tiles = if experiment.tiles.is_empty() {
            largest_tiles(&configurations)
        } else {
            experiment.tiles.clone()
        };
        Self {
            title: experiment.title.clone(),
            source: experiment.source.clone(),
            scale: experiment.scale(),
            max_games: experiment.max_games.map(|max| max.get()),
            seeds: experiment.seeds.get(),
            differences: differences(&configurations),
            configurations,
            complete: experiment.parts(&[]).iter().all(|part| part.is_done(records)),
            interrupted,
            tiles,
        }
    }

    /// Returns an error if games of the evaluations in a folder ended in a fault. They are results,
    /// so the same command does not play them again.
    pub fn refuse_faults(&self, folder: &Path) -> Result<(), Failure> {
        let evaluations = self.configurations.iter().flat_map(|c| &c.evaluations);
        let seeds = evaluations.flat_map(|evaluation| &evaluation.seeds);
        match seeds.map(|seed| seed.faults).sum::<u64>() {
            0 => Ok(()),
            faults => Err(Failure::failed(format!(
                "{faults} games of the evaluations ended in a fault and are not counted; \
                 `runner plugins doctor` examines plugins; to play an evaluation again, remove its \
                 line from {}",
                ExperimentFolder::results(folder).display()
            ))),
        }
    }
}

fn differences(configurations: &[ConfigurationResults]) -> Vec<ConfigurationDifference> {
    let mut all = Vec::new();
    let Some((first, others)) = configurations.split_first() else { return all };
    for other in others.iter().filter(|other| other.game == first.game) {
        for evaluation in &other.evaluations {
            let of_first = first.evaluations.iter().find(|one| one.name == evaluation.name);
            let Some(of_first) = of_first else { continue };
            let [means, means_of_first] = [evaluation, of_first].map(|one| means(&one.seeds));
            let Some(difference) = MeanDifference::of(&means, &means_of_first) else { continue };
            let done = means.len().min(means_of_first.len());
            let least = if difference.is_known() { 0 } else { done + 1 };
            all.push(ConfigurationDifference {
                configuration: other.name.clone(),
                evaluation: evaluation.name.clone(),
                difference,
                seeds_to_know: difference.sample_size().map(|size| size.max(least as u64)),
            });
        }
    }
    all
}

/// Returns the largest tiles that any evaluation reached, ascending.
fn largest_tiles(configurations: &[ConfigurationResults]) -> Vec<u64> {
    let evaluations = configurations.iter().flat_map(|configuration| &configuration.evaluations);
    let tiles: BTreeSet<u64> =
        evaluations.flat_map(|evaluation| evaluation.tiles.iter().map(|rate| rate.tile)).collect();
    tiles.into_iter().rev().take(TILES).rev().collect()
}

impl ConfigurationResults {
    fn new(configuration: &Configuration, experiment: &Experiment, records: &Records) -> Self {
        let name = &configuration.name;
        let mut trainings = Vec::new();
        for seed in experiment.training_seeds() {
            trainings.extend(records.training(name, seed).cloned());
        }
        let mut evaluations = Vec::new();
        for evaluation in &configuration.evaluations {
            let mut played = Vec::new();
            for seed in experiment.training_seeds() {
                played.extend(records.evaluation(name, seed, &evaluation.name).cloned());
            }
            let mut paper = configuration.paper.get(&evaluation.name).cloned();
            for percent in paper.iter_mut().flat_map(|figures| figures.rates.values_mut()) {
                *percent /= 100.0;
            }
            evaluations.push(EvaluationResults::new(&evaluation.name, played, paper));
        }
        let seconds = mean(trainings.iter().map(|training| training.seconds));
        let moves = mean(trainings.iter().map(|training| training.moves as f64));
        let moves_per_second = match (moves, seconds) {
            (Some(moves), Some(seconds)) if seconds > 0.0 => Some(moves / seconds),
            _ => None,
        };
        Self {
            name: name.clone(),
            game: configuration.game.as_ref().map(ToString::to_string).unwrap_or_default(),
            agent: configuration.agent.to_string(),
            moves,
            seconds,
            moves_per_second,
            paper_time: configuration.paper_time.clone(),
            trainings,
            evaluations,
        }
    }
}

/// Returns the mean score of each training.
fn means(seeds: &[EvaluationRecord]) -> Vec<f64> {
    seeds.iter().filter_map(|seed| seed.score.mean).collect()
}

impl EvaluationResults {
    pub fn new(name: &str, seeds: Vec<EvaluationRecord>, paper: Option<Figures>) -> Self {
        let means = means(&seeds);
        let (ci95, interval) = match (&seeds[..], student(&means)) {
            ([one], _) => (one.score.ci95, "games"),
            (_, over_trainings) => (over_trainings, "trainings"),
        };
        let tiles: BTreeSet<u64> =
            seeds.iter().flat_map(|seed| seed.tiles.iter().map(|tile| tile.tile)).collect();
        let games: u64 = seeds.iter().map(|seed| seed.games).sum();
        let moves: u64 = seeds.iter().map(|seed| seed.moves).sum();
        let seconds: f64 = seeds.iter().map(|seed| seed.seconds).sum();
        Self {
            name: name.to_owned(),
            mean: mean(means.iter().copied()).filter(|_| means.len() == seeds.len()),
            ci95,
            interval: ci95.map(|_| interval),
            maximum: mean(seeds.iter().filter_map(|seed| seed.maximum)),
            tiles: tiles.into_iter().map(|tile| Rate::new(tile, &seeds)).collect(),
            moves_per_second: (games > 0 && seconds > 0.0).then(|| moves as f64 / seconds),
            paper,
            seeds,
        }
    }
}

impl Rate {
    fn new(tile: u64, seeds: &[EvaluationRecord]) -> Self {
        let of_seed =
            |seed: &EvaluationRecord| seed.tiles.iter().find(|rate| rate.tile == tile).copied();
        let rates: Vec<f64> =
            seeds.iter().map(|seed| of_seed(seed).map_or(0.0, |tile| tile.rate)).collect();
        let ci95 = match seeds {
            [one] => of_seed(one).map(|tile| tile.ci95),
            // Equal rates, such as 0, show no variation over trainings.
            [_, _, ..] if rates.iter().all(|&rate| rate == rates[0]) => {
                let games: u64 = seeds.iter().map(|seed| seed.games + seed.faults).sum();
                Some(wilson((rates[0] * games as f64).round() as u64, games))
            }
            _ => student(&rates).map(|[low, high]| [low.max(0.0), high.min(1.0)]),
        };
        Self { tile, rate: mean(rates.into_iter()).unwrap_or(0.0), ci95 }
    }
}
