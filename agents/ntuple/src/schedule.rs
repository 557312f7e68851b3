//! Step sizes that change in the course of a training.

use runner_core::BuildError;
use serde::{Deserialize, Serialize};

/// A step size: `0.1` throughout; `Steps([(0.0, 0.1), (0.5, 0.01)])`, where a new
/// one holds from a share of the training on; `Anneal(0.1, 0.001)`, which falls
/// by the same factor in equal times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    /// The same throughout.
    Constant(f32),
    /// From the share that stands first, in ascending order.
    Steps([(f32, f32); MAX_STEPS], usize),
    /// From the first to the last.
    Anneal(f32, f32),
}

/// A schedule has at most so many steps.
const MAX_STEPS: usize = 8;

impl Schedule {
    /// The step size when this share of the training is done.
    pub fn at(self, done: f64) -> f32 {
        match self {
            Self::Constant(step) => step,
            Self::Steps(steps, count) => {
                let begun = steps[..count].iter().rev().find(|(from, _)| f64::from(*from) <= done);
                begun.unwrap_or(&steps[0]).1
            }
            Self::Anneal(first, last) => first * (last / first).powf(done.clamp(0.0, 1.0) as f32),
        }
    }
}

/// A schedule as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Written {
    /// A number.
    Constant(f32),
    /// Pairs of a share of the training and the step size from there on.
    Steps(Vec<(f32, f32)>),
    /// From one to the other.
    Anneal {
        /// At the beginning.
        from: f32,
        /// At the end.
        to: f32,
    },
}

impl Default for Written {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

impl Written {
    /// The schedule, if its numbers make sense.
    pub fn read(&self, parameter: &str) -> Result<Schedule, BuildError> {
        let refuse = |message: &str| Err(BuildError::of(parameter, message));
        let is_step = |step: f32| step > 0.0 && step <= 1.0;
        match self {
            Self::Constant(step) if is_step(*step) => Ok(Schedule::Constant(*step)),
            Self::Anneal { from, to } if is_step(*from) && is_step(*to) => {
                Ok(Schedule::Anneal(*from, *to))
            }
            Self::Steps(list) if list.iter().all(|(_, step)| is_step(*step)) => {
                let ascending = list.windows(2).all(|pair| pair[0].0 < pair[1].0);
                let within = list.iter().all(|(from, _)| (0.0..1.0).contains(from));
                if list.is_empty() || list.len() > MAX_STEPS || !ascending || !within {
                    return refuse(
                        "1 to 8 steps are allowed, at ascending shares of the training from 0 to 1",
                    );
                }
                let mut steps = [(0.0, 0.0); MAX_STEPS];
                steps[..list.len()].copy_from_slice(list);
                Ok(Schedule::Steps(steps, list.len()))
            }
            _ => refuse("a step size above 0, up to 1, is needed"),
        }
    }
}
