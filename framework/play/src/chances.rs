//! The chances of the next large tiles for a player, from a table that was fitted to its games.
//!
//! The chance of a tile is 1 / (1 + exp(-(intercept + slope · ln r))). The ratio r is the number
//! of points that the player expects to come, divided by the points that are missing for the tile.

use crate::grades::points;
use runner_core::geometry::Geometry;
use runner_core::{Analysis, State};
use serde::Serialize;

/// Number of tiles whose chances are given.
const TILES: usize = 2;

/// The fits for the tiles of a player in a game, in ascending order of the tiles.
#[derive(Clone, Debug, Default)]
pub struct Chances(Vec<TileFit>);

/// The logistic function of one tile.
#[derive(Clone, Copy, Debug)]
pub struct TileFit {
    pub tile: u64,
    /// Log odds at a ratio of 1.
    pub intercept: f64,
    /// Growth of the log odds with the logarithm of the ratio.
    pub slope: f64,
}

/// The chance that a tile is reached before the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Chance {
    pub tile: u64,
    /// From 0 to 1.
    pub chance: f64,
}

impl Chance {
    /// Returns the chance as text. Those near 0 and 1 are cut off: the fit is not exact there.
    pub fn percent(self) -> String {
        match self.chance {
            ..0.01 => "below 1%".into(),
            0.99.. => "above 99%".into(),
            chance => format!("{:.0}%", 100.0 * chance),
        }
    }
}

impl TileFit {
    pub fn chance(self, log_ratio: f64) -> f64 {
        1.0 / (1.0 + (-self.intercept - self.slope * log_ratio).exp())
    }
}

impl Chances {
    /// Returns the fits of a player from a table of many players. Its columns, between tabs, are
    /// game, player, tile, intercept and slope. The tiles of a player are ascending.
    ///
    /// # Panics
    ///
    /// If a number of the table is malformed. The table is a part of the program.
    pub fn of(table: &str, game: &str, player: &str) -> Self {
        let mut fits = Vec::new();
        for line in table.lines() {
            let columns: Vec<_> = line.split('\t').collect();
            if let [of_game, of_player, tile, intercept, slope] = columns[..]
                && (of_game, of_player) == (game, player)
            {
                let number = |text: &str| text.parse().expect("the table holds numbers");
                let tile = tile.parse().expect("the table holds tiles");
                fits.push(TileFit { tile, intercept: number(intercept), slope: number(slope) });
            }
        }
        Self(fits)
    }

    /// Returns the chances of the next tiles of the table, the lowest first. There are none if the
    /// player's values are not points.
    pub fn at(&self, board: Option<&Geometry>, state: State, analysis: &Analysis) -> Vec<Chance> {
        let (Some(board), Some(to_come)) = (board, points(analysis)) else { return Vec::new() };
        let mut chance = 1.0_f64;
        let mut chances = Vec::new();
        for (tile, log_ratio) in next(board, state, to_come, self.0.iter().map(|fit| fit.tile)) {
            let fit = self.0.iter().find(|fit| fit.tile == tile);
            // A tile is made of the one before, so it cannot be more likely.
            chance = chance.min(fit.map_or(0.0, |fit| fit.chance(log_ratio)));
            chances.push(Chance { tile, chance });
        }
        chances
    }
}

/// Returns the next of `tiles` above the largest on the board, each with its ln r.
pub fn next(
    board: &Geometry,
    state: State,
    to_come: f64,
    tiles: impl Iterator<Item = u64>,
) -> impl Iterator<Item = (u64, f64)> {
    let cells = (0..board.cells()).map(|cell| usize::from(board.rank(state.bits(), cell)));
    let on_board: Vec<_> = cells.filter_map(|rank| board.values.get(rank).copied()).collect();
    // In 2048, this is about the number of points of the merges that make a tile.
    let points_of = |tile: u64| tile as f64 * (tile.max(1) as f64).log2();
    let done: f64 = on_board.iter().copied().map(points_of).sum();
    let largest = on_board.into_iter().max().unwrap_or(0);
    tiles.filter(move |&tile| tile > largest).take(TILES).map(move |tile| {
        // At least the last merge is missing.
        let missing = (points_of(tile) - done).max(tile as f64);
        (tile, (to_come.max(1.0) / missing).ln())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::{Action, Game, ValueScale};

    const TABLE: &str = "# game\tplayer\ttile\tintercept\tslope\n2048\ta\t1024\t0\t2\n2048\ta\t2048\t1\t2\n\
                         2048\ta\t4096\t-2\t2\n2048\tb\t2048\t1\t1\n2048\tb\t4096\t3\t1\n";

    #[test]
    fn chances_are_those_of_the_next_tiles_of_the_player() {
        let game = game_2048::Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref();
        let at = |player: &str, text: &str, value: f32, scale: ValueScale| {
            let (action_values, facts) = (vec![(Action(0), value)], vec![scale.unit()]);
            let analysis = Analysis { choice: Some(Action(0)), action_values, facts };
            let chances = Chances::of(TABLE, "2048", player);
            let found = chances.at(board, game.parse(text).unwrap(), &analysis);
            found.iter().map(|one| (one.tile, one.percent())).collect::<Vec<_>>()
        };
        let of = |tile, text: &str| (tile, text.to_owned());
        let points = ValueScale::Points;
        // 512 x 9 of 1024 x 10 are done: 5,632 points are a ratio of 1, and of 2048 x 11 17,920.
        let half = "512,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0";
        assert_eq!(at("a", half, 5632.0, points), [of(1024, "50%"), of(2048, "21%")]);
        // The odds grow by the square of the ratio.
        assert_eq!(at("a", half, 11264.0, points), [of(1024, "80%"), of(2048, "52%")]);
        assert_eq!(at("a", half, 0.0, points)[0], of(1024, "below 1%"));
        assert_eq!(at("a", half, 1e9, points)[1], of(2048, "above 99%"));
        // The last merge of two halves is missing.
        let halves = "512,512,512,512/0,0,0,0/0,0,0,0/0,0,0,0";
        assert_eq!(at("a", halves, 1024.0, points)[0], of(1024, "50%"));
        // By its own function, 4096 had 89%.
        assert_eq!(at("b", half, 17920.0, points), [of(2048, "73%"), of(4096, "73%")]);
        assert_eq!(at("a", "4096,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0", 1.0, points), []);
        assert_eq!(at("c", half, 1.0, points), []);
        assert_eq!(at("a", half, 1.0, ValueScale::Rating { min: 0.0, max: 1.0 }), []);
    }
}
