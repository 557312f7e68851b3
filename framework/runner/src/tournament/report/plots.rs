//! The plots of the page.

use super::figures::{Report, Row};
use super::words::move_time;
use crate::plot::{Format, Mark, Plot, TickLabels, color_of};
use runner_spec::quantity::grouped;
use runner_stats::TileRate;
use std::collections::BTreeSet;
use std::error::Error;

/// Number of points of a curve.
const POINTS: usize = 200;

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
    let rows = rows(report, game);
    let mut plots = Vec::new();
    if !rows.is_empty() {
        plots.push(scores(&rows));
    }
    if rows.iter().any(|row| !row.tiles.is_empty()) {
        plots.push(tiles(&rows));
    }
    if rows.iter().any(|row| row.seconds_per_move.mean.is_some_and(|mean| mean > 0.0)) {
        plots.push(speed(&rows));
    }
    plots.iter().map(|plot| Ok(String::from_utf8(plot.image(Format::Svg)?)?)).collect()
}

/// Returns the shares of games that score at least a score.
fn scores(rows: &[&Row]) -> Plot {
    let curve = |row: &&Row| {
        let last = row.scores.len() - 1;
        let points = POINTS.min(row.scores.len());
        let point = |i: usize| {
            let index = if points > 1 { i * last / (points - 1) } else { 0 };
            (row.scores[index], 100.0 * (row.scores.len() - index) as f64 / row.scores.len() as f64)
        };
        let start = (row.scores[0].min(0.0), 100.0);
        let curve = [start].into_iter().chain((0..points).map(point)).collect();
        (row.agent.clone(), curve)
    };
    Plot {
        title: vec!["Games that score at least this much".into()],
        x: "score".into(),
        y: "games in %".into(),
        lines: rows.iter().map(curve).collect(),
        has_outside_legend: true,
        ..Plot::default()
    }
}

/// Returns the rates of tiles with their intervals.
fn tiles(rows: &[&Row]) -> Plot {
    // Of the tiles that every game of an agent reached, the largest is drawn.
    let shown = |row: &Row| {
        let certain = row.tiles.iter().rposition(|tile| tile.reached == row.games).unwrap_or(0);
        row.tiles[certain..].to_vec()
    };
    let all: BTreeSet<_> = rows.iter().flat_map(|row| shown(row)).map(|tile| tile.tile).collect();
    let marks = |row: &&Row| {
        let mark = |tile: TileRate| Mark {
            x: all.range(..tile.tile).count() as f64,
            y: 100.0 * tile.rate,
            interval: Some(tile.ci95.map(|end| 100.0 * end)),
        };
        (row.agent.clone(), shown(row).into_iter().map(mark).collect())
    };
    Plot {
        title: vec!["Games that reach a tile, with 95% intervals".into()],
        x: "tile".into(),
        y: "games in %".into(),
        marks: rows.iter().map(marks).collect(),
        x_label: Some(TickLabels::Names(all.iter().map(|&tile| grouped(tile)).collect())),
        has_outside_legend: true,
        ..Plot::default()
    }
}

/// Returns mean scores against the time per move.
fn speed(rows: &[&Row]) -> Plot {
    let mark = |row: &&Row| {
        let known = row.seconds_per_move.mean.filter(|&mean| mean > 0.0).zip(row.score.mean);
        let mark = |(time, y): (f64, f64)| Mark { x: time.log10(), y, interval: row.score.ci95 };
        (row.agent.clone(), known.map(mark).into_iter().collect())
    };
    Plot {
        title: vec!["Mean score with its 95% interval, against the time per move".into()],
        x: "time per move".into(),
        y: "mean score".into(),
        marks: rows.iter().map(mark).collect(),
        x_label: Some(TickLabels::At(|x| move_time(Some(10f64.powf(x))))),
        in_place: true,
        has_outside_legend: true,
        ..Plot::default()
    }
}
