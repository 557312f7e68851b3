//! The result of `runner tune`: the JSON document that scripts depend on, a text of at most
//! 80 columns, and the file of the tuned agent.

use crate::figures::mean_with_interval;
use runner_console::output::{Align, Table, wrap};
use runner_console::shell::quoted;
use runner_core::{Seed, Spec};
use runner_play::setting::Setting;
use runner_spec::quantity::{counted, number, time};
use runner_stats::Scores;
use runner_tuning::{Axis, Checkpoint, Scale};
use serde::Serialize;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Serialize)]
pub struct Report {
    #[serde(skip)]
    title: String,
    game: String,
    agent: String,
    seed: Seed,
    threads: usize,
    generations: u64,
    population: usize,
    games_each: u64,
    games: u64,
    seconds: f64,
    spread: f64,
    parameters: Vec<Parameter>,
    tuned: String,
    evaluate_games: Option<u64>,
    start_score: Option<Scores>,
    score: Option<Scores>,
    /// File of the tuned agent, once it is written.
    pub out: Option<PathBuf>,
    pub interrupted: bool,
}

#[derive(Serialize)]
struct Parameter {
    path: String,
    start: f64,
    tuned: f64,
    lower: Option<f64>,
    upper: Option<f64>,
    scale: Scale,
}

impl Report {
    pub fn new(setting: &Setting, state: &Checkpoint, best: &[f64], tuned: &Spec) -> Self {
        let parameter = |(axis, &tuned): (&Axis, &f64)| Parameter {
            path: axis.path.clone(),
            start: axis.start,
            tuned,
            lower: axis.lower,
            upper: axis.upper,
            scale: axis.scale,
        };
        let seed = state.seed.0;
        Self {
            title: format!(
                "{} tuned on {}, seed {seed}",
                setting.brief_player(),
                setting.brief_game()
            ),
            game: state.game.to_string(),
            agent: state.agent.to_string(),
            seed: state.seed,
            threads: setting.threads.count(),
            generations: state.search.generation(),
            population: state.search.population(),
            games_each: state.games,
            games: state.played,
            seconds: state.seconds,
            spread: state.search.spread(),
            parameters: state.axes.iter().zip(best).map(parameter).collect(),
            tuned: tuned.to_string(),
            evaluate_games: None,
            start_score: None,
            score: None,
            out: None,
            interrupted: false,
        }
    }

    /// Adds the scores of the start and of the result in the games of the evaluation.
    pub fn scored(&mut self, start: Scores, tuned: Scores, games: u64) {
        (self.start_score, self.score) = (Some(start), Some(tuned));
        self.evaluate_games = Some(games);
    }

    /// Returns true if the tuned agent does not score more than the start.
    pub fn is_worse(&self) -> bool {
        let mean = |score: &Option<Scores>| score.and_then(|score| score.mean);
        mean(&self.score) <= mean(&self.start_score)
    }

    /// Returns the file of the tuned agent: its spec, with the scores as comments.
    pub fn file(&self, path: &Path) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", self.title);
        let _ = writeln!(text, "{}", self.effort());
        let _ = self.scores(&mut text);
        let _ =
            writeln!(text, "runner eval --game {} --agent {}", quoted(&self.game), from_file(path));
        let comments: String = text.lines().map(|line| format!("// {line}\n")).collect();
        format!("{comments}{}\n", self.tuned)
    }

    fn effort(&self) -> String {
        format!(
            "{} of {} of {}, {} in total",
            counted(self.generations, "generation"),
            counted(self.population as u64, "candidate"),
            counted(self.games_each, "game"),
            counted(self.games, "game")
        )
    }

    fn scores(&self, f: &mut impl fmt::Write) -> fmt::Result {
        let (Some(start), Some(tuned), Some(games)) =
            (&self.start_score, &self.score, self.evaluate_games)
        else {
            return Ok(());
        };
        let mean = |scores: &Scores| mean_with_interval(scores.mean, scores.ci95);
        writeln!(f, "mean score {} in {}", mean(tuned), counted(games, "fresh game"))?;
        writeln!(f, "before tuning {}", mean(start))
    }
}

/// Returns the agent in a file as an argument of a shell command.
fn from_file(file: &Path) -> String {
    format!("\"$(cat {})\"", quoted(&file.to_string_lossy()))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        wrap(f, "", &self.title)?;
        let seconds = Duration::try_from_secs_f64(self.seconds).unwrap_or_default();
        let threads = counted(self.threads as u64, "thread");
        wrap(f, "", &format!("{} in {} on {threads}", self.effort(), time(seconds)))?;
        writeln!(f)?;
        let mut table = Table::new(&[Align::Right; 3]).indented("  ");
        table.row(["parameter", "start", "tuned"]);
        for Parameter { path, start, tuned, .. } in &self.parameters {
            table.row([path.clone(), number(*start), number(*tuned)]);
        }
        write!(f, "{table}")?;
        if self.score.is_some() {
            writeln!(f)?;
            self.scores(f)?;
        }
        if let Some(out) = &self.out {
            writeln!(f)?;
            wrap(f, "", &format!("play it with --agent {}", from_file(out)))?;
        }
        Ok(())
    }
}
