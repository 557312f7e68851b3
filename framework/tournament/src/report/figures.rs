//! The figures of a tournament. Serialised, they are `report.json`.

use super::run::ReportRun;
use crate::definition::Tournament;
use crate::finished::{Finished, Games, faults};
use crate::resolved::BuiltTournament;
use runner_core::Game;
use runner_play::failure::Failure;
use runner_play::faults::Cause;
use runner_play::inputs::Inputs;
use runner_spec::quantity::{Count, PositiveTime, counted};
use runner_stats::{
    LessLuck, Maximum, MeanDifference, MoveTimes, PlayerScores, Rating, Results, Scores,
    Superiority, TileRate, ratings,
};
use serde::Serialize;
use std::cmp::Ordering;
use std::sync::OnceLock;

#[derive(Clone, Debug, Serialize)]
pub struct TournamentReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub seed: u64,
    /// Number of games of each agent in each game.
    pub rounds: u64,
    /// Maximum number of moves of a game.
    pub move_limit: Option<u64>,
    /// Maximum time of a game in seconds.
    pub game_time: Option<f64>,
    /// Label of the agent whose rating is set to 0, if one is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// True if no game is missing.
    pub complete: bool,
    pub run: ReportRun,
    /// The files, such as models, and the plugins that the results depend on.
    pub inputs: Inputs,
    /// The agents of the first game in the order of their ranks, then those of the next game.
    pub rows: Vec<PlayerRow>,
    /// Every two agents in each game, each pair once.
    pub pairs: Vec<Pair>,
    /// The agents over all games, the best first.
    pub ratings: Vec<RatedAgent>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PlayerRow {
    pub game: String,
    pub agent: String,
    pub spec: String,
    /// Rank by `mean_with_forfeits`, from 1. Agents with equal means have the same rank; one
    /// without games has none.
    pub rank: Option<u64>,
    /// Number of games with a score.
    pub games: u64,
    /// Number of forfeited games, which are not among `games`.
    pub faults: u64,
    /// Why games were forfeited, by kind, the most frequent first.
    pub causes: Vec<Cause>,
    pub moves: u64,
    /// Moves per second of one thread.
    pub moves_per_second: Option<f64>,
    pub seconds_per_move: MoveTime,
    /// Distribution of the scores of the games that have one.
    pub score: Scores,
    /// The mean of scores less luck, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub less_luck: Option<LessLuck>,
    /// Mean score of all games, where a forfeited one counts 0, or the lowest score of the others
    /// if that is below 0.
    pub mean_with_forfeits: Option<f64>,
    /// Mean of the maxima of each hundred games.
    pub maximum: Option<Maximum>,
    /// Tiles up to the largest that was reached, with their rates in all games.
    pub tiles: Vec<TileRate>,
    /// The scores of the games that have one, ascending.
    #[serde(skip)]
    pub scores: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct MoveTime {
    /// In seconds, like `p99`.
    pub mean: Option<f64>,
    /// 99th percentile over the moves that were timed.
    pub p99: Option<f64>,
    pub timed: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    pub game: String,
    pub a: String,
    pub b: String,
    /// Probability that a game of A scores more than one of B; equal scores count half, and a
    /// forfeited game is lost.
    pub p_a_wins: f64,
    pub ci95: [f64; 2],
    /// The mean score of A less that of B; `None` if one of them has fewer than two scores.
    pub difference: Option<MeanDifference>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RatedAgent {
    pub agent: String,
    /// Rank by rating, from 1.
    pub rank: u64,
    #[serde(flatten)]
    pub rating: Rating,
}

impl TournamentReport {
    pub fn new(built: &BuiltTournament, games: &Games, complete: bool, run: ReportRun) -> Self {
        let cells: Vec<OnceLock<PlayerRow>> = games.iter().map(|_| OnceLock::new()).collect();
        built.threads.for_each(games.len(), &|cell| {
            // `set` cannot fail: the task of each cell runs once.
            let _ = cells[cell].set(row(built, cell, &games[cell]));
        });
        let mut rows: Vec<_> = cells.into_iter().filter_map(OnceLock::into_inner).collect();
        // The scores of each cell: before they are ranked, rows are in the order of the cells.
        let all_scores: Vec<_> = rows.iter().map(scores_with_forfeits).collect();
        let pairs = pairs(built, &rows, &all_scores);
        let ratings = rated_agents(built, &all_scores);
        rank(&mut rows);
        let tournament = &built.tournament;
        Self {
            title: tournament.title.clone(),
            seed: tournament.seed(),
            rounds: tournament.rounds(),
            move_limit: tournament.move_limit.map(Count::get),
            game_time: tournament.game_time.map(|time| PositiveTime::get(time).as_secs_f64()),
            anchor: tournament.anchor.clone(),
            complete,
            run,
            inputs: tournament.inputs.clone(),
            rows,
            pairs,
            ratings,
        }
    }

    pub fn games(&self) -> Vec<&str> {
        let mut games: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !games.contains(&row.game.as_str()) {
                games.push(&row.game);
            }
        }
        games
    }

    pub fn rows_of(&self, game: &str) -> impl Iterator<Item = &PlayerRow> + Clone {
        self.rows.iter().filter(move |row| row.game == game)
    }

    pub fn faults(&self) -> u64 {
        self.rows.iter().map(|row| row.faults).sum()
    }

    /// Fails if an agent forfeited all its games of a game.
    pub fn refuse_forfeits(&self) -> Result<(), Failure> {
        for PlayerRow { game, agent, games, faults, causes, .. } in &self.rows {
            if *games == 0 && *faults > 0 {
                let cause = causes.first().map_or("", |cause| &cause.message);
                let all = counted(*faults, "game");
                return Err(Failure::failed(format!(
                    "`{agent}` forfeited all {all} of {game}: {cause}; `runner plugins doctor` \
                     examines plugins"
                )));
            }
        }
        Ok(())
    }
}

impl PlayerRow {
    /// Returns the number of all games, forfeited ones included.
    pub fn all_games(&self) -> u64 {
        self.games + self.faults
    }
}

/// Returns the scores of all games, ascending. A forfeited game has the score -∞, and so loses
/// against every other.
fn scores_with_forfeits(row: &PlayerRow) -> Vec<f64> {
    let forfeited = (0..row.faults).map(|_| f64::NEG_INFINITY);
    forfeited.chain(row.scores.iter().copied()).collect()
}

fn row(built: &BuiltTournament, cell: usize, games: &[Finished]) -> PlayerRow {
    let [game, agent] = built.labels(cell);
    let description = built.cells[cell].game.rules.description();
    let results: Results = games.iter().filter_map(Finished::result).collect();
    let faults = faults(games);
    let summary = results.summary(&description.tiles, faults.count());
    let score = summary.score;
    let mut scores = results.scores();
    let maximum = Maximum::of(&scores);
    scores.sort_unstable_by(f64::total_cmp);
    let seconds: f64 = games.iter().filter(|g| g.fault.is_none()).map(|game| game.seconds).sum();
    PlayerRow {
        game: game.to_owned(),
        agent: agent.to_owned(),
        spec: built.tournament.players[cell].spec.to_string(),
        rank: None,
        games: summary.games,
        faults: faults.count(),
        mean_with_forfeits: mean_with_forfeits(
            score.mean.unwrap_or_default(),
            score.min.unwrap_or_default(),
            summary.games,
            faults.count(),
        ),
        causes: faults.into_causes(),
        moves: summary.moves,
        moves_per_second: (seconds > 0.0).then(|| summary.moves as f64 / seconds),
        seconds_per_move: move_time(games, summary.moves, seconds),
        score,
        less_luck: results.less_luck(),
        maximum,
        tiles: summary.tiles,
        scores,
    }
}

fn move_time(games: &[Finished], moves: u64, seconds: f64) -> MoveTime {
    let mut times = MoveTimes::default();
    games.iter().filter_map(|game| game.move_times.as_deref()).for_each(|game| times.merge(game));
    MoveTime {
        mean: (moves > 0).then(|| seconds / moves as f64),
        p99: times.quantile(0.99),
        timed: times.moves(),
    }
}

/// Returns the mean that ranks an agent: a forfeited game counts 0, or the minimum of the scores if
/// that is below 0. `mean` and `min` are those of the `scored` games. Returns `None` without games.
fn mean_with_forfeits(mean: f64, min: f64, scored: u64, forfeited: u64) -> Option<f64> {
    if scored == 0 {
        return (forfeited > 0).then_some(0.0);
    }
    let share = forfeited as f64 / (scored + forfeited) as f64;
    Some(mean * (1.0 - share) + min.min(0.0) * share)
}

/// Orders two agents by their means with forfeits: the larger one first, and one without games
/// last.
fn better_mean_first(a: Option<f64>, b: Option<f64>) -> Ordering {
    let [a, b] = [a, b].map(|mean| mean.unwrap_or(f64::NEG_INFINITY));
    b.total_cmp(&a)
}

/// Orders the rows of each game by `mean_with_forfeits`, and numbers them.
fn rank(rows: &mut [PlayerRow]) {
    for game in rows.chunk_by_mut(|a, b| a.game == b.game) {
        game.sort_by(|a, b| better_mean_first(a.mean_with_forfeits, b.mean_with_forfeits));
        let (mut rank, mut last) = (0, None);
        for (number, row) in (1..).zip(game) {
            // Rows with equal means have the rank of the first of them.
            if row.mean_with_forfeits != last {
                (rank, last) = (number, row.mean_with_forfeits);
            }
            row.rank = row.mean_with_forfeits.map(|_| rank);
        }
    }
}

fn pairs(built: &BuiltTournament, rows: &[PlayerRow], all_scores: &[Vec<f64>]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for a in 0..all_scores.len() {
        for b in a + 1..all_scores.len() {
            let [game, label_a] = built.labels(a);
            let [game_of_b, label_b] = built.labels(b);
            if game != game_of_b {
                continue;
            }
            let Some(compared) = Superiority::of(&all_scores[a], &all_scores[b]) else { continue };
            pairs.push(Pair {
                game: game.to_owned(),
                a: label_a.to_owned(),
                b: label_b.to_owned(),
                p_a_wins: compared.p,
                ci95: compared.ci95,
                difference: MeanDifference::of(&rows[a].scores, &rows[b].scores),
            });
        }
    }
    pairs
}

fn rated_agents(built: &BuiltTournament, all_scores: &[Vec<f64>]) -> Vec<RatedAgent> {
    let mut samples = Vec::new();
    for (cell, scores) in all_scores.iter().enumerate() {
        let [game, player] = built.game_and_agent(cell);
        samples.push(PlayerScores { game, player, scores });
    }
    let Tournament { agents, anchor, .. } = &built.tournament;
    let anchor_index = agents.iter().position(|agent| Some(&agent.label) == anchor.as_ref());
    let ratings = ratings(&samples, agents.len(), anchor_index);
    let mut rated: Vec<_> = agents.iter().zip(ratings).collect();
    rated.sort_by(|(_, a), (_, b)| b.rating.total_cmp(&a.rating));
    let mut ranked = Vec::new();
    for (rank, (agent, rating)) in (1..).zip(rated) {
        ranked.push(RatedAgent { agent: agent.label.clone(), rank, rating });
    }
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forfeited_game_never_raises_the_mean_that_ranks() {
        assert_eq!(mean_with_forfeits(100.0, 10.0, 5, 0), Some(100.0));
        assert_eq!(mean_with_forfeits(100.0, 10.0, 5, 5), Some(50.0));
        assert_eq!(mean_with_forfeits(-2.0, -8.0, 3, 1), Some(-3.5));
        assert_eq!(mean_with_forfeits(0.0, f64::INFINITY, 0, 9), Some(0.0));
        assert_eq!(mean_with_forfeits(0.0, f64::INFINITY, 0, 0), None);
        let mut means = [Some(-2.0), None, Some(3.0)];
        means.sort_by(|&a, &b| better_mean_first(a, b));
        assert_eq!(means, [Some(3.0), Some(-2.0), None]);
    }
}
