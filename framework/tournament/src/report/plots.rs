//! The plots of the page.

use super::figures::{Report, Row};
use runner_plot::results::{PlayerResults, scores, speed, tiles};
use runner_plot::{Format, Plot, color_of};
use std::error::Error;

/// Returns the agents of a game that are in its plots, each with its color.
pub fn legend<'a>(report: &'a Report, game: &str) -> Vec<(&'a str, String)> {
    let agents = rows(report, game).into_iter().enumerate();
    agents.map(|(index, row)| (row.agent.as_str(), color_of(index))).collect()
}

/// Returns the agents of a game that have a score.
fn rows<'a>(report: &'a Report, game: &str) -> Vec<&'a Row> {
    report.rows_of(game).filter(|row| !row.scores.is_empty()).collect()
}

/// Returns the plots of a game as SVG.
pub fn of_game(report: &Report, game: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let players = |row: &&Row| PlayerResults {
        name: row.agent.clone(),
        games: row.games,
        scores: row.scores.clone(),
        score: row.score,
        tiles: row.tiles.clone(),
        seconds_per_move: row.seconds_per_move.mean,
    };
    let players: Vec<_> = rows(report, game).iter().map(players).collect();
    let mut plots = Vec::new();
    if !players.is_empty() {
        plots.push(scores(&players));
    }
    if players.iter().any(|player| !player.tiles.is_empty()) {
        plots.push(tiles(&players));
    }
    if players.iter().any(|player| player.seconds_per_move.is_some_and(|mean| mean > 0.0)) {
        plots.push(speed(&players));
    }
    let svg = |plot: Plot| {
        let plot = Plot { has_outside_legend: true, ..plot };
        Ok(String::from_utf8(plot.image(Format::Svg)?)?)
    };
    plots.into_iter().map(svg).collect()
}
