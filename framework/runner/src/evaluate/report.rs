//! The result of an evaluation: the JSON document that scripts depend on, and the table
//! for people.

use runner_console::output::{Align, Report, Table, counts_as, mean_with_interval};
use runner_core::{Description, Seed, Spec};
use runner_play::evaluation::Played;
use runner_play::failure::{Failure, attributed};
use runner_play::faults::Cause;
use runner_spec::quantity::{counted, grouped, number, percent, rate, time};
use runner_stats::{GameResult, LessLuck, ScoreSummary, TileRate, informative_tiles};
use serde_json::json;

/// Largest number of causes of faults that are printed.
const MAX_CAUSES: usize = 3;

/// From this number of games on, there are quantiles and rates instead of a line for each game.
const MANY_GAMES: u64 = 5;

/// The facts of an evaluation besides its games.
#[derive(Clone, Debug)]
pub struct EvalRun {
    pub game: String,
    /// The resolved spec of the player.
    pub agent: String,
    /// Specs of game and agent for people: `2048 by greedy`.
    pub title: String,
    pub seed: Seed,
    pub threads: usize,
    /// Spec of the value that measures luck.
    pub luck: Option<Spec>,
}

/// Returns the report of games. `description` is that of the game's rules. With `scores`, the JSON
/// document has the result of each game, in the order of their numbers.
pub fn eval_report(
    run: &EvalRun,
    description: &Description,
    played: &Played,
    scores: bool,
) -> Report {
    let summary = played.results.summary(&description.tiles, played.faults.count());
    let mut report = document(run, played, &summary, scores);
    add_title(&mut report, run, played, &summary);
    add_causes(&mut report, played.faults.clone().into_causes(), played.faults.count());
    report.section();
    if summary.games < MANY_GAMES {
        list_games(&mut report, played);
    }
    let score = &summary.score;
    if score.mean.is_none() {
        report.line(match summary.games {
            0 => "no game was finished, so there is no score",
            _ => "a score is not finite, so there is no mean",
        });
        return report;
    }
    if summary.games > 1 {
        let mean = mean_with_interval(score.mean, score.ci95, summary.games);
        report.line(format!("mean score {mean}"));
    }
    if let Some(LessLuck { mean, ci95, saving, .. }) = played.results.less_luck() {
        let less_luck = mean_with_interval(mean, ci95, summary.games);
        report.line(format!("less luck  {less_luck}{}", saving_text(saving)));
    }
    if summary.games < MANY_GAMES {
        return report;
    }
    let quantiles = [score.min, score.p10, score.median, score.p90, score.max];
    let mut table = Table::new(&[Align::Right; 5]).indented("  ");
    table.row(["min", "10%", "median", "90%", "max"]);
    table.row(quantiles.map(|quantile| quantile.map_or(String::new(), number)));
    report.section().table(table);
    let tiles = shown_tiles(&summary, description.goal);
    if !tiles.is_empty() {
        report.section().table(tile_table(&tiles));
    }
    report
}

fn moves_per_second(played: &Played, summary: &ScoreSummary) -> Option<f64> {
    let seconds = played.elapsed.as_secs_f64();
    // The time is that of this run alone, without the moves of the file that it continues.
    let moves = summary.moves - played.moves_before;
    (seconds > 0.0).then(|| moves as f64 / seconds)
}

/// Returns a report with the fields of the JSON document and no text.
fn document(run: &EvalRun, played: &Played, summary: &ScoreSummary, scores: bool) -> Report {
    let mut report = Report::default();
    report.field("game", &run.game).field("agent", &run.agent).field("seed", run.seed);
    report.field("games", summary.games).field("moves", summary.moves);
    report.field("seconds", played.elapsed.as_secs_f64()).field("threads", run.threads);
    report.field("moves_per_second", moves_per_second(played, summary));
    report.field("score", summary.score);
    if let Some((value, less_luck)) = run.luck.as_ref().zip(played.results.less_luck()) {
        let LessLuck { mean, ci95, coefficient, saving } = less_luck;
        let fields = json!({
            "value": value.to_string(), "mean": mean, "ci95": ci95, "coefficient": coefficient,
            "saving": saving,
        });
        report.field("less_luck", fields);
    }
    report.field("tiles", &summary.tiles);
    report.field("faults", played.faults.count()).field("interrupted", played.interrupted);
    if scores {
        let mut games = played.results.games().to_vec();
        games.sort_by_key(|game| game.number);
        report.field("scores", games);
    }
    report
}

