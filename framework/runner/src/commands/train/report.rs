//! The result of `runner train`: the JSON document that scripts depend on, and a text of at
//! most 80 columns.

use crate::figures::mean_with_interval;
use runner_console::output::{Align, Table, wrap};
use runner_core::{Seed, TrainingProgress};
use runner_play::models::size;
use runner_play::names::in_natural_order;
use runner_play::setting::Setting;
use runner_spec::quantity::{counted, grouped, number, rate, time};
use runner_stats::student;
use runner_training::{Evaluated, Trained};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub struct Outcome {
    pub seed: Seed,
    pub model: PathBuf,
    pub trained: Trained,
}

/// The result of one training, or of several with their mean.
#[derive(Serialize)]
pub struct Report {
    /// Game and learner for people.
    #[serde(skip)]
    title: String,
    game: String,
    agent: String,
    #[serde(flatten)]
    sum: Training,
    threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<Vec<Training>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    over_seeds: Option<OverSeeds>,
    /// Chart of the only training.
    #[serde(skip)]
    chart: Option<PathBuf>,
}

/// One training, or the sum of several.
#[derive(Clone, Serialize)]
struct Training {
    seed: Seed,
    moves: u64,
    episodes: u64,
    seconds: f64,
    moves_per_second: Option<f64>,
    model: PathBuf,
    curve: Option<PathBuf>,
    last: Last,
    total: Total,
    evaluations: Vec<Evaluated>,
    interrupted: bool,
}

/// The last games of a training.
#[derive(Clone, Serialize)]
struct Last {
    episodes: u64,
    mean: Option<f64>,
    max_tile: u64,
    /// Figures of the learner by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    series: BTreeMap<String, f64>,
}

/// The totals of all trainings of the learner.
#[derive(Clone, Serialize)]
struct Total {
    moves: u64,
    episodes: u64,
    seconds: f64,
}

/// Means over the seeds, with Student's intervals.
#[derive(Serialize)]
struct OverSeeds {
    last: Mean,
    evaluations: Vec<OfAgent>,
}

#[derive(Serialize)]
struct OfAgent {
    agent: String,
    #[serde(flatten)]
    mean: Mean,
}

#[derive(Serialize)]
struct Mean {
    mean: Option<f64>,
    ci95: Option<[f64; 2]>,
}

impl Mean {
    /// Returns the mean over all seeds; none if a seed has no number.
    fn of(numbers: impl Iterator<Item = Option<f64>>) -> Self {
        let Some(numbers) = numbers.collect::<Option<Vec<_>>>() else {
            return Self { mean: None, ci95: None };
        };
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        Self { mean: Some(mean).filter(|mean| mean.is_finite()), ci95: student(&numbers) }
    }

    fn text(&self) -> String {
        mean_with_interval(self.mean, self.ci95)
    }
}

impl Training {
    fn new(outcome: &Outcome) -> Self {
        let Trained { before, now, evaluated, curve, interrupted } = &outcome.trained;
        let done = now.since(before);
        Self {
            seed: outcome.seed,
            moves: done.moves,
            episodes: done.episodes,
            seconds: done.elapsed.as_secs_f64(),
            moves_per_second: speed(&done),
            model: outcome.model.clone(),
            curve: curve.as_ref().map(|curve| curve.path().to_owned()),
            last: Last {
                episodes: now.window,
                mean: (now.window > 0).then_some(now.mean).filter(|mean| mean.is_finite()),
                max_tile: now.max_tile(),
                series: now.series.iter().cloned().collect(),
            },
            total: Total {
                moves: now.moves,
                episodes: now.episodes,
                seconds: now.elapsed.as_secs_f64(),
            },
            evaluations: evaluated.clone(),
            interrupted: *interrupted,
        }
    }

    /// Returns the sum of several trainings, with the files of the first.
    fn sum(all: &[Training]) -> Self {
        let mut sum = all[0].clone();
        for other in &all[1..] {
            sum.moves += other.moves;
            sum.episodes += other.episodes;
            sum.seconds += other.seconds;
            sum.last.episodes += other.last.episodes;
            sum.last.max_tile = sum.last.max_tile.max(other.last.max_tile);
            sum.total.moves += other.total.moves;
            sum.total.episodes += other.total.episodes;
            sum.total.seconds += other.total.seconds;
            sum.interrupted |= other.interrupted;
        }
        if all.len() > 1 {
            sum.last.mean = Mean::of(all.iter().map(|training| training.last.mean)).mean;
            sum.moves_per_second = (sum.seconds > 0.0).then(|| sum.moves as f64 / sum.seconds);
        }
        sum
    }
}

fn speed(done: &TrainingProgress) -> Option<f64> {
    let seconds = done.elapsed.as_secs_f64();
    (seconds > 0.0).then(|| done.moves as f64 / seconds)
}

