//! Schedules: numbers that are constant or vary over a training, such as step sizes.

use runner_core::{BuildError, ParameterValue};
use serde::{Deserialize, Serialize};

/// A validated schedule of a number over the share of the training that is done, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    Constant(f32),
    /// The first `count` of the list are in use. The first begins at 0, the others follow in order.
    Steps {
        list: [Interval; MAX_STEPS],
        count: usize,
    },
    /// Exponential decay between two numbers above 0.
    Anneal {
        from: f32,
        to: f32,
    },
}

/// An interval of a training: the share at which it begins, and its number.
type Interval = (f32, f32);

const MAX_STEPS: usize = 8;

impl Schedule {
    /// Returns a schedule of at most 8 steps.
    pub fn steps(steps: &[Interval]) -> Self {
        let mut list = [(0.0, 0.0); MAX_STEPS];
        list[..steps.len()].copy_from_slice(steps);
        Self::Steps { list, count: steps.len() }
    }

    pub fn is_constant(self) -> bool {
        matches!(self, Self::Constant(_) | Self::Steps { count: 1, .. })
    }

    pub fn is_ever_above(self, bound: f32) -> bool {
        match self {
            Self::Constant(number) => number > bound,
            Self::Steps { list, count } => list[..count].iter().any(|&(_, number)| number > bound),
            Self::Anneal { from, to } => from.max(to) > bound,
        }
    }

    /// Returns the number when the share `done` of the training is done.
    pub fn at(self, done: f64) -> f32 {
        match self {
            Self::Constant(number) => number,
            Self::Steps { list, count } => {
                let begun = list[..count].iter().rev().find(|(from, _)| f64::from(*from) <= done);
                begun.unwrap_or(&list[0]).1
            }
            Self::Anneal { from, to } => from * (to / from).powf(done.clamp(0.0, 1.0) as f32),
        }
    }
}

/// A number or a schedule, as a user writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a number, `(from: 1.0, to: 0.1)` or `[(0.0, 1.0), (0.5, 0.1)]`"
)]
pub enum ScheduleParameter {
    Constant(f32),
    Steps(Vec<Interval>),
    Anneal { from: f32, to: f32 },
}

impl ParameterValue for ScheduleParameter {}

impl Default for ScheduleParameter {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

impl ScheduleParameter {
    /// Returns the schedule of a step size. An error names the parameter.
    pub fn step_size(&self, parameter: &str) -> Result<Schedule, BuildError> {
        let is_step_size = |number: f32| number > 0.0 && number <= 1.0;
        let not_allowed = "a step size must be above 0 and at most 1";
        self.schedule(is_step_size, not_allowed).map_err(|why| BuildError::of(parameter, why))
    }

    /// Checks the numbers and returns the schedule. The error is `not_allowed` if `is_allowed`
    /// returns false for a number.
    pub fn schedule(
        &self,
        is_allowed: impl Fn(f32) -> bool,
        not_allowed: &str,
    ) -> Result<Schedule, String> {
        match self {
            Self::Constant(number) if is_allowed(*number) => Ok(Schedule::Constant(*number)),
            Self::Anneal { from, to } if *from <= 0.0 || *to <= 0.0 => {
                Err("an exponential decay needs numbers above 0; steps such as \
                     `[(0.0, 0.0), (0.25, 0.5)]` may begin with 0"
                    .to_owned())
            }
            Self::Anneal { from, to } if is_allowed(*from) && is_allowed(*to) => {
                Ok(Schedule::Anneal { from: *from, to: *to })
            }
            Self::Steps(list) if list.iter().all(|(_, number)| is_allowed(*number)) => {
                let begins_at_zero = list.first().is_some_and(|(from, _)| *from == 0.0);
                let is_ascending = list.is_sorted_by(|(from, _), (next, _)| from < next);
                let is_within = list.iter().all(|(from, _)| (0.0..1.0).contains(from));
                if !begins_at_zero || list.len() > MAX_STEPS || !is_ascending || !is_within {
                    return Err(
                        "expected 1 to 8 steps, the first at share 0 of the training, the others at \
                         ascending shares below 1"
                            .to_owned(),
                    );
                }
                Ok(Schedule::steps(list))
            }
            _ => Err(not_allowed.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_size_follows_its_schedule() {
        let constant = ScheduleParameter::Constant(0.25).step_size("alpha").unwrap();
        assert_eq!([0.0, 0.5, 1.0].map(|done| constant.at(done)), [0.25, 0.25, 0.25]);
        let steps = vec![(0.0, 1.0), (0.5, 0.1), (0.75, 0.01)];
        let stepped = ScheduleParameter::Steps(steps).step_size("alpha").unwrap();
        let shares = [0.0, 0.49, 0.5, 0.74, 0.75, 1.0];
        assert_eq!(shares.map(|done| stepped.at(done)), [1.0, 1.0, 0.1, 0.1, 0.01, 0.01]);
        let annealed =
            ScheduleParameter::Anneal { from: 1.0, to: 0.01 }.step_size("alpha").unwrap();
        for (done, step_size) in [(0.0, 1.0), (0.5, 0.1), (1.0, 0.01), (1.5, 0.01)] {
            assert!((annealed.at(done) / step_size - 1.0).abs() < 1e-6, "{done}");
        }
    }
}
