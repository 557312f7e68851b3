//! Plots of the results of players: their scores, the tiles that they reach, and their speed.

use super::{Curves, Mark, Marks, Plot, TickLabels};
use runner_spec::quantity::{grouped, move_time};
use runner_stats::{FEWEST_GAMES, Scores, TileRate, informative_tiles};
use std::collections::BTreeSet;

const POINTS: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct PlayerResults {
    /// Name in the legend.
    pub name: String,
    /// Number of games with a score.
    pub games: u64,
    /// The sorted scores; of several trainings, those of each.
    pub scores: Vec<Vec<f64>>,
    pub score: Scores,
    /// Tiles up to the largest that was reached.
    pub tiles: Vec<TileRate>,
    /// Mean time per move of a thread in seconds.
    pub seconds_per_move: Option<f64>,
}

impl PlayerResults {
    /// Returns the figures that charts show.
    pub fn figures(&self) -> impl Iterator<Item = f64> {
        let score = self.score.mean.into_iter().chain(self.score.ci95.into_iter().flatten());
        let tiles = self.tiles.iter().flat_map(|tile| [tile.rate, tile.ci95[0], tile.ci95[1]]);
        self.scores.iter().flatten().copied().chain(score).chain(tiles).chain(self.seconds_per_move)
    }
}

/// Plots the shares of games that score at least a score.
pub fn scores(players: &[PlayerResults]) -> Plot {
    let line = |scores: &Vec<f64>| {
        let points = POINTS.min(scores.len());
        let point = |i: usize| {
            let index = if points > 1 { i * (scores.len() - 1) / (points - 1) } else { 0 };
            (scores[index], 100.0 * (scores.len() - index) as f64 / scores.len() as f64)
        };
        let start = scores.first().map(|least| (least.min(0.0), 100.0));
        start.into_iter().chain((0..points).map(point)).collect()
    };
    let curve = |player: &PlayerResults| {
        Curves::new(&*player.name, player.scores.iter().map(line).collect()).at_most(100.0)
    };
    let mut title = vec!["Games that score at least this much".to_owned()];
    if players.iter().any(|player| player.scores.len() > 1) {
        title.push("Of several seeds: the mean and its 95% interval".into());
    }
    Plot {
        title,
        x: "score in points".into(),
        y: "share of games".into(),
        y_unit: "%",
        curves: players.iter().map(curve).collect(),
        ..Plot::default()
    }
}

/// Plots the rates of tiles with their intervals.
pub fn tiles(players: &[PlayerResults]) -> Plot {
    let shown = |player: &PlayerResults| informative_tiles(&player.tiles, player.games).to_vec();
    let all: BTreeSet<_> = players.iter().flat_map(shown).map(|tile| tile.tile).collect();
    let marks = |player: &PlayerResults| {
        let mark = |tile: TileRate| Mark {
            x: all.range(..tile.tile).count() as f64,
            y: 100.0 * tile.rate,
            interval: Some(tile.ci95.map(|end| 100.0 * end)),
        };
        Marks::new(&*player.name, shown(player).into_iter().map(mark).collect())
    };
    Plot {
        title: vec!["Games that reach a tile, with 95% intervals".into()],
        x: "tile".into(),
        y: "share of games".into(),
        y_unit: "%",
        marks: players.iter().map(marks).collect(),
        x_label: Some(TickLabels::names(all.iter().map(|&tile| grouped(tile)).collect())),
        ..Plot::default()
    }
}

/// Plots mean scores against the time per move.
pub fn speed(players: &[PlayerResults]) -> Plot {
    let mark = |player: &PlayerResults| {
        let known = player.seconds_per_move.filter(|&mean| mean > 0.0).zip(player.score.mean);
        let interval = player.score.ci95.filter(|_| player.games >= FEWEST_GAMES);
        let mark = |(time, y): (f64, f64)| Mark { x: time.log10(), y, interval };
        Marks::new(&*player.name, known.map(mark).into_iter().collect())
    };
    Plot {
        title: vec!["Mean score with its 95% interval, against the time per move".into()],
        x: "time per move".into(),
        y: "mean score in points".into(),
        marks: players.iter().map(mark).collect(),
        x_label: Some(TickLabels::At(|x| move_time(10f64.powf(x)))),
        in_place: true,
        ..Plot::default()
    }
}
