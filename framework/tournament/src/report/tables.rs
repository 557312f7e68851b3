//! The tables and sentences of a report, as text, for Markdown, HTML and the terminal.

use super::figures::{Pair, PlayerRow, RatedAgent, TournamentReport};
use runner_spec::quantity::{counted, grouped, move_time, number, percent, rate};
use runner_stats::report::{RANGE, counts_as, interval_cell};
use runner_stats::{LessLuck, MeanDifference, TileRate, informative_tiles};

/// Maximum number of pairs of agents in a game that a terminal shows.
const PAIRS: usize = 12;

pub const DIFFERENCES: &str = "difference of means, row less column";

pub struct ReportTable {
    /// Title of the table; empty for the scores of a game.
    pub what: &'static str,
    pub columns: Vec<String>,
    /// Number of columns with labels, which are the first and aligned to the left. The others hold
    /// figures.
    pub labels: usize,
    pub rows: Vec<Vec<String>>,
    /// True if a terminal does not show the table.
    pub is_long: bool,
}

impl ReportTable {
    /// Returns a table with one column of labels, which a terminal shows.
    fn new(
        what: &'static str,
        columns: &[&'static str],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let rows = rows.into_iter().collect();
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { what, columns, labels: 1, rows, is_long: false }
    }

    fn with_labels(self, labels: usize) -> Self {
        Self { labels, ..self }
    }

    fn long_if(self, is_long: bool) -> Self {
        Self { is_long, ..self }
    }
}

impl TournamentReport {
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("Tournament")
    }

    /// Returns the tables of a game that have rows. The first is that of the scores.
    pub fn tables_of(&self, game: &str) -> Vec<ReportTable> {
        let rows = self.rows_of(game);
        let has_forfeits = rows.clone().any(|row| row.faults > 0);
        let pairs: Vec<_> = self.pairs.iter().filter(|pair| pair.game == game).collect();
        let has_many_pairs = pairs.len() > PAIRS;
        let mut tables = vec![
            ReportTable::new(
                "",
                &["agent", "games", "mean", "95% interval", "moves/s"],
                rows.clone().map(score_cells),
            ),
            ReportTable::new(
                "agents",
                &["agent", "with all parameters"],
                rows.clone().map(|row| vec![row.agent.clone(), row.spec.clone()]),
            )
            .with_labels(2)
            .long_if(true),
            ReportTable::new(
                "less luck",
                &["agent", "mean less luck", "95% interval", "a game counts as"],
                rows.clone().filter_map(less_luck_cells),
            ),
            ReportTable::new(
                "forfeited games",
                &["agent", "forfeited", "mean with forfeits"],
                rows.clone().filter(|_| has_forfeits).map(forfeit_cells),
            ),
            ReportTable::new(
                "distribution",
                &["agent", "median", "max", "max of 100", "largest tile"],
                rows.clone().map(distribution_cells),
            ),
            ReportTable::new(
                "time",
                &["agent", "moves", "time per move", "99%"],
                rows.clone().map(time_cells),
            ),
            ReportTable::new(
                "tiles",
                &["agent", "tile", "games ended", "reached", "rate", "95% interval"],
                rows.flat_map(tile_rows),
            )
            .long_if(true),
            ReportTable::new(
                "pairs",
                &["A", "B", "P(A > B)", "95% interval"],
                pairs.into_iter().map(pair_cells),
            )
            .with_labels(2)
            .long_if(has_many_pairs),
            self.differences(game),
        ];
        tables.retain(|table| !table.rows.is_empty());
        tables
    }

    /// Returns the differences of the mean scores of all agents in a game, as a matrix. The
    /// columns are named by the numbers of the agents.
    fn differences(&self, game: &str) -> ReportTable {
        let agents: Vec<_> = self.rows_of(game).map(|row| &row.agent).collect();
        let mut columns = vec!["agent".to_owned()];
        let mut rows = Vec::new();
        if agents.len() > 1 {
            for (number, a) in (1..).zip(&agents) {
                columns.push(number.to_string());
                let mut cells = vec![format!("{number}: {a}")];
                cells.extend(agents.iter().map(|b| self.difference_cell(game, a, b)));
                rows.push(cells);
            }
        }
        ReportTable { what: DIFFERENCES, columns, labels: 1, rows, is_long: true }
    }

    fn difference_cell(&self, game: &str, a: &str, b: &str) -> String {
        for pair in self.pairs.iter().filter(|pair| pair.game == game) {
            let Some(MeanDifference { mean, ci95: [low, high], .. }) = pair.difference else {
                continue;
            };
            if pair.a == a && pair.b == b {
                return format!("{} ({} to {})", signed(mean), signed(low), signed(high));
            }
            // Each pair is listed once, in either order.
            if pair.a == b && pair.b == a {
                return format!("{} ({} to {})", signed(-mean), signed(-high), signed(-low));
            }
        }
        String::new()
    }

    pub fn inputs_table(&self) -> ReportTable {
        let rows = self.inputs.facts().map(|(name, facts)| vec![name.to_owned(), facts]);
        ReportTable::new("Files and plugins", &["name", "version, size, checksum"], rows)
            .with_labels(2)
            .long_if(true)
    }

