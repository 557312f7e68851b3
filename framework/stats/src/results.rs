//! Finished games and their statistics.

use crate::intervals::{self, FEWEST_GAMES, wilson};
use crate::moments::Moments;
use crate::quantile;
use crate::regression::Regression;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameResult {
    /// Number of the game in its run, which selects its random stream.
    pub number: u64,
    pub score: f64,
    pub moves: u64,
    /// Max tile of the last position, if the game has tiles.
    pub max_tile: Option<u64>,
    /// Luck of its chance events in points, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<f64>,
}

/// The games of a run, in any order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Results {
    games: Vec<GameResult>,
}

impl Results {
    pub fn push(&mut self, game: GameResult) {
        self.games.push(game);
    }

    pub fn games(&self) -> &[GameResult] {
        &self.games
    }

    /// Returns the scores in the order of the games' numbers.
    pub fn scores(&self) -> Vec<f64> {
        let mut scores: Vec<_> = self.games.iter().map(|game| (game.number, game.score)).collect();
        scores.sort_by_key(|&(number, _)| number);
        scores.into_iter().map(|(_, score)| score).collect()
    }

    /// Returns the statistics of scores less luck; `None` if the luck of a game was not measured,
    /// or for fewer than [`FEWEST_GAMES`] games.
    ///
    /// The luck of each game is multiplied by the coefficient that the other games estimate.
    /// Because a game has no part in its own coefficient, the mean is unbiased.
    pub fn less_luck(&self) -> Option<LessLuck> {
        if (self.games.len() as u64) < FEWEST_GAMES {
            return None;
        }
        let mut numbered = Vec::new();
        for game in &self.games {
            numbered.push((game.number, game.score, game.luck?));
        }
        numbered.sort_by_key(|&(number, ..)| number);
        let mut regression = Regression::default();
        for &(_, score, luck) in &numbered {
            regression.push(score, luck);
        }
        let (mut raw, mut adjusted, mut scores) = (Moments::default(), Moments::default(), vec![]);
        for &(_, score, luck) in &numbered {
            let less_luck = score - regression.coefficient_without(score, luck) * luck;
            raw.push(score);
            adjusted.push(less_luck);
            scores.push(less_luck);
        }
        let Scores { mean, ci95, .. } = Scores::of(&scores);
        let saving = raw.variance() / adjusted.variance();
        Some(LessLuck {
            mean,
            ci95,
            coefficient: regression.coefficient(),
            saving: Some(saving).filter(|saving| saving.is_finite()),
        })
    }

    /// Returns the statistics of the games. `tiles` are those of the game's description, ascending;
    /// `forfeited` is the number of further games, without a score, that ended in a fault.
    pub fn summary(&self, tiles: &[u64], forfeited: u64) -> ScoreSummary {
        ScoreSummary {
            games: self.games.len() as u64,
            moves: self.games.iter().map(|game| game.moves).sum(),
            score: Scores::of(&self.scores()),
            tiles: tile_rates(&self.games, tiles, forfeited),
        }
    }
}

impl FromIterator<GameResult> for Results {
    fn from_iter<I: IntoIterator<Item = GameResult>>(games: I) -> Self {
        Self { games: games.into_iter().collect() }
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ScoreSummary {
    /// Number of games with a score.
    pub games: u64,
    pub moves: u64,
    pub score: Scores,
    /// Tiles up to the largest that was reached, ascending. The rates are over all games; a
    /// forfeited game reached no tile.
    pub tiles: Vec<TileRate>,
}

/// The mean of scores less luck: an unbiased estimate of the mean score.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct LessLuck {
    pub mean: Option<f64>,
    /// 95% interval of the mean, as in [`Scores`].
    pub ci95: Option<[f64; 2]>,
    /// The points that a point of luck is worth to the player, as all games estimate it.
    pub coefficient: f64,
    /// Number of games that the mean score needs for an equal interval, for each of these games;
    /// `None` if the scores less luck are all equal.
    pub saving: Option<f64>,
}

/// The distribution of scores. All fields are `None` if there is no game, or if a score is not
/// finite: then the game is faulty.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Scores {
    pub mean: Option<f64>,
    /// 95% interval of the mean; the range of the scores of fewer than [`FEWEST_GAMES`] games,
    /// which are too few for an interval.
    pub ci95: Option<[f64; 2]>,
    pub median: Option<f64>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub p10: Option<f64>,
    pub p90: Option<f64>,
}