fn add_title(report: &mut Report, run: &EvalRun, played: &Played, summary: &ScoreSummary) {
    let games = counted(summary.games, "game");
    report.line(format!("{games} of {}, seed {}", run.title, run.seed.0));
    let speed = moves_per_second(played, summary);
    let speed_text = speed.map_or(String::new(), |speed| format!(", {}", rate(speed)));
    let moves = counted(summary.moves, "move");
    let threads = counted(run.threads as u64, "thread");
    report.line(format!("{moves} in {} on {threads}{speed_text}", time(played.elapsed)));
}

/// Adds a line for each game, also for games that were given up, of which there may be many.
fn list_games(report: &mut Report, played: &Played) {
    const MAX_LINES: usize = 10;
    let over = played.results.games().iter().map(|game| (game, ""));
    let given_up = played.given_up.iter().map(|game| (game, ", given up"));
    let mut games: Vec<_> = over.chain(given_up).collect();
    games.sort_by_key(|(game, _)| game.number);
    for (game, end) in games.into_iter().take(MAX_LINES) {
        let GameResult { score, moves, max_tile, .. } = *game;
        let tile =
            max_tile.map_or(String::new(), |tile| format!(", largest tile {}", grouped(tile)));
        let (points, moves) = (number(score), counted(moves, "move"));
        report.line(format!("game {}: {points} points in {moves}{tile}{end}", game.number));
    }
}

/// Says as how many games a game counts if its luck is taken off: less luck saves games.
pub fn saving_text(saving: Option<f64>) -> String {
    saving.map_or(String::new(), |saving| format!("; each game counts as {}", counts_as(saving)))
}

/// Returns the tiles to print: the largest that all games reached, all larger ones, and the goal.
fn shown_tiles(summary: &ScoreSummary, goal: Option<u64>) -> Vec<&TileRate> {
    let shown = informative_tiles(&summary.tiles, summary.games);
    let certain = &summary.tiles[..summary.tiles.len() - shown.len()];
    certain.iter().filter(|tile| Some(tile.tile) == goal).chain(shown).collect()
}

fn tile_table(tiles: &[&TileRate]) -> Table {
    let mut table = Table::new(&[Align::Right; 5]).indented("  ");
    table.row(["tile", "games ended", "reached", "rate", "95% interval"]);
    for tile in tiles {
        let [low, high] = tile.ci95;
        table.row([
            grouped(tile.tile),
            grouped(tile.ended),
            grouped(tile.reached),
            percent(tile.rate),
            format!("{} to {:>7}", percent(low), percent(high)),
        ]);
    }
    table
}

/// Adds the causes of faults, of which the most frequent come first.
fn add_causes(report: &mut Report, causes: Vec<Cause>, faults: u64) {
    if faults == 0 {
        return;
    }
    let games = counted(faults, "game");
    report.line(format!("{games} ended by a fault, counted only in the rates:"));
    let mut others = faults;
    for Cause { message, games, .. } in causes.into_iter().take(MAX_CAUSES) {
        report.detail(format!("{}: {message}", grouped(games)));
        others -= games;
    }
    if others > 0 {
        report.detail(format!("{}: other causes", grouped(others)));
    }
}

