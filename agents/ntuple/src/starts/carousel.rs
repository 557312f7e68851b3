//! Carousel shaping: games begin at entrances of each stage in turn.
//!
//! Algorithm 5 of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence learning,
//! multi-stage weight promotion, redundant encoding and carousel shaping" (2018). The last 1000
//! entrances of each stage are kept. After a game that began in stage n, the next one begins at a
//! random entrance of stage n + 1, or as a whole game if there is none. Here a stage without
//! entrances is skipped.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Carousel {
    /// Number of recent entrances that are kept of each stage.
    pub keep: usize,
    /// True if a game that began at an entrance ends when it enters another stage; the value of
    /// that position is the target of its last move.
    pub cut: bool,
    /// Share of the rounds through all stages after which a whole game begins, 0.01 to 1. After
    /// the others the next round begins at once.
    pub fresh: f64,
}

impl Default for Carousel {
    fn default() -> Self {
        Self { keep: 1000, cut: false, fresh: 1.0 }
    }
}

impl Carousel {
    /// Checks the parameters for a network with this number of stages. The error is a message.
    pub(super) fn check(self, stages: usize) -> Result<Self, String> {
        if !(1..=MAX_KEPT).contains(&self.keep) {
            return Err(format!("`keep` must be 1 to {MAX_KEPT} entrances"));
        }
        if !(MIN_FRESH..=1.0).contains(&self.fresh) {
            return Err(format!("`fresh` must be a share from {MIN_FRESH} to 1"));
        }
        match stages {
            1 => Err("needs a second stage, see `stages`".to_owned()),
            _ => Ok(self),
        }
    }
}

pub(super) const CAROUSEL: &str = "`carousel(keep: 1000, cut: false, fresh: 1.0)`";

/// Minimum share of rounds after which a whole game begins.
const MIN_FRESH: f64 = 0.01;

/// Maximum number of kept entrances of a stage.
const MAX_KEPT: usize = 1_000_000;