impl Scores {
    /// Returns the distribution of scores, given in the order of their games.
    fn of(scores: &[f64]) -> Self {
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        // The mean of no scores, or of one that is not finite, is not finite.
        if !mean.is_finite() {
            return Self::default();
        }
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Self {
            mean: Some(mean),
            ci95: Some(if (scores.len() as u64) < FEWEST_GAMES {
                [sorted[0], sorted[sorted.len() - 1]]
            } else {
                intervals::of_scores(scores, mean)
            }),
            median: Some(quantile(&sorted, 0.5)),
            min: sorted.first().copied(),
            max: sorted.last().copied(),
            p10: Some(quantile(&sorted, 0.1)),
            p90: Some(quantile(&sorted, 0.9)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct TileRate {
    pub tile: u64,
    /// Number of games whose max tile it was.
    pub ended: u64,
    /// Number of games whose max tile was at least this tile.
    pub reached: u64,
    /// Share of all games that reached it, forfeited ones included.
    pub rate: f64,
    /// Wilson 95% interval of the share.
    pub ci95: [f64; 2],
}

impl TileRate {
    pub fn new(tile: u64, ended: u64, reached: u64, games: u64) -> Self {
        let rate = reached as f64 / games.max(1) as f64;
        Self { tile, ended, reached, rate, ci95: wilson(reached, games) }
    }
}

/// Returns the largest tile that all games with a score reached, and all larger tiles: the smaller
/// ones say nothing. `games` is the number of games with a score.
pub fn informative_tiles(tiles: &[TileRate], games: u64) -> &[TileRate] {
    let certain = tiles.iter().rposition(|tile| tile.reached == games);
    &tiles[certain.unwrap_or(0)..]
}

fn tile_rates(games: &[GameResult], tiles: &[u64], forfeited: u64) -> Vec<TileRate> {
    let all = games.len() as u64 + forfeited;
    // ended[i]: games that reached tile i and not tile i + 1. A max tile between two listed
    // tiles counts as the lower one.
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
            TileRate::new(tile, ended, reached, all)
        })
        .filter(|rate| rate.reached > 0)
        .collect();
    rates.reverse();
    rates
}

/// The mean scores less luck of batches of games, for a [`Comparison`](crate::Comparison).
///
/// The games of the batches before estimate the coefficient. So it does not depend on the games
/// whose luck it multiplies, and each mean is an unbiased one whatever came before, as a
/// sequential test needs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BatchesLessLuck(Regression);

impl BatchesLessLuck {
    /// Adds a batch, and returns its mean score less luck; its mean score if no luck was measured.
    pub fn push(&mut self, batch: &[GameResult]) -> f64 {
        let coefficient = self.0.coefficient();
        let mut sum = 0.0;
        for game in batch {
            let luck = game.luck.unwrap_or(0.0);
            sum += game.score - coefficient * luck;
            self.0.push(game.score, luck);
        }
        sum / batch.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RealGames, exponential};
    use runner_core::Random;

    fn game(number: u64, score: f64, max_tile: Option<u64>) -> GameResult {
        GameResult { number, score, moves: 10, max_tile, luck: None }
    }

    fn of_scores(scores: impl IntoIterator<Item = f64>) -> Results {
        scores.into_iter().zip(0..).map(|(score, number)| game(number, score, None)).collect()
    }

    #[test]
    fn quantiles_are_interpolated_between_ranks() {
        // 1 to 10: rank 0.1 * 9 = 0.9 lies between 1 and 2.
        let score = of_scores((1..=10).rev().map(f64::from)).summary(&[], 0).score;
        assert_eq!([score.min, score.max], [Some(1.0), Some(10.0)]);
        assert_eq!([score.median, score.p10, score.p90], [Some(5.5), Some(1.9), Some(9.1)]);
        assert_eq!(score.mean, Some(5.5));
    }

    #[test]
    fn no_game_has_no_statistics() {
        let none = Results::default().summary(&[2, 4], 0);
        assert_eq!(none, ScoreSummary::default());
        let one = of_scores([7.0]).summary(&[2, 4], 0).score;
        let seven = Some(7.0);
        assert_eq!([one.mean, one.median, one.min, one.max, one.p10, one.p90], [seven; 6]);
        assert_eq!(one.ci95, Some([7.0, 7.0]));
    }

    #[test]
    fn score_that_is_not_finite_leaves_no_statistics() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let summary = of_scores([1.0, bad, 3.0]).summary(&[], 0);
            assert_eq!((summary.games, summary.score), (3, Scores::default()));
        }
    }

