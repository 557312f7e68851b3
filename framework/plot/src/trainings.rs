//! The chart of trainings: of one, of several with different seeds, or of several learners.

use crate::{Curves, Line, Mark, Panel, Plot};
use runner_play::names::in_natural_order;
use runner_spec::quantity::counted;
use runner_stats::student;
use runner_training::{Evaluated, Point, TOUCHED};
use std::collections::BTreeMap;

/// The trainings of one learner with different seeds.
pub struct LearnerCurves<'a> {
    /// Spec of the learner, whose own evaluations are labelled "without search".
    pub learner: &'a str,
    pub points: Vec<&'a [Point]>,
    /// Name in the legend, if there are several learners.
    pub name: Option<String>,
}

/// Evaluations of one player: those of each training, by the number of moves.
type Series = BTreeMap<u64, BTreeMap<usize, Mark>>;

/// Returns the evaluations of each player, in the order of their first. Of several of one training after
/// the same number of moves, the last counts.
fn evaluations(trainings: &[&[Point]]) -> Vec<(String, Series)> {
    let mut all: Vec<(String, Series)> = Vec::new();
    for (training, points) in trainings.iter().enumerate() {
        for Point { moves, evaluation, .. } in *points {
            let Some(Evaluated { agent, mean: Some(mean), ci95, .. }) = evaluation else {
                continue;
            };
            let mark = Mark { x: *moves as f64, y: *mean, interval: *ci95 };
            let known = all.iter().position(|(name, _)| name == agent).unwrap_or_else(|| {
                all.push((agent.clone(), Series::new()));
                all.len() - 1
            });
            all[known].1.entry(*moves).or_default().insert(training, mark);
        }
    }
    all
}

/// Returns the mean over the trainings at each number of moves that at least two of them have, with
/// Student's interval.
fn over_trainings(series: &Series) -> Vec<Mark> {
    let several = series.values().filter(|marks| marks.len() > 1);
    let mean = |marks: &BTreeMap<usize, Mark>| {
        let means: Vec<_> = marks.values().map(|mark| mark.y).collect();
        let x = marks.values().next().map_or(0.0, |mark| mark.x);
        Mark { x, y: means.iter().sum::<f64>() / means.len() as f64, interval: student(&means) }
    };
    several.map(mean).collect()
}

/// Returns the evaluations at each number of moves that a single training has.
fn of_single_trainings(series: &Series) -> Vec<Mark> {
    let single = series.values().filter(|marks| marks.len() == 1);
    single.flat_map(BTreeMap::values).copied().collect()
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
    let names = in_natural_order(points.flat_map(|point| point.series.keys()));
    let panel = |name: &str| {
        let of = |learner| curves(learner, String::new(), |point| point.series.get(name).copied());
        Panel { y: name.to_owned(), curves: trainings.iter().map(of).collect() }
    };
    names.into_iter().filter(|name| *name != TOUCHED).map(panel).collect()
}

pub fn chart(title: Vec<String>, trainings: &[LearnerCurves<'_>]) -> Plot {
    let named = |learner: &LearnerCurves<'_>, what: String| match &learner.name {
        Some(name) => format!("{name}: {what}"),
        None => what,
    };
    let mut marks: Vec<(String, Vec<Mark>)> = Vec::new();
    for learner in trainings {
        for (agent, series) in evaluations(&learner.points) {
            let search = if agent == learner.learner { "without search" } else { &agent };
            let name = named(learner, format!("evaluation, {search}"));
            let (means, single) = (over_trainings(&series), of_single_trainings(&series));
            let of_one = match learner.points.len() {
                1 => name.clone(),
                _ => format!("{name}, of one training"),
            };
            marks.extend(
                [(name, means), (of_one, single)].into_iter().filter(|(_, m)| !m.is_empty()),
            );
        }
    }
    let scores = |learner: &LearnerCurves<'_>| {
        let training = "training, last 1,000 games".to_owned();
        let mut curves = curves(learner, String::new(), |point| point.mean);
        let name = match learner.points.len() {
            1 => training,
            count => {
                let trainings = counted(count as u64, "training");
                let mean = if curves.has_mean() {
                    "the mean and its 95% interval"
                } else {
                    "no mean, because they do not overlap"
                };
                format!("{training}: {trainings}, {mean}")
            }
        };
        curves.name = named(learner, name);
        curves
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
        // Those that one training alone has are drawn too, as another group.
        let both = marks(&[&one, &two]);
        assert_eq!(both.len(), 2);
        let expected = Mark { x: 10.0, y: 5.0, interval: student(&[4.0, 6.0]) };
        assert_eq!(both[0], ("evaluation, without search".to_owned(), vec![expected]));
        let single = Mark { x: 20.0, y: 8.0, interval: Some([7.0, 9.0]) };
        let other = Mark { x: 21.0, y: 9.0, interval: Some([8.0, 10.0]) };
        let name = "evaluation, without search, of one training";
        assert_eq!(both[1], (name.to_owned(), vec![single, other]));
        let none: [Point; 0] = [];
        assert_eq!(marks(&[&one, &none])[0].1.len(), 2);
    }

    #[test]
    fn panels_of_series_are_in_natural_order() {
        let series = ["stage 10", "stage 9", TOUCHED].map(|name| (name.to_owned(), 1.0)).into();
        let point = Point { series, ..Point::at(&TrainingProgress::default()) };
        let points = vec![std::slice::from_ref(&point)];
        let panels = panels(&[LearnerCurves { learner: "learner", points, name: None }]);
        let names: Vec<_> = panels.into_iter().map(|panel| panel.y).collect();
        assert_eq!(names, ["stage 9", "stage 10"]);
    }

    #[test]
    fn legend_names_a_mean_if_it_is_drawn() {
        let training = |moves: [u64; 2]| {
            moves.map(|moves| {
                let now = TrainingProgress { moves, ..TrainingProgress::default() };
                Point { mean: Some(5.0), ..Point::at(&now) }
            })
        };
        let name = |points: &[&[Point]]| {
            let (learner, points) = ("learner", points.to_vec());
            let plot = chart(Vec::new(), &[LearnerCurves { learner, points, name: None }]);
            plot.curves[0].name.clone()
        };
        let (one, two, late) = (training([10, 20]), training([15, 25]), training([21, 30]));
        assert!(name(&[&one, &two]).contains("2 trainings, the mean and its 95% interval"));
        assert!(name(&[&one, &late]).contains("2 trainings, no mean"));
        assert_eq!(name(&[&one]), "training, last 1,000 games");
    }
}
