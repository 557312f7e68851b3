//! The phases of multi-stage learning: the stages are trained one after the other.
//!
//! Each stage has an equal share of the training's plan, its phase. In a phase, the stage is
//! trained first. Then its weights are frozen, and games are played until enough positions are
//! collected at which they enter the next stage; the collection ends with the phase at the
//! latest. If it is complete earlier, the rest of its phase is divided equally among the later
//! phases. The next phase trains the next stage from these positions. If there are none, it trains
//! the same stage again.

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

/// Share of the plan that a phase may be over its end and still be of this plan: a limit of time
/// also counts the moments between the last move and the end of the training.
const OVERRUN: f64 = 0.01;

/// The two parts of a phase, as text.
const PARTS: [(bool, &str); 2] = [(false, "trains"), (true, "collects")];

impl Phase {
    /// Returns the share of the plan at which the current part of the phase ends at the latest,
    /// or `None` in the last of `phases` phases, which ends with the training.
    pub fn end(&self, options: &MultiStage, phases: usize) -> Option<f64> {
        let reserved = if self.collects { 0.0 } else { options.collect };
        let remaining = phases.saturating_sub(self.number).max(1);
        let end = self.begun + (1.0 - self.begun) * (1.0 - reserved) / remaining as f64;
        (remaining > 1).then_some(end)
    }

    /// Returns the phase of a training that continues when a share `done` of its plan is done.
    /// A phase that began later, or had to end earlier, is of another plan, such as one with a
    /// higher limit: the same part then begins here, and has its share of the remaining plan.
    pub fn resumed(self, done: f64, options: &MultiStage, phases: usize) -> Self {
        let end = self.end(options, phases).map_or(1.0, |end| end + OVERRUN);
        let is_of_plan = (self.begun..=end).contains(&done);
        if is_of_plan { self } else { Self { begun: done.min(1.0), ..self } }
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
        // The rest of a collection that was complete early is divided among all later phases.
        let early = first.next(0.1875, false).next(0.19, true);
        assert!((early.end(&options, 4).unwrap() - (0.19 + 0.81 / 3.0 * 0.75)).abs() < 1e-9);
        assert_eq!(Phase { number: 3, ..reached }.end(&options, 4), None);
    }

    #[test]
    fn a_phase_of_another_plan_begins_where_the_training_continues() {
        let options = MultiStage { boards: 10, collect: 0.25 };
        let phase = Phase { number: 1, stage: 1, begun: 0.25, collects: false };
        let end = phase.end(&options, 4).unwrap();
        for done in [0.25, 0.3, end, end + OVERRUN / 2.0] {
            assert_eq!(phase.resumed(done, &options, 4), phase, "{done}");
        }
        for done in [0.0, 0.2499, end + 2.0 * OVERRUN, 0.9] {
            let resumed = phase.resumed(done, &options, 4);
            assert_eq!(resumed, Phase { begun: done, ..phase }, "{done}");
            let length = resumed.end(&options, 4).unwrap() - done;
            assert!((length - (1.0 - done) / 3.0 * 0.75).abs() < 1e-9, "{done}: {length}");
        }
        let last = Phase { number: 3, ..phase };
        assert_eq!(last.resumed(0.9, &options, 4), last);
        assert_eq!(last.resumed(0.1, &options, 4).begun, 0.1);
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
