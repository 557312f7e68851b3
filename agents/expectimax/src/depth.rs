//! How deep to look in a position.

use runner_core::State;
use runner_core::board::Geometry;

/// How deep to look, by what is on the board.
#[derive(Clone, PartialEq, Debug)]
pub struct Depth {
    /// So deep at least.
    pub least: u8,
    /// So many plies fewer than there are different tiles, if that is more.
    pub distinct: Option<u8>,
    /// With more empty cells than the first number, as deep as the second says: the
    /// first pair that applies, before all else.
    pub empty: Vec<(u8, u8)>,
    board: Option<Geometry>,
}

impl Depth {
    /// Always so deep.
    pub fn always(plies: u8) -> Self {
        Self { least: plies, distinct: None, empty: vec![], board: None }
    }

    /// As deep as the board says.
    pub fn by_board(
        least: u8,
        distinct: Option<u8>,
        empty: Vec<(u8, u8)>,
        board: &Geometry,
    ) -> Self {
        Self { least, distinct, empty, board: Some(board.clone()) }
    }

    /// No position is looked into deeper.
    pub fn most(&self) -> u8 {
        let ranks = self.board.as_ref().map_or(0, |board| board.values.len().min(board.cells()));
        let distinct = self.distinct.map_or(0, |less| (ranks as u8).saturating_sub(less));
        let empty = self.empty.iter().map(|&(_, plies)| plies).max().unwrap_or(0);
        self.least.max(distinct).max(empty)
    }

    /// How deep to look here.
    pub fn of(&self, state: State) -> u8 {
        let Some(board) = &self.board else { return self.least };
        let (mut there, mut empty) = (0u32, 0);
        for cell in 0..board.cells() {
            match board.rank(state.bits(), cell) {
                0 => empty += 1,
                rank => there |= 1 << rank,
            }
        }
        if let Some(&(_, plies)) = self.empty.iter().find(|&&(more_than, _)| empty > more_than) {
            return plies;
        }
        let distinct =
            self.distinct.map_or(0, |less| (there.count_ones() as u8).saturating_sub(less));
        self.least.max(distinct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_core::Game;

    #[test]
    fn empty_cells_and_different_tiles_say_how_deep() {
        let game = Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let depth = Depth::by_board(3, Some(2), vec![(7, 1), (4, 2)], board);
        let plies = |text: &str| depth.of(game.parse(text).unwrap());
        let row = "2,4,8,16";
        assert_eq!(plies(&format!("{row}/0,0,0,0/0,0,0,0/0,0,0,0")), 1);
        assert_eq!(plies(&format!("{row}/{row}/0,0,0,0/2,0,0,0")), 2);
        assert_eq!(plies(&format!("{row}/{row}/{row}/2,0,0,0")), 3);
        assert_eq!(plies("2,4,8,16/32,64,128,256/512,1024,2,2/0,0,0,0"), 8);
        assert_eq!(depth.most(), 14);
        assert_eq!(Depth::always(4).of(State::default()), 4);
    }
}
