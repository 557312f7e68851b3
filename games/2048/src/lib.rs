//! The rules of 2048.
//!
//! Equal tiles that meet merge to their sum, which is the reward; then a 2 or, less often, a
//! 4 enters on a random empty cell. The greatest tile is 131072; two of them, which a 4 x 4
//! board cannot hold, do not merge.
//!
//! ```
//! use game_2048::{Config, Game2048};
//! use runner_core::Game;
//!
//! let game = Game2048::new(Config { rows: 3, cols: 3, ..Config::default() })?;
//! let state = game.parse("2,2,4/0,0,0/0,0,2").unwrap();
//! let mut successors = runner_core::Successors::new();
//! game.successors(state, &mut successors);
//! let left = successors.last().unwrap(); // up, right, down, left
//! assert_eq!(game.write_afterstate(left.afterstate), "4,4,0/0,0,0/2,0,0");
//! assert_eq!(left.reward, 4.0);
//! # Ok::<(), runner_core::BuildError>(())
//! ```
#![forbid(unsafe_code)]

use runner_core::{BuildError, Plugin, Probability, parameters};
use runner_sliding::{Entry, LineRule, Rules, SIDES, Scattered, Setup, slide_far};

/// 2048 as a [`Game`](runner_core::Game).
pub type Game2048 = Scattered<Doubling>;

/// The rank of the greatest tile, 131072.
const TOP: u8 = 17;

parameters! {
    /// The parameters of 2048.
    pub struct Config {
        /// Number of rows
        pub rows: usize = 4, range(SIDES);
        /// Number of columns
        pub cols: usize = 4, range(SIDES);
        /// Probability that a 4 enters instead of a 2
        pub four: Probability = Probability::new(0.1).expect("it is from 0 to 1");
        /// Tile that wins the game; play continues
        pub goal: u64 = 2048, any::<u64>().form("a power of two from 4 to 131072");
        /// Number of tiles at the start
        pub start_tiles: usize = 2, any::<usize>().form("1 to rows x cols");
    }
}

/// The rules: rank k is the tile 2^k, and two equal tiles merge to the next rank.
#[derive(Clone, Copy, Debug)]
pub struct Doubling;

impl LineRule for Doubling {
    fn values(&self) -> Vec<u64> {
        (0..=TOP).map(|rank| if rank == 0 { 0 } else { 1 << rank }).collect()
    }

    fn push(&self, line: &mut [u8]) -> f32 {
        slide_far(line, |a, b| (a == b && a < TOP).then_some((a + 1, (2u32 << a) as f32)))
    }
}

impl Plugin for Doubling {
    const NAME: &'static str = "2048";
    const ABOUT: &'static str = "slide and merge equal tiles to 2048 and beyond";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl Rules for Doubling {
    fn setup(config: Config) -> Result<Setup<Self>, BuildError> {
        let Config { rows, cols, four, goal, start_tiles } = config;
        let entries = vec![
            Entry { rank: 1, probability: 1.0 - four.get() },
            Entry { rank: 2, probability: four.get() },
        ];
        Ok(Setup { rows, cols, rule: Doubling, entries, start_tiles, goal })
    }
}
