//! A variant of 2048. Five things make a variant, and each has another form as a comment beside
//! it: 1. what merges, 2. what a merge gives, 3. which tiles appear, and where, 4. walls, 5. the
//! size of the board.

pub mod edges;

use runner_core::{BuildError, Plugin, Probability, parameters};
use runner_sliding::{Entry, LineRule, Rules, SIDES, Scattered, Setup, slide_far};

// 4. Walls: cells, counted row by row from 0, that no tile enters or passes.
pub const WALLS: &[usize] = &[];
// pub const WALLS: &[usize] = &[5, 10];

/// The rank of the smallest tile. Rank 0 is an empty cell, and rank 1 a wall if there are walls.
const FIRST: u8 = if WALLS.is_empty() { 1 } else { 2 };
/// The number of ranks. With more than 16, a cell takes five bits instead of four.
const RANKS: u8 = 16;

/// Returns the displayed value of a rank.
fn value(rank: u8) -> u64 {
    if rank < FIRST { 0 } else { 2 << (rank - FIRST) }
}

/// Returns the rank to which two tiles merge, the one nearer the wall first, and the reward.
fn merge(a: u8, b: u8) -> Option<(u8, f32)> {
    // 1. What merges: two equal tiles become the next one.
    let made = a + 1;
    let merges = a == b;
    // Two tiles of neighbouring ranks too, to the one above the larger:
    // let made = a.max(b) + 1;
    // let merges = a.abs_diff(b) <= 1;

    // 2. The reward of a merge: the value of the new tile.
    let reward = value(made) as f32;
    // One point for each merge:
    // let reward = 1.0;
    (merges && made < RANKS).then_some((made, reward))
}

parameters! {
    /// The parameters of a spec, such as `__name__(rows: 5)`.
    pub struct Config {
        // 5. The size of the board, 2 x 2 to 5 x 5, unless a spec says another.
        /// Number of rows
        pub rows: usize = 4, range(SIDES);
        // pub rows: usize = 5, range(SIDES);
        /// Number of columns
        pub cols: usize = 4, range(SIDES);
        /// Probability that a 4 appears instead of a 2
        pub four: Probability = Probability::new(0.1).expect("it is from 0 to 1");
    }
}

/// The rules.
pub struct __Type__;

// How one line is pushed; the crate `runner-sliding` makes the board, its moves and its text.
impl LineRule for __Type__ {
    fn values(&self) -> Vec<u64> {
        (0..RANKS).map(value).collect()
    }

    fn blocked(&self) -> &[usize] {
        WALLS
    }

    fn push(&self, line: &mut [u8]) -> f32 {
        let is_wall = |&rank: &u8| rank > 0 && rank < FIRST;
        line.split_mut(is_wall).map(|part| slide_far(part, merge)).sum()
    }

    fn rewards_never_negative(&self) -> bool {
        true
    }
}

impl Plugin for __Type__ {
    const NAME: &'static str = "__name__";
    const ABOUT: &'static str = "a variant of 2048";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl Rules for __Type__ {
    fn setup(Config { rows, cols, four }: Config) -> Result<Setup<Self>, BuildError> {
        if WALLS.iter().any(|&cell| cell >= rows * cols) {
            return Err(BuildError::of("rows", "the board has no cell for a wall"));
        }
        // 3. Which tiles appear after a move, and how often.
        let entry = |rank, probability| Entry { rank, probability };
        let p = four.get();
        let entries = vec![entry(FIRST, 1.0 - p), entry(FIRST + 1, p)];
        // An 8 instead of a 4:
        // let entries = vec![entry(FIRST, 1.0 - p), entry(FIRST + 2, p)];
        let goal = value(FIRST + 10);
        Ok(Setup { rows, cols, rule: __Type__, entries, start_tiles: 2, goal })
    }
}

// 3. Where tiles appear: on any empty cell.
runner_plugin::export_plugin! { games: [Scattered<__Type__>] }
// On the edge of the board, as `src/edges.rs` says:
// runner_plugin::export_plugin! { games: [edges::Edges] }
