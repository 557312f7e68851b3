//! The search depth: by the position, or by iterative deepening within a time limit.

use runner_core::State;
use runner_core::geometry::Geometry;
use std::time::{Duration, Instant};

/// The search depth, fixed or by the content of the board.
#[derive(Clone, PartialEq, Debug)]
pub struct DepthPolicy {
    /// The depth in plies, or the minimum depth if there is `by_distinct`.
    pub min: u8,
    /// The depth in plies is the number of distinct tiles on the board minus this number.
    by_distinct: Option<(Geometry, u8)>,
}

impl DepthPolicy {
    pub fn fixed(plies: u8) -> Self {
        Self { min: plies, by_distinct: None }
    }

    pub fn by_distinct(min: u8, less: u8, board: &Geometry) -> Self {
        Self { min, by_distinct: Some((board.clone(), less)) }
    }

    /// Returns the depth for a position, in plies.
    pub fn of(&self, state: State) -> u8 {
        let Some((board, less)) = &self.by_distinct else { return self.min };
        let mut has_rank = 0u32;
        for cell in 0..board.cells() {
            has_rank |= 1 << board.rank(state.bits(), cell);
        }
        // Rank 0 is an empty cell.
        let distinct = (has_rank & !1).count_ones() as u8;
        self.min.max(distinct.saturating_sub(*less))
    }
}

/// Iterative deepening within a time limit: the time that its depths took.
pub(crate) struct Deepening {
    pub start: Instant,
    limit: Duration,
    /// The time in seconds of all depths, of the last one, and of the one before it, which is 0 at
    /// first.
    total: f64,
    last_depth: f64,
    depth_before: f64,
}

impl Deepening {
    pub fn within(limit: Duration) -> Self {
        Self { start: Instant::now(), limit, total: 0.0, last_depth: 0.0, depth_before: 0.0 }
    }

    /// Returns the end of the limit, unless the clock cannot represent it.
    pub fn deadline(&self) -> Option<Instant> {
        self.start.checked_add(self.limit)
    }

    /// Notes that a depth was completed. `since_start` is the time since the start of the first
    /// depth.
    pub fn add_depth(&mut self, since_start: Duration) {
        let total = since_start.as_secs_f64();
        self.depth_before = self.last_depth;
        self.last_depth = total - self.total;
        self.total = total;
    }

    /// Returns true if a share of the next depth is expected to end within the limit. The time is
    /// expected to grow as it did from the depth before to the last one. While little of the limit
    /// has passed, both were too short to be measured, and the result is true.
    pub fn next_fits(&self, share: f64) -> bool {
        let limit = self.limit.as_secs_f64();
        let next_depth = self.last_depth * self.last_depth / self.depth_before;
        let is_early = self.total < limit / 16.0 || self.depth_before == 0.0;
        is_early || self.total + share * next_depth <= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_core::Game;

    #[test]
    fn distinct_tiles_set_the_depth() {
        let game = Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let depth = DepthPolicy::by_distinct(3, 2, board);
        let plies = |text: &str| depth.of(game.parse(text).unwrap());
        assert_eq!(plies("2,4,8,16/2,4,8,16/2,4,8,16/2,0,0,0"), 3);
        assert_eq!(plies("2,4,8,16/32,64,128,256/512,1024,2,2/0,0,0,0"), 8);
        assert_eq!(DepthPolicy::fixed(4).of(State::default()), 4);
    }

    #[test]
    fn the_next_depth_is_searched_if_a_share_of_it_fits() {
        // 8 ms are four times 2 ms, so the next depth takes 32 ms.
        let after = |since_start: &[u64], limit| {
            let mut deepening = Deepening::within(Duration::from_millis(limit));
            for &time in since_start {
                deepening.add_depth(Duration::from_millis(time));
            }
            deepening
        };
        assert!(after(&[2], 1).next_fits(1.0), "the ratio is unknown");
        assert!(after(&[2, 10], 27).next_fits(0.5));
        assert!(!after(&[2, 10], 25).next_fits(0.5));
        assert!(after(&[2, 10], 43).next_fits(1.0));
        assert!(!after(&[2, 10], 41).next_fits(1.0));
        assert!(after(&[2, 50], 1000).next_fits(1.0), "the program was interrupted");
    }
}
