//! The result of an experiment: a JSON document, and a table of at most 80 columns with the
//! paper's figures below the measured ones.

use super::definition::{Configuration, Experiment, Figures};
use super::folder::{Folder, Records};
use super::parts::Part;
use super::record::{EvaluationRecord, TrainingRecord};
use runner_console::output::{Align, COLUMNS, Table, wrap};
use runner_play::failure::Failure;
use runner_play::names::in_natural_order;
use runner_spec::quantity::{counted, grouped, number, rate, time};
use runner_stats::student;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// Number of tiles whose rates are printed where the experiment names none.
const TILES: usize = 3;

/// The results of an experiment so far.
#[derive(Serialize)]
pub struct Report {
    title: String,
    source: Option<String>,
    scale: f64,
    max_games: Option<u64>,
    seeds: u64,
    configurations: Vec<ConfigurationReport>,
    /// True if all parts of the experiment are done, those of other configurations too.
    complete: bool,
    interrupted: bool,
    #[serde(skip)]
    tiles: Vec<u64>,
}

/// The results of a configuration.
#[derive(Serialize)]
struct ConfigurationReport {
    name: String,
    game: String,
    agent: String,
    /// Mean number of moves of a training.
    moves: Option<f64>,
    /// Mean time of a training in seconds.
    seconds: Option<f64>,
    moves_per_second: Option<f64>,
    paper_time: Option<String>,
    trainings: Vec<TrainingRecord>,
    evaluations: Vec<EvaluationReport>,
}

/// The results of an evaluation over all trainings.
#[derive(Serialize)]
struct EvaluationReport {
    name: String,
    /// Mean over the trainings of their mean scores.
    mean: Option<f64>,
    ci95: Option<[f64; 2]>,
    /// Sample of the interval: the `trainings`, or the `games` of the only training.
    interval: Option<&'static str>,
    /// Mean of the maximum scores of every 100 games.
    maximum: Option<f64>,
    tiles: Vec<Rate>,
    moves_per_second: Option<f64>,
    /// The paper's figures, with rates from 0 to 1 like the measured ones.
    paper: Option<Figures>,
    seeds: Vec<EvaluationRecord>,
}

/// The rate of a tile.
#[derive(Serialize)]
struct Rate {
    tile: u64,
    /// Mean over the trainings.
    rate: f64,
    ci95: Option<[f64; 2]>,
}

/// Returns the mean of some numbers; `None` without one.
fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let numbers: Vec<f64> = numbers.collect();
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    Some(mean).filter(|mean| mean.is_finite())
}

impl Report {
    /// Returns the results of some configurations of a resolved experiment, or of all.
    pub fn new(
        experiment: &Experiment,
        records: &Records,
        only: &[String],
        interrupted: bool,
    ) -> Self {
        let parts = experiment.parts(&[]);
        let is_done =
            |part: &Part<'_>| !part.is_untrained(records) && part.missing(records).is_empty();
        let configurations: Vec<_> = experiment
            .chosen(only)
            .map(|configuration| ConfigurationReport::new(configuration, experiment, records))
            .collect();
        let tiles = match experiment.tiles.is_empty() {
            true => largest_tiles(&configurations),
            false => experiment.tiles.clone(),
        };
        Self {
            title: experiment.title.clone(),
            source: experiment.source.clone(),
            scale: experiment.scale(),
            max_games: experiment.max_games.map(|max| max.get()),
            seeds: experiment.seeds.get(),
            configurations,
            complete: parts.iter().all(is_done),
            interrupted,
            tiles,
        }
    }
}

impl Report {
    /// Returns an error if games of the evaluations in a folder ended in a fault. They are results, so
    /// the same command does not play them again.
    pub fn refuse_faults(&self, folder: &Path) -> Result<(), Failure> {
        let evaluations = self.configurations.iter().flat_map(|c| &c.evaluations);
        let seeds = evaluations.flat_map(|evaluation| &evaluation.seeds);
        match seeds.map(|seed| seed.faults).sum::<u64>() {
            0 => Ok(()),
            faults => Err(Failure::failed(format!(
                "{faults} games of the evaluations ended in a fault and are not counted; \
                 `runner plugins doctor` examines plugins; to play an evaluation again, remove its \
                 line from {}",
                Folder::results(folder).display()
            ))),
        }
    }
}

/// Returns the largest tiles that any evaluation reached, ascending.
fn largest_tiles(configurations: &[ConfigurationReport]) -> Vec<u64> {
    let evaluations = configurations.iter().flat_map(|configuration| &configuration.evaluations);
    let tiles: BTreeSet<u64> =
        evaluations.flat_map(|evaluation| evaluation.tiles.iter().map(|rate| rate.tile)).collect();
    tiles.into_iter().rev().take(TILES).rev().collect()
}

