//! The figures of each agent in each game, one line each, for spreadsheets.

use super::figures::{PlayerRow, TournamentReport};

pub fn text(report: &TournamentReport) -> String {
    let head = "game,agent,spec,rank,games,forfeited,mean,mean_low,mean_high,median,min,max,p10,p90,max_of_100,\
                largest_tile,moves,moves_per_second,seconds_per_move,seconds_per_move_p99\n";
    head.to_owned() + &report.rows.iter().map(line).collect::<String>()
}

fn line(row: &PlayerRow) -> String {
    let score = &row.score;
    let [low, high] = [0, 1].map(|end| score.ci95.map(|ends| ends[end]));
    let count = |number: u64| number.to_string();
    let figure = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    let cells = [
        quoted(&row.game),
        quoted(&row.agent),
        quoted(&row.spec),
        row.rank.map_or(String::new(), count),
        count(row.games),
        count(row.faults),
        figure(score.mean),
        figure(low),
        figure(high),
        figure(score.median),
        figure(score.min),
        figure(score.max),
        figure(score.p10),
        figure(score.p90),
        figure(row.maximum.map(|maximum| maximum.mean)),
        row.tiles.last().map_or(String::new(), |tile| count(tile.tile)),
        count(row.moves),
        figure(row.moves_per_second),
        figure(row.seconds_per_move.mean),
        figure(row.seconds_per_move.p99),
    ];
    cells.join(",") + "\n"
}

/// Quotes a text. A label that a spreadsheet would take for a formula begins with an apostrophe.
fn quoted(text: &str) -> String {
    let mark = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_is_a_formula_of_a_spreadsheet() {
        for label in ["=1+1", "+1", "-1", "@SUM(1)"] {
            assert_eq!(quoted(label), format!("\"'{label}\""));
        }
        assert_eq!(quoted("a = \"b\""), "\"a = \"\"b\"\"\"");
    }
}
