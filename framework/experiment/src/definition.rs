//! The file of an experiment: its configurations, their evaluations, and a paper's figures.

use runner_core::{Spec, TrainingBudget};
use runner_play::document::{parse_file, read_file};
use runner_play::failure::Failure;
use runner_play::inputs::Inputs;
use runner_play::names::file_name;
use runner_play::registry::Registry;
use runner_spec::quantity::{Count, PositiveNumber, PositiveTime, Time};
use runner_spec::{nearest, read_fields, steers_terminal};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum length of the name of a configuration, in characters. It is part of file names.
const LONGEST_NAME: usize = 40;
/// Maximum length of the name of an evaluation, in characters: a column of the table.
const LONGEST_EVALUATION: usize = 16;

/// An experiment: trainings of several configurations with several seeds, and evaluations of
/// each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    pub title: String,
    /// Where the paper's figures are from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Game of the configurations that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Spec>,
    /// Number of trainings of each configuration.
    #[serde(default = "one")]
    pub seeds: Count<1, 1000>,
    /// Seed of the first training; the others have the next ones.
    #[serde(default = "one")]
    pub seed: Count,
    /// Factor of the budget of each training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<PositiveNumber>,
    /// Maximum number of games of each evaluation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_games: Option<Count<1>>,
    /// Tiles whose rates are printed; the largest that were reached if it is empty.
    #[serde(default)]
    pub tiles: Vec<u64>,
    /// Evaluations of the configurations that list none.
    #[serde(default)]
    pub evaluations: Vec<Evaluation>,
    pub configurations: Vec<Configuration>,
    /// The plugins and files that the results depend on. The program writes this list and compares
    /// later runs with it; it is not a setting.
    #[serde(default, skip_serializing_if = "Inputs::is_empty")]
    pub inputs: Inputs,
}

/// A training and its evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// Name in the table and in file names.
    pub name: String,
    /// Game; that of the experiment if it names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Spec>,
    pub agent: Spec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Count<1>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episodes: Option<Count<1>>,
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// File of positions at which the whole games of the training begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<PositiveTime>,
    /// Number of moves between evaluations for the curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluate: Option<Count<1>>,
    /// Number of games of each evaluation for the curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluate_games: Option<Count<1>>,
    /// Agents that the curve also evaluates, with the learner as their value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluate_with: Vec<Spec>,
    /// Evaluations of the trained model; those of the experiment if it lists none.
    #[serde(default)]
    pub evaluations: Vec<Evaluation>,
    /// Figures of the paper, by the name of the evaluation.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub paper: BTreeMap<String, Figures>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper_time: Option<String>,
}

/// Games of a trained model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    pub name: String,
    /// Agent that plays. The word `learner` in it is the placeholder of the model; without one,
    /// the model is its `value`. `None` selects the greedy policy of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Spec>,
    pub games: Count<1>,
    #[serde(default = "evaluation_seed")]
    pub seed: Count,
    /// File of positions at which the games begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<PathBuf>,
}

/// Figures of a paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Figures {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Half the width of its 95% interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plus_minus: Option<f64>,
    /// Mean of the maximum scores of every 100 games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// Rates of tiles in percent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rates: BTreeMap<u64, f64>,
    /// Speed of play in moves per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves_per_second: Option<f64>,
}

/// Changes of a run to the file of an experiment.
#[derive(Default)]
pub struct ExperimentChanges<'a> {
    pub scale: Option<PositiveNumber>,
    pub seeds: Option<Count<1, 1000>>,
    pub max_games: Option<Count<1>>,
    /// The names of the configurations that it runs; all if it is empty.
    pub only: &'a [String],
}

fn one<const MIN: u64, const MAX: u64>() -> Count<MIN, MAX> {
    Count::new(1)
}

/// Seed of evaluations: larger than the seeds that people type, so that the games are others
/// than those of the trainings.
fn evaluation_seed() -> Count {
    Count::new(1 << 32)
}

impl Configuration {
    pub fn budget(&self, scale: f64) -> TrainingBudget {
        let scaled = |count: Option<Count<1>>| count.map(|count| scaled(count.get(), scale));
        TrainingBudget {
            moves: scaled(self.moves),
            episodes: scaled(self.episodes),
            time: self.time.map(|Time(time)| time.mul_f64(scale)),
        }
    }
}

/// Returns a count times a factor, at least 1.
pub fn scaled(count: u64, scale: f64) -> u64 {
    ((count as f64 * scale).round() as u64).max(1)
}