impl Report {
    /// Returns the result of at least one training.
    pub fn new(setting: &Setting, outcomes: &[Outcome]) -> Self {
        let all: Vec<_> = outcomes.iter().map(Training::new).collect();
        let sum = Training::sum(&all);
        let chart = outcomes[0].trained.curve.as_ref().map(|curve| curve.chart().to_owned());
        let over_seeds = (all.len() > 1).then(|| OverSeeds::of(&all));
        Self {
            title: format!("{} trained on {}", setting.brief_player(), setting.brief_game()),
            game: setting.game.spec.to_string(),
            agent: setting.player.spec.to_string(),
            threads: setting.threads.count(),
            seeds: over_seeds.is_some().then_some(all),
            sum,
            over_seeds,
            chart,
        }
    }
}

impl OverSeeds {
    fn of(all: &[Training]) -> Self {
        let mean = |which: &dyn Fn(&Training) -> Option<f64>| Mean::of(all.iter().map(which));
        let agents = all[0].evaluations.iter().map(|evaluation| evaluation.agent.clone());
        let evaluation = |agent: String| {
            let of_agent = |training: &Training| {
                training.evaluations.iter().find(|e| e.agent == agent).and_then(|e| e.mean)
            };
            let mean = mean(&of_agent);
            OfAgent { agent, mean }
        };
        Self {
            last: mean(&|training| training.last.mean),
            evaluations: agents.map(evaluation).collect(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, sum, .. } = self;
        let title = match &self.seeds {
            None => format!("{title}, seed {}", sum.seed.0),
            Some(seeds) => {
                let last = seeds[seeds.len() - 1].seed.0;
                format!("{title}, seeds {} to {last}", sum.seed.0)
            }
        };
        wrap(f, "", &title)?;
        let moves = counted(sum.moves, "move");
        let games = counted(sum.episodes, "game");
        let threads = counted(self.threads as u64, "thread");
        let seconds = Duration::try_from_secs_f64(sum.seconds).unwrap_or_default();
        let speed = sum.moves_per_second.map_or(String::new(), |s| format!(", {}", rate(s)));
        writeln!(f, "{moves} in {games} and {} on {threads}{speed}", time(seconds))?;
        if sum.total.moves > sum.moves {
            let total = counted(sum.total.moves, "move");
            writeln!(f, "{total} in {} in total", counted(sum.total.episodes, "game"))?;
        }
        writeln!(f)?;
        match (&self.seeds, &self.over_seeds) {
            (Some(seeds), Some(over)) => self.table(seeds, over, f),
            _ => self.one(f),
        }
    }
}

impl Report {
    fn one(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Training { last, evaluations, model, .. } = &self.sum;
        match last.mean {
            Some(mean) => {
                let games = counted(last.episodes, "game");
                write!(f, "mean score of the last {games} {}", number(mean))?;
            }
            None => write!(f, "no game was finished")?,
        }
        match last.max_tile {
            0 => writeln!(f)?,
            tile => writeln!(f, ", best tile {}", grouped(tile))?,
        }
        for name in in_natural_order(last.series.keys()) {
            wrap(f, "", &format!("{name} {}", number(last.series[name])))?;
        }
        for Evaluated { games, mean, ci95, agent, .. } in evaluations {
            let mean = mean_with_interval(*mean, *ci95);
            let who = self.who(agent);
            wrap(f, "", &format!("evaluation, {who}, {}: {mean}", counted(*games, "game")))?;
        }
        writeln!(f, "\nmodel: {}, {}", model.display(), size(model))?;
        match &self.chart {
            Some(chart) => writeln!(f, "curve: {}", chart.display()),
            None => Ok(()),
        }
    }

    /// Returns the name of a player of an evaluation: the learner plays without a search.
    fn who<'a>(&self, agent: &'a str) -> &'a str {
        if agent == self.agent { "without search" } else { agent }
    }

    fn table(
        &self,
        seeds: &[Training],
        over: &OverSeeds,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let text = |mean: Option<f64>| mean.map_or("-".into(), number);
        let mut table = Table::new(&[Align::Right; 4]).indented("  ");
        table.row(["seed", "total moves", "last games", "evaluation"]);
        for training in seeds {
            let evaluated = training.evaluations.first().and_then(|e| e.mean);
            let seed = training.seed.0.to_string();
            let moves = grouped(training.total.moves);
            table.row([seed, moves, text(training.last.mean), text(evaluated)]);
        }
        write!(f, "{table}")?;
        writeln!(f, "\nmean score of the last games over the seeds: {}", over.last.text())?;
        for OfAgent { agent, mean } in &over.evaluations {
            wrap(
                f,
                "",
                &format!("evaluation over the seeds, {}: {}", self.who(agent), mean.text()),
            )?;
        }
        writeln!(f)?;
        for training in seeds {
            let model = &training.model;
            writeln!(f, "model: {}, {}", model.display(), size(model))?;
        }
        Ok(())
    }
}