impl ConfigurationReport {
    fn new(configuration: &Configuration, experiment: &Experiment, records: &Records) -> Self {
        let seeds = experiment.seed.get()..experiment.seed.get() + experiment.seeds.get();
        let name = &configuration.name;
        let trainings = seeds.clone().filter_map(|seed| records.training(name, seed)).cloned();
        let trainings: Vec<_> = trainings.collect();
        let seconds = mean(trainings.iter().map(|training| training.seconds));
        let moves = mean(trainings.iter().map(|training| training.moves as f64));
        let speed = |moves: f64, seconds: f64| (seconds > 0.0).then(|| moves / seconds);
        let evaluations = configuration.evaluations.iter().map(|evaluation| {
            let of_seed = |seed| records.evaluation(name, seed, &evaluation.name).cloned();
            let mut paper = configuration.paper.get(&evaluation.name).cloned();
            let rates = paper.iter_mut().flat_map(|figures| figures.rates.values_mut());
            rates.for_each(|percent| *percent /= 100.0);
            let of_seeds = seeds.clone().filter_map(of_seed).collect();
            EvaluationReport::new(&evaluation.name, of_seeds, paper)
        });
        Self {
            name: name.clone(),
            game: configuration.game.as_ref().map(ToString::to_string).unwrap_or_default(),
            agent: configuration.agent.to_string(),
            moves,
            seconds,
            moves_per_second: moves.zip(seconds).and_then(|(moves, time)| speed(moves, time)),
            paper_time: configuration.paper_time.clone(),
            evaluations: evaluations.collect(),
            trainings,
        }
    }
}

impl EvaluationReport {
    fn new(name: &str, seeds: Vec<EvaluationRecord>, paper: Option<Figures>) -> Self {
        let means: Vec<f64> = seeds.iter().filter_map(|seed| seed.score.mean).collect();
        let (ci95, interval) = match (&seeds[..], student(&means)) {
            ([one], _) => (one.score.ci95, "games"),
            (_, over_trainings) => (over_trainings, "trainings"),
        };
        let tiles: BTreeSet<u64> =
            seeds.iter().flat_map(|seed| seed.tiles.iter().map(|tile| tile.tile)).collect();
        let (games, moves, seconds) =
            seeds.iter().fold((0, 0, 0.0), |(games, moves, time), seed| {
                (games + seed.games, moves + seed.moves, time + seed.seconds)
            });
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
            _ => student(&rates).map(|[low, high]| [low.max(0.0), high.min(1.0)]),
        };
        Self { tile, rate: mean(rates.into_iter()).unwrap_or(0.0), ci95 }
    }
}

/// One row of the table: its label and its cells.
struct Row {
    label: String,
    is_of_paper: bool,
    mean: Option<f64>,
    interval: Option<[f64; 2]>,
    maximum: Option<f64>,
    /// Rates in percent.
    rates: Vec<Option<f64>>,
}

impl Row {
    fn measured(evaluation: &EvaluationReport, tiles: &[u64]) -> Self {
        let of_tile = |&tile: &u64| {
            let found = evaluation.tiles.iter().find(|rate| rate.tile == tile);
            let reached = found.map_or(0.0, |rate| 100.0 * rate.rate);
            (!evaluation.seeds.is_empty()).then_some(reached)
        };
        Self {
            label: format!("  {}", evaluation.name),
            is_of_paper: false,
            mean: evaluation.mean,
            interval: evaluation.ci95,
            maximum: evaluation.maximum,
            rates: tiles.iter().map(of_tile).collect(),
        }
    }

    fn paper(figures: &Figures, tiles: &[u64]) -> Self {
        let interval = figures.mean.zip(figures.plus_minus).map(|(m, d)| [m - d, m + d]);
        Self {
            label: "    paper".into(),
            is_of_paper: true,
            mean: figures.mean,
            interval,
            maximum: figures.maximum,
            rates: tiles.iter().map(|tile| figures.rates.get(tile).map(|r| 100.0 * r)).collect(),
        }
    }

    /// Returns the cells, those of the first `tiles` tiles included.
    fn cells(&self, has_maximum: bool, tiles: usize) -> Vec<String> {
        let text = |number_of: Option<f64>| number_of.map_or(String::new(), |n| number(n.round()));
        let interval = self.interval.map_or(String::new(), |[low, high]| {
            format!("{} to {}", number(low.round()), number(high.round()))
        });
        let mut cells = vec![self.label.clone(), text(self.mean), interval];
        cells.extend(has_maximum.then(|| text(self.maximum)));
        let percent = |rate: &Option<f64>| rate.map_or(String::new(), |rate| format!("{rate:.1}%"));
        cells.extend(self.rates[self.rates.len() - tiles..].iter().map(percent));
        cells
    }
}

