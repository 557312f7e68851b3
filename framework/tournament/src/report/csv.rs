//! The rows of the report as comma-separated values, with all digits.

use super::figures::{Report, Row};
use runner_console::output::csv_field;

/// Returns the file: a line for each agent in each game.
pub fn text(report: &Report) -> String {
    let mut out = String::from(
        "game,agent,rank,games,faults,replayed,mean,mean_low,mean_high,mean_with_forfeits,median,min,max,\
         p10,p90,maximum,maximum_low,maximum_high,win_tile,win_rate,win_low,win_high,largest_tile,\
         largest_tile_rate,moves,moves_per_second,seconds_per_move,seconds_per_move_p99\n",
    );
    for row in &report.rows {
        out += &line(row).join(",");
        out.push('\n');
    }
    out
}

fn line(row: &Row) -> Vec<String> {
    let maybe = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    let end = |interval: Option<[f64; 2]>, i: usize| maybe(interval.map(|ends| ends[i]));
    let score = &row.score;
    let maximum = row.maximum.and_then(|maximum| maximum.ci95);
    let win = row.win.map(|win| win.ci95);
    let largest = row.tiles.last();
    vec![
        csv_field(&row.game),
        csv_field(&row.agent),
        row.rank.map_or(String::new(), |rank| rank.to_string()),
        row.games.to_string(),
        row.faults.to_string(),
        row.replayed.to_string(),
        maybe(score.mean),
        end(score.ci95, 0),
        end(score.ci95, 1),
        maybe(row.mean_with_forfeits),
        maybe(score.median),
        maybe(score.min),
        maybe(score.max),
        maybe(score.p10),
        maybe(score.p90),
        maybe(row.maximum.map(|maximum| maximum.mean)),
        end(maximum, 0),
        end(maximum, 1),
        row.win.map_or(String::new(), |win| win.tile.to_string()),
        maybe(row.win.map(|win| win.rate)),
        end(win, 0),
        end(win, 1),
        largest.map_or(String::new(), |tile| tile.tile.to_string()),
        maybe(largest.map(|tile| tile.rate)),
        row.moves.to_string(),
        maybe(row.moves_per_second),
        maybe(row.seconds_per_move.mean),
        maybe(row.seconds_per_move.p99),
    ]
}
