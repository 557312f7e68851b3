//! The phases of multi-stage learning: the stages are trained one after the other.
//!
//! Section III of K.-H. Yeh and others, "Multi-stage temporal difference learning for 2048-like
//! games" (2017), with a share of the training for each stage in place of its saturation.
//!
//! Each stage has an equal share of the training's plan, its phase. In a phase, the stage is
//! trained first. Then its weights are frozen, and games are played until enough positions are
//! collected at which they enter the next stage; the collection ends with the phase at the
//! latest. If it is complete earlier, the rest of its phase is divided equally among the later
//! phases. The next phase trains the next stage from these positions. If there are none, it trains
//! the same stage again.

use agent_ntuple_files::Phase;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiStage {
    pub boards: usize,
    /// Maximum share of a phase for the collection, above 0 and below 1.
    pub collect: f64,
}

/// Share of the plan that a phase may be over its end and still be of this plan: a limit of time
/// also counts the moments between the last move and the end of the training.
const OVERRUN: f64 = 0.01;

impl MultiStage {
    /// Returns the share of the plan at which the current part of a phase ends at the latest,
    /// or `None` in the last of `phases` phases, which ends with the training.
    pub fn end(&self, phase: Phase, phases: usize) -> Option<f64> {
        let reserved = if phase.collects { 0.0 } else { self.collect };
        let remaining = phases.saturating_sub(phase.number).max(1);
        let end = phase.begun + (1.0 - phase.begun) * (1.0 - reserved) / remaining as f64;
        (remaining > 1).then_some(end)
    }

    /// Returns the phase of a training that continues when a share `done` of its plan is done.
    /// A phase that began later, or had to end earlier, is of another plan, such as one with a
    /// higher limit: the same part then begins here, and has its share of the remaining plan.
    pub fn resumed(&self, phase: Phase, done: f64, phases: usize) -> Phase {
        let end = self.end(phase, phases).map_or(1.0, |end| end + OVERRUN);
        let is_of_plan = (phase.begun..=end).contains(&done);
        if is_of_plan { phase } else { Phase { begun: done.min(1.0), ..phase } }
    }
}

/// Returns the part that follows when a share `done` of the plan is done; `is_reached` is
/// true if entrances of the next stage were collected.
pub fn next(phase: Phase, done: f64, is_reached: bool) -> Phase {
    match phase.collects {
        false => Phase { collects: true, ..phase },
        true => Phase {
            number: phase.number + 1,
            stage: phase.stage + usize::from(is_reached),
            begun: done,
            collects: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phases_divide_the_plan_and_a_stage_that_is_not_reached_is_trained_again() {
        let options = MultiStage { boards: 10, collect: 0.25 };
        let first = Phase::default();
        assert_eq!(options.end(first, 4), Some(0.1875));
        let collects = next(first, 0.19, false);
        assert_eq!((collects.collects, collects.stage), (true, 0));
        assert_eq!(options.end(collects, 4), Some(0.25));
        let again = next(collects, 0.25, false);
        assert_eq!(again, Phase { number: 1, stage: 0, begun: 0.25, collects: false });
        let reached = next(next(again, 0.44, true), 0.5, true);
        assert_eq!(reached, Phase { number: 2, stage: 1, begun: 0.5, collects: false });
        // The rest of a collection that was complete early is divided among all later phases.
        let early = next(next(first, 0.1875, false), 0.19, true);
        assert!((options.end(early, 4).unwrap() - (0.19 + 0.81 / 3.0 * 0.75)).abs() < 1e-9);
        assert_eq!(options.end(Phase { number: 3, ..reached }, 4), None);
    }

    #[test]
    fn a_phase_of_another_plan_begins_where_the_training_continues() {
        let options = MultiStage { boards: 10, collect: 0.25 };
        let phase = Phase { number: 1, stage: 1, begun: 0.25, collects: false };
        let end = options.end(phase, 4).unwrap();
        for done in [0.25, 0.3, end, end + OVERRUN / 2.0] {
            assert_eq!(options.resumed(phase, done, 4), phase, "{done}");
        }
        for done in [0.0, 0.2499, end + 2.0 * OVERRUN, 0.9] {
            let resumed = options.resumed(phase, done, 4);
            assert_eq!(resumed, Phase { begun: done, ..phase }, "{done}");
            let length = options.end(resumed, 4).unwrap() - done;
            assert!((length - (1.0 - done) / 3.0 * 0.75).abs() < 1e-9, "{done}: {length}");
        }
        let last = Phase { number: 3, ..phase };
        assert_eq!(options.resumed(last, 0.9, 4), last);
        assert_eq!(options.resumed(last, 0.1, 4).begun, 0.1);
    }
}
