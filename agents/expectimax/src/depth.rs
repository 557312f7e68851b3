//! The search depth for a position.

use runner_core::State;
use runner_core::geometry::Geometry;

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
}