impl Experiment {
    /// Reads and resolves the experiment of a file, with changes.
    pub fn open(
        file: &Path,
        changes: &ExperimentChanges<'_>,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        if holds_options_of_a_command(file) {
            return Err(Failure::usage(format!(
                "{0} is no experiment: it has no `configurations`; the options of another command \
                 are given to that one, as in `runner train --config {0}`",
                file.display()
            )));
        }
        let mut experiment: Self = read_file(file)?;
        experiment.scale = changes.scale.or(experiment.scale);
        experiment.seeds = changes.seeds.unwrap_or(experiment.seeds);
        experiment.max_games = changes.max_games.or(experiment.max_games);
        let names: Vec<_> = experiment.configurations.iter().map(|c| c.name.as_str()).collect();
        if let Some(unknown) = changes.only.iter().find(|only| !names.contains(&only.as_str())) {
            let nearest = nearest(unknown, names.iter().copied());
            let hint = nearest.map_or(String::new(), |name| format!(" (did you mean `{name}`?)"));
            let all = names.join("; ");
            return Err(Failure::usage(format!(
                "there is no configuration `{unknown}`{hint}; there are: {all}"
            )));
        }
        experiment.resolved(registry).map_err(|failure| failure.of(&file.display().to_string()))
    }

    pub fn scale(&self) -> f64 {
        self.scale.map_or(1.0, PositiveNumber::get)
    }

    /// Refuses what no single field shows to be wrong.
    pub fn check(&self) -> Result<(), Failure> {
        if self.configurations.is_empty() {
            return Err(Failure::usage("an experiment needs at least one configuration"));
        }
        if self.seed.get().checked_add(self.seeds.get()).is_none() {
            return Err(Failure::usage("`seed` is too large for this number of seeds"));
        }
        let mut files = BTreeSet::new();
        for configuration in &self.configurations {
            let name = &configuration.name;
            check_name("a configuration", name, LONGEST_NAME).map_err(Failure::usage)?;
            if !files.insert(file_name(name)) {
                return Err(Failure::usage(format!(
                    "two configurations are named `{name}`, or alike but for punctuation; the \
                     names of files keep letters and digits only"
                )));
            }
            configuration
                .check(self)
                .map_err(|message| Failure::usage(format!("configuration `{name}`: {message}")))?;
        }
        Ok(())
    }
}

fn holds_options_of_a_command(file: &Path) -> bool {
    let Ok(fields) = parse_file(file, read_fields) else { return false };
    let has = |name: &str| fields.iter().any(|field| field.name == name);
    has("agent") && !has("configurations")
}

impl Configuration {
    fn check(&self, experiment: &Experiment) -> Result<(), String> {
        if self.budget(1.0) == TrainingBudget::default() {
            return Err("it needs a budget: `moves`, `episodes` or `for`".into());
        }
        if self.game.is_none() && experiment.game.is_none() {
            return Err("it needs a `game`, or the experiment does".into());
        }
        if self.evaluate.is_none()
            && (self.evaluate_games.is_some() || !self.evaluate_with.is_empty())
        {
            return Err("`evaluate_games` and `evaluate_with` need `evaluate`".into());
        }
        let mut names = BTreeSet::new();
        for Evaluation { name, .. } in self.evaluations(experiment) {
            check_name("an evaluation", name, LONGEST_EVALUATION)?;
            if !names.insert(name.as_str()) {
                return Err(format!("two evaluations are named `{name}`"));
            }
        }
        if names.is_empty() {
            return Err("it has no `evaluations`, and the experiment has none either".into());
        }
        if let Some(name) = self.paper.keys().find(|name| !names.contains(name.as_str())) {
            let known: Vec<_> = names.into_iter().collect();
            return Err(format!(
                "`paper` names the evaluation `{name}`; there are: {}",
                known.join(", ")
            ));
        }
        for (tile, rate) in self.paper.values().flat_map(|figures| &figures.rates) {
            if !(0.0..=100.0).contains(rate) {
                return Err(format!(
                    "`paper` has a rate of {rate} for the tile {tile}; expected 0 to 100"
                ));
            }
        }
        Ok(())
    }

    /// Returns the evaluations of the configuration, which may be those of the experiment.
    pub fn evaluations<'a>(&'a self, experiment: &'a Experiment) -> &'a [Evaluation] {
        if self.evaluations.is_empty() { &experiment.evaluations } else { &self.evaluations }
    }
}

fn check_name(whose: &str, name: &str, longest: usize) -> Result<(), String> {
    let is_plain = !name.chars().any(steers_terminal) && !file_name(name).is_empty();
    if is_plain && name.chars().count() <= longest {
        return Ok(());
    }
    Err(format!(
        "the name of {whose} must have 1 to {longest} characters, one of them a letter or a \
         digit, not `{}`",
        name.escape_debug()
    ))
}
