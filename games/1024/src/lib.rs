//! The rules of 1024: those of 2048 with tiles from 1 on. A 1 or, less often, a 2 enters on a
//! random empty cell; 1024 wins. Cells may hold a stone, which never moves or merges and
//! which tiles cannot pass.
#![forbid(unsafe_code)]

use runner_core::{BuildError, Plugin, Probability, parameters};
use runner_sliding::{Entry, LineRule, Rules, SIDES, Scattered, Setup, check_sides, slide_far};

/// 1024 as a [`Game`](runner_core::Game).
pub type Game1024 = Scattered<Doubling>;

/// The greatest tile, which does not merge.
const TOP: u64 = 131_072;

/// The rank of a stone, on boards with stones. The tiles then have the ranks above.
const STONE: u8 = 1;

parameters! {
    /// The parameters of 1024.
    pub struct Config {
        /// Number of rows
        pub rows: usize = 4, range(SIDES);
        /// Number of columns
        pub cols: usize = 4, range(SIDES);
        /// Probability that a 2 enters instead of a 1
        pub two: Probability = Probability::new(0.1).expect("it is from 0 to 1");
        /// Tile that wins the game; play continues
        pub goal: u64 = 1024, any::<u64>().form("a power of two from 2 to 131072");
        /// Number of tiles at the start
        pub start_tiles: usize = 2,
            any::<usize>().form("1 to the number of cells without a stone");
        /// Cells that hold a stone
        pub blocked: Vec<usize> = Vec::new(),
            any::<Vec<usize>>().form("a list of cells, counted row by row from 0");
    }
}

/// The rules: two equal tiles merge to the next rank.
#[derive(Clone, Debug)]
pub struct Doubling {
    blocked: Vec<usize>,
    /// The displayed values: empty, the stone if there is one, then the tiles.
    values: Vec<u64>,
}

impl Doubling {
    fn new(blocked: Vec<usize>) -> Self {
        let tiles = (0..=TOP.ilog2()).map(|k| 1 << k);
        let no_tiles = if blocked.is_empty() { vec![0] } else { vec![0, 0] };
        Self { values: no_tiles.into_iter().chain(tiles).collect(), blocked }
    }

    fn one(&self) -> u8 {
        if self.blocked.is_empty() { STONE } else { STONE + 1 }
    }
}

impl LineRule for Doubling {
    fn values(&self) -> Vec<u64> {
        self.values.clone()
    }

    fn blocked(&self) -> &[usize] {
        &self.blocked
    }

    fn push(&self, line: &mut [u8]) -> f32 {
        let merge = |a: u8, b: u8| {
            let made = *self.values.get(usize::from(a) + 1)?;
            (a == b).then_some((a + 1, made as f32))
        };
        let is_stone = |rank: &u8| *rank == STONE && !self.blocked.is_empty();
        line.split_mut(is_stone).map(|part| slide_far(part, merge)).sum()
    }
}

impl Plugin for Doubling {
    const NAME: &'static str = "1024";
    const ABOUT: &'static str = "slide and merge equal tiles from 1 to 1024; stones may block";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl Rules for Doubling {
    fn setup(config: Config) -> Result<Setup<Self>, BuildError> {
        let Config { rows, cols, two, goal, start_tiles, mut blocked } = config;
        check_sides(rows, cols)?;
        blocked.sort_unstable();
        if let Some(pair) = blocked.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(BuildError::of("blocked", format!("cell {} is listed twice", pair[0])));
        }
        if let Some(cell) = blocked.last().filter(|&&cell| cell >= rows * cols) {
            let last = rows * cols - 1;
            let message = format!("{cell} is not from 0 to {last}: cells are counted row by row");
            return Err(BuildError::of("blocked", message));
        }
        let rule = Doubling::new(blocked);
        let one = rule.one();
        let entries = vec![
            Entry { rank: one, probability: 1.0 - two.get() },
            Entry { rank: one + 1, probability: two.get() },
        ];
        Ok(Setup { rows, cols, rule, entries, start_tiles, goal })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Game;
    use runner_sliding::Direction;

    #[test]
    fn no_tile_passes_or_moves_a_stone() {
        let config = Config { rows: 2, cols: 4, blocked: vec![2], ..Config::default() };
        let game = Game1024::new(config).unwrap();
        let state = game.parse("0,1,#,1/1,0,1,2").unwrap();
        let left = game.successor(state, Direction::Left.action()).unwrap();
        assert_eq!(game.write_afterstate(left.afterstate), "1,0,#,1/2,2,0,0");
        assert_eq!(left.reward, 2.0);
        let up = game.successor(state, Direction::Up.action()).unwrap();
        assert_eq!(game.write_afterstate(up.afterstate), "1,1,#,1/0,0,1,2");
        assert_eq!(game.max_tile(state), Some(2));
    }

    #[test]
    fn wrong_blocked_cells_are_refused() {
        for (blocked, says) in [(vec![16], "0 to 15"), (vec![3, 3], "twice")] {
            let Err(error) = Game1024::new(Config { blocked, ..Config::default() }) else {
                panic!("it was built")
            };
            assert_eq!(error.parameter.as_deref(), Some("blocked"));
            assert!(error.message.contains(says), "{error}");
        }
        let all = Config { blocked: (0..15).collect(), ..Config::default() };
        assert!(Game1024::new(all).is_err(), "two tiles do not fit one cell");
    }
}
