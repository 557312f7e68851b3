//! Numbers that are constant or vary over a training: step sizes and shares.

use runner_core::{BuildError, ParameterValue};
use serde::{Deserialize, Serialize};

/// A validated schedule of a number over the share of the training that is done, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    Constant(f32),
    /// Numbers, each from a share of the training on; the shares ascend. The second field is
    /// the number of entries in use.
    Steps([(f32, f32); MAX_STEPS], usize),
    /// Exponential decay from the first number to the second, which are above 0.
    Anneal(f32, f32),
}

const MAX_STEPS: usize = 8;

impl Schedule {
    /// Returns a schedule of at most 8 steps.
    pub fn steps(list: &[(f32, f32)]) -> Self {
        let mut steps = [(0.0, 0.0); MAX_STEPS];
        steps[..list.len()].copy_from_slice(list);
        Self::Steps(steps, list.len())
    }

    pub fn is_constant(self) -> bool {
        matches!(self, Self::Constant(_) | Self::Steps(_, 1))
    }

    pub fn is_ever_above(self, bound: f32) -> bool {
        match self {
            Self::Constant(number) => number > bound,
            Self::Steps(steps, count) => steps[..count].iter().any(|(_, number)| *number > bound),
            Self::Anneal(first, last) => first.max(last) > bound,
        }
    }

    pub fn at(self, done: f64) -> f32 {
        match self {
            Self::Constant(number) => number,
            Self::Steps(steps, count) => {
                let begun = steps[..count].iter().rev().find(|(from, _)| f64::from(*from) <= done);
                begun.unwrap_or(&steps[0]).1
            }
            Self::Anneal(first, last) => first * (last / first).powf(done.clamp(0.0, 1.0) as f32),
        }
    }
}

/// A number or a schedule, as a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a number, `(from: 1.0, to: 0.1)` or `[(0.0, 1.0), (0.5, 0.1)]`"
)]
pub enum ScheduleParameter {
    Constant(f32),
    /// Pairs of a share of the training and the number from there on.
    Steps(Vec<(f32, f32)>),
    Anneal {
        from: f32,
        to: f32,
    },
}

impl ParameterValue for ScheduleParameter {}

impl Default for ScheduleParameter {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

impl ScheduleParameter {
    /// Returns the schedule of a step size, or an error for this parameter if a number is out of
    /// range.
    pub fn step_size(&self, parameter: &str) -> Result<Schedule, BuildError> {
        let is_step = |step: f32| step > 0.0 && step <= 1.0;
        let message = "a step size must be above 0 and at most 1";
        self.schedule(is_step, message).map_err(|message| BuildError::of(parameter, message))
    }

    /// Checks the numbers and returns the schedule. The error is `refused` if a number is not
    /// allowed.
    pub fn schedule(
        &self,
        is_allowed: impl Fn(f32) -> bool,
        refused: &str,
    ) -> Result<Schedule, String> {
        match self {
            Self::Constant(number) if is_allowed(*number) => Ok(Schedule::Constant(*number)),
            Self::Anneal { from, to } if [*from, *to].iter().any(|&end| end <= 0.0) => {
                Err("an exponential decay needs numbers above 0; steps such as \
                     `[(0.0, 0.0), (0.25, 0.5)]` may begin with 0"
                    .to_owned())
            }
            Self::Anneal { from, to } if is_allowed(*from) && is_allowed(*to) => {
                Ok(Schedule::Anneal(*from, *to))
            }
            Self::Steps(list) if list.iter().all(|(_, number)| is_allowed(*number)) => {
                let ascending = list.windows(2).all(|pair| pair[0].0 < pair[1].0);
                let within = list.iter().all(|(from, _)| (0.0..1.0).contains(from));
                let begins = list.first().is_some_and(|(from, _)| *from == 0.0);
                if !begins || list.len() > MAX_STEPS || !ascending || !within {
                    return Err(
                        "expected 1 to 8 steps, the first at share 0 of the training, the others at \
                         ascending shares below 1"
                            .to_owned(),
                    );
                }
                Ok(Schedule::steps(list))
            }
            _ => Err(refused.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_size_follows_its_schedule() {
        let steps = |list: &[(f32, f32)]| {
            ScheduleParameter::Steps(list.to_vec()).step_size("alpha").unwrap()
        };
        let at = |schedule: Schedule, done: &[f64]| -> Vec<f32> {
            done.iter().map(|&done| schedule.at(done)).collect()
        };
        let constant = ScheduleParameter::Constant(0.25).step_size("alpha").unwrap();
        assert_eq!(at(constant, &[0.0, 0.5, 1.0]), [0.25, 0.25, 0.25]);
        let stepped = steps(&[(0.0, 1.0), (0.5, 0.1), (0.75, 0.01)]);
        let times = [0.0, 0.49, 0.5, 0.74, 0.75, 1.0];
        assert_eq!(at(stepped, &times), [1.0, 1.0, 0.1, 0.1, 0.01, 0.01]);
        let annealed =
            ScheduleParameter::Anneal { from: 1.0, to: 0.01 }.step_size("alpha").unwrap();
        for (done, step) in [(0.0, 1.0), (0.5, 0.1), (1.0, 0.01), (1.5, 0.01)] {
            assert!((annealed.at(done) / step - 1.0).abs() < 1e-6, "{done}");
        }
    }
}
