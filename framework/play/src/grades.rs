//! Grades moves by the share of the expected score of the game that they lost: [`Graded`].

use runner_core::{Action, Analysis, ValueScale};
use serde::Serialize;

/// The grade of a move. `Best` is the player's choice, or a move whose value is not lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    Best,
    Good,
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Grade {
    pub fn name(self) -> &'static str {
        ["best", "good", "inaccuracy", "mistake", "blunder"][self as usize]
    }

    pub fn plural(self) -> &'static str {
        ["best", "good", "inaccuracies", "mistakes", "blunders"][self as usize]
    }
}

/// Smallest lost share of a blunder.
const BLUNDER: f64 = 0.05;
/// Smallest lost share of each grade, the worst grade first.
const LIMITS: [(f64, Grade); 3] =
    [(BLUNDER, Grade::Blunder), (0.02, Grade::Mistake), (0.005, Grade::Inaccuracy)];

/// A move in the opinion of a player whose values are points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Graded {
    /// Share of the expected score that the move lost, 0 to 1.
    pub lost: f64,
    pub grade: Grade,
}

impl Graded {
    /// Grades a move that was made at this score; `None` if the player gives no values in points.
    pub fn of(analysis: &Analysis, score: f64, action: Action) -> Option<Self> {
        let best = analysis.choice?;
        let expected = expected(analysis, score)?;
        let loss = f64::from(analysis.loss(best, action)?);
        if best == action || loss <= 0.0 {
            return Some(Self { lost: 0.0, grade: Grade::Best });
        }
        let lost = (loss / expected.max(loss)).clamp(0.0, 1.0);
        let worst = LIMITS.iter().find(|(limit, _)| lost >= *limit);
        Some(Self { lost, grade: worst.map_or(Grade::Good, |(_, grade)| *grade) })
    }

    /// Accuracy of the move in percent: 100 if no part of the score is lost, and 0 for a blunder.
    pub fn accuracy(self) -> f64 {
        100.0 * (1.0 - self.lost / BLUNDER).max(0.0)
    }
}

/// Returns the score at the end of the game that the player expects, if its values are points.
pub fn expected(analysis: &Analysis, score: f64) -> Option<f64> {
    points(analysis).map(|points| score + points)
}

/// Returns the points to come that the player expects, if its values are points.
pub fn points(analysis: &Analysis) -> Option<f64> {
    let is_points = analysis.facts.contains(&ValueScale::Points.unit());
    value(analysis).filter(|_| is_points)
}

/// Returns the value of the player's choice.
pub fn value(analysis: &Analysis) -> Option<f64> {
    let choice = analysis.choice?;
    let found = analysis.action_values.iter().find(|(action, _)| *action == choice);
    found.map(|&(_, value)| f64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis(scale: ValueScale) -> Analysis {
        let values = [1000.0, 996.0, 980.0, 900.0, 400.0, 1000.0];
        let action_values = (0..).map(Action).zip(values).collect();
        Analysis { choice: Some(Action(0)), action_values, facts: vec![scale.unit()] }
    }

    #[test]
    fn grade_is_that_of_the_lost_share_of_the_expected_score() {
        let points = analysis(ValueScale::Points);
        let grades = |score| {
            let graded = (0..6).map(|action| Graded::of(&points, score, Action(action)).unwrap());
            graded.map(|one| one.grade).collect::<Vec<_>>()
        };
        use Grade::*;
        assert_eq!(grades(0.0), [Best, Good, Mistake, Blunder, Blunder, Best]);
        // Points that the game has already are not lost.
        assert_eq!(grades(9000.0), [Best, Good, Good, Inaccuracy, Blunder, Best]);
        let accuracy = |action| Graded::of(&points, 0.0, Action(action)).unwrap().accuracy();
        assert_eq!([accuracy(0), accuracy(3)], [100.0, 0.0]);
        assert!((accuracy(2) - 60.0).abs() < 1e-9);
    }

    #[test]
    fn ratings_and_unknown_moves_have_no_grade() {
        let rating = analysis(ValueScale::Rating { min: 0.0, max: 1e9 });
        assert_eq!(Graded::of(&rating, 0.0, Action(3)), None);
        assert_eq!(Graded::of(&analysis(ValueScale::Points), 0.0, Action(9)), None);
    }
}
