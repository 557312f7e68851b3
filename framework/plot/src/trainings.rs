//! The chart of trainings: of one, of several with different seeds, or of several learners.

use crate::{Curves, Line, Mark, Marks, Plot};
use runner_spec::quantity::counted;
use runner_stats::{FEWEST_GAMES, student};
use runner_training::{Evaluated, Point};

/// The trainings of one learner with different seeds.
pub struct LearnerCurves<'a> {
    /// Spec of the learner, whose own evaluations are labelled "without search".
    pub learner: &'a str,
    pub points: Vec<&'a [Point]>,
    /// Name in the legend, if there are several learners.
    pub name: Option<String>,
}

/// Replaces the marks of equal x by their mean, with Student's interval where there are several.
fn pooled(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mean = |marks: &[Mark]| match marks {
        [one] => *one,
        _ => {
            let ys: Vec<_> = marks.iter().map(|mark| mark.y).collect();
            let y = ys.iter().sum::<f64>() / ys.len() as f64;
            Mark { x: marks[0].x, y, interval: student(&ys) }
        }
    };
    marks.chunk_by(|a, b| a.x == b.x).map(mean).collect()
}

/// Returns the evaluations of each player, in the order of their first.
fn evaluations(trainings: &[&[Point]]) -> Vec<(String, Vec<Mark>)> {
    let mut all: Vec<(String, Vec<Mark>)> = Vec::new();
    for Point { moves, evaluation, .. } in trainings.iter().copied().flatten() {
        let Some(Evaluated { agent, games, mean: Some(mean), ci95, .. }) = evaluation else {
            continue;
        };
        let interval = ci95.filter(|_| *games >= FEWEST_GAMES);
        let mark = Mark { x: *moves as f64, y: *mean, interval };
        match all.iter_mut().find(|(name, _)| name == agent) {
            Some((_, marks)) => marks.push(mark),
            None => all.push((agent.clone(), vec![mark])),
        }
    }
    all
}

/// Returns the chart of trainings. Of several with different seeds the mean is drawn, and with
/// `shows_each` each of them.
pub fn chart(title: Vec<String>, trainings: &[LearnerCurves<'_>], shows_each: bool) -> Plot {
    let named = |learner: &LearnerCurves<'_>, what: String| match &learner.name {
        Some(name) => format!("{name}: {what}"),
        None => what,
    };
    let mut marks = Vec::new();
    for (number, learner) in trainings.iter().enumerate() {
        for (agent, marks_of_agent) in evaluations(&learner.points) {
            let search = if agent == learner.learner { "without search" } else { &agent };
            let name = named(learner, format!("evaluation, {search}"));
            let shown = if shows_each { marks_of_agent } else { pooled(marks_of_agent) };
            marks.push(Marks { name, marks: shown, of: Some(number) });
        }
    }
    let scores = |learner: &LearnerCurves<'_>| {
        let training = "training, last 1,000 games".to_owned();
        let place = |point: &Point| Some((point.moves as f64, point.mean?));
        let line = |points: &&[Point]| points.iter().filter_map(place).collect::<Line>();
        let mut curves = Curves::new(String::new(), learner.points.iter().map(line).collect());
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
        curves.shows_each = shows_each;
        curves
    };
    Plot {
        title,
        x: "moves of training".into(),
        y: "mean score in points".into(),
        curves: trainings.iter().map(scores).collect(),
        marks,
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::TrainingProgress;
    use std::collections::BTreeMap;

    #[test]
    fn evaluations_of_all_trainings_are_marks_of_their_player() {
        let at = |moves: u64, mean: f64| {
            let evaluated = Evaluated {
                agent: "learner".into(),
                seed: 1,
                games: 10,
                mean: Some(mean),
                ci95: Some([mean - 1.0, mean + 1.0]),
                reached: BTreeMap::new(),
            };
            let now = TrainingProgress { moves, ..TrainingProgress::default() };
            Point { evaluation: Some(evaluated), ..Point::at(&now) }
        };
        let (one, two) = ([at(10, 4.0), at(20, 8.0)], [at(10, 6.0)]);
        let points = vec![&one[..], &two];
        let learner = LearnerCurves { learner: "learner", points, name: None };
        let each = chart(Vec::new(), std::slice::from_ref(&learner), true).marks;
        let [Marks { name, marks, of: Some(0) }] = &each[..] else { panic!("{each:?}") };
        assert_eq!(name, "evaluation, without search");
        assert_eq!(marks.iter().map(|mark| mark.y).collect::<Vec<_>>(), [4.0, 8.0, 6.0]);
        assert_eq!(marks[0].interval, Some([3.0, 5.0]));
        let pooled = &chart(Vec::new(), &[learner], false).marks[0].marks;
        assert_eq!(pooled.iter().map(|mark| mark.y).collect::<Vec<_>>(), [5.0, 8.0]);
        assert_eq!(pooled[0].interval, student(&[4.0, 6.0]));
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
            let plot = chart(Vec::new(), &[LearnerCurves { learner, points, name: None }], false);
            plot.curves[0].name.clone()
        };
        let (one, two, late) = (training([10, 20]), training([15, 25]), training([21, 30]));
        assert!(name(&[&one, &two]).contains("2 trainings, the mean and its 95% interval"));
        assert!(name(&[&one, &late]).contains("2 trainings, no mean"));
        assert_eq!(name(&[&one]), "training, last 1,000 games");
    }
}
