//! The rules of 2584: neighbours in the sequence 1, 2, 3, 5, 8, ... merge to their sum, and so
//! do two 1s. Then a 1 or, less often, a 3 enters on a random empty cell. It is the worked
//! example of a sliding game: a line rule, the tiles that enter, and the parameters.
#![forbid(unsafe_code)]

use runner_core::{BuildError, Plugin, Probability, parameters};
use runner_sliding::{Entry, LineRule, Rules, SIDES, Scattered, Setup, slide_far};

/// 2584 as a [`Game`](runner_core::Game).
pub type Game2584 = Scattered<Fibonacci>;

/// The rank of the greatest tile, 2178309, which does not merge.
const TOP: u8 = 31;

parameters! {
    /// The parameters of 2584.
    pub struct Config {
        /// Number of rows
        pub rows: usize = 4, range(SIDES);
        /// Number of columns
        pub cols: usize = 4, range(SIDES);
        /// Probability that a 3 enters instead of a 1
        pub three: Probability = Probability::new(0.25).expect("it is from 0 to 1");
        /// Tile that wins the game; play continues
        pub goal: u64 = 2584, any::<u64>().form("a Fibonacci number from 2 on");
        /// Number of tiles at the start
        pub start_tiles: usize = 2, any::<usize>().form("1 to rows x cols");
    }
}

/// The rules: rank k is the k-th number of the sequence.
#[derive(Clone, Copy, Debug)]
pub struct Fibonacci;

impl Fibonacci {
    fn value(rank: u8) -> u64 {
        (0..rank).fold((1, 0), |(next, this), _| (next + this.max(1), next)).1
    }
}

impl LineRule for Fibonacci {
    fn values(&self) -> Vec<u64> {
        (0..=TOP).map(Self::value).collect()
    }

    fn push(&self, line: &mut [u8]) -> f32 {
        slide_far(line, |a, b| {
            let made = a.max(b) + 1;
            let merge = a.abs_diff(b) == 1 || (a, b) == (1, 1);
            (merge && made <= TOP).then(|| (made, Self::value(made) as f32))
        })
    }
}

impl Plugin for Fibonacci {
    const NAME: &'static str = "2584";
    const ABOUT: &'static str = "slide and merge neighbours of the Fibonacci sequence";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl Rules for Fibonacci {
    fn setup(config: Config) -> Result<Setup<Self>, BuildError> {
        let Config { rows, cols, three, goal, start_tiles } = config;
        let entries = vec![
            Entry { rank: 1, probability: 1.0 - three.get() },
            Entry { rank: 3, probability: three.get() },
        ];
        Ok(Setup { rows, cols, rule: Fibonacci, entries, start_tiles, goal })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_sequence_and_contain_2584() {
        let values = Fibonacci.values();
        assert_eq!(values[..9], [0, 1, 2, 3, 5, 8, 13, 21, 34]);
        assert!(values[1..].windows(3).all(|v| v[0] + v[1] == v[2]));
        assert_eq!((values[17], values[31]), (2584, 2_178_309));
    }

    #[test]
    fn neighbours_and_two_ones_merge() {
        let pushed = |line: [u8; 4]| {
            let mut line = line;
            (Fibonacci.push(&mut line), line)
        };
        assert_eq!(pushed([1, 1, 1, 2]), (5.0, [2, 3, 0, 0])); // 1+1, 1+2
        assert_eq!(pushed([3, 0, 2, 4]), (5.0, [4, 4, 0, 0])); // 3+2; two 5s stay
        assert_eq!(pushed([2, 2, 31, 30]), (0.0, [2, 2, 31, 30])); // the top tile does not merge
    }
}
