//! The phases of multi-stage learning: the stages are trained one after the other.
//!
//! Each stage has an equal share of the training's plan, its phase. In a phase, the stage is
//! trained first. Then its weights are frozen, and games are played until enough positions are
//! collected at which they enter the next stage; the collection ends with the phase at the
//! latest. The next phase trains the next stage from these positions. If there are none, it
//! trains the same stage again.

use std::fmt::{self, Display};

/// The options of multi-stage learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiStage {
    /// Number of entrances of a stage that are collected.
    pub boards: usize,
    /// Maximum share of a phase for the collection, above 0 and below 1.
    pub collect: f64,
}

/// Where a multi-stage training stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phase {
    /// Number of the phase.
    pub number: usize,
    /// The stage that is trained: the number of the phase, or lower if a stage was not reached.
    pub stage: usize,
    /// Share of the plan at which the phase began.
    pub begun: f64,
    /// True if the weights are frozen and entrances of the next stage are collected.
    pub collects: bool,
}

/// The two parts of a phase, as text.
const PARTS: [(bool, &str); 2] = [(false, "trains"), (true, "collects")];

impl Phase {
    /// Returns the share of the plan at which the current part of the phase ends at the latest,
    /// or `None` in the last of `phases` phases, which ends with the training.
    pub fn end(&self, options: &MultiStage, phases: usize) -> Option<f64> {
        let reserved = if self.collects { 0.0 } else { options.collect };
        let end = (self.number as f64 + 1.0 - reserved) / phases as f64;
        (self.number + 1 < phases).then_some(end)
    }

    /// Returns the part that follows when a share `done` of the plan is done; `is_reached` is
    /// true if entrances of the next stage were collected.
    pub fn next(self, done: f64, is_reached: bool) -> Self {
        match self.collects {
            false => Self { collects: true, ..self },
            true => Self {
                number: self.number + 1,
                stage: self.stage + usize::from(is_reached),
                begun: done,
                collects: false,
            },
        }
    }

    /// Parses the text of a phase of a network with this number of stages.
    pub fn parse(text: &str, stages: usize) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let [number, stage, begun, part] = words[..] else { return None };
        let (collects, _) = PARTS.into_iter().find(|(_, name)| *name == part)?;
        let (number, stage) = (number.parse().ok()?, stage.parse().ok()?);
        let begun = begun.parse().ok().filter(|begun| (0.0..=1.0).contains(begun))?;
        let has_next = number + 1 < stages || (!collects && number < stages);
        (stage <= number && has_next).then_some(Self { number, stage, begun, collects })
    }
}

impl Display for Phase {
    /// Writes the number, the stage, the share of the plan at which the phase began, and the
    /// part.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, stage, begun, collects } = self;
        let part = PARTS[usize::from(*collects)].1;
        write!(f, "{number} {stage} {begun} {part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phases_divide_the_plan_and_a_stage_that_is_not_reached_is_trained_again() {
        let options = MultiStage { boards: 10, collect: 0.25 };
        let first = Phase::default();
        assert_eq!(first.end(&options, 4), Some(0.1875));
        let collects = first.next(0.19, false);
        assert_eq!((collects.collects, collects.stage), (true, 0));
        assert_eq!(collects.end(&options, 4), Some(0.25));
        let again = collects.next(0.25, false);
        assert_eq!(again, Phase { number: 1, stage: 0, begun: 0.25, collects: false });
        let reached = again.next(0.44, true).next(0.5, true);
        assert_eq!(reached, Phase { number: 2, stage: 1, begun: 0.5, collects: false });
        assert_eq!(Phase { number: 3, ..reached }.end(&options, 4), None);
    }

    #[test]
    fn text_is_read_back_and_impossible_phases_are_refused() {
        for (number, begun, collects) in [(0, 0.0, false), (1, 1.0 / 3.0, true), (2, 0.9, false)] {
            let phase = Phase { number, stage: number / 2, begun, collects };
            assert_eq!(Phase::parse(&phase.to_string(), 3), Some(phase));
        }
        for text in [
            "",
            "1",
            "1 2 0.5 trains",
            "3 1 0.5 trains",
            "2 2 0.5 collects",
            "1 1 NaN trains",
            "1 1 1.5 trains",
            "1 1 0.5 rests",
            "-1 0 0 trains",
            "1 1 0.5 trains more",
        ] {
            assert_eq!(Phase::parse(text, 3), None, "{text}");
        }
    }
}