    #[test]
    fn fewer_than_ten_games_have_the_range_of_their_scores() {
        let scores = [488_000.0, 12.0, 350.5, 7.0, 9.0, 9.0, 9.0, 9.0, 9.0];
        assert_eq!(of_scores(scores).summary(&[], 0).score.ci95, Some([7.0, 488_000.0]));
        let ten = of_scores([&scores[..], &[9.0]].concat()).summary(&[], 0).score;
        assert!(ten.ci95.unwrap()[0] == 0.0 && ten.ci95.unwrap()[1] < 488_000.0, "{ten:?}");
    }

    #[test]
    fn statistics_do_not_depend_on_the_order_of_the_games() {
        let mut random = Random::from_word(4);
        let games: Vec<_> = (0..9_000)
            .map(|number| game(number, exponential(&mut random), Some(1 << random.below(5))))
            .collect();
        let tiles = [1, 2, 4, 8, 16];
        let whole: Results = games.iter().copied().collect();
        let (odd, even): (Vec<_>, Vec<_>) = games.iter().rev().partition(|g| g.number % 2 == 1);
        let mixed: Results = odd.into_iter().chain(even).collect();
        assert_eq!(mixed.summary(&tiles, 0), whole.summary(&tiles, 0));
    }

    /// The figures of the guide (`luck.md`).
    #[test]
    fn intervals_less_luck_contain_the_mean_in_93_to_97_percent_and_are_not_wider() {
        const REPETITIONS: u32 = 2000;
        for player in ["trained", "rows"] {
            let real = RealGames::of(player);
            let mean = real.mean();
            for games in [30, 100, 300] {
                let mut random = Random::from_word(games);
                let (mut contained, mut width, mut plain_width) = (0, 0.0, 0.0);
                for _ in 0..REPETITIONS {
                    let results: Results = (0..games)
                        .map(|number| GameResult { number, ..real.draw(&mut random) })
                        .collect();
                    let [low, high] = results.less_luck().unwrap().ci95.unwrap();
                    contained += u32::from(low <= mean && mean <= high);
                    width += high - low;
                    let [low, high] = results.summary(&[], 0).score.ci95.unwrap();
                    plain_width += high - low;
                }
                let percent = 100.0 * f64::from(contained) / f64::from(REPETITIONS);
                let width = width / plain_width;
                println!("{player}, {games} games: {percent:.1}%, {width:.3} of the width");
                assert!((93.0..=97.0).contains(&percent), "{player}, {games} games: {percent}%");
                assert!(width < 1.05, "{player}, {games} games: {width} of the width");
            }
        }
    }

    #[test]
    fn reached_counts_larger_tiles_and_ended_only_the_max_tile() {
        // 3072 is between two listed tiles, and one game has no tile.
        let max_tiles = [Some(2048), Some(1024), Some(3072), Some(512), None];
        let games: Results = max_tiles.into_iter().map(|tile| game(0, 0.0, tile)).collect();
        let rates = games.summary(&[256, 512, 1024, 2048, 4096], 0).tiles;
        let rates: Vec<_> = rates.iter().map(|r| (r.tile, r.ended, r.reached, r.rate)).collect();
        assert_eq!(
            rates,
            [(256, 0, 4, 0.8), (512, 1, 4, 0.8), (1024, 1, 3, 0.6), (2048, 2, 2, 0.4)],
        );
        // Five forfeited games reached no tile: 4 of 10 games reached 512.
        let of_all = games.summary(&[512], 5).tiles;
        assert_eq!(of_all, [TileRate::new(512, 4, 4, 10)]);
    }
}
