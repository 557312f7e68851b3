//! Honest numbers over the finished games of an evaluation: the mean score with
//! its bootstrap interval, quantiles, and how often each tile was reached.
//!
//! Apart from the report, because tournaments and shards compare and merge the
//! same numbers. Nothing here depends on the order in which games were finished.

#![forbid(unsafe_code)]

use runner_core::Random;
use serde::{Deserialize, Serialize};

/// One finished game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameResult {
    /// Its number in the run, from which its random stream came.
    pub number: u64,
    /// The sum of its rewards.
    pub score: f64,
    /// The player's moves.
    pub moves: u64,
    /// The greatest tile of its last position, where the game has tiles.
    pub max_tile: Option<u64>,
}

/// The games of an evaluation, in any order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Results {
    games: Vec<GameResult>,
}

/// A game that is in two sets that were to be merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("game {0} is in both sets: merge each part of a run only once")]
pub struct Duplicate(pub u64);

impl Results {
    /// Adds a game.
    pub fn push(&mut self, game: GameResult) {
        self.games.push(game);
    }

    /// The games so far.
    pub fn games(&self) -> &[GameResult] {
        &self.games
    }

    /// Adds the games of another part of the same run. Nothing is changed if a
    /// game is in both.
    pub fn merge(&mut self, other: &Results) -> Result<(), Duplicate> {
        let mut all = [self.games(), other.games()].concat();
        all.sort_by_key(|game| game.number);
        if let Some(pair) = all.windows(2).find(|pair| pair[0].number == pair[1].number) {
            return Err(Duplicate(pair[0].number));
        }
        self.games = all;
        Ok(())
    }

    /// All numbers about these games; `tiles` are those of the game's description,
    /// ascending.
    pub fn summary(&self, tiles: &[u64]) -> Summary {
        let mut scores: Vec<_> = self.games.iter().map(|game| (game.number, game.score)).collect();
        scores.sort_by_key(|&(number, _)| number);
        let scores: Vec<f64> = scores.into_iter().map(|(_, score)| score).collect();
        Summary {
            games: self.games.len() as u64,
            moves: self.games.iter().map(|game| game.moves).sum(),
            score: Scores::of(&scores),
            tiles: tile_rates(&self.games, tiles),
        }
    }
}

impl FromIterator<GameResult> for Results {
    fn from_iter<I: IntoIterator<Item = GameResult>>(games: I) -> Self {
        Self { games: games.into_iter().collect() }
    }
}

/// What the games of an evaluation came to.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Summary {
    /// How many there were.
    pub games: u64,
    /// The player's moves in all of them.
    pub moves: u64,
    /// Their scores.
    pub score: Scores,
    /// Every tile of the game up to the greatest that was made, ascending.
    pub tiles: Vec<TileRate>,
}

/// The distribution of the scores. All is `None` without a game, or if a score
/// is no finite number: then the game is at fault, and no mean of it means
/// anything.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Scores {
    /// The mean.
    pub mean: Option<f64>,
    /// The bootstrap 95% interval of the mean. One game has none.
    pub ci95: Option<[f64; 2]>,
    /// The median.
    pub median: Option<f64>,
    /// The least.
    pub min: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
    /// The score that a tenth of the games stayed below.
    pub p10: Option<f64>,
    /// The score that a tenth of the games exceeded.
    pub p90: Option<f64>,
}

impl Scores {
    /// Of scores in the order of their games.
    fn of(scores: &[f64]) -> Self {
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        // One that is not finite makes the mean so, as does having none.
        if !mean.is_finite() {
            return Self::default();
        }
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Self {
            mean: Some(mean),
            ci95: (scores.len() > 1).then(|| bootstrap(scores, mean)),
            median: Some(quantile(&sorted, 0.5)),
            min: sorted.first().copied(),
            max: sorted.last().copied(),
            p10: Some(quantile(&sorted, 0.1)),
            p90: Some(quantile(&sorted, 0.9)),
        }
    }
}

