//! The result of an experiment: a table of at most 80 columns with the paper's figures below the
//! measured ones.

use super::definition::Figures;
use super::results::{
    ConfigurationDifference, ConfigurationResults, EvaluationResults, ExperimentResults,
};
use runner_spec::quantity::{counted, grouped, number, rate, time};
use runner_stats::FEWEST_GAMES;
use runner_stats::report::{Align, COLUMNS, RANGE, Report, Table, interval_cell};
use std::collections::BTreeSet;
use std::time::Duration;

/// One row of the table: its label and its cells.
struct Row {
    label: String,
    is_of_paper: bool,
    mean: Option<f64>,
    interval: Option<[f64; 2]>,
    /// Number of games of the interval; no limit if it is not one of games.
    games: u64,
    maximum: Option<f64>,
    /// Rates in percent.
    rates: Vec<Option<f64>>,
}

impl Row {
    fn measured(evaluation: &EvaluationResults, tiles: &[u64]) -> Self {
        let mut rates = Vec::new();
        for tile in tiles {
            let found = evaluation.tiles.iter().find(|rate| rate.tile == *tile);
            let reached = found.map_or(0.0, |rate| 100.0 * rate.rate);
            rates.push((!evaluation.seeds.is_empty()).then_some(reached));
        }
        Self {
            label: format!("  {}", evaluation.name),
            is_of_paper: false,
            mean: evaluation.mean,
            interval: evaluation.ci95,
            games: games(evaluation),
            maximum: evaluation.maximum,
            rates,
        }
    }

    fn paper(figures: &Figures, tiles: &[u64]) -> Self {
        let interval = figures.mean.zip(figures.plus_minus).map(|(m, d)| [m - d, m + d]);
        Self {
            label: "    paper".into(),
            is_of_paper: true,
            mean: figures.mean,
            interval,
            games: u64::MAX,
            maximum: figures.maximum,
            rates: tiles.iter().map(|tile| figures.rates.get(tile).map(|r| 100.0 * r)).collect(),
        }
    }

    /// Returns the cells, those of the first `tiles` tiles included.
    fn cells(&self, has_maximum: bool, tiles: usize) -> Vec<String> {
        let text = |number_of: Option<f64>| number_of.map_or(String::new(), |n| number(n.round()));
        let interval = self.interval.map(|ends| interval_cell(ends.map(f64::round), self.games));
        let mut cells = vec![self.label.clone(), text(self.mean), interval.unwrap_or_default()];
        cells.extend(has_maximum.then(|| text(self.maximum)));
        let percent = |rate: &Option<f64>| rate.map_or(String::new(), |rate| format!("{rate:.1}%"));
        cells.extend(self.rates[self.rates.len() - tiles..].iter().map(percent));
        cells
    }
}

impl ExperimentResults {
    pub fn report(&self) -> Report {
        let mut report = Report::of(self);
        report.line(&self.title);
        let mut setting = vec![counted(self.seeds, "seed")];
        if self.scale != 1.0 {
            setting.push(format!("budgets times {}", self.scale));
        }
        setting.extend(self.max_games.map(|max| format!("at most {}", counted(max, "game"))));
        if !self.complete {
            setting.push("not complete".into());
        }
        report.line(setting.join(", ")).section();
        let rows: Vec<_> = self.configurations.iter().map(|of| rows(of, &self.tiles)).collect();
        let has_maximum = rows.iter().flatten().any(|row| row.is_of_paper && row.maximum.is_some());
        let mut tiles = &self.tiles[..];
        let (table, header) = loop {
            let (table, header) = table(&rows, has_maximum, tiles);
            let fits = table.to_string().lines().all(|line| line.chars().count() <= COLUMNS);
            if fits || tiles.is_empty() {
                break (table, header);
            }
            tiles = &tiles[1..];
        };
        report.whole_line(table.line(header).trim_end());
        for (configuration, rows) in self.configurations.iter().zip(&rows) {
            report.line(&configuration.name);
            for row in rows {
                report.whole_line(table.line(row.cells(has_maximum, tiles.len())).trim_end());
            }
            report.detail(training(configuration, self.seeds));
        }
        if let [first, _, ..] = &self.configurations[..]
            && !self.differences.is_empty()
        {
            report
                .section()
                .line(format!("Differences of mean scores from those of {}:", first.name));
            report.lines(self.differences.iter().map(difference));
        }
        report.section().lines(explanation(self));
        report
    }
}

