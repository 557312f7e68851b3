//! The contents of a model file: borrowed parts of a learner, and the history of its training.

use agent_ntuple_network::{Initial, Memory, Places, Record, Shape};
use runner_core::Start;
use std::collections::VecDeque;
use std::fmt::{self, Display};

/// The contents of a model file, borrowed from the learner: a network with its weights, and the
/// learning state of its rule. Loading writes through this borrow: both are atomics.
pub struct Contents<'a, M: Memory> {
    pub shape: Shape<'a>,
    /// Resolved spec of the learner.
    pub spec: &'a str,
    pub records: Places<'a, Record<M>>,
    pub initial: Initial,
}

/// The positions at which games entered a stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageEntrances {
    /// Number of entrances in the training.
    pub count: u64,
    /// The most recent entrances, oldest first.
    pub recent: VecDeque<Start>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    pub common: runner_learning::History,
    pub lengths: MeanLength,
    /// Number of games that began at a restart.
    pub restarts: u64,
    /// For each stage after the first.
    pub entrances: Vec<StageEntrances>,
    /// True if the weights of redundant tuples were added to others after the training.
    pub is_folded: bool,
    /// `None` if the training is not in phases.
    pub phase: Option<Phase>,
}

impl History {
    /// Returns the history of the mean of two models: the sum of both. Lengths of games are
    /// dropped, because the mean has played none. Entrances may be of any player, so those of the
    /// first model are kept. The phase is the earlier one: its stages are trained in both models.
    pub fn joined(self, other: &Self) -> Self {
        Self {
            common: self.common.joined(&other.common),
            lengths: MeanLength::default(),
            restarts: self.restarts.saturating_add(other.restarts),
            is_folded: self.is_folded || other.is_folded,
            phase: match (self.phase, other.phase) {
                (Some(ours), Some(theirs)) if theirs.stage < ours.stage => Some(theirs),
                (ours, theirs) => ours.or(theirs),
            },
            ..self
        }
    }
}

/// The mean length of the last games of a training, in moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeanLength {
    /// Number of games, up to `GAMES`.
    games: u64,
    mean: f64,
}

impl MeanLength {
    /// After this number of games, each new game has the weight 1 / `GAMES` in the mean.
    const GAMES: u64 = 100;

    pub fn add(&mut self, moves: u64) {
        self.games = (self.games + 1).min(Self::GAMES);
        self.mean += (moves as f64 - self.mean) / self.games as f64;
    }

    /// Returns the mean in moves, if there are games.
    pub fn get(&self) -> Option<f64> {
        (self.games > 0).then_some(self.mean)
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (games, mean) = text.split_once(' ')?;
        let (games, mean) = (games.parse().ok()?, mean.parse().ok()?);
        let is_valid = (1..=Self::GAMES).contains(&games) && f64::is_finite(mean) && mean >= 0.0;
        is_valid.then_some(Self { games, mean })
    }
}

impl Display for MeanLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.games, self.mean)
    }
}

/// A phase of a multi-stage training: one stage is trained, then entrances of the next are
/// collected.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phase {
    pub number: usize,
    /// The stage that is trained: the number of the phase, or lower if a stage was not reached.
    pub stage: usize,
    /// Share of the planned training at which the phase began, in [0, 1].
    pub begun: f64,
    /// True if the weights are frozen and entrances of the next stage are collected.
    pub collects: bool,
}

const TRAINS: &str = "trains";
const COLLECTS: &str = "collects";

impl Phase {
    /// Parses a phase of a training with this number of stages.
    pub fn parse(text: &str, stages: usize) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let [number, stage, begun, activity] = words[..] else { return None };
        let (number, stage) = (number.parse().ok()?, stage.parse().ok()?);
        let begun = begun.parse().ok().filter(|begun| (0.0..=1.0).contains(begun))?;
        let collects = activity == COLLECTS;
        let is_activity = collects || activity == TRAINS;
        // After the last stage there is none to collect entrances of.
        let phases = if collects { stages - 1 } else { stages };
        let is_valid = is_activity && stage <= number && number < phases;
        is_valid.then_some(Self { number, stage, begun, collects })
    }
}

impl Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, stage, begun, collects } = self;
        let activity = if *collects { COLLECTS } else { TRAINS };
        write!(f, "{number} {stage} {begun} {activity}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_read_back_and_impossible_ones_are_refused() {
        let mut lengths = MeanLength::default();
        for moves in 1..=150 {
            lengths.add(moves * moves);
            assert_eq!(MeanLength::parse(&lengths.to_string()), Some(lengths));
        }
        for text in ["", "1", "0 5", "101 5", "5 NaN", "5 inf", "5 -1", "5 1 2", "-1 5"] {
            assert_eq!(MeanLength::parse(text), None, "{text}");
        }
    }

    #[test]
    fn phases_are_read_back_and_impossible_ones_are_refused() {
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
