//! How a training chooses its actions.

use crate::{Kind, MAX_ACTIONS, ParameterValue, Probability, Random};
use serde::{Deserialize, Serialize};

/// The behaviour policy of a training: which action it takes, given the action values (R. S. Sutton
/// and A. G. Barto, "Reinforcement Learning: An Introduction", 2nd edition, 2018, sections 2.2 and
/// 2.8).
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exploration {
    /// The action with the largest value.
    #[default]
    Greedy,
    /// A uniformly random action with this probability, else the one with the largest value.
    Epsilon(Probability),
    /// Each action with a probability proportional to exp(value / temperature). The temperature
    /// is positive and in the unit of the values.
    Softmax(f64),
}

impl ParameterValue for Exploration {
    fn check(&self, _: &Kind) -> Result<(), String> {
        match *self {
            Self::Softmax(temperature) if !(temperature > 0.0 && temperature.is_finite()) => {
                Err(format!("the temperature {temperature} is not a positive number"))
            }
            _ => Ok(()),
        }
    }
}

impl Exploration {
    /// Returns the index of the chosen action, of at least one. NaN is below every number.
    /// [`Greedy`](Self::Greedy) draws no random word.
    #[inline]
    pub fn choose(self, values: &[f32], random: &mut Random) -> usize {
        match self {
            Self::Greedy => greedy(values),
            Self::Epsilon(probability) => match random.unit() < probability.get() {
                true => random.below(values.len() as u32) as usize,
                false => greedy(values),
            },
            Self::Softmax(temperature) => softmax(values, temperature, random),
        }
    }
}

/// Returns the index of the largest value, the first of equals.
fn greedy(values: &[f32]) -> usize {
    let (mut best, mut best_value) = (0, f32::NEG_INFINITY);
    for (k, &value) in values.iter().enumerate() {
        if value > best_value {
            (best, best_value) = (k, value);
        }
    }
    best
}

fn softmax(values: &[f32], temperature: f64, random: &mut Random) -> usize {
    // The largest exponent is 0, so nothing overflows and the sum is at least 1.
    let largest = f64::from(values[greedy(values)]);
    let mut weights = [0.0; MAX_ACTIONS];
    for (weight, &value) in weights.iter_mut().zip(values) {
        let exponent = (f64::from(value) - largest) / temperature;
        *weight = if exponent.is_nan() { 0.0 } else { exponent.exp() };
    }
    let weights = &weights[..values.len()];
    let mut rest = random.unit() * weights.iter().sum::<f64>();
    let chosen = weights.iter().position(|weight| {
        rest -= weight;
        rest < 0.0
    });
    chosen.unwrap_or_else(|| greedy(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u64 = 30_000;

    /// Returns the share of each action.
    fn shares(explore: Exploration, values: &[f32]) -> Vec<f64> {
        let mut random = Random::from_word(1);
        let mut counts = vec![0; values.len()];
        (0..DRAWS).for_each(|_| counts[explore.choose(values, &mut random)] += 1);
        counts.into_iter().map(|count: u64| count as f64 / DRAWS as f64).collect()
    }

    fn assert_shares(explore: Exploration, values: &[f32], expected: &[f64]) {
        let found = shares(explore, values);
        // Four standard deviations of a share of 1/2.
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.012);
        assert!(close, "{explore:?} of {values:?}: {found:?} instead of {expected:?}");
    }

    #[test]
    fn greedy_takes_the_first_largest_value_and_draws_nothing() {
        let mut random = Random::from_word(1);
        for (values, expected) in
            [([f32::NAN, 2.0, 2.0], 1), ([-1.0, f32::NEG_INFINITY, f32::NAN], 0)]
        {
            assert_eq!(Exploration::Greedy.choose(&values, &mut random), expected);
        }
        assert_eq!(random, Random::from_word(1));
    }

    #[test]
    fn epsilon_takes_every_action_with_a_part_of_the_probability() {
        let epsilon = Exploration::Epsilon(Probability::new(0.3).unwrap());
        assert_shares(epsilon, &[1.0, 9.0, 3.0], &[0.1, 0.8, 0.1]);
    }

    #[test]
    fn softmax_follows_the_exponentials_of_the_values() {
        let expected = [0.2, 0.6, 0.2];
        let values = [1e6, 1e6 + 100.0 * 3f32.ln(), 1e6];
        assert_shares(Exploration::Softmax(100.0), &values, &expected);
        assert_shares(Exploration::Softmax(1.0), &[f32::NAN, 0.0, 0.0], &[0.0, 0.5, 0.5]);
        assert_shares(Exploration::Softmax(1e-9), &[1.0, 1e30, f32::MIN], &[0.0, 1.0, 0.0]);
        let infinite = [f32::INFINITY, 0.0, f32::NEG_INFINITY];
        assert_shares(Exploration::Softmax(1.0), &infinite, &[1.0, 0.0, 0.0]);
    }

    #[test]
    fn impossible_temperatures_are_refused() {
        let check = |temperature| Exploration::Softmax(temperature).check(&Kind::Other);
        for temperature in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(check(temperature).is_err(), "{temperature}");
        }
        assert_eq!(check(0.5), Ok(()));
    }
}