/// The `q`-quantile of sorted numbers, of which there is one at least: linear
/// between the two at either side of rank `q * (n - 1)`, counted from 0
/// (Hyndman and Fan's definition 7, the default of R and NumPy).
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = q * (sorted.len() - 1) as f64;
    let below = sorted[rank.floor() as usize];
    let above = sorted[rank.ceil() as usize];
    below + (above - below) * rank.fract()
}

const RESAMPLES: usize = 2000;

/// The most things to draw from in one resample: 8 million draws in all.
const GROUPS: usize = 4096;

/// The percentile bootstrap 95% interval of the mean, always the same for the
/// same games.
///
/// Up to [`GROUPS`] games are resampled one by one. More are dealt out into as
/// many groups, and whole groups are resampled. Games are independent, so groups
/// are too, and the mean over groups has the same expectation, variance and
/// skewness as the mean over games. What is lost is how well the variance is
/// known: to 1/sqrt(2 * 4096), 1.1%, where 2,000 resamples of anything place an
/// end of the interval to no better than 6% of a standard error.
fn bootstrap(scores: &[f64], mean: f64) -> [f64; 2] {
    // Deviations, because they add up with less rounding than the scores.
    let mut groups = vec![(0.0, 0.0); scores.len().min(GROUPS)];
    for (group, score) in (0..groups.len()).cycle().zip(scores) {
        groups[group].0 += score - mean;
        groups[group].1 += 1.0;
    }
    let mut random = Random::from_word(scores.len() as u64);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let (mut sum, mut games) = (0.0, 0.0);
            for _ in 0..groups.len() {
                let group = groups[random.below(groups.len() as u32) as usize];
                sum += group.0;
                games += group.1;
            }
            mean + sum / games
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    [quantile(&means, 0.025), quantile(&means, 0.975)]
}

/// How often a tile was made.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct TileRate {
    /// The tile's value.
    pub tile: u64,
    /// Games whose greatest tile it was.
    pub ended: u64,
    /// Games in which it or a greater one was made.
    pub reached: u64,
    /// The share of all games that reached it.
    pub rate: f64,
    /// The Wilson 95% interval of that share.
    pub ci95: [f64; 2],
}

fn tile_rates(games: &[GameResult], tiles: &[u64]) -> Vec<TileRate> {
    // ended[i]: games that made tile i and not tile i + 1. A value between two
    // listed tiles counts for the lower.
    let mut ended = vec![0u64; tiles.len()];
    for tile in games.iter().filter_map(|game| game.max_tile) {
        if let Some(index) = tiles.partition_point(|&t| t <= tile).checked_sub(1) {
            ended[index] += 1;
        }
    }
    let mut reached = 0;
    let mut rates: Vec<TileRate> = (tiles.iter().zip(ended).rev())
        .map(|(&tile, ended)| {
            reached += ended;
            let rate = reached as f64 / games.len().max(1) as f64;
            let ci95 = wilson(reached, games.len() as u64);
            TileRate { tile, ended, reached, rate, ci95 }
        })
        .filter(|rate| rate.reached > 0)
        .collect();
    rates.reverse();
    rates
}

/// The 97.5% quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The Wilson 95% interval of a rate; of no trial, everything.
pub fn wilson(successes: u64, trials: u64) -> [f64; 2] {
    if trials == 0 {
        return [0.0, 1.0];
    }
    let n = trials as f64;
    let p = successes as f64 / n;
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // The ends at 0 and 1 are exact; rounding must not show.
    [
        if successes == 0 { 0.0 } else { (centre - half) / scale },
        if successes == trials { 1.0 } else { (centre + half) / scale },
    ]
}

/// The 95% interval of the mean of few independent numbers, such as the results of
/// several training seeds: Student's t. One number has none.
pub fn student(numbers: &[f64]) -> Option<[f64; 2]> {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = t_quantile(numbers.len().checked_sub(1)?)? * (variance / n).sqrt();
    half.is_finite().then_some([mean - half, mean + half])
}

