//! The tables and sentences that every form of the report shows.

use super::figures::{Pair, PlayerRow, RatedAgent, TournamentReport};
use runner_spec::quantity::{counted, grouped, move_time, number, percent, rate};
use runner_stats::report::{RANGE, counts_as, interval_cell};
use runner_stats::{LessLuck, TileRate, informative_tiles};

/// Maximum number of pairs of a game that a terminal shows.
const PAIRS: usize = 12;

/// Title of the matrix of pairs.
pub const DIFFERENCES: &str = "difference of means, row less column";

pub struct ReportTable {
    /// Title of the table; empty for the scores of a game.
    pub what: &'static str,
    /// Names of the columns: first those with labels of agents, then those with figures.
    pub columns: Vec<String>,
    pub labels: usize,
    pub rows: Vec<Vec<String>>,
    /// True if a terminal does not show it.
    pub is_long: bool,
}

impl ReportTable {
    /// Returns a table with one column of labels.
    fn new(
        what: &'static str,
        columns: &[&'static str],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let rows = rows.into_iter().collect();
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { what, columns, labels: 1, rows, is_long: false }
    }
}

impl TournamentReport {
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("Tournament")
    }

    /// Returns the tables of a game: first that of the scores.
    pub fn tables_of(&self, game: &str) -> Vec<ReportTable> {
        let rows = || self.rows_of(game);
        let has_forfeits = rows().any(|row| row.faults > 0);
        let pairs: Vec<_> = self.pairs.iter().filter(|pair| pair.game == game).collect();
        let mut tables = vec![
            ReportTable::new(
                "",
                &["agent", "games", "mean", "95% interval", "moves/s"],
                rows().map(scores),
            ),
            ReportTable {
                labels: 2,
                is_long: true,
                ..ReportTable::new(
                    "agents",
                    &["agent", "with all parameters"],
                    rows().map(|row| vec![row.agent.clone(), row.spec.clone()]),
                )
            },
            ReportTable::new(
                "less luck",
                &["agent", "mean less luck", "95% interval", "a game counts as"],
                rows().filter_map(less_luck),
            ),
            ReportTable::new(
                "forfeited games",
                &["agent", "forfeited", "mean with forfeits"],
                rows().filter(|_| has_forfeits).map(forfeits),
            ),
            ReportTable::new(
                "distribution",
                &["agent", "median", "max", "max of 100", "largest tile"],
                rows().map(distribution),
            ),
            ReportTable::new(
                "time",
                &["agent", "moves", "time per move", "99%"],
                rows().map(times),
            ),
            ReportTable {
                is_long: true,
                ..ReportTable::new(
                    "tiles",
                    &["agent", "tile", "games ended", "reached", "rate", "95% interval"],
                    rows().flat_map(tiles),
                )
            },
            ReportTable {
                labels: 2,
                is_long: pairs.len() > PAIRS,
                ..ReportTable::new(
                    "pairs",
                    &["A", "B", "P(A > B)", "95% interval"],
                    pairs.into_iter().map(chances),
                )
            },
            self.differences(game),
        ];
        tables.retain(|table| !table.rows.is_empty());
        tables
    }

    /// Returns the differences of the mean scores of all agents in a game, as a matrix.
    fn differences(&self, game: &str) -> ReportTable {
        let agents: Vec<_> = self.rows_of(game).map(|row| &row.agent).collect();
        let mut columns = vec!["agent".to_owned()];
        let mut rows = Vec::new();
        if agents.len() > 1 {
            for (number, a) in (1..).zip(&agents) {
                columns.push(number.to_string());
                let mut cells = vec![format!("{number}: {a}")];
                cells.extend(agents.iter().map(|b| self.difference(game, a, b)));
                rows.push(cells);
            }
        }
        ReportTable { what: DIFFERENCES, columns, labels: 1, rows, is_long: true }
    }

    /// Returns how much more agent A scores than agent B, with the interval.
    fn difference(&self, game: &str, a: &str, b: &str) -> String {
        let of = |a: &str, b: &str| {
            let mut pairs = self.pairs.iter();
            let found = pairs.find(|pair| pair.game == game && pair.a == a && pair.b == b);
            found.and_then(|pair| pair.difference)
        };
        // Each pair is listed once.
        let (mean, [low, high]) = match (of(a, b), of(b, a)) {
            (Some(found), _) => (found.mean, found.ci95),
            (None, Some(found)) => (-found.mean, [-found.ci95[1], -found.ci95[0]]),
            (None, None) => return String::new(),
        };
        format!("{} ({} to {})", signed(mean), signed(low), signed(high))
    }

    /// Returns the table of the files and plugins that the results depend on.
    pub fn inputs_table(&self) -> ReportTable {
        let rows = self.inputs.facts().map(|(name, facts)| vec![name.to_owned(), facts]);
        let table =
            ReportTable::new("Files and plugins", &["name", "version, size, checksum"], rows);
        ReportTable { labels: 2, is_long: true, ..table }
    }

    /// Returns the ratings over all games; for two agents only if an anchor is named, because their
    /// probability says the same.
    pub fn ratings_table(&self) -> Option<ReportTable> {
        if self.ratings.is_empty() || self.ratings.len() < 3 && self.anchor.is_none() {
            return None;
        }
        let columns = ["agent", "rank", "rating", "95% interval"];
        Some(ReportTable::new("Over all games", &columns, self.ratings.iter().map(rating)))
    }

