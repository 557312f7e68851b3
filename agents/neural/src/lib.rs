//! Small neural networks over boards, and the learners with them: [`alpha_zero`] and
//! [`policy_net`].
//!
//! A network is a list of [`layer`]s over a batch of inputs. Its parameters are one list of
//! numbers, and so are its gradient and the moments of [`Adam`]: files, optimizers and sums
//! over threads need to know nothing about layers.
//!
//! The networks of 2048-like games have some 100,000 parameters, and a search evaluates a few dozen
//! positions at a time. The layers are written out here because a general library is slower at this
//! size: `results/neural.md` in the guide compares them with candle. With one cell value set out of
//! 16, the first layer is a sum of rows of a table.
//!
//! Begin at [`network`] (forward and backward), [`PositionNetwork`] and [`learner`] (everything of
//! a learner but its [`Method`]).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod alpha_zero;
pub mod encoder;
pub mod file;
pub mod layer;
pub mod learner;
pub mod matrix;
pub mod network;
pub mod optimizer;
pub mod policy_net;
mod position_network;

pub use encoder::Encoder;
pub use layer::{Kind, Layer};
pub use learner::{Method, NeuralLearner, Training};
pub use network::{Activations, Input, Network, Parameters};
pub use optimizer::{Adam, Optimizer, Step};
pub use position_network::{Buffers, PositionNetwork};

/// Replaces logits by their softmax.
pub fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for x in &mut *logits {
        *x = (*x - most).exp();
        sum += *x;
    }
    logits.iter_mut().for_each(|x| *x /= sum);
}

/// Returns the median, 0 of no numbers.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len() / 2, sorted.len() % 2) {
        (0, 0) => 0.0,
        (middle, 0) => (sorted[middle - 1] + sorted[middle]) / 2.0,
        (middle, _) => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_lie_between_equally_many_numbers() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0, 1.0, 8.0]), 3.0);
        assert_eq!(median(&[3.0, 1.0, 8.0, 5.0]), 4.0);
    }
}
