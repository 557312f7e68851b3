//! The search depth for a position, and the depth that fits a time limit.

use runner_core::State;
use runner_core::geometry::Geometry;
use std::time::Duration;

/// The search depth, fixed or by the content of the board.
#[derive(Clone, PartialEq, Debug)]
pub struct DepthPolicy {
    /// Minimum depth in plies.
    pub min: u8,
    /// Subtracted from the number of distinct tiles on the board to give the depth in plies,
    /// which is at least `min`.
    pub distinct: Option<u8>,
    /// Pairs of a number of empty cells and a depth in plies. The first pair whose number
    /// the board exceeds sets the depth, and the other fields are ignored.
    pub empty: Vec<(u8, u8)>,
    board: Option<Geometry>,
}

impl DepthPolicy {
    pub fn fixed(plies: u8) -> Self {
        Self { min: plies, distinct: None, empty: vec![], board: None }
    }

    pub fn by_board(min: u8, distinct: Option<u8>, empty: Vec<(u8, u8)>, board: &Geometry) -> Self {
        Self { min, distinct, empty, board: Some(board.clone()) }
    }

    /// Returns the depth for a position, in plies.
    pub fn of(&self, state: State) -> u8 {
        let Some(board) = &self.board else { return self.min };
        let (mut ranks, mut empty) = (0u32, 0);
        for cell in 0..board.cells() {
            match board.rank(state.bits(), cell) {
                0 => empty += 1,
                rank => ranks |= 1 << rank,
            }
        }
        if let Some(&(_, plies)) = self.empty.iter().find(|&&(more_than, _)| empty > more_than) {
            return plies;
        }
        let distinct =
            self.distinct.map_or(0, |less| (ranks.count_ones() as u8).saturating_sub(less));
        self.min.max(distinct)
    }
}

/// How long the depths of iterative deepening took, in seconds.
#[derive(Default)]
pub(crate) struct DepthTimes {
    all: f64,
    last: f64,
    before: f64,
}

impl DepthTimes {
    /// Adds a depth that was completed this long after the start of the first.
    pub fn add(&mut self, since_start: Duration) {
        let all = since_start.as_secs_f64();
        *self = Self { all, last: all - self.all, before: self.last };
    }

    /// Returns true if half of the next depth is expected to fit, which is enough to compare some
    /// actions. The expected ratio of its time to that of the last depth is the ratio of the last
    /// depth to the one before.
    pub fn next_fits(&self, limit: Duration) -> bool {
        let next = self.last * self.last / self.before;
        self.before == 0.0 || self.all + next / 2.0 <= limit.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_core::Game;

    #[test]
    fn empty_cells_and_distinct_tiles_set_the_depth() {
        let game = Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let depth = DepthPolicy::by_board(3, Some(2), vec![(7, 1), (4, 2)], board);
        let plies = |text: &str| depth.of(game.parse(text).unwrap());
        let row = "2,4,8,16";
        assert_eq!(plies(&format!("{row}/0,0,0,0/0,0,0,0/0,0,0,0")), 1);
        assert_eq!(plies(&format!("{row}/{row}/0,0,0,0/2,0,0,0")), 2);
        assert_eq!(plies(&format!("{row}/{row}/{row}/2,0,0,0")), 3);
        assert_eq!(plies("2,4,8,16/32,64,128,256/512,1024,2,2/0,0,0,0"), 8);
        assert_eq!(DepthPolicy::fixed(4).of(State::default()), 4);
    }

    #[test]
    fn the_next_depth_is_searched_if_half_of_it_fits() {
        let mut times = DepthTimes::default();
        let fits = |times: &DepthTimes, limit| times.next_fits(Duration::from_millis(limit));
        times.add(Duration::from_millis(2));
        assert!(fits(&times, 1), "the ratio is unknown");
        times.add(Duration::from_millis(10));
        // 8 ms are four times 2 ms, so the next depth takes 32 ms.
        assert!(fits(&times, 27));
        assert!(!fits(&times, 25));
    }
}