/// Returns an error if games ended in a fault. `whose` are the plugins that may have caused it. The
/// message names the first fault, unless a report has listed the causes.
pub fn refuse_faults(played: &Played, whose: &[&str], is_listed: bool) -> Result<(), Failure> {
    let Some(first) = played.faults.first() else { return Ok(()) };
    let faults = played.faults.count();
    let games = played.results.games().len() as u64 + faults;
    let ended = if is_listed {
        format!("{faults} of {games} games with {} ended in a fault", whose.join(" and "))
    } else {
        format!("{faults} of {games} games ended in a fault: {}", attributed(first, whose))
    };
    Err(Failure::failed(format!("{ended}; `runner plugins doctor` examines plugins")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_play::faults::Faults;
    use runner_stats::{GameResult, Results};
    use std::time::Duration;

    /// A message that could steer the terminal.
    const BROKEN: &str = "broken\u{1b}[2J\n";

    fn description() -> Description {
        Description {
            actions: vec!["up".into()],
            max_outcomes: 1,
            tiles: (1..=17).map(|k| 1 << k).collect(),
            goal: Some(256),
            ..Description::default()
        }
    }

    fn evaluation() -> EvalRun {
        EvalRun {
            game: "2048".into(),
            agent: "greedy".into(),
            title: "2048 by greedy".into(),
            seed: Seed(1),
            threads: 2,
            luck: None,
        }
    }

    fn played(results: Results) -> Played {
        Played {
            results,
            faults: Faults::default(),
            elapsed: Duration::from_millis(1900),
            interrupted: false,
            moves_before: 0,
            given_up: Vec::new(),
        }
    }

    /// Game k scores 1000 k and ends with tile 1024, every fourth with 2048.
    fn results(games: u64) -> Results {
        (0..games)
            .map(|k| GameResult {
                number: k,
                score: 1000.0 * k as f64,
                moves: 500,
                max_tile: Some(if k % 4 == 3 { 2048 } else { 1024 }),
                luck: None,
            })
            .collect()
    }

    fn of(run: &EvalRun, played: &Played) -> Report {
        eval_report(run, &description(), played, false)
    }

    fn report(games: u64) -> Report {
        of(&evaluation(), &played(results(games)))
    }

    #[test]
    fn without_games_the_json_has_nulls_and_no_nan() {
        let played = Played { elapsed: Duration::ZERO, ..played(results(0)) };
        let report = of(&evaluation(), &played);
        let text = report.json();
        let score = r#""moves_per_second":null,"score":{"mean":null,"ci95":null,"median":null"#;
        assert!(
            text.contains(score) && text.contains(r#""tiles":[],"faults":0,"interrupted":false}"#),
            "{text}"
        );
    }

    #[test]
    fn the_table_is_aligned_and_tells_what_differs() {
        // Every game reached the tiles below 1024; of these, only the goal is printed.
        let text = report(1000).to_string();
        let (before, after) = text.split_once(", 95% interval ").unwrap();
        assert_eq!(
            before,
            "1,000 games of 2048 by greedy, seed 1\n\
             500,000 moves in 1.9s on 2 threads, 263 k/s\n\n\
             mean score 499,500"
        );
        let (_, tables) = after.split_once("\n\n").unwrap();
        assert_eq!(
            tables,
            "  min     10%   median      90%      max\n\
             \x20   0  99,900  499,500  899,100  999,000\n\n\
             \x20  tile  games ended  reached     rate       95% interval\n\
             \x20   256            0    1,000  100.00%  99.62% to 100.00%\n\
             \x20 1,024          750    1,000  100.00%  99.62% to 100.00%\n\
             \x20 2,048          250      250   25.00%  22.42% to  27.78%\n"
        );
    }

    #[test]
    fn few_games_are_listed_without_quantiles() {
        let one = report(1).to_string();
        assert!(one.ends_with("\n\ngame 0: 0 points in 500 moves, largest tile 1,024\n"), "{one}");
        let given_up =
            GameResult { number: 1, score: 123_456.0, moves: 5678, max_tile: None, luck: None };
        let played = Played { given_up: vec![given_up], ..played(results(0)) };
        let none = of(&evaluation(), &played).to_string();
        let end = "\n\ngame 1: 123,456 points in 5,678 moves, given up\n\
                   no game was finished, so there is no score\n";
        assert!(none.ends_with(end), "{none}");
        for games in 2..=4 {
            let text = report(games).to_string();
            assert_eq!(text.matches("\ngame ").count(), games as usize, "{text}");
            assert!(text.contains("mean score ") && !text.contains("median"), "{text}");
        }
        let text = report(5).to_string();
        assert!(!text.contains("\ngame ") && text.contains("median"), "{text}");
    }

    #[test]
    fn every_line_fits_80_columns_whatever_the_specs_and_faults_say() {
        let run = EvalRun {
            title: format!("{} by expectimax({})", "x".repeat(70), "value: rows, ".repeat(12)),
            ..evaluation()
        };
        let mut played_badly = played(results(1_000));
        let message =
            |number: u64| format!("{}{}", "x".repeat(number as usize % 9), BROKEN.repeat(20));
        (0..12_345).for_each(|number| played_badly.faults.add(number, &message(number)));
        let text = of(&run, &played_badly).to_string();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
            assert!(!line.contains('\u{1b}'));
        }
        assert!(text.contains("12,345 games ended by a fault"), "{text}");
        assert!(text.contains("  1,372: broken\\u{1b}[2J "), "{text}");
        assert!(text.contains("  8,229: other causes\n"), "{text}");
        let huge = (0..9).map(|k| GameResult {
            number: k,
            score: -999_999_999.5 + k as f64 / 9.0,
            moves: u64::MAX / 9,
            max_tile: Some(131_072),
            luck: None,
        });
        let huge = played(huge.collect());
        let text = of(&evaluation(), &huge).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn no_games_and_broken_scores_are_told_in_words() {
        assert!(report(0).to_string().contains("no game was finished"));
        let broken =
            GameResult { number: 0, score: f64::NAN, moves: 1, max_tile: None, luck: None };
        let broken = played([broken].into_iter().collect());
        assert!(of(&evaluation(), &broken).to_string().contains("not finite"));
    }
}
