//! The report as one page without other files, for light and dark screens.

use super::figures::{PlayerRow, TournamentReport};
use super::tables::{DIFFERENCES, NOTES, ReportTable};
use runner_play::failure::Failure;
use runner_plot::results::{PlayerResults, scores, speed, tiles};
use runner_plot::{Plot, color_of};
use runner_spec::steers_terminal;
use std::error::Error;

/// The style of the page, which also replaces the colors of the plots.
const STYLE: &str = include_str!("page.css");

pub fn text(report: &TournamentReport) -> Result<String, Failure> {
    let title = escaped(report.title());
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"soft\">{}.</p>\n<p class=\"soft\">{}</p>\n",
        escaped(&report.headline()),
        escaped(&report.run.to_string())
    );
    if !report.complete {
        out += "<p><strong>The tournament is not complete.</strong></p>\n";
    }
    if let Some(table) = report.ratings_table() {
        out += &format!("<h2>{}</h2>\n{}", table.what, html_table(&table, ""));
    }
    for game in report.games() {
        let mut tables = report.tables_of(game).into_iter();
        out += &format!("<h2>{}</h2>\n", escaped(game));
        out.extend(tables.next().map(|scores| html_table(&scores, "")));
        let rows: Vec<_> = report.rows_of(game).filter(|row| !row.scores.is_empty()).collect();
        out += &html_legend(&rows);
        let drawn =
            plots(&rows).map_err(|error| Failure::failed(format!("report.html: {error}")))?;
        out += &format!("<div class=\"plots\">\n{}</div>\n", drawn.join("\n"));
        out.extend(tables.map(|table| html_table(&table, table.what)));
    }
    let forfeits = report.forfeits();
    if !forfeits.is_empty() {
        out += "<h2>Forfeited games</h2>\n";
        forfeits.iter().for_each(|line| out += &format!("<p>{}</p>\n", escaped(line)));
    }
    let inputs = report.inputs_table();
    out += &format!("<h2>{}</h2>\n{}", inputs.what, html_table(&inputs, ""));
    out += "<h2>Notes</h2>\n";
    NOTES.iter().for_each(|note| out += &format!("<p class=\"soft\">{}</p>\n", escaped(note)));
    out += "</body>\n</html>\n";
    Ok(out)
}

fn html_legend(rows: &[&PlayerRow]) -> String {
    let mut out = "<p class=\"legend\">\n".to_owned();
    for (index, row) in rows.iter().enumerate() {
        let dot = format!("<circle cx=\"5\" cy=\"5\" r=\"5\" fill=\"{}\"/>", color_of(index));
        let name = escaped(&row.agent);
        out += &format!("<span><svg viewBox=\"0 0 10 10\">{dot}</svg> {name}</span>\n");
    }
    out + "</p>\n"
}

fn plots(rows: &[&PlayerRow]) -> Result<Vec<String>, Box<dyn Error>> {
    let mut players = Vec::new();
    for row in rows {
        players.push(PlayerResults {
            name: row.agent.clone(),
            games: row.games,
            scores: vec![row.scores.clone()],
            score: row.score,
            tiles: row.tiles.clone(),
            seconds_per_move: row.seconds_per_move.mean,
        });
    }
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
    plots.into_iter().map(|plot| Plot { has_outside_legend: true, ..plot }.svg()).collect()
}

fn html_table(table: &ReportTable, caption: &str) -> String {
    let class = if table.what == DIFFERENCES { " class=\"matrix\"" } else { "" };
    let mut out = format!("<div class=\"wide\"><table{class}>\n");
    if !caption.is_empty() {
        out += &format!("<caption>{caption}</caption>\n");
    }
    out += &html_row("th", &table.columns, table.labels);
    for cells in &table.rows {
        out += &html_row("td", cells, table.labels);
    }
    out + "</table></div>\n"
}

fn html_row(tag: &str, cells: &[String], labels: usize) -> String {
    let mut out = "<tr>".to_owned();
    for (column, cell) in cells.iter().enumerate() {
        let kind = if column < labels { " class=\"label\"" } else { "" };
        out += &format!("<{tag}{kind}>{}</{tag}>", escaped(cell));
    }
    out + "</tr>\n"
}

fn escaped(text: &str) -> String {
    let text: String = text.chars().map(|c| if steers_terminal(c) { ' ' } else { c }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
