//! The maximum score of the papers.

use crate::intervals::student;
use serde::{Deserialize, Serialize};

/// Number of games whose maximum score the papers average.
const BLOCK: usize = 100;

/// The maximum score as the papers define it: the mean of the maxima of each hundred games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Maximum {
    pub mean: f64,
    /// Student's 95% interval of the mean; `None` for fewer than two hundreds.
    pub ci95: Option<[f64; 2]>,
    /// Number of hundreds.
    pub blocks: u64,
}

impl Maximum {
    /// Returns the maximum score of games in the order of their numbers, without those of an
    /// incomplete last hundred; `None` for fewer than 100 games.
    ///
    /// ```
    /// let scores: Vec<f64> = (0..250).map(f64::from).collect();
    /// let maximum = runner_stats::Maximum::of(&scores).unwrap();
    /// assert_eq!((maximum.mean, maximum.blocks), ((99.0 + 199.0) / 2.0, 2));
    /// assert!(runner_stats::Maximum::of(&scores[..99]).is_none());
    /// ```
    pub fn of(scores: &[f64]) -> Option<Self> {
        let blocks = scores.chunks_exact(BLOCK);
        let maxima: Vec<f64> =
            blocks.map(|block| block.iter().copied().fold(f64::MIN, f64::max)).collect();
        let mean = maxima.iter().sum::<f64>() / maxima.len() as f64;
        let blocks = maxima.len() as u64;
        (blocks > 0).then(|| Self { mean, ci95: student(&maxima), blocks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_is_that_of_the_maxima_of_the_hundreds() {
        let scores: Vec<f64> = (0..399).map(|k| f64::from(k % 7 + k / 100)).collect();
        // The maxima are 6, 7 and 8; the fourth hundred is incomplete.
        let maximum = Maximum::of(&scores).unwrap();
        assert_eq!((maximum.mean, maximum.blocks), (7.0, 3));
        assert_eq!(maximum.ci95, student(&[6.0, 7.0, 8.0]));
        assert_eq!(Maximum::of(&scores[..100]).unwrap().ci95, None);
    }
}