/// The 97.5% quantile of Student's t distribution.
fn t_quantile(freedom: usize) -> Option<f64> {
    const FEW: [f64; 10] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
        2.262_157, 2.228_139,
    ];
    match freedom {
        0 => None,
        1..=10 => Some(FEW[freedom - 1]),
        // Fisher's expansion, exact to 0.0002 here.
        _ => {
            let (n, z) = (freedom as f64, Z);
            let first = (z.powi(3) + z) / 4.0;
            let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
            let third = 3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z;
            Some(z + first / n + second / n.powi(2) + third / 384.0 / n.powi(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, score: f64, max_tile: Option<u64>) -> GameResult {
        GameResult { number, score, moves: 10, max_tile }
    }

    fn of_scores(scores: impl IntoIterator<Item = f64>) -> Results {
        scores.into_iter().zip(0..).map(|(score, number)| game(number, score, None)).collect()
    }

    /// Uniform numbers above 0 and up to 1.
    fn uniform(random: &mut Random) -> f64 {
        ((random.word() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn exponential(random: &mut Random) -> f64 {
        -uniform(random).ln()
    }

    #[test]
    fn quantiles_lie_between_the_two_neighbours_of_their_rank() {
        // 1 to 10: rank 0.1 * 9 = 0.9 lies between 1 and 2.
        let score = of_scores((1..=10).rev().map(f64::from)).summary(&[]).score;
        assert_eq!([score.min, score.max], [Some(1.0), Some(10.0)]);
        assert_eq!([score.median, score.p10, score.p90], [Some(5.5), Some(1.9), Some(9.1)]);
        assert_eq!(score.mean, Some(5.5));
    }

    #[test]
    fn no_game_says_nothing_and_one_game_has_no_interval() {
        let none = Results::default().summary(&[2, 4]);
        assert_eq!(none, Summary::default());
        let one = of_scores([7.0]).summary(&[2, 4]).score;
        let seven = Some(7.0);
        assert_eq!([one.mean, one.median, one.min, one.max, one.p10, one.p90], [seven; 6]);
        assert_eq!(one.ci95, None);
    }

    #[test]
    fn a_score_that_is_no_number_leaves_no_number_standing() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let summary = of_scores([1.0, bad, 3.0]).summary(&[]);
            assert_eq!((summary.games, summary.score), (3, Scores::default()));
        }
    }

    #[test]
    fn equal_scores_have_an_interval_of_no_width() {
        let score = of_scores([256.0; 100]).summary(&[]).score;
        assert_eq!(score.ci95, Some([256.0, 256.0]));
    }

    #[test]
    fn the_interval_is_the_normal_one_where_the_normal_is_right() {
        // Both without (1,000) and with groups (100,000, no multiple of 4,096).
        for n in [1_000, 100_000] {
            let mut random = Random::from_word(n);
            let scores: Vec<f64> = (0..n).map(|_| uniform(&mut random)).collect();
            let score = of_scores(scores).summary(&[]).score;
            let (mean, [low, high]) = (score.mean.unwrap(), score.ci95.unwrap());
            // A uniform number's standard deviation is 1/sqrt(12).
            let half = 1.96 / (12.0 * n as f64).sqrt();
            // 2,000 resamples know an end to 3% of the half width: three times that.
            assert!(((mean - low) / half - 1.0).abs() < 0.1, "{n}: {low} {mean} {high}");
            assert!(((high - mean) / half - 1.0).abs() < 0.1, "{n}: {low} {mean} {high}");
        }
    }

    #[test]
    fn nineteen_of_twenty_intervals_hold_the_true_mean() {
        // Exponential scores are as skewed as scores get (mean 1). Of 300
        // intervals 285 should hold it; percentile intervals of 100 such games
        // hold it in about 94%; the deviation of the count is 4.
        let mut random = Random::from_word(3);
        let held = (0..300)
            .filter(|_| {
                let scores: Vec<f64> = (0..100).map(|_| exponential(&mut random)).collect();
                let [low, high] = of_scores(scores).summary(&[]).score.ci95.unwrap();
                low <= 1.0 && 1.0 <= high
            })
            .count();
        assert!((268..=296).contains(&held), "{held} of 300");
    }

    #[test]
    fn a_skewed_score_has_a_longer_upper_side_with_and_without_groups() {
        // One score in 2,500 is 10,000 times the others'. The skewness of the mean
        // of 10,000 games is about 0.5 then, which no normal interval shows.
        for n in [2_500u32, 10_000] {
            let jackpots = |k: u32| if k.is_multiple_of(2_500) { 10_000.0 } else { 1.0 };
            let score = of_scores((0..n).map(jackpots)).summary(&[]).score;
            let (mean, [low, high]) = (score.mean.unwrap(), score.ci95.unwrap());
            assert!(high - mean > 1.2 * (mean - low), "{n}: {low} {mean} {high}");
        }
    }

    #[test]
    fn numbers_do_not_depend_on_the_order_of_the_games_or_on_the_cut() {
        let mut random = Random::from_word(4);
        let games: Vec<_> = (0..9_000)
            .map(|number| game(number, exponential(&mut random), Some(1 << random.below(5))))
            .collect();
        let tiles = [1, 2, 4, 8, 16];
        let whole: Results = games.iter().copied().collect();
        let (odd, even): (Vec<_>, Vec<_>) = games.iter().rev().partition(|g| g.number % 2 == 1);
        let mut merged: Results = odd.into_iter().collect();
        merged.merge(&even.into_iter().collect()).unwrap();
        assert_eq!(merged.summary(&tiles), whole.summary(&tiles));
        assert_eq!(
            games.iter().rev().copied().collect::<Results>().summary(&tiles),
            whole.summary(&tiles)
        );
    }

    #[test]
    fn a_game_in_both_sets_is_refused_and_changes_nothing() {
        let mut results: Results = (0..3).map(|n| game(n, 1.0, None)).collect();
        let before = results.clone();
        let other: Results = (2..5).map(|n| game(n, 1.0, None)).collect();
        assert_eq!(results.merge(&other), Err(Duplicate(2)));
        assert_eq!(results, before);
    }

    #[test]
    fn reached_counts_greater_tiles_and_ended_the_greatest_alone() {
        // 3072 lies between two tiles of the list, and one game has no tile.
        let greatest = [Some(2048), Some(1024), Some(3072), Some(512), None];
        let games: Results = greatest.into_iter().map(|tile| game(0, 0.0, tile)).collect();
        let rates = games.summary(&[256, 512, 1024, 2048, 4096]).tiles;
        let told: Vec<_> = rates.iter().map(|r| (r.tile, r.ended, r.reached, r.rate)).collect();
        assert_eq!(
            told,
            [(256, 0, 4, 0.8), (512, 1, 4, 0.8), (1024, 1, 3, 0.6), (2048, 2, 2, 0.4)],
        );
    }

    #[test]
    fn wilson_intervals_are_those_of_the_textbook() {
        // 8 of 10 (Wilson 1927 by any calculator): 0.4902 to 0.9433.
        let [low, high] = wilson(8, 10);
        assert!((low - 0.4902).abs() < 5e-5 && (high - 0.9433).abs() < 5e-5, "{low} {high}");
        // None of 10: the upper end is z^2 / (n + z^2).
        assert_eq!(wilson(0, 10)[0], 0.0);
        assert!((wilson(0, 10)[1] - 3.8415 / 13.8415).abs() < 1e-4);
        assert_eq!(wilson(10, 10)[1], 1.0);
        assert_eq!(wilson(0, 0), [0.0, 1.0]);
    }

    #[test]
    fn few_numbers_have_the_interval_of_student() {
        assert_eq!(student(&[]), None);
        assert_eq!(student(&[3.0]), None);
        // Mean 3, standard deviation sqrt(2.5), 4 degrees of freedom.
        let [low, high] = student(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let half = 2.776_445 * (2.5f64 / 5.0).sqrt();
        assert!((low - (3.0 - half)).abs() < 1e-9 && (high - (3.0 + half)).abs() < 1e-9);
        assert_eq!(student(&[2.0, 2.0]), Some([2.0, 2.0]));
        // The textbook's: 11, 20 and 60 degrees of freedom.
        for (freedom, t) in [(11, 2.200_985), (20, 2.085_963), (60, 2.000_298)] {
            assert!((t_quantile(freedom).unwrap() - t).abs() < 0.0002, "{freedom}");
        }
        assert_eq!(student(&[1.0, f64::NAN]), None);
    }
}
