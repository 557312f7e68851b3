//! The table that is printed, at most 80 columns wide.

use super::figures::{Report, Row};
use super::words::{forfeits, headline, interval, largest, maybe, percents};
use crate::output::{Align, Table, percent, shortened, wrap};
use runner_spec::quantity::{grouped, rate};
use std::fmt;

/// Maximum width of a label, in columns.
const LABEL: usize = 26;
/// Maximum number of pairs of a game that are printed.
const PAIRS: usize = 12;

/// Cuts a label for a column.
fn label(label: &str) -> String {
    shortened(label, LABEL)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(title) = &self.title {
            wrap(f, "", title)?;
        }
        wrap(f, "", &headline(self))?;
        for game in self.games() {
            writeln!(f)?;
            wrap(f, "", game)?;
            self.write_scores(f, game)?;
            if self.is_contest {
                self.write_contest(f, game)?;
            }
            self.write_pairs(f, game)?;
        }
        self.write_ratings(f)?;
        let forfeits = forfeits(self);
        if !forfeits.is_empty() {
            writeln!(f)?;
        }
        forfeits.iter().try_for_each(|line| wrap(f, "", line))
    }
}

impl Report {
    fn write_scores(&self, f: &mut fmt::Formatter<'_>, game: &str) -> fmt::Result {
        use Align::{Left, Right};
        let mut table = Table::new(&[Left, Right, Right, Right, Right]).indented("  ");
        table.row(["agent", "games", "mean", "95% interval", "moves/s"]);
        for row in self.rows_of(game) {
            table.row([
                label(&row.agent),
                grouped(row.games),
                maybe(row.score.mean),
                interval(row.score.ci95),
                row.moves_per_second.map(rate).unwrap_or_default(),
            ]);
        }
        write!(f, "{table}")?;
        let is_forfeited = self.rows_of(game).any(|row| row.faults > 0);
        let mut table = Table::new(&[Left, Right, Right, Right, Right, Right]).indented("  ");
        let forfeited = if is_forfeited { "forfeited" } else { "" };
        table.row(["", "median", "max", "max of 100", "largest tile", forfeited]);
        for row in self.rows_of(game) {
            table.row([
                label(&row.agent),
                maybe(row.score.median),
                maybe(row.score.max),
                maybe(row.maximum.map(|maximum| maximum.mean)),
                largest(row),
                if is_forfeited { grouped(row.faults) } else { String::new() },
            ]);
        }
        write!(f, "\n{table}")
    }

    fn write_contest(&self, f: &mut fmt::Formatter<'_>, game: &str) -> fmt::Result {
        use Align::{Left, Right};
        let mut table = Table::new(&[Left, Right, Right, Right]).indented("  ");
        let win = self.rows_of(game).find_map(|row| row.win);
        table.row([
            String::new(),
            win.map_or("win".into(), |win| format!("{} (win)", grouped(win.tile))),
            "95% interval".into(),
            "wins".into(),
        ]);
        let won = |row: &Row| {
            row.win.map_or([String::new(), String::new(), String::new()], |win| {
                [percent(win.rate), percents(win.ci95), grouped(win.reached)]
            })
        };
        for row in self.rows_of(game) {
            let [rate, interval, wins] = won(row);
            table.row([label(&row.agent), rate, interval, wins]);
        }
        write!(f, "\n{table}")
    }

    fn write_pairs(&self, f: &mut fmt::Formatter<'_>, game: &str) -> fmt::Result {
        let pairs: Vec<_> = self.pairs.iter().filter(|pair| pair.game == game).collect();
        if pairs.is_empty() || pairs.len() > PAIRS {
            return Ok(());
        }
        let mut table = Table::new(&[Align::Left, Align::Left, Align::Right, Align::Right]);
        table = table.indented("  ");
        table.row(["A", "B", "P(A > B)", "95% interval"]);
        for pair in pairs {
            // One decimal: two labels of full width leave no room for more.
            let [low, high] = pair.ci95.map(|end| format!("{:.1}", 100.0 * end));
            table.row([
                label(&pair.a),
                label(&pair.b),
                format!("{:.1}%", 100.0 * pair.p_a_wins),
                format!("{low} to {high}"),
            ]);
        }
        write!(f, "\n{table}")
    }

    fn write_ratings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // For two agents, the probability says the same.
        if self.ratings.len() < 3 {
            return Ok(());
        }
        use Align::{Left, Right};
        let mut table = Table::new(&[Right, Left, Right, Right]).indented("  ");
        table.row(["", "agent", "rating", "95% interval"]);
        for agent in &self.ratings {
            let [low, high] = agent.rating.ci95;
            table.row([
                agent.rank.to_string(),
                label(&agent.agent),
                format!("{:+.0}", agent.rating.rating),
                format!("{low:+.0} to {high:+.0}"),
            ]);
        }
        write!(f, "\nOver all games\n{table}")
    }
}
