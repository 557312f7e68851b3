//! The report as one page without other files, for light and dark screens.

use super::figures::Report;
use super::markdown::{ReportTable, tables, title};
use super::plots;
use super::words::{NOTES, headline, remarks};
use runner_play::failure::Failure;

/// The colors of the plots are replaced by those of the page.
const STYLE: &str = "
:root { color-scheme: light dark; --text: #222; --soft: #666; --line: #ddd; --back: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ddd; --soft: #999; --line: #3a3a3a; --back: #181818; }
  svg [fill=\"#1F6FB4\"] { fill: #5aa9e6 } svg [stroke=\"#1F6FB4\"] { stroke: #5aa9e6 }
  svg [fill=\"#C8501E\"] { fill: #f08a5d } svg [stroke=\"#C8501E\"] { stroke: #f08a5d }
  svg [fill=\"#2B8A3E\"] { fill: #69c779 } svg [stroke=\"#2B8A3E\"] { stroke: #69c779 }
  svg [fill=\"#7A4FB5\"] { fill: #b794f0 } svg [stroke=\"#7A4FB5\"] { stroke: #b794f0 }
  svg [fill=\"#A07800\"] { fill: #e0b83f } svg [stroke=\"#A07800\"] { stroke: #e0b83f }
  svg [fill=\"#555555\"] { fill: #aaa } svg [stroke=\"#555555\"] { stroke: #aaa }
  svg [fill=\"#0B8A8F\"] { fill: #4fd0d5 } svg [stroke=\"#0B8A8F\"] { stroke: #4fd0d5 }
  svg [fill=\"#B83A86\"] { fill: #f083c4 } svg [stroke=\"#B83A86\"] { stroke: #f083c4 }
  svg [fill=\"#8A5A3C\"] { fill: #cfa182 } svg [stroke=\"#8A5A3C\"] { stroke: #cfa182 }
  svg [fill=\"#6B7D00\"] { fill: #b9cc4a } svg [stroke=\"#6B7D00\"] { stroke: #b9cc4a }
}
body { max-width: 68rem; margin: 2rem auto; padding: 0 1rem; color: var(--text);
  background: var(--back); font: 15px/1.5 system-ui, sans-serif; }
h1 { margin-bottom: 0 } h2 { margin: 2.5rem 0 0.5rem } p { margin: 0.3rem 0 }
.soft { color: var(--soft) } .wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0.8rem 0 0.2rem }
th, td { padding: 0.2rem 0.6rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line) }
th:first-child, td:first-child { text-align: left; padding-left: 0 }
.plot svg { width: 100%; height: auto; margin: 0.8rem 0 }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin: 1.2rem 0 0 }
.legend svg { width: 0.7rem; height: 0.7rem }
svg [fill=\"#FFFFFF\"] { fill: var(--back) }
svg [fill=\"#222222\"], svg [fill=\"#444444\"] { fill: var(--text) }
svg [stroke=\"#888888\"] { stroke: var(--soft) } svg [stroke=\"#E4E4E4\"] { stroke: var(--line) }
";

pub fn text(report: &Report) -> Result<String, Failure> {
    let title = escaped(title(report));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"soft\">{}.</p>\n",
        escaped(&headline(report))
    );
    if !report.complete {
        out += "<p><strong>The tournament is not complete.</strong></p>\n";
    }
    let tables = tables(report);
    for table in tables.iter().filter(|table| table.game.is_none()) {
        out += &format!("<h2>{}</h2>\n{}", escaped(&table.title), html_table(table, None));
    }
    for game in report.games() {
        out += &format!("<h2>{}</h2>\n", escaped(game));
        let mut own = tables.iter().filter(|table| table.game.as_deref() == Some(game));
        if let Some(first) = own.next() {
            out += &html_table(first, None);
        }
        let plots = plots::of_game(report, game);
        out += &html_legend(report, game);
        for plot in plots.map_err(|error| Failure::failed(format!("report.html: {error}")))? {
            out += &format!("<div class=\"plot\">{plot}</div>\n");
        }
        for table in own {
            out += &html_table(table, Some(&table.title));
        }
    }
    for (title, lines) in remarks(report) {
        out += &format!("<h2>{title}</h2>\n");
        lines.iter().for_each(|line| out += &format!("<p>{}</p>\n", escaped(line)));
    }
    out += "<h2>Notes</h2>\n";
    NOTES.iter().for_each(|note| out += &format!("<p class=\"soft\">{}</p>\n", escaped(note)));
    out += "</body>\n</html>\n";
    Ok(out)
}

/// Returns the names of the agents of a game with their colors.
fn html_legend(report: &Report, game: &str) -> String {
    let name = |(agent, color): (&str, String)| {
        let dot = format!("<circle cx=\"5\" cy=\"5\" r=\"5\" fill=\"{color}\"/>");
        format!("<span><svg viewBox=\"0 0 10 10\">{dot}</svg> {}</span>\n", escaped(agent))
    };
    let names: String = plots::legend(report, game).into_iter().map(name).collect();
    format!("<p class=\"legend\">\n{names}</p>\n")
}

fn html_table(table: &ReportTable, caption: Option<&str>) -> String {
    let row = |tag: &str, cells: &[String]| {
        let cell = |cell: &String| format!("<{tag}>{}</{tag}>", escaped(cell));
        format!("<tr>{}</tr>\n", cells.iter().map(cell).collect::<String>())
    };
    let caption =
        caption.map_or(String::new(), |text| format!("<caption>{}</caption>\n", escaped(text)));
    let rows: String = table.rows.iter().map(|cells| row("td", cells)).collect();
    let head = row("th", &table.columns);
    format!("<div class=\"wide\"><table>\n{caption}{head}{rows}</table></div>\n")
}

fn escaped(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
