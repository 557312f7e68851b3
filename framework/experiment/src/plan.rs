//! The remaining work of an experiment: its budget, and its time at the speeds that were measured
//! so far.

use super::definition::{Configuration, Evaluation, Experiment};
use super::folder::Records;
use super::parts::Part;
use runner_core::TrainingBudget;
use runner_report::Report;
use runner_spec::quantity::{counted, time};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Serialize)]
pub struct Plan {
    pub title: String,
    pub folder: PathBuf,
    pub scale: f64,
    pub seeds: u64,
    pub configurations: Vec<PlannedConfiguration>,
    pub left: Left,
}

/// A configuration, and how many of its trainings are done.
#[derive(Serialize)]
pub struct PlannedConfiguration {
    pub name: String,
    pub agent: String,
    pub moves: Option<u64>,
    pub episodes: Option<u64>,
    pub seconds: Option<f64>,
    pub trained: u64,
    pub evaluations: Vec<PlannedEvaluation>,
}

/// An evaluation, and after how many trainings it was played.
#[derive(Serialize)]
pub struct PlannedEvaluation {
    pub name: String,
    pub games: u64,
    pub played: u64,
}

/// The remaining work.
#[derive(Default, Serialize)]
pub struct Left {
    pub trainings: u64,
    pub moves: u64,
    pub episodes: u64,
    pub evaluations: u64,
    pub games: u64,
    /// Time at the speeds measured so far; `None` if a part was not measured yet.
    pub seconds: Option<f64>,
}

impl Plan {
    /// Returns the plan of some configurations of a resolved experiment, or of all.
    pub fn new(experiment: &Experiment, records: &Records, folder: &Path, only: &[String]) -> Self {
        let parts = experiment.parts(only);
        let planned = |configuration: &Configuration| {
            let own: Vec<_> =
                parts.iter().filter(|part| part.configuration.name == configuration.name).collect();
            let budget = configuration.budget(experiment.scale());
            let evaluation = |evaluation: &Evaluation| {
                let is_played = |part: &&&Part<'_>| {
                    !part.missing(records).iter().any(|missing| missing.name == evaluation.name)
                };
                PlannedEvaluation {
                    name: evaluation.name.clone(),
                    games: experiment.games(evaluation),
                    played: own.iter().filter(is_played).count() as u64,
                }
            };
            PlannedConfiguration {
                name: configuration.name.clone(),
                agent: configuration.agent.to_string(),
                moves: budget.moves,
                episodes: budget.episodes,
                seconds: budget.time.map(|time| time.as_secs_f64()),
                trained: own.iter().filter(|part| !part.is_untrained(records)).count() as u64,
                evaluations: configuration.evaluations.iter().map(evaluation).collect(),
            }
        };
        Self {
            title: experiment.title.clone(),
            folder: folder.to_owned(),
            scale: experiment.scale(),
            seeds: experiment.seeds.get(),
            configurations: experiment.chosen(only).map(planned).collect(),
            left: Left::new(experiment, records, &parts),
        }
    }

    /// Returns the plan for people and for programs.
    pub fn report(&self) -> Report {
        let mut report = Report::of(self);
        report.line(&self.title);
        let configurations = counted(self.configurations.len() as u64, "configuration");
        let seeds = counted(self.seeds, "seed");
        let scale = match self.scale {
            1.0 => String::new(),
            scale => format!(", budgets times {scale}"),
        };
        let folder = self.folder.display();
        report.line(format!("{configurations}, {seeds}{scale}; results in {folder}")).section();
        for configuration in &self.configurations {
            report.line(&configuration.name);
            let seconds = |seconds| time(Duration::try_from_secs_f64(seconds).unwrap_or_default());
            let budget: Vec<_> = [
                configuration.moves.map(|moves| counted(moves, "move")),
                configuration.episodes.map(|games| counted(games, "game")),
                configuration.seconds.map(seconds),
            ]
            .into_iter()
            .flatten()
            .collect();
            let (trained, seeds, budget) = (configuration.trained, self.seeds, budget.join(" or "));
            report.detail(format!("training: {budget}; {trained} of {seeds} done"));
            for PlannedEvaluation { name, games, played } in &configuration.evaluations {
                let games = counted(*games, "game");
                report.detail(format!("{name}: {games}; {played} of {seeds} done"));
            }
        }
        report.section().line(&self.left);
        report
    }
}

impl Left {
    fn new(experiment: &Experiment, records: &Records, parts: &[Part<'_>]) -> Self {
        let mut left = Self { seconds: Some(0.0), ..Self::default() };
        for part in parts {
            if part.is_untrained(records) {
                let budget = part.configuration.budget(experiment.scale());
                left.trainings += 1;
                left.moves += budget.moves.unwrap_or(0);
                left.episodes += budget.episodes.unwrap_or(0);
                left.add(training_seconds(experiment, records, part, &budget));
            }
            for evaluation in part.missing(records) {
                let games = experiment.games(evaluation);
                left.evaluations += 1;
                left.games += games;
                let each = seconds_per_game(experiment, records, part, evaluation);
                left.add(each.map(|seconds| seconds * games as f64));
            }
        }
        left
    }

    fn add(&mut self, seconds: Option<f64>) {
        self.seconds = self.seconds.zip(seconds).map(|(sum, seconds)| sum + seconds);
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trainings, moves, episodes, evaluations, games, seconds } = *self;
        let mut parts = vec![counted(trainings, "training")];
        if moves > 0 {
            parts.push(format!("with {}", counted(moves, "move")));
        }
        if episodes > 0 {
            parts.push(format!("with {}", counted(episodes, "game")));
        }
        parts.push(format!("and {}", counted(evaluations, "evaluation")));
        parts.push(format!("with {}", counted(games, "game")));
        let at = match seconds {
            Some(seconds) if trainings + evaluations > 0 => {
                let seconds = Duration::try_from_secs_f64(seconds).unwrap_or_default();
                format!("; about {} at the speeds so far", time(seconds))
            }
            Some(_) => String::new(),
            None => "; no estimate of the time yet: a configuration or an evaluation has no result"
                .into(),
        };
        write!(f, "left: {}{at}", parts.join(" "))
    }
}

/// Returns the time of a training: that of its budget, or that of another seed.
fn training_seconds(
    experiment: &Experiment,
    records: &Records,
    part: &Part<'_>,
    budget: &TrainingBudget,
) -> Option<f64> {
    let measured = experiment.parts(std::slice::from_ref(&part.configuration.name));
    let measured = measured.iter().find_map(|other| {
        records.training(&other.configuration.name, other.seed).map(|training| training.seconds)
    });
    let limit = budget.time.map(|time| time.as_secs_f64());
    match (measured, limit) {
        (Some(measured), Some(limit)) => Some(measured.min(limit)),
        (measured, limit) => measured.or(limit),
    }
}

/// Returns the time of a game of an evaluation, as measured after another training.
fn seconds_per_game(
    experiment: &Experiment,
    records: &Records,
    part: &Part<'_>,
    evaluation: &Evaluation,
) -> Option<f64> {
    let of = |configuration: &Configuration| {
        let parts = experiment.parts(std::slice::from_ref(&configuration.name));
        parts.iter().find_map(|other| {
            let name = &other.configuration.name;
            let played = records.evaluation(name, other.seed, &evaluation.name)?;
            (played.games > 0).then(|| played.seconds / played.games as f64)
        })
    };
    of(part.configuration).or_else(|| experiment.configurations.iter().find_map(of))
}
