//! The result of an evaluation: the JSON document that scripts depend on, and the table
//! for people.

use crate::figures::mean_with_interval;
use runner_console::output::{Align, Table, wrap};
use runner_core::{Description, Seed, Spec};
use runner_play::brief::brief;
use runner_play::evaluation::Played;
use runner_play::failure::{Failure, attributed};
use runner_play::faults::Cause;
use runner_plugin::{LoadedGame, Registry};
use runner_spec::quantity::{counted, grouped, number, percent, rate, time};
use runner_stats::{GameResult, Results, Scores, TileRate, informative_tiles};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// Number of kinds of faults that are printed.
const CAUSES: usize = 3;

/// The facts of an evaluation besides its games.
#[derive(Clone, Debug)]
pub struct EvalRun {
    pub game: String,
    pub agent: String,
    /// Specs of game and agent for people: `2048 by greedy`.
    pub title: String,
    pub seed: Seed,
    pub threads: usize,
}

impl EvalRun {
    /// Returns the facts of games that an agent, with this resolved spec, played.
    pub fn new(
        game: &LoadedGame,
        agent: &Spec,
        seed: Seed,
        threads: usize,
        registry: &Registry,
    ) -> Self {
        Self {
            game: game.spec.to_string(),
            agent: agent.to_string(),
            title: format!("{} by {}", brief(&game.spec, registry), brief(agent, registry)),
            seed,
            threads,
        }
    }
}

/// The report of an evaluation. Serialised, it is the document of `runner eval --json`;
/// displayed, it is a table of at most 80 columns.
#[derive(Clone, Debug, Serialize)]
pub struct EvalReport {
    game: String,
    agent: String,
    seed: Seed,
    games: u64,
    moves: u64,
    seconds: f64,
    threads: usize,
    moves_per_second: Option<f64>,
    score: Scores,
    tiles: Vec<TileRate>,
    faults: u64,
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<GameResult>>,
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    elapsed: Duration,
    #[serde(skip)]
    goal: Option<u64>,
    #[serde(skip)]
    causes: Vec<Cause>,
}

impl EvalReport {
    /// Returns the report of the games that were played, by the rules with this description.
    pub fn new(run: EvalRun, description: &Description, played: &Played) -> Self {
        let summary = played.results.summary(&description.tiles, played.faults.count());
        let seconds = played.elapsed.as_secs_f64();
        Self {
            game: run.game,
            agent: run.agent,
            seed: run.seed,
            games: summary.games,
            moves: summary.moves,
            seconds,
            threads: run.threads,
            moves_per_second: (seconds > 0.0).then(|| summary.moves as f64 / seconds),
            score: summary.score,
            tiles: summary.tiles,
            faults: played.faults.count(),
            interrupted: played.interrupted,
            scores: None,
            title: run.title,
            elapsed: played.elapsed,
            goal: description.goal,
            causes: played.faults.clone().into_causes(),
        }
    }

    /// Adds the result of each game to the document, by game number.
    #[must_use]
    pub fn with_scores(self, results: &Results) -> Self {
        let mut games = results.games().to_vec();
        games.sort_by_key(|game| game.number);
        Self { scores: Some(games), ..self }
    }

    /// Returns the tiles that are printed: the largest that all games reached, all larger ones, and the
    /// goal.
    fn shown_tiles(&self) -> impl Iterator<Item = &TileRate> {
        let shown = informative_tiles(&self.tiles, self.games);
        let certain = &self.tiles[..self.tiles.len() - shown.len()];
        certain.iter().filter(|tile| Some(tile.tile) == self.goal).chain(shown)
    }

    fn write_faults(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.faults == 0 {
            return Ok(());
        }
        let faults = counted(self.faults, "game");
        writeln!(f, "{faults} ended by a fault, counted only in the rates:")?;
        write_causes(f, &self.causes, self.faults)
    }

    fn write_tiles(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(&[Align::Right; 5]).indented("  ");
        table.row(["tile", "games ended", "reached", "rate", "95% interval"]);
        let mut is_empty = true;
        for tile in self.shown_tiles() {
            let [low, high] = tile.ci95;
            table.row([
                grouped(tile.tile),
                grouped(tile.ended),
                grouped(tile.reached),
                percent(tile.rate),
                format!("{} to {:>7}", percent(low), percent(high)),
            ]);
            is_empty = false;
        }
        match is_empty {
            true => Ok(()),
            false => write!(f, "\n{table}"),
        }
    }
}

impl fmt::Display for EvalReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = counted(self.games, "game");
        wrap(f, "", &format!("{games} of {}, seed {}", self.title, self.seed.0))?;
        let speed =
            self.moves_per_second.map_or(String::new(), |speed| format!(", {}", rate(speed)));
        let moves = counted(self.moves, "move");
        let threads = counted(self.threads as u64, "thread");
        writeln!(f, "{moves} in {} on {threads}{speed}", time(self.elapsed))?;
        self.write_faults(f)?;
        let score = &self.score;
        if score.mean.is_none() {
            return match self.games {
                0 => writeln!(f, "\nno game was finished, so there is no score"),
                _ => writeln!(f, "\na score is not finite, so there is no mean"),
            };
        }
        writeln!(f, "\nmean score {}\n", mean_with_interval(score.mean, score.ci95))?;
        let quantiles = [score.min, score.p10, score.median, score.p90, score.max];
        let mut table = Table::new(&[Align::Right; 5]).indented("  ");
        table.row(["min", "10%", "median", "90%", "max"]);
        table.row(quantiles.map(|quantile| quantile.map_or(String::new(), number)));
        write!(f, "{table}")?;
        self.write_tiles(f)
    }
}