    pub fn headline(&self) -> String {
        let mut agents: Vec<_> = self.rows.iter().map(|row| &row.agent).collect();
        agents.sort();
        agents.dedup();
        let all = |row: &PlayerRow| row.games + row.faults;
        let games: u64 = self.rows.iter().map(all).sum();
        let is_equal = self.rows.iter().all(|row| all(row) == self.rounds);
        format!(
            "{} of {} in {}, {}{} each, seed {}{}",
            counted(games, "game"),
            counted(agents.len() as u64, "agent"),
            counted(self.games().len() as u64, "game type"),
            if is_equal { "" } else { "up to " },
            grouped(self.rounds),
            self.seed,
            self.limits(),
        )
    }

    fn limits(&self) -> String {
        let moves = self.move_limit.map(|moves| format!(", at most {}", counted(moves, "move")));
        let time = self.game_time.map(|seconds| format!(", at most {seconds} s a game"));
        moves.into_iter().chain(time).collect()
    }

    /// Returns a line for each agent that forfeited games of a game, with the most frequent cause.
    pub fn forfeits(&self) -> Vec<String> {
        let line = |row: &PlayerRow| {
            let first = row.causes.first()?;
            let (agent, game, games) = (&row.agent, &row.game, counted(row.faults, "game"));
            let more = match row.faults - first.games {
                0 => String::new(),
                more => format!(" ({} by other causes)", grouped(more)),
            };
            Some(format!("`{agent}` forfeited {games} of {game}: {}{more}", first.message))
        };
        self.rows.iter().filter_map(line).collect()
    }
}

fn scores(row: &PlayerRow) -> Vec<String> {
    let interval = row.score.ci95.map(|ends| interval_cell(ends, row.games));
    vec![
        row.agent.clone(),
        grouped(row.games),
        maybe(row.score.mean),
        interval.unwrap_or_default(),
        row.moves_per_second.map(rate).unwrap_or_default(),
    ]
}

fn less_luck(row: &PlayerRow) -> Option<Vec<String>> {
    let LessLuck { mean, ci95, saving, .. } = row.less_luck?;
    let interval = ci95.map(|ends| interval_cell(ends, row.games));
    let saving = saving.map(counts_as);
    let cells = [maybe(mean), interval.unwrap_or_default(), saving.unwrap_or_default()];
    Some([row.agent.clone()].into_iter().chain(cells).collect())
}

fn forfeits(row: &PlayerRow) -> Vec<String> {
    vec![row.agent.clone(), grouped(row.faults), maybe(row.mean_with_forfeits)]
}

fn distribution(row: &PlayerRow) -> Vec<String> {
    let largest = |tile: &TileRate| format!("{} ({})", grouped(tile.tile), percent(tile.rate));
    vec![
        row.agent.clone(),
        maybe(row.score.median),
        maybe(row.score.max),
        maybe(row.maximum.map(|maximum| maximum.mean)),
        row.tiles.last().map(largest).unwrap_or_default(),
    ]
}

fn times(row: &PlayerRow) -> Vec<String> {
    vec![
        row.agent.clone(),
        grouped(row.moves),
        row.seconds_per_move.mean.map(move_time).unwrap_or_default(),
        row.seconds_per_move.p99.map(move_time).unwrap_or_default(),
    ]
}

fn tiles(row: &PlayerRow) -> impl Iterator<Item = Vec<String>> {
    informative_tiles(&row.tiles, row.games).iter().map(|tile| {
        let [low, high] = tile.ci95.map(percent);
        vec![
            row.agent.clone(),
            grouped(tile.tile),
            grouped(tile.ended),
            grouped(tile.reached),
            percent(tile.rate),
            format!("{low} to {high}"),
        ]
    })
}

fn chances(pair: &Pair) -> Vec<String> {
    // One decimal: in a terminal, two labels leave no room for more.
    let [p, low, high] = [pair.p_a_wins, pair.ci95[0], pair.ci95[1]].map(|p| 100.0 * p);
    vec![pair.a.clone(), pair.b.clone(), format!("{p:.1}%"), format!("{low:.1} to {high:.1}")]
}

fn rating(agent: &RatedAgent) -> Vec<String> {
    let [low, high] = agent.rating.ci95;
    vec![
        agent.agent.clone(),
        agent.rank.to_string(),
        format!("{:+.0}", agent.rating.rating),
        format!("{low:+.0} to {high:+.0}"),
    ]
}

fn signed(x: f64) -> String {
    format!("{}{}", if x < 0.0 { "-" } else { "+" }, number(x.abs()))
}

fn maybe(x: Option<f64>) -> String {
    x.map(number).unwrap_or_default()
}

/// Definitions of the figures, one paragraph each.
pub const NOTES: [&str; 7] = [
    "A mean has its 95% interval, corrected for skewness, a rate its Wilson 95% interval. Max of \
     100: the mean of the maxima of each hundred games.",
    RANGE,
    "P(A > B): probability that a game of A scores more than a game of B; equal scores count half.",
    "Rating: Bradley-Terry on who scores more; 400 points are odds of 10 to 1. The anchor has 0: the agent \
     that is named, or else the weakest. Intervals are those of the difference from it.",
    "Difference of means: the mean score of the agent of the row less that of the column, with Welch's \
     95% interval.",
    "A forfeited game has no score. Means, quantiles and times are those of the other games. For the \
     rank it counts 0, in rates no tile was reached in it, and it is lost against every other game.",
    "Time per move: the mean, and the 99th percentile over the moves. Of agents that take less than \
     10 µs for a move, the percentile is that of a sample of the games. Moves per second are those \
     of one thread.",
];
