//! The chart of a training, or of several with different seeds.

use super::evaluations::Evaluated;
use super::point::{Point, TOUCHED};
use crate::plot::{Format, Mark, Panel, Plot};
use runner_files::{FileError, replace};
use runner_stats::student;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

/// Evaluations of one player: moves, mean score, interval of the mean.
type Series = Vec<(f64, f64, Option<[f64; 2]>)>;

/// Returns the evaluations of each player, in the order of their first.
fn evaluations(trainings: &[&[Point]]) -> Vec<(String, Series)> {
    let mut all: Vec<(String, Series)> = Vec::new();
    for point in trainings.iter().copied().flatten() {
        let Some(Evaluated { agent, mean: Some(mean), ci95, .. }) = &point.evaluation else {
            continue;
        };
        let result = (point.moves as f64, *mean, *ci95);
        match all.iter_mut().find(|(name, _)| name == agent) {
            Some((_, series)) => series.push(result),
            None => all.push((agent.clone(), vec![result])),
        }
    }
    all
}

/// Returns the mean over the seeds at each number of moves that at least two of them have,
/// with Student's interval.
fn over_seeds(series: &Series) -> Vec<Mark> {
    let mut at: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for &(moves, mean, _) in series {
        at.entry(moves as u64).or_default().push(mean);
    }
    at.retain(|_, means| means.len() > 1);
    let mark = |(moves, means): (u64, Vec<f64>)| Mark {
        x: moves as f64,
        y: means.iter().sum::<f64>() / means.len() as f64,
        interval: student(&means),
    };
    at.into_iter().map(mark).collect()
}

/// Draws the chart of one training, or of several with different seeds, in the format that the
/// file's extension names. Evaluations of `learner`, the learner's own spec, are labelled
/// "without search".
pub fn draw(
    path: &Path,
    title: Vec<String>,
    learner: &str,
    trainings: &[&[Point]],
) -> Result<(), FileError> {
    let format = Format::of(path).unwrap_or(Format::Svg);
    let image = chart(title, learner, trainings).image(format);
    let image =
        image.map_err(|error| FileError::at("draw", path)(io::Error::other(error.to_string())))?;
    replace(path, |file| file.write_all(&image))
}

/// Returns the named series of the learners, one curve for each training.
fn panels(trainings: &[&[Point]]) -> Vec<Panel> {
    let points = trainings.iter().copied().flatten();
    let names = points.flat_map(|point| point.series.keys());
    let names: BTreeSet<&String> = names.filter(|name| *name != TOUCHED).collect();
    let curve = |points: &&[Point], name: &String| {
        let place = |point: &Point| Some((point.moves as f64, *point.series.get(name)?));
        points.iter().filter_map(place).collect()
    };
    let panel = |name: &String| Panel {
        y: name.clone(),
        curves: trainings.iter().map(|points| curve(points, name)).collect(),
    };
    names.into_iter().map(panel).collect()
}

fn chart(title: Vec<String>, learner: &str, trainings: &[&[Point]]) -> Plot {
    let curve = |points: &&[Point]| {
        let place = |point: &Point| Some((point.moves as f64, point.mean?));
        points.iter().filter_map(place).collect()
    };
    let mut marks: Vec<(String, Vec<Mark>)> = Vec::new();
    for (agent, series) in evaluations(trainings) {
        let name = if agent == learner { "without search" } else { &agent };
        let marked = match trainings {
            [_] => series.iter().map(|&(x, y, interval)| Mark { x, y, interval }).collect(),
            _ => over_seeds(&series),
        };
        marks.push((format!("evaluation, {name}"), marked));
    }
    Plot {
        title,
        panels: panels(trainings),
        x: "moves".into(),
        y: "mean score".into(),
        curve: "training, last 1,000 games".into(),
        curves: trainings.iter().map(curve).collect(),
        marks,
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::TrainingProgress;

    #[test]
    fn evaluations_of_several_seeds_are_drawn_as_their_mean() {
        let at = |moves: u64, mean: f64| {
            let evaluated = Evaluated {
                agent: "learner".into(),
                seed: 1,
                games: 9,
                mean: Some(mean),
                ci95: Some([mean - 1.0, mean + 1.0]),
                reached: BTreeMap::new(),
            };
            let now = TrainingProgress { moves, ..TrainingProgress::default() };
            Point { evaluation: Some(evaluated), ..Point::at(&now) }
        };
        let (one, two) = ([at(10, 4.0), at(20, 8.0)], [at(10, 6.0), at(21, 9.0)]);
        let alone = chart(Vec::new(), "learner", &[&one]).marks;
        assert_eq!(alone[0].1.iter().map(|mark| mark.y).collect::<Vec<_>>(), [4.0, 8.0]);
        assert_eq!(alone[0].1[0].interval, Some([3.0, 5.0]));
        let both = chart(Vec::new(), "learner", &[&one, &two]).marks;
        assert_eq!(both.len(), 1);
        let expected = Mark { x: 10.0, y: 5.0, interval: student(&[4.0, 6.0]) };
        assert_eq!(both[0], ("evaluation, without search".to_owned(), vec![expected]));
    }
}
