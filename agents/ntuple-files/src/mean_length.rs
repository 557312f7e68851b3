//! The mean length of the last games of a training.

use std::fmt::{self, Display};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeanLength {
    games: u64,
    mean: f64,
}

impl MeanLength {
    /// Number of games after which each new one has the same weight.
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
    /// Writes the number of games, up to 100, and their mean length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.games, self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back_and_impossible_means_are_refused() {
        let mut lengths = MeanLength::default();
        for moves in 1..=150 {
            lengths.add(moves * moves);
            assert_eq!(MeanLength::parse(&lengths.to_string()), Some(lengths));
        }
        for text in ["", "1", "0 5", "101 5", "5 NaN", "5 inf", "5 -1", "5 1 2", "-1 5"] {
            assert_eq!(MeanLength::parse(text), None, "{text}");
        }
    }
}