/// Writes the most frequent causes of faults, a line each.
fn write_causes(f: &mut fmt::Formatter<'_>, causes: &[Cause], faults: u64) -> fmt::Result {
    let shown = &causes[..causes.len().min(CAUSES)];
    for Cause { message, games, .. } in shown {
        wrap(f, "  ", &format!("{}: {message}", grouped(*games)))?;
    }
    match faults - shown.iter().map(|cause| cause.games).sum::<u64>() {
        0 => Ok(()),
        others => writeln!(f, "  {}: other causes", grouped(others)),
    }
}

/// Returns an error if games ended in a fault of one of these plugins.
pub fn refuse_faults(played: &Played, whose: &[&str]) -> Result<(), Failure> {
    let (faults, games) = (played.faults.count(), played.results.games().len() as u64);
    match played.faults.first() {
        None => Ok(()),
        Some(first) => Err(Failure::failed(format!(
            "{faults} of {} games ended in a fault: {}; `runner plugins doctor` examines plugins",
            games + faults,
            attributed(first, whose)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_play::faults::Faults;

    /// A message that could steer the terminal.
    const BROKEN: &str = "broken\u{1b}[2J\n";

    fn description() -> Description {
        Description {
            actions: vec!["up".into()],
            max_outcomes: 1,
            tiles: (1..=17).map(|k| 1 << k).collect(),
            goal: Some(256),
            geometry: None,
        }
    }

    fn evaluation() -> EvalRun {
        EvalRun {
            game: "2048".into(),
            agent: "greedy".into(),
            title: "2048 by greedy".into(),
            seed: Seed(1),
            threads: 2,
        }
    }

    fn played(results: Results) -> Played {
        Played {
            results,
            faults: Faults::default(),
            elapsed: Duration::from_millis(1900),
            interrupted: false,
            given_up: 0,
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
            })
            .collect()
    }

    fn report(run: EvalRun, games: u64) -> EvalReport {
        EvalReport::new(run, &description(), &played(results(games)))
    }

    #[test]
    fn the_json_has_the_fields_of_the_contract_in_their_order() {
        let text = serde_json::to_string(&report(evaluation(), 11)).unwrap();
        let fields = [
            r#"{"game":"2048","agent":"greedy","seed":1,"games":11,"moves":5500,"seconds":1.9,"#,
            r#""threads":2,"moves_per_second":2894.7"#,
            r#","score":{"mean":5000.0,"ci95":["#,
            r#"],"median":5000.0,"min":0.0,"max":10000.0,"p10":1000.0,"p90":9000.0},"tiles":["#,
            r#"{"tile":1024,"ended":9,"reached":11,"rate":1.0,"ci95":[0.74"#,
            r#"{"tile":2048,"ended":2,"reached":2,"rate":0.18181818"#,
            r#"]}],"faults":0,"interrupted":false}"#,
        ];
        let mut at = 0;
        for field in fields {
            let found = text[at..].find(field).unwrap_or_else(|| panic!("{field} in {text}"));
            at += found + field.len();
        }
        assert_eq!(at, text.len());
    }

    #[test]
    fn without_games_the_json_has_nulls_and_no_nan() {
        let played = Played { elapsed: Duration::ZERO, ..played(results(0)) };
        let report = EvalReport::new(evaluation(), &description(), &played);
        let text = serde_json::to_string(&report).unwrap();
        let score = r#""moves_per_second":null,"score":{"mean":null,"ci95":null,"median":null"#;
        assert!(
            text.contains(score) && text.contains(r#""tiles":[],"faults":0,"interrupted":false}"#),
            "{text}"
        );
    }

    #[test]
    fn the_table_is_aligned_and_tells_what_differs() {
        // Every game reached the tiles below 1024; of these, only the goal is printed.
        let text = report(evaluation(), 1000).to_string();
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
    fn every_line_fits_80_columns_whatever_the_specs_and_faults_say() {
        let run = EvalRun {
            title: format!("{} by expectimax({})", "x".repeat(200), "value: rows, ".repeat(12)),
            ..evaluation()
        };
        let mut played_badly = played(results(1_000));
        let message =
            |number: u64| format!("{}{}", "x".repeat(number as usize % 9), BROKEN.repeat(20));
        (0..12_345).for_each(|number| played_badly.faults.add(number, &message(number)));
        let text = EvalReport::new(run, &description(), &played_badly).to_string();
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
        });
        let huge = played(huge.collect());
        let text = EvalReport::new(evaluation(), &description(), &huge).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn no_games_and_broken_scores_are_told_in_words() {
        assert!(report(evaluation(), 0).to_string().contains("no game was finished"));
        let broken = GameResult { number: 0, score: f64::NAN, moves: 1, max_tile: None };
        let broken = played([broken].into_iter().collect());
        let report = EvalReport::new(evaluation(), &description(), &broken);
        assert!(report.to_string().contains("not finite"));
    }
}
