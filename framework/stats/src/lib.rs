//! Statistics of finished games, and the reports of jobs ([`report`]): the mean score with its
//! interval, quantiles, the rate at which each tile is reached, and comparisons of players.
//!
//! Results do not depend on the order in which the games ended.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod intervals;
mod maximum;
mod moments;
mod ratings;
mod regression;
pub mod report;
mod results;
mod sequential;
mod superiority;
mod times;

pub use intervals::{FEWEST_GAMES, MeanDifference, student, wilson};
pub use maximum::Maximum;
pub use ratings::{PlayerScores, Rating, ratings};
pub use results::{
    BatchesLessLuck, GameResult, LessLuck, Results, ScoreSummary, Scores, TileRate,
    informative_tiles,
};
pub use sequential::{BATCH, Comparison, Verdict};
pub use superiority::Superiority;
pub use times::MoveTimes;

/// Returns the `q`-quantile of at least one sorted number: interpolated linearly between the
/// neighbours of rank `q * (n - 1)` (Hyndman and Fan's definition 7, the default of R and NumPy).
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = q * (sorted.len() - 1) as f64;
    let below = sorted[rank.floor() as usize];
    let above = sorted[rank.ceil() as usize];
    below + (above - below) * rank.fract()
}

#[cfg(test)]
mod testing {
    //! Random numbers and scores for tests.

    use crate::results::GameResult;
    use runner_core::Random;

    pub fn uniform(random: &mut Random) -> f64 {
        ((random.word() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    pub fn exponential(random: &mut Random) -> f64 {
        -uniform(random).ln()
    }

    pub fn normal(random: &mut Random) -> f64 {
        let radius = (2.0 * exponential(random)).sqrt();
        radius * (2.0 * std::f64::consts::PI * uniform(random)).cos()
    }

    /// The distribution of the scores of a player of 2048.
    pub struct RealScores {
        levels: Vec<f64>,
        /// The quantiles at the levels.
        quantiles: Vec<f64>,
    }

    impl RealScores {
        /// Returns the scores in this column of `scores.txt`; column 0 holds the levels.
        pub fn of(player: usize) -> Self {
            let lines = || include_str!("scores.txt").lines().filter(|line| !line.starts_with('#'));
            let column = |number: usize| {
                lines().map(|line| line.split(' ').nth(number).unwrap().parse().unwrap()).collect()
            };
            Self { levels: column(0), quantiles: column(player) }
        }

        pub fn mean(&self) -> f64 {
            let areas = self.levels.windows(2).zip(self.quantiles.windows(2));
            areas.map(|(p, q)| (p[1] - p[0]) * (q[0] + q[1]) / 2.0).sum()
        }

        pub fn draw(&self, random: &mut Random) -> f64 {
            let (Self { levels, quantiles }, p) = (self, random.unit());
            let above = levels.partition_point(|&level| level <= p).min(levels.len() - 1);
            let share = (p - levels[above - 1]) / (levels[above] - levels[above - 1]);
            quantiles[above - 1] + share * (quantiles[above] - quantiles[above - 1])
        }
    }

    /// The games of a player of 2048: scores, and luck with the mean 0.
    pub struct RealGames(Vec<GameResult>);

    impl RealGames {
        /// Returns games of `trained`, whose luck is measured by its own value, or of `rows`,
        /// whose luck is measured by `trained`.
        pub fn of(player: &str) -> Self {
            let column = 2 * usize::from(player == "rows");
            let lines = include_str!("lucks.txt").lines().filter(|line| !line.starts_with('#'));
            let numbers = lines.map(|line| {
                let mut numbers = line.split(' ').skip(column).map(|x| x.parse::<f64>().unwrap());
                (numbers.next().unwrap(), numbers.next().unwrap())
            });
            let numbers: Vec<_> = numbers.collect();
            let mean_luck =
                numbers.iter().map(|(_, luck)| luck).sum::<f64>() / numbers.len() as f64;
            let game = |&(score, luck): &(f64, f64)| {
                let luck = Some(luck - mean_luck);
                GameResult { number: 0, score, moves: 1, max_tile: None, luck }
            };
            Self(numbers.iter().map(game).collect())
        }

        pub fn mean(&self) -> f64 {
            self.0.iter().map(|game| game.score).sum::<f64>() / self.0.len() as f64
        }

        pub fn draw(&self, random: &mut Random) -> GameResult {
            self.0[random.below(self.0.len() as u32) as usize]
        }
    }
}