impl Report {
    /// Returns the rows of each configuration.
    fn rows(&self) -> Vec<Vec<Row>> {
        let of = |configuration: &ConfigurationReport| {
            let mut rows = Vec::new();
            for evaluation in &configuration.evaluations {
                rows.push(Row::measured(evaluation, &self.tiles));
                rows.extend(evaluation.paper.as_ref().map(|f| Row::paper(f, &self.tiles)));
            }
            rows
        };
        self.configurations.iter().map(of).collect()
    }

    /// Returns the table with the last `tiles` tiles, and the line of its header.
    fn table(&self, rows: &[Vec<Row>], has_maximum: bool, tiles: usize) -> (Table, String) {
        let mut table = Table::new(&[&[Align::Left][..], &vec![Align::Right; 3 + tiles]].concat());
        if !has_maximum {
            table = Table::new(&[&[Align::Left][..], &vec![Align::Right; 2 + tiles]].concat());
        }
        let mut header = vec!["".to_owned(), "mean".into(), "95% interval".into()];
        header.extend(has_maximum.then(|| "max of 100".into()));
        header.extend(self.tiles[self.tiles.len() - tiles..].iter().map(|&tile| grouped(tile)));
        table.row(header.clone());
        for row in rows.iter().flatten() {
            table.row(row.cells(has_maximum, tiles));
        }
        let line = table.line(header);
        (table, line)
    }

    /// Writes what the intervals cover.
    fn write_explanation(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let evaluations = || self.configurations.iter().flat_map(|c| &c.evaluations);
        let has = |kind: &str| evaluations().any(|e| e.interval == Some(kind));
        let mut texts = Vec::new();
        if has("trainings") {
            texts.push(
                "Intervals of several trainings: Student's t over the means of the trainings; \
                 rates are means over the trainings."
                    .to_owned(),
            );
        }
        if has("games") {
            texts.push(
                "Intervals of one training: bootstrap over its games; they do not cover how \
                 trainings differ."
                    .to_owned(),
            );
        }
        if evaluations().any(|evaluation| evaluation.paper.is_some()) {
            let source = self.source.as_deref().unwrap_or("see the file of the experiment");
            texts.push(format!("Paper: {source}, with its 95% intervals."));
        }
        if !texts.is_empty() {
            writeln!(f)?;
        }
        texts.iter().try_for_each(|text| wrap(f, "", text))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        wrap(f, "", &self.title)?;
        let mut setting = vec![counted(self.seeds, "seed")];
        if self.scale != 1.0 {
            setting.push(format!("budgets times {}", self.scale));
        }
        setting.extend(self.max_games.map(|max| format!("at most {}", counted(max, "game"))));
        if !self.complete {
            setting.push("not complete".into());
        }
        writeln!(f, "{}\n", setting.join(", "))?;
        let rows = self.rows();
        let has_maximum = rows.iter().flatten().any(|row| row.is_of_paper && row.maximum.is_some());
        let fits = |&tiles: &usize| {
            let (table, _) = self.table(&rows, has_maximum, tiles);
            table.to_string().lines().all(|line| line.chars().count() <= COLUMNS)
        };
        let tiles = (0..=self.tiles.len()).rev().find(fits).unwrap_or(0);
        let (table, header) = self.table(&rows, has_maximum, tiles);
        write!(f, "{header}")?;
        for (configuration, rows) in self.configurations.iter().zip(&rows) {
            wrap(f, "", &configuration.name)?;
            for row in rows {
                write!(f, "{}", table.line(row.cells(has_maximum, tiles)))?;
            }
            configuration.write_training(self.seeds, f)?;
        }
        self.write_explanation(f)
    }
}

impl ConfigurationReport {
    /// Writes how long the trainings took.
    fn write_training(&self, seeds: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut texts = Vec::new();
        if let (Some(moves), Some(seconds)) = (self.moves, self.seconds) {
            let moves = counted(moves.round() as u64, "move");
            let each = if self.trainings.len() > 1 { " each" } else { "" };
            let seconds = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            let speed = self.moves_per_second.map_or(String::new(), |s| format!(", {}", rate(s)));
            texts.push(format!("{moves} in {}{each}{speed}", time(seconds)));
        }
        if (self.trainings.len() as u64) < seeds {
            texts.push(format!("{} of {seeds} done", self.trainings.len()));
        }
        for name in in_natural_order(self.trainings.iter().flat_map(|t| t.series.keys())) {
            let figures = self.trainings.iter().filter_map(|training| training.series.get(name));
            let mean = mean(figures.copied()).expect("a training has the series");
            texts.push(format!("{name} {}", number(mean)));
        }
        texts.extend(self.paper_time.as_ref().map(|time| format!("paper: {time}")));
        wrap(f, "  ", &format!("training: {}", texts.join("; ")))
    }
}
