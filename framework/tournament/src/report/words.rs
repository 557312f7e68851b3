//! The figures as people read them.

use super::figures::{Report, Row};
use runner_spec::quantity::{counted, grouped, number, percent};
use runner_stats::TileRate;

/// Returns a number, or nothing.
pub fn maybe(x: Option<f64>) -> String {
    x.map(number).unwrap_or_default()
}

pub fn interval(interval: Option<[f64; 2]>) -> String {
    interval.map(|[low, high]| format!("{} to {}", number(low), number(high))).unwrap_or_default()
}

/// Returns an interval of shares in percent.
pub fn percents([low, high]: [f64; 2]) -> String {
    format!("{} to {}", percent(low), percent(high))
}

/// Returns the largest tile that was reached, with its rate.
pub fn largest(row: &Row) -> String {
    let tile = |tile: &TileRate| format!("{} ({})", grouped(tile.tile), percent(tile.rate));
    row.tiles.last().map_or(String::new(), tile)
}

/// Returns a sentence about the tournament.
pub fn headline(report: &Report) -> String {
    let mut agents: Vec<_> = report.rows.iter().map(|row| &row.agent).collect();
    agents.sort();
    agents.dedup();
    let all = |row: &Row| row.games + row.faults;
    let games: u64 = report.rows.iter().map(all).sum();
    let is_equal = report.rows.iter().all(|row| all(row) == report.rounds);
    format!(
        "{} of {} in {}, {}{} each, seed {}",
        counted(games, "game"),
        counted(agents.len() as u64, "agent"),
        counted(report.games().len() as u64, "game type"),
        if is_equal { "" } else { "up to " },
        grouped(report.rounds),
        report.seed,
    )
}

/// Returns the sections that follow the tables, each with its title and its lines.
pub fn remarks(report: &Report) -> Vec<(&'static str, Vec<String>)> {
    let forfeits = forfeits(report);
    if forfeits.is_empty() { Vec::new() } else { vec![("Forfeited games", forfeits)] }
}

/// Returns a line for each agent that forfeited games of a game, with the most frequent cause.
fn forfeits(report: &Report) -> Vec<String> {
    let line = |row: &Row| {
        let first = row.causes.first()?;
        let games = counted(row.faults, "game");
        let more = match row.faults - first.games {
            0 => String::new(),
            more => format!(" ({} by other causes)", grouped(more)),
        };
        Some(format!("`{}` forfeited {games} of {}: {}{more}", row.agent, row.game, first.message))
    };
    report.rows.iter().filter_map(line).collect()
}

/// Definitions of the figures, one paragraph each.
pub const NOTES: [&str; 5] = [
    "A mean has its BCa bootstrap 95% interval, of fewer than ten games Student's, a rate its Wilson \
     95% interval. Maximum: the mean of the maxima of each hundred games, with Student's 95% \
     interval.",
    "P(A > B): probability that a game of A scores more than a game of B; equal scores count half.",
    "Rating: Bradley-Terry on who scores more; 400 points are odds of 10 to 1, and the mean of all \
     agents is 0.",
    "A forfeited game has no score. Means, quantiles and times are those of the other games. For the \
     rank it counts 0, in rates no tile was reached in it, and it is lost against every other game.",
    "Time per move: the mean, and the 99th percentile over the moves. Of agents that take less than \
     10 µs for a move, the percentile is that of a sample of the games. Moves per second are those \
     of one thread.",
];
