//! The result of an experiment: a table of at most 80 columns with the paper's figures below the
//! measured ones.

use runner_console::output::{Align, COLUMNS, Table, wrap};
use runner_experiment::{ConfigurationReport, EvaluationReport, Figures, Report};
use runner_play::names::in_natural_order;
use runner_spec::quantity::{counted, grouped, number, rate, time};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// The result as it is printed.
#[derive(Serialize)]
pub struct Printed<'a>(pub &'a Report);

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

impl Printed<'_> {
    /// Returns the rows of each configuration.
    fn rows(&self) -> Vec<Vec<Row>> {
        let tiles = &self.0.tiles;
        let of = |configuration: &ConfigurationReport| {
            let mut rows = Vec::new();
            for evaluation in &configuration.evaluations {
                rows.push(Row::measured(evaluation, tiles));
                rows.extend(evaluation.paper.as_ref().map(|figures| Row::paper(figures, tiles)));
            }
            rows
        };
        self.0.configurations.iter().map(of).collect()
    }

    /// Returns the table with the last `tiles` tiles, and the line of its header.
    fn table(&self, rows: &[Vec<Row>], has_maximum: bool, tiles: usize) -> (Table, String) {
        let figures = vec![Align::Right; 2 + usize::from(has_maximum) + tiles];
        let mut table = Table::new(&[&[Align::Left][..], &figures].concat());
        let mut header = vec!["".to_owned(), "mean".into(), "95% interval".into()];
        header.extend(has_maximum.then(|| "max of 100".into()));
        header.extend(self.0.tiles[self.0.tiles.len() - tiles..].iter().map(|&tile| grouped(tile)));
        table.row(header.clone());
        for row in rows.iter().flatten() {
            table.row(row.cells(has_maximum, tiles));
        }
        let line = table.line(header);
        (table, line)
    }

    /// Writes what the intervals cover.
    fn write_explanation(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let evaluations = || self.0.configurations.iter().flat_map(|c| &c.evaluations);
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
            let source = self.0.source.as_deref().unwrap_or("see the file of the experiment");
            texts.push(format!("Paper: {source}, with its 95% intervals."));
        }
        if !texts.is_empty() {
            writeln!(f)?;
        }
        texts.iter().try_for_each(|text| wrap(f, "", text))
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        wrap(f, "", &self.0.title)?;
        let mut setting = vec![counted(self.0.seeds, "seed")];
        if self.0.scale != 1.0 {
            setting.push(format!("budgets times {}", self.0.scale));
        }
        setting.extend(self.0.max_games.map(|max| format!("at most {}", counted(max, "game"))));
        if !self.0.complete {
            setting.push("not complete".into());
        }
        writeln!(f, "{}\n", setting.join(", "))?;
        let rows = self.rows();
        let has_maximum = rows.iter().flatten().any(|row| row.is_of_paper && row.maximum.is_some());
        let fits = |&tiles: &usize| {
            let (table, _) = self.table(&rows, has_maximum, tiles);
            table.to_string().lines().all(|line| line.chars().count() <= COLUMNS)
        };
        let tiles = (0..=self.0.tiles.len()).rev().find(fits).unwrap_or(0);
        let (table, header) = self.table(&rows, has_maximum, tiles);
        write!(f, "{header}")?;
        for (configuration, rows) in self.0.configurations.iter().zip(&rows) {
            wrap(f, "", &configuration.name)?;
            for row in rows {
                write!(f, "{}", table.line(row.cells(has_maximum, tiles)))?;
            }
            write_training(configuration, self.0.seeds, f)?;
        }
        self.write_explanation(f)
    }
}

/// Writes how long the trainings of a configuration took.
fn write_training(
    configuration: &ConfigurationReport,
    seeds: u64,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let ConfigurationReport { moves, seconds, moves_per_second, paper_time, trainings, .. } =
        configuration;
    let mut texts = Vec::new();
    if let (Some(moves), Some(seconds)) = (moves, seconds) {
        let moves = counted(moves.round() as u64, "move");
        let each = if trainings.len() > 1 { " each" } else { "" };
        let seconds = Duration::try_from_secs_f64(*seconds).unwrap_or_default();
        let speed = moves_per_second.map_or(String::new(), |speed| format!(", {}", rate(speed)));
        texts.push(format!("{moves} in {}{each}{speed}", time(seconds)));
    }
    if (trainings.len() as u64) < seeds {
        texts.push(format!("{} of {seeds} done", trainings.len()));
    }
    for name in in_natural_order(trainings.iter().flat_map(|training| training.series.keys())) {
        let figures: Vec<_> =
            trainings.iter().filter_map(|training| training.series.get(name)).collect();
        let mean = figures.iter().copied().sum::<f64>() / figures.len() as f64;
        texts.push(format!("{name} {}", number(mean)));
    }
    texts.extend(paper_time.as_ref().map(|time| format!("paper: {time}")));
    wrap(f, "  ", &format!("training: {}", texts.join("; ")))
}
