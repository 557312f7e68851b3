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
    /// Whether it is the same throughout.
    pub fn is_constant(self) -> bool {
        matches!(self, Self::Constant(_) | Self::Steps(_, 1))
    }

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
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a number, `(from: 1.0, to: 0.1)` or `[(0.0, 1.0), (0.5, 0.1)]` is needed"
)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_size_changes_as_its_schedule_says() {
        let steps = |list: &[(f32, f32)]| Written::Steps(list.to_vec()).read("alpha").unwrap();
        let at = |schedule: Schedule, done: &[f64]| -> Vec<f32> {
            done.iter().map(|&done| schedule.at(done)).collect()
        };
        let constant = Written::Constant(0.25).read("alpha").unwrap();
        assert_eq!(at(constant, &[0.0, 0.5, 1.0]), [0.25, 0.25, 0.25]);
        let stepped = steps(&[(0.0, 1.0), (0.5, 0.1), (0.75, 0.01)]);
        let times = [0.0, 0.49, 0.5, 0.74, 0.75, 1.0];
        assert_eq!(at(stepped, &times), [1.0, 1.0, 0.1, 0.1, 0.01, 0.01]);
        // Before the first step its step size holds already.
        assert_eq!(at(steps(&[(0.5, 0.5)]), &[0.0, 1.0]), [0.5, 0.5]);
        let annealed = Written::Anneal { from: 1.0, to: 0.01 }.read("alpha").unwrap();
        for (done, step) in [(0.0, 1.0), (0.5, 0.1), (1.0, 0.01), (1.5, 0.01)] {
            assert!((annealed.at(done) / step - 1.0).abs() < 1e-6, "{done}");
        }
    }

    #[test]
    fn a_schedule_that_makes_no_sense_is_refused() {
        let refused = |written: Written| written.read("beta").unwrap_err();
        let step = "a step size above 0, up to 1, is needed";
        for wrong in [0.0, -0.1, 1.1, f32::NAN, f32::INFINITY] {
            assert_eq!(refused(Written::Constant(wrong)).message, step);
            assert_eq!(refused(Written::Anneal { from: wrong, to: 0.1 }).message, step);
            assert_eq!(refused(Written::Anneal { from: 0.1, to: wrong }).message, step);
            assert_eq!(refused(Written::Steps(vec![(0.0, 1.0), (0.5, wrong)])).message, step);
        }
        let steps = "1 to 8 steps are allowed, at ascending shares of the training from 0 to 1";
        let nine = (0..9).map(|k| (k as f32 / 9.0, 0.1)).collect();
        let lists = [
            vec![],
            nine,
            vec![(0.5, 0.1), (0.5, 0.2)],
            vec![(0.5, 0.1), (0.1, 0.2)],
            vec![(-0.1, 0.1)],
            vec![(1.0, 0.1)],
            vec![(f32::NAN, 0.1)],
        ];
        for list in lists {
            let error = refused(Written::Steps(list.clone()));
            assert_eq!((error.message.as_str(), error.parameter.as_deref()), (steps, Some("beta")));
        }
    }

    #[test]
    fn a_schedule_is_read_as_it_is_written() {
        use crate::TdConfig;
        let alpha = |text: &str| {
            let spec: runner_core::Spec = format!("td-ntuple(alpha: {text})").parse().unwrap();
            spec.read::<TdConfig>().map(|config| config.alpha).map_err(|error| error.message)
        };
        assert_eq!(alpha("0.5"), Ok(Written::Constant(0.5)));
        assert_eq!(alpha("1"), Ok(Written::Constant(1.0)));
        assert_eq!(
            alpha("[(0.0, 1.0), (0.5, 0.1)]"),
            Ok(Written::Steps(vec![(0.0, 1.0), (0.5, 0.1)]))
        );
        assert_eq!(alpha("(from: 1.0, to: 0.1)"), Ok(Written::Anneal { from: 1.0, to: 0.1 }));
        let needed = "parameter `alpha`: a number, `(from: 1.0, to: 0.1)` or \
                      `[(0.0, 1.0), (0.5, 0.1)]` is needed";
        for wrong in ["(from: 1.0)", "(from: 1.0, to: 0.1, by: 2)", "\"fast\"", "[0.1]"] {
            assert_eq!(alpha(wrong), Err(needed.to_owned()), "{wrong}");
        }
    }
}