    /// Returns the ratings over all games. Two agents have none unless an anchor is named, because
    /// P(A > B) says the same.
    pub fn ratings_table(&self) -> Option<ReportTable> {
        if self.ratings.is_empty() || (self.ratings.len() < 3 && self.anchor.is_none()) {
            return None;
        }
        let columns = ["agent", "rank", "rating", "95% interval"];
        Some(ReportTable::new("Over all games", &columns, self.ratings.iter().map(rating_cells)))
    }

    pub fn headline(&self) -> String {
        let mut labels: Vec<_> = self.rows.iter().map(|row| &row.agent).collect();
        labels.sort();
        labels.dedup();
        let is_complete = self.rows.iter().all(|row| row.all_games() == self.rounds);
        let games = counted(self.rows.iter().map(PlayerRow::all_games).sum(), "game");
        let agents = counted(labels.len() as u64, "agent");
        let types = counted(self.games().len() as u64, "game type");
        let up_to = if is_complete { "" } else { "up to " };
        let (rounds, seed, limits) = (grouped(self.rounds), self.seed, self.limits());
        format!("{games} of {agents} in {types}, {up_to}{rounds} each, seed {seed}{limits}")
    }

    /// Returns the limits of a game, each after a comma; empty if there is none.
    fn limits(&self) -> String {
        let moves = self.move_limit.map(|moves| format!(", at most {}", counted(moves, "move")));
        let time = self.game_time.map(|seconds| format!(", at most {seconds} s a game"));
        moves.unwrap_or_default() + &time.unwrap_or_default()
    }

    /// Returns a line for each agent that forfeited games of a game, with the most frequent cause.
    pub fn forfeits(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for PlayerRow { agent, game, faults, causes, .. } in &self.rows {
            let Some(first) = causes.first() else { continue };
            let more = match faults - first.games {
                0 => String::new(),
                more => format!(" ({} by other causes)", grouped(more)),
            };
            let games = counted(*faults, "game");
            lines.push(format!("`{agent}` forfeited {games} of {game}: {}{more}", first.message));
        }
        lines
    }
}

fn score_cells(row: &PlayerRow) -> Vec<String> {
    let interval = row.score.ci95.map(|ends| interval_cell(ends, row.games));
    vec![
        row.agent.clone(),
        grouped(row.games),
        number_or_empty(row.score.mean),
        interval.unwrap_or_default(),
        row.moves_per_second.map(rate).unwrap_or_default(),
    ]
}

fn less_luck_cells(row: &PlayerRow) -> Option<Vec<String>> {
    let LessLuck { mean, ci95, saving, .. } = row.less_luck?;
    let interval = ci95.map(|ends| interval_cell(ends, row.games));
    Some(vec![
        row.agent.clone(),
        number_or_empty(mean),
        interval.unwrap_or_default(),
        saving.map(counts_as).unwrap_or_default(),
    ])
}

fn forfeit_cells(row: &PlayerRow) -> Vec<String> {
    vec![row.agent.clone(), grouped(row.faults), number_or_empty(row.mean_with_forfeits)]
}

fn distribution_cells(row: &PlayerRow) -> Vec<String> {
    let largest = |tile: &TileRate| format!("{} ({})", grouped(tile.tile), percent(tile.rate));
    let max_of_100 = row.maximum.map(|maximum| maximum.mean);
    vec![
        row.agent.clone(),
        number_or_empty(row.score.median),
        number_or_empty(row.score.max),
        number_or_empty(max_of_100),
        row.tiles.last().map(largest).unwrap_or_default(),
    ]
}

fn time_cells(row: &PlayerRow) -> Vec<String> {
    vec![
        row.agent.clone(),
        grouped(row.moves),
        row.seconds_per_move.mean.map(move_time).unwrap_or_default(),
        row.seconds_per_move.p99.map(move_time).unwrap_or_default(),
    ]
}

fn tile_rows(row: &PlayerRow) -> impl Iterator<Item = Vec<String>> {
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

fn pair_cells(pair: &Pair) -> Vec<String> {
    // Percentages have one decimal: beside two labels, a terminal has no room for more.
    let [p, low, high] = [pair.p_a_wins, pair.ci95[0], pair.ci95[1]].map(|p| 100.0 * p);
    vec![pair.a.clone(), pair.b.clone(), format!("{p:.1}%"), format!("{low:.1} to {high:.1}")]
}

fn rating_cells(agent: &RatedAgent) -> Vec<String> {
    let [low, high] = agent.rating.ci95;
    vec![
        agent.agent.clone(),
        agent.rank.to_string(),
        format!("{:+.0}", agent.rating.rating),
        format!("{low:+.0} to {high:+.0}"),
    ]
}

fn signed(figure: f64) -> String {
    format!("{}{}", if figure < 0.0 { "-" } else { "+" }, number(figure.abs()))
}

fn number_or_empty(figure: Option<f64>) -> String {
    figure.map(number).unwrap_or_default()
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
     rank, a forfeited game counts 0; for rates, it reached no tile; in comparisons, it is lost \
     against every other game.",
    "Time per move: the mean, and the 99th percentile over the moves. Of agents that take less than \
     10 µs for a move, the percentile is that of a sample of the games. Moves per second are those \
     of one thread.",
];
