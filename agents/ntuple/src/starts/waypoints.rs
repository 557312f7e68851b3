//! Positions of a game in progress, from whose middle the next game may begin.

use runner_core::Start;

/// Maximum number of kept positions: even, because every second one is dropped.
const MAX_KEPT: usize = 1024;

/// Positions at equal distances over a game of any length, in bounded memory.
#[derive(Clone, Debug)]
pub struct Waypoints {
    kept: Vec<Start>,
    /// Distance between two kept positions in moves.
    interval: u64,
    /// Number of positions that are skipped before the next one is kept.
    to_skip: u64,
}

impl Default for Waypoints {
    fn default() -> Self {
        Self { kept: Vec::new(), interval: 1, to_skip: 0 }
    }
}

impl Waypoints {
    pub fn clear(&mut self) {
        self.kept.clear();
        self.interval = 1;
        self.to_skip = 0;
    }

    #[inline(always)]
    pub fn add(&mut self, position: impl FnOnce() -> Start) {
        match self.to_skip {
            0 => self.keep(position()),
            _ => self.to_skip -= 1,
        }
    }

    fn keep(&mut self, position: Start) {
        if self.kept.len() == MAX_KEPT {
            // Keeps the first, the third and so on.
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.interval *= 2;
        }
        self.kept.push(position);
        self.to_skip = self.interval - 1;
    }

    /// Returns the position in the middle of the game, unless it is the first position.
    pub fn middle(&self) -> Option<Start> {
        match self.kept.len() / 2 {
            0 => None,
            middle => Some(self.kept[middle]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::State;

    #[test]
    fn the_middle_is_found_in_a_game_of_any_length() {
        let mut waypoints = Waypoints::default();
        for length in [1u64, 2, 3, 1023, 1024, 1025, 5000, 40_000, 1_000_000] {
            waypoints.clear();
            assert!(waypoints.middle().is_none());
            // State and score of a position are its number.
            for n in 0..length {
                waypoints.add(|| Start { state: State::new(n, 0), score: n as f64 });
            }
            assert!(waypoints.kept.len() <= MAX_KEPT);
            let exact = (length / 2) as f64;
            let Some(found) = waypoints.middle() else {
                assert_eq!(exact, 0.0, "{length}");
                continue;
            };
            assert!(found.score > 0.0, "the start of the game is no restart");
            assert_eq!(found.state.lo as f64, found.score);
            assert!((found.score - exact).abs() <= length as f64 / 256.0, "{length}");
        }
    }
}
