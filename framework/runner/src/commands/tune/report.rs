//! The result of `runner tune`: its report, and the file of the tuned agent.

use runner_console::output::{Align, Report, Table, mean_with_interval};
use runner_core::Spec;
use runner_play::names::quoted;
use runner_play::setting::Setting;
use runner_spec::quantity::{counted, number, time};
use runner_stats::Scores;
use runner_tuning::{Scale, State};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// The result of a tuning.
pub struct Tuned<'a> {
    pub setting: &'a Setting,
    pub state: &'a State,
    /// The tuned values, in the order of the axes.
    pub best: Vec<f64>,
    /// The tuned agent.
    pub agent: Spec,
    /// `None` if the tuning was interrupted.
    pub fresh: Option<FreshScores>,
}

/// Scores in games that no candidate played.
#[derive(Clone, Copy)]
pub struct FreshScores {
    /// Number of games of each agent.
    pub games: u64,
    /// Scores of the agent before the tuning.
    pub start: Scores,
    pub tuned: Scores,
}

#[derive(Serialize)]
struct Parameter<'a> {
    path: &'a str,
    start: f64,
    tuned: f64,
    lower: Option<f64>,
    upper: Option<f64>,
    scale: Scale,
}

impl Tuned<'_> {
    /// Returns true if the tuned agent does not score more than the start.
    pub fn is_worse(&self) -> bool {
        self.fresh.is_some_and(|fresh| fresh.tuned.mean <= fresh.start.mean)
    }

    /// Returns the report; `out` is the file of the tuned agent, once it is written.
    pub fn report(&self, out: Option<&Path>) -> Report {
        let Self { setting, state, agent, fresh, .. } = self;
        let (search, threads) = (&state.search, setting.threads.count());
        let mut report = Report::default();
        report
            .field("game", state.definition.game.to_string())
            .field("agent", state.definition.agent.to_string());
        report.field("seed", state.definition.seed).field("threads", threads);
        report.field("generations", search.generation()).field("population", search.population());
        report.field("games_each", state.definition.games).field("games", state.played);
        report.field("seconds", state.seconds).field("spread", search.spread());
        report.field("parameters", self.parameters()).field("tuned", agent.to_string());
        report.field("evaluate_games", fresh.map(|fresh| fresh.games));
        report.field("start_score", fresh.map(|fresh| fresh.start));
        report.field("score", fresh.map(|fresh| fresh.tuned));
        report.field("out", out).field("interrupted", fresh.is_none());
        report.line(self.title());
        let seconds = Duration::try_from_secs_f64(state.seconds).unwrap_or_default();
        let threads = counted(threads as u64, "thread");
        report.line(format!("{} in {} on {threads}", self.effort(), time(seconds)));
        let mut table = Table::new(&[Align::Right; 3]).indented("  ");
        table.row(["parameter", "start", "tuned"]);
        for Parameter { path, start, tuned, .. } in self.parameters() {
            table.row([path.to_owned(), number(start), number(tuned)]);
        }
        report.section().table(table).section().lines(self.score_lines());
        if let Some(out) = out {
            report.section().line(format!("play it with --agent {}", from_file(out)));
        }
        report
    }

    /// Returns the file of the tuned agent: its spec, with the scores as comments.
    pub fn file(&self, path: &Path) -> String {
        let game = quoted(&self.state.definition.game.to_string());
        let mut lines = vec![self.title(), self.effort()];
        lines.extend(self.score_lines());
        lines.push(format!("runner eval --game {game} --agent {}", from_file(path)));
        let mut text = String::new();
        for line in lines {
            // Writing to a string does not fail.
            let _ = writeln!(text, "// {line}");
        }
        format!("{text}{}\n", self.agent)
    }

    fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut parameters = Vec::new();
        for (axis, &tuned) in self.state.definition.axes.iter().zip(&self.best) {
            parameters.push(Parameter {
                path: &axis.path,
                start: axis.start,
                tuned,
                lower: axis.lower,
                upper: axis.upper,
                scale: axis.scale,
            });
        }
        parameters
    }

    fn title(&self) -> String {
        let (player, game) = (self.setting.brief_player(), self.setting.brief_game());
        format!("{player} tuned on {game}, seed {}", self.state.definition.seed.0)
    }

    /// Says how many games were played to tune.
    fn effort(&self) -> String {
        format!(
            "{} of {} of {}, {} in total",
            counted(self.state.search.generation(), "generation"),
            counted(self.state.search.population() as u64, "candidate"),
            counted(self.state.definition.games, "game"),
            counted(self.state.played, "game")
        )
    }

    fn score_lines(&self) -> Vec<String> {
        let Some(FreshScores { games, start, tuned }) = self.fresh else { return Vec::new() };
        let mean = |scores: Scores| mean_with_interval(scores.mean, scores.ci95, games);
        vec![
            format!("mean score {} in {}", mean(tuned), counted(games, "fresh game")),
            format!("before tuning {}", mean(start)),
        ]
    }
}

/// Returns the argument of a shell command that is the agent in a file.
fn from_file(file: &Path) -> String {
    format!("\"$(cat {})\"", quoted(&file.to_string_lossy()))
}