fn difference(found: &ConfigurationDifference) -> String {
    let signed = |x: f64| format!("{}{}", if x < 0.0 { "-" } else { "+" }, number(x.abs().round()));
    let [low, high] = found.difference.ci95.map(signed);
    let answer = match found.seeds_to_know {
        _ if found.difference.is_known() => "they differ".to_owned(),
        Some(seeds) => {
            format!(
                "not known to differ; a difference of this size takes about {} of each",
                counted(seeds, "seed")
            )
        }
        None => "not known to differ".into(),
    };
    let mean = signed(found.difference.mean);
    let ConfigurationDifference { configuration, evaluation, .. } = found;
    format!("{configuration}, {evaluation}: {mean}, 95% interval {low} to {high}: {answer}")
}

/// Returns the number of games of an interval; no limit if it is one of trainings.
fn games(evaluation: &EvaluationResults) -> u64 {
    match &evaluation.seeds[..] {
        [one] => one.games,
        _ => u64::MAX,
    }
}

fn rows(configuration: &ConfigurationResults, tiles: &[u64]) -> Vec<Row> {
    let mut rows = Vec::new();
    for evaluation in &configuration.evaluations {
        rows.push(Row::measured(evaluation, tiles));
        rows.extend(evaluation.paper.as_ref().map(|figures| Row::paper(figures, tiles)));
    }
    rows
}

/// Returns the table with these last tiles, and its header.
fn table(rows: &[Vec<Row>], has_maximum: bool, tiles: &[u64]) -> (Table, Vec<String>) {
    let figures = vec![Align::Right; 2 + usize::from(has_maximum) + tiles.len()];
    let mut table = Table::new(&[&[Align::Left][..], &figures].concat());
    let mut header = vec!["".to_owned(), "mean".into(), "95% interval".into()];
    header.extend(has_maximum.then(|| "max of 100".into()));
    header.extend(tiles.iter().map(|&tile| grouped(tile)));
    table.row(header.clone());
    for row in rows.iter().flatten() {
        table.row(row.cells(has_maximum, tiles.len()));
    }
    (table, header)
}

fn explanation(experiment: &ExperimentResults) -> Vec<String> {
    let evaluations = || experiment.configurations.iter().flat_map(|c| &c.evaluations);
    let has = |kind: &str| evaluations().any(|e| e.interval == Some(kind));
    let mut texts = Vec::new();
    if has("trainings") {
        texts.push(
            "Intervals of several trainings: Student's t over the means of the trainings; rates are \
             means over the trainings."
                .to_owned(),
        );
    }
    if has("games") {
        texts.push(
            "Intervals of one training: over its games; they do not cover how trainings differ."
                .to_owned(),
        );
    }
    if evaluations().any(|evaluation| games(evaluation) < FEWEST_GAMES) {
        texts.push(RANGE.to_owned());
    }
    if evaluations().any(|evaluation| evaluation.paper.is_some()) {
        let source = experiment.source.as_deref().unwrap_or("see the file of the experiment");
        texts.push(format!("Paper: {source}, with its 95% intervals."));
    }
    texts
}

fn training(configuration: &ConfigurationResults, seeds: u64) -> String {
    let ConfigurationResults { moves, seconds, moves_per_second, paper_time, trainings, .. } =
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
    let names: BTreeSet<_> = trainings.iter().flat_map(|training| training.series.keys()).collect();
    for name in names {
        let figures: Vec<_> =
            trainings.iter().filter_map(|training| training.series.get(name)).collect();
        let mean = figures.iter().copied().sum::<f64>() / figures.len() as f64;
        texts.push(format!("{name} {}", number(mean)));
    }
    texts.extend(paper_time.as_ref().map(|time| format!("paper: {time}")));
    format!("training: {}", texts.join("; "))
}
