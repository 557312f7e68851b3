//! The rules of 1024: those of 2048 with tiles from 1 on. A 1 or, less often, a 2 enters on a
//! random empty cell; 1024 wins. Cells may hold a stone, which never moves or merges and
//! which tiles cannot pass.
#![forbid(unsafe_code)]

use runner_core::{BuildError, Plugin, Probability, parameters};
use runner_sliding::{Doubling, LineRule, Rules, SIDES, Scattered, Setup, check_sides, stones};

/// 1024 as a [`Game`](runner_core::Game).
pub type Game1024 = Scattered<Rules1024>;

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

/// The rules: two equal tiles merge to the next rank. Two tiles of 131072 do not merge.
#[derive(Clone, Debug)]
pub struct Rules1024(Doubling);

impl LineRule for Rules1024 {
    fn values(&self) -> Vec<u64> {
        self.0.values()
    }

    fn blocked(&self) -> &[usize] {
        self.0.blocked()
    }

    fn push(&self, line: &mut [u8]) -> f32 {
        self.0.push(line)
    }

    fn rewards_never_negative(&self) -> bool {
        true
    }
}

impl Plugin for Rules1024 {
    const NAME: &'static str = "1024";
    const ABOUT: &'static str = "slide and merge equal tiles from 1 to 1024; stones may block";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl Rules for Rules1024 {
    fn setup(config: Config) -> Result<Setup<Self>, BuildError> {
        let Config { rows, cols, two, goal, start_tiles, blocked } = config;
        check_sides(rows, cols)?;
        let rule = Doubling::new(1, 131_072, stones("blocked", blocked, rows, cols)?);
        let entries = [(1, 1.0 - two.get()), (2, two.get())].map(|(tile, p)| rule.entry(tile, p));
        let entries = entries.into_iter().collect::<Result<_, _>>().map_err(BuildError::new)?;
        Ok(Setup { rows, cols, rule: Rules1024(rule), entries, start_tiles, goal })
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
