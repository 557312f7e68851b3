//! The result of a tournament: tables of at most 80 columns.

use runner_console::output::Align::{Left, Right};
use runner_console::output::{COLUMNS, Table, shortened_labels, wrap};
use runner_spec::quantity::{grouped, percent, rate};
use runner_tournament::report::words::{headline, interval, largest, maybe, percents, remarks};
use runner_tournament::report::{Report, Row};
use serde::Serialize;
use std::fmt;
use textwrap::core::display_width;

/// Maximum width of a label, in columns.
const LABEL: usize = 26;
/// Width that a label keeps however wide the figures are, in columns.
const NARROWEST: usize = 8;
/// Maximum number of pairs of a game that are printed.
const PAIRS: usize = 12;

/// The result as it is printed.
#[derive(Serialize)]
pub struct Printed<'a>(pub &'a Report);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(title) = &self.0.title {
            wrap(f, "", title)?;
        }
        wrap(f, "", &headline(self.0))?;
        for game in self.0.games() {
            writeln!(f)?;
            wrap(f, "", game)?;
            self.write_scores(f, game)?;
            self.write_forfeits(f, game)?;
            if self.0.is_contest {
                self.write_contest(f, game)?;
            }
            self.write_pairs(f, game)?;
        }
        self.write_ratings(f)?;
        for (_, lines) in remarks(self.0) {
            writeln!(f)?;
            lines.iter().try_for_each(|line| wrap(f, "", line))?;
        }
        Ok(())
    }
}

impl Printed<'_> {
    /// Returns the labels of all agents, so that each is cut in the same way in all tables of one
    /// width.
    fn labels(&self) -> Vec<&str> {
        self.0.rows.iter().map(|row| row.agent.as_str()).collect()
    }

    fn write_scores(&self, f: &mut fmt::Formatter<'_>, game: &str) -> fmt::Result {
        let scores = fitted(&self.labels(), |label| {
            let mut table = Table::new(&[Left, Right, Right, Right, Right]).indented("  ");
            table.row(["agent", "games", "mean", "95% interval", "moves/s"]);
            for row in self.0.rows_of(game) {
                table.row([
                    label(&row.agent),
                    grouped(row.games),
                    maybe(row.score.mean),
                    interval(row.score.ci95),
                    row.moves_per_second.map(rate).unwrap_or_default(),
                ]);
            }
            table
        });
        let more = fitted(&self.labels(), |label| {
            let mut table = Table::new(&[Left, Right, Right, Right, Right]).indented("  ");
            table.row(["", "median", "max", "max of 100", "largest tile"]);
            for row in self.0.rows_of(game) {
                table.row([
                    label(&row.agent),
                    maybe(row.score.median),
                    maybe(row.score.max),
                    maybe(row.maximum.map(|maximum| maximum.mean)),
                    largest(row),
                ]);
            }
            table
        });
        write!(f, "{scores}\n{more}")
    }

    /// Writes the means that rank the agents, if they are not those of the scores.
    fn write_forfeits(&self, f: &mut fmt::Formatter<'_>, game: &str) -> fmt::Result {
        if self.0.rows_of(game).all(|row| row.faults == 0) {
            return Ok(());
        }
        let table = fitted(&self.labels(), |label| {
            let mut table = Table::new(&[Left, Right, Right]).indented("  ");
            table.row(["by rank", "forfeited", "mean with forfeits"]);
            for row in self.0.rows_of(game) {
                let mean = maybe(row.mean_with_forfeits);
                table.row([label(&row.agent), grouped(row.faults), mean]);
            }
            table
        });
        write!(f, "\n{table}")
    }

    fn write_contest(&self, f: &mut fmt::Formatter<'_>, game: &str) -> fmt::Result {
        let win = self.0.rows_of(game).find_map(|row| row.win);
        let won = |row: &Row| {
            row.win.map_or([String::new(), String::new(), String::new()], |win| {
                [percent(win.rate), percents(win.ci95), grouped(win.reached)]
            })
        };
        let table = fitted(&self.labels(), |label| {
            let mut table = Table::new(&[Left, Right, Right, Right]).indented("  ");
            table.row([
                String::new(),
                win.map_or("win".into(), |win| format!("{} (win)", grouped(win.tile))),
                "95% interval".into(),
                "wins".into(),
            ]);
            for row in self.0.rows_of(game) {
                let [rate, interval, wins] = won(row);
                table.row([label(&row.agent), rate, interval, wins]);
            }
            table
        });
        write!(f, "\n{table}")
    }

    fn write_pairs(&self, f: &mut fmt::Formatter<'_>, game: &str) -> fmt::Result {
        let pairs: Vec<_> = self.0.pairs.iter().filter(|pair| pair.game == game).collect();
        if pairs.is_empty() || pairs.len() > PAIRS {
            return Ok(());
        }
        let table = fitted(&self.labels(), |label| {
            let mut table = Table::new(&[Left, Left, Right, Right]).indented("  ");
            table.row(["A", "B", "P(A > B)", "95% interval"]);
            for pair in &pairs {
                // One decimal: two labels leave no room for more.
                let [low, high] = pair.ci95.map(|end| format!("{:.1}", 100.0 * end));
                table.row([
                    label(&pair.a),
                    label(&pair.b),
                    format!("{:.1}%", 100.0 * pair.p_a_wins),
                    format!("{low} to {high}"),
                ]);
            }
            table
        });
        write!(f, "\n{table}")
    }

    fn write_ratings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // For two agents, the probability says the same.
        if self.0.ratings.len() < 3 {
            return Ok(());
        }
        let table = fitted(&self.labels(), |label| {
            let mut table = Table::new(&[Right, Left, Right, Right]).indented("  ");
            table.row(["", "agent", "rating", "95% interval"]);
            for agent in &self.0.ratings {
                let [low, high] = agent.rating.ci95;
                table.row([
                    agent.rank.to_string(),
                    label(&agent.agent),
                    format!("{:+.0}", agent.rating.rating),
                    format!("{low:+.0} to {high:+.0}"),
                ]);
            }
            table
        });
        write!(f, "\nOver all games\n{table}")
    }
}

/// Returns the table of a function that is given how these labels are cut: with the widest labels, up
/// to [`LABEL`] columns, with which its lines fit the terminal.
fn fitted(labels: &[&str], table: impl Fn(&dyn Fn(&str) -> String) -> Table) -> String {
    let of_width = |width: usize| {
        let short = shortened_labels(labels.iter().copied(), width);
        table(&|label| short[label].clone()).to_string()
    };
    let fits = |text: &String| text.lines().all(|line| display_width(line) <= COLUMNS);
    (NARROWEST..=LABEL).rev().map(of_width).find(fits).unwrap_or_else(|| of_width(NARROWEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cut_as_far_as_the_figures_need() {
        let of = |figures: &str| {
            let long = "a label of more than 26 columns";
            let text = fitted(&[long], |label| {
                let mut table = Table::new(&[Left, Right]);
                table.row([label(long).as_str(), figures]);
                table
            });
            (display_width(text.trim_end()), text)
        };
        assert_eq!(of("1").1, "a label of more than 26 c…  1\n");
        assert_eq!(of(&"9".repeat(60)).0, COLUMNS);
        assert!(of(&"9".repeat(90)).1.starts_with("a label…  9"));
    }
}
