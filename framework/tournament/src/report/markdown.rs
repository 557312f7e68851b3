//! The report as Markdown, and the tables that the page shares with it.

use super::figures::Report;
use super::words::{NOTES, headline, interval, largest, maybe, percents, remarks};
use runner_spec::quantity::{grouped, move_time, percent, rate};
use runner_stats::informative_tiles;

pub struct ReportTable {
    /// Label of its game; `None` for all games.
    pub game: Option<String>,
    pub title: String,
    /// Names of the columns; the first one is text, the others are figures.
    pub columns: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl ReportTable {
    fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { game: None, title: title.into(), columns, rows: Vec::new() }
    }

    /// Returns an empty table of a game; `what` is what it shows besides the scores.
    fn of_game(game: &str, what: &str, columns: &[&str]) -> Self {
        let title = if what.is_empty() { game.to_owned() } else { format!("{game}: {what}") };
        Self { game: Some(game.to_owned()), ..Self::new(title, columns) }
    }
}

pub fn text(report: &Report) -> String {
    let mut out = format!("# {}\n\n{}.\n", escaped(title(report)), headline(report));
    if !report.complete {
        out += "\nThe tournament is not complete.\n";
    }
    for table in tables(report) {
        out += &format!("\n## {}\n\n", escaped(&table.title));
        out += &line(&table.columns);
        let rule = (0..table.columns.len()).map(|i| if i == 0 { "---" } else { "---:" });
        out += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        table.rows.iter().for_each(|row| out += &line(row));
    }
    for (title, lines) in remarks(report) {
        out += &format!("\n## {title}\n\n");
        lines.iter().for_each(|line| out += &format!("- {}\n", escaped(line)));
    }
    out += "\n## Notes\n\n";
    NOTES.iter().for_each(|note| out += &format!("- {note}\n"));
    out
}

pub fn title(report: &Report) -> &str {
    report.title.as_deref().unwrap_or("Tournament")
}

fn line(cells: &[String]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| escaped(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Returns text in which no character has a meaning in Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => out.push(' '),
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '~' | '$' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

pub fn tables(report: &Report) -> Vec<ReportTable> {
    let mut tables = Vec::new();
    for game in report.games() {
        tables.push(scores(report, game));
        tables.push(times(report, game));
        tables.push(quantiles(report, game));
        tables.push(tiles(report, game));
        if report.is_contest {
            tables.push(contest(report, game));
        }
        tables.push(pairs(report, game));
    }
    tables.push(ratings(report));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn scores(report: &Report, game: &str) -> ReportTable {
    let columns =
        ["agent", "rank", "games", "forfeited", "mean", "95% interval", "maximum", "95% interval"];
    let mut table = ReportTable::of_game(game, "", &columns);
    let is_forfeited = report.rows_of(game).any(|row| row.faults > 0);
    if is_forfeited {
        table.columns.push("mean with forfeits".into());
    }
    for row in report.rows_of(game) {
        table.rows.push(vec![
            row.agent.clone(),
            row.rank.map(|rank| rank.to_string()).unwrap_or_default(),
            grouped(row.games),
            grouped(row.faults),
            maybe(row.score.mean),
            interval(row.score.ci95),
            maybe(row.maximum.map(|maximum| maximum.mean)),
            interval(row.maximum.and_then(|maximum| maximum.ci95)),
        ]);
        if let Some(cells) = table.rows.last_mut().filter(|_| is_forfeited) {
            cells.push(maybe(row.mean_with_forfeits));
        }
    }
    table
}

fn times(report: &Report, game: &str) -> ReportTable {
    let columns = ["agent", "moves", "moves/s", "time per move", "99%"];
    let mut table = ReportTable::of_game(game, "time", &columns);
    for row in report.rows_of(game) {
        table.rows.push(vec![
            row.agent.clone(),
            grouped(row.moves),
            row.moves_per_second.map(rate).unwrap_or_default(),
            row.seconds_per_move.mean.map(move_time).unwrap_or_default(),
            row.seconds_per_move.p99.map(move_time).unwrap_or_default(),
        ]);
    }
    table
}

fn quantiles(report: &Report, game: &str) -> ReportTable {
    let columns =
        ["agent", "min", "1%", "5%", "10%", "25%", "median", "75%", "90%", "95%", "99%", "max"];
    let mut table = ReportTable::of_game(game, "scores", &columns);
    for row in report.rows_of(game) {
        let Some(p) = row.percentiles else { continue };
        let score = &row.score;
        let numbers = [
            score.min,
            Some(p.p1),
            Some(p.p5),
            score.p10,
            Some(p.p25),
            score.median,
            Some(p.p75),
            score.p90,
            Some(p.p95),
            Some(p.p99),
            score.max,
        ];
        let cells = numbers.into_iter().map(maybe);
        table.rows.push([row.agent.clone()].into_iter().chain(cells).collect());
    }
    table
}

fn tiles(report: &Report, game: &str) -> ReportTable {
    let columns = ["agent", "tile", "games ended", "reached", "rate", "95% interval"];
    let mut table = ReportTable::of_game(game, "tiles", &columns);
    for row in report.rows_of(game) {
        for tile in informative_tiles(&row.tiles, row.games) {
            table.rows.push(vec![
                row.agent.clone(),
                grouped(tile.tile),
                grouped(tile.ended),
                grouped(tile.reached),
                percent(tile.rate),
                percents(tile.ci95),
            ]);
        }
    }
    table
}

fn contest(report: &Report, game: &str) -> ReportTable {
    let columns = ["agent", "win", "win rate", "95% interval", "mean", "maximum", "largest tile"];
    let mut table = ReportTable::of_game(game, "contest", &columns);
    for row in report.rows_of(game) {
        let Some(win) = row.win else { continue };
        table.rows.push(vec![
            row.agent.clone(),
            grouped(win.tile),
            percent(win.rate),
            percents(win.ci95),
            maybe(row.score.mean),
            maybe(row.score.max),
            largest(row),
        ]);
    }
    table
}

fn pairs(report: &Report, game: &str) -> ReportTable {
    let columns = ["A", "B", "P(A > B)", "95% interval"];
    let mut table = ReportTable::of_game(game, "pairs", &columns);
    for pair in report.pairs.iter().filter(|pair| pair.game == game) {
        let (a, b) = (pair.a.clone(), pair.b.clone());
        table.rows.push(vec![a, b, percent(pair.p_a_wins), percents(pair.ci95)]);
    }
    table
}

fn ratings(report: &Report) -> ReportTable {
    let mut table =
        ReportTable::new("Over all games", &["agent", "rank", "rating", "95% interval", "group"]);
    for agent in &report.ratings {
        let [low, high] = agent.rating.ci95;
        table.rows.push(vec![
            agent.agent.clone(),
            agent.rank.to_string(),
            format!("{:+.0}", agent.rating.rating),
            format!("{low:+.0} to {high:+.0}"),
            (agent.rating.group + 1).to_string(),
        ]);
    }
    if report.ratings.iter().all(|agent| agent.rating.group == 0) {
        table.columns.pop();
        table.rows.iter_mut().for_each(|row| drop(row.pop()));
    }
    table
}
