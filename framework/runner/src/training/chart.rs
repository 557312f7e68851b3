//! The chart of trainings: of one, of several with different seeds, or of several learners.

use super::evaluations::Evaluated;
use super::point::{Point, TOUCHED};
use crate::plot::{Curves, Format, Line, Mark, Panel, Plot};
use runner_files::{FileError, replace};
use runner_spec::quantity::counted;
use runner_stats::student;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

/// The trainings of one learner with different seeds.
pub struct LearnerCurves<'a> {
    /// Spec of the learner, whose own evaluations are labelled "without search".
    pub learner: &'a str,
    /// The points of each training.
    pub points: Vec<&'a [Point]>,
    /// Name in the legend, if there are several learners.
    pub name: Option<String>,
}

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

/// Draws the chart of trainings in the format that the file's extension names.
pub fn draw(
    path: &Path,
    title: Vec<String>,
    trainings: &[LearnerCurves<'_>],
) -> Result<(), FileError> {
    let format = Format::of(path).unwrap_or(Format::Svg);
    let image = chart(title, trainings).image(format);
    let image =
        image.map_err(|error| FileError::at("draw", path)(io::Error::other(error.to_string())))?;
    replace(path, |file| file.write_all(&image))
}

/// Returns a curve for each training, without the points that lack the figure.
fn curves(
    LearnerCurves { points, .. }: &LearnerCurves<'_>,
    name: String,
    figure: impl Fn(&Point) -> Option<f64>,
) -> Curves {
    let place = |point: &Point| Some((point.moves as f64, figure(point)?));
    let line = |points: &&[Point]| points.iter().filter_map(place).collect::<Line>();
    Curves::new(name, points.iter().map(line).collect())
}

/// Returns a panel for each named series of the learners.
fn panels(trainings: &[LearnerCurves<'_>]) -> Vec<Panel> {
    let points = trainings.iter().flat_map(|learner| &learner.points).copied().flatten();
    let names: BTreeSet<&String> = points.flat_map(|point| point.series.keys()).collect();
    let panel = |name: &String| {
        let of = |learner| curves(learner, String::new(), |point| point.series.get(name).copied());
        Panel { y: name.clone(), curves: trainings.iter().map(of).collect() }
    };
    names.into_iter().filter(|name| *name != TOUCHED).map(panel).collect()
}

/// Returns the chart of trainings.
pub fn chart(title: Vec<String>, trainings: &[LearnerCurves<'_>]) -> Plot {
    let named = |learner: &LearnerCurves<'_>, what: String| match &learner.name {
        Some(name) => format!("{name}: {what}"),
        None => what,
    };
    let mut marks: Vec<(String, Vec<Mark>)> = Vec::new();
    for learner in trainings {
        for (agent, series) in evaluations(&learner.points) {
            let search = if agent == learner.learner { "without search" } else { &agent };
            let marked = match learner.points.len() {
                1 => series.iter().map(|&(x, y, interval)| Mark { x, y, interval }).collect(),
                _ => over_seeds(&series),
            };
            marks.push((named(learner, format!("evaluation, {search}")), marked));
        }
    }
    let scores = |learner: &LearnerCurves<'_>| {
        let training = "training, last 1,000 games".to_owned();
        let name = match learner.points.len() {
            1 => training,
            seeds => {
                let seeds = counted(seeds as u64, "training");
                format!("{training}: {seeds}, the mean and its 95% interval")
            }
        };
        curves(learner, named(learner, name), |point| point.mean)
    };
    Plot {
        title,
        panels: panels(trainings),
        x: "moves".into(),
        y: "mean score".into(),
        curves: trainings.iter().map(scores).collect(),
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
        let marks = |points: &[&[Point]]| {
            let (learner, points) = ("learner", points.to_vec());
            chart(Vec::new(), &[LearnerCurves { learner, points, name: None }]).marks
        };
        let alone = marks(&[&one]);
        assert_eq!(alone[0].1.iter().map(|mark| mark.y).collect::<Vec<_>>(), [4.0, 8.0]);
        assert_eq!(alone[0].1[0].interval, Some([3.0, 5.0]));
        let both = marks(&[&one, &two]);
        assert_eq!(both.len(), 1);
        let expected = Mark { x: 10.0, y: 5.0, interval: student(&[4.0, 6.0]) };
        assert_eq!(both[0], ("evaluation, without search".to_owned(), vec![expected]));
    }
}
