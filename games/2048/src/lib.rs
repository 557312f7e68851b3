//! The rules of 2048.
//!
//! Equal tiles that meet merge to their sum, which is the reward; then a 2 or, less often, a
//! 4 enters on a random empty cell. The greatest tile is 131072; two of them, which a 4 x 4
//! board cannot hold, do not merge. Variants have other tiles that enter, a lower greatest tile,
//! or cells with stones.
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
use runner_sliding::{
    Doubling, Entry, LineRule, Rules, SIDES, Scattered, Setup, check_sides, stones,
};

/// 2048 as a [`Game`](runner_core::Game).
pub type Game2048 = Scattered<Rules2048>;

parameters! {
    /// The parameters of 2048.
    pub struct Config {
        /// Number of rows
        pub rows: usize = 4, range(SIDES);
        /// Number of columns
        pub cols: usize = 4, range(SIDES);
        /// Probability that a 4 enters instead of a 2
        pub four: Probability = Probability::new(FOUR).expect("it is from 0 to 1");
        /// Tile that wins the game; play continues
        pub goal: u64 = 2048, any::<u64>().form("a power of two from 4 to 131072");
        /// Number of tiles at the start
        pub start_tiles: usize = 2,
            any::<usize>().form("1 to the number of cells without a stone");
        /// Tiles that enter, with their probabilities, instead of 2s and 4s
        pub spawn: Vec<(u64, Probability)> = Vec::new(),
            other("a list of tiles, as in `[(2, 0.8), (4, 0.15), (8, 0.05)]`").omit_default();
        /// Largest tile, two of which do not merge
        pub cap: u64 = LARGEST,
            any::<u64>().form("a power of two from 4 to 131072").omit_default();
        /// Cells that hold a stone, which tiles cannot pass
        pub walls: Vec<usize> = Vec::new(),
            any::<Vec<usize>>().form("a list of cells, counted row by row from 0").omit_default();
    }
}

/// The default probability of a 4.
const FOUR: f64 = 0.1;

const LARGEST: u64 = 131_072;

/// The rules: two equal tiles merge to the next rank.
#[derive(Clone, Debug)]
pub struct Rules2048(Doubling);

impl LineRule for Rules2048 {
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

impl Plugin for Rules2048 {
    const NAME: &'static str = "2048";
    const ABOUT: &'static str = "slide and merge equal tiles to 2048 and beyond";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl Rules for Rules2048 {
    fn setup(config: Config) -> Result<Setup<Self>, BuildError> {
        let Config { rows, cols, four, goal, start_tiles, spawn, cap, walls } = config;
        check_sides(rows, cols)?;
        if !cap.is_power_of_two() || !(4..=LARGEST).contains(&cap) {
            let message = format!("{cap} is not a power of two from 4 to {LARGEST}");
            return Err(BuildError::of("cap", message));
        }
        if cap < goal && goal <= LARGEST {
            let message = format!("no tile reaches the goal {goal}, which is above the cap {cap}");
            return Err(BuildError::of("goal", message));
        }
        let rule = Doubling::new(2, cap, stones("walls", walls, rows, cols)?);
        let tiles = match &spawn[..] {
            [] => vec![(2, 1.0 - four.get()), (4, four.get())],
            _ if four.get() != FOUR => {
                let message = "`four` and `spawn` exclude each other: `spawn` has all tiles";
                return Err(BuildError::of("spawn", message));
            }
            list => list.iter().map(|(tile, share)| (*tile, share.get())).collect(),
        };
        let entries = entries(&rule, cap, &tiles).map_err(|why| BuildError::of("spawn", why))?;
        Ok(Setup { rows, cols, rule: Rules2048(rule), entries, start_tiles, goal })
    }
}

/// Returns the tiles that enter, or why they are refused.
fn entries(rule: &Doubling, cap: u64, tiles: &[(u64, f64)]) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for &(tile, probability) in tiles {
        if tile > cap {
            return Err(format!("{tile} is above the cap {cap}"));
        }
        let entry = rule.entry(tile, probability)?;
        if entries.iter().any(|other| other.rank == entry.rank) {
            return Err(format!("{tile} is listed twice"));
        }
        entries.push(entry);
    }
    let sum: f64 = entries.iter().map(|entry| entry.probability).sum();
    if (sum - 1.0).abs() > 1e-9 {
        return Err(format!("the probabilities sum to {sum}, not to 1"));
    }
    Ok(entries)
}
