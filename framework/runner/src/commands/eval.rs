//! `runner eval`: many games and their statistics.

pub(super) mod report;

use crate::context::{Context, Execute};
use crate::evaluation::{self, Limits, Plan, Played};
use crate::failure::Failure;
use crate::learners;
use crate::notes::note;
use crate::options::{
    GameOptions, InputOutputOptions, Options, PlayerOptions, ResourceOptions, Time,
};
use crate::output;
use crate::positions::read_starts;
use crate::recording::metadata;
use crate::setting::Setting;
use clap::Args;
use report::{EvalReport, EvalRun, refuse_faults};
use runner_core::{Game, State};
use runner_records::RecordWriter;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The number of games if none is given.
pub(super) const GAMES: u64 = 1000;

/// Play many games and print the scores with their intervals
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvalOptions {
    /// The game and its player.
    #[command(flatten)]
    #[serde(rename = "..players")]
    players: PlayerOptions,
    /// The games.
    #[command(flatten)]
    #[serde(rename = "..games")]
    games: GameOptions,
    /// Start no game after this time, like 60s or 5m
    #[arg(long, value_name = "TIME")]
    time: Option<Time>,
    /// File with a position on each line: each game begins at one of them, drawn at random, with a
    /// score of 0
    #[arg(long, value_name = "FILE", conflicts_with = "records")]
    starts: Option<PathBuf>,
    /// Add the score, moves and max tile of each game to the JSON document
    #[arg(long)]
    scores: bool,
    /// Threads and seed.
    #[command(flatten)]
    #[serde(rename = "..resources")]
    resources: ResourceOptions,
    /// Configuration file and output.
    #[command(flatten)]
    #[serde(rename = "..io")]
    io: InputOutputOptions,
}

impl Options for EvalOptions {
    fn config(&self) -> Option<&Path> {
        self.io.config.as_deref()
    }

    fn check(&self) -> Result<(), Failure> {
        if self.scores && !self.io.json {
            return Err(Failure::usage("--scores adds to the JSON document: it needs --json"));
        }
        if self.starts.is_some() && self.games.records.is_some() {
            return Err(Failure::usage(
                "--starts and --records exclude each other: the games of a record begin as the \
                 rules say",
            ));
        }
        Ok(())
    }
}

impl Execute for EvalOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let options = context.resolve(self)?;
        let setting = Setting::new(&options.players, &options.resources, context.registry())?;
        setting.refuse_untrained()?;
        let starts = match &options.starts {
            Some(file) => read_starts(file, &setting.game, context.registry())?,
            None => Vec::new(),
        };
        evaluate(&Evaluation {
            setting: &setting,
            games: &options.games,
            starts: &starts,
            time: options.time.map(|Time(time)| time),
            json: options.io.json,
            scores: options.scores,
        })
    }
}

/// An evaluation that is to be played and reported.
pub(super) struct Evaluation<'a> {
    /// The game and the player.
    pub setting: &'a Setting,
    /// The number of games, their limits, and where they are recorded.
    pub games: &'a GameOptions,
    /// Positions of which each game draws its first one. If empty, games begin as the rules say.
    pub starts: &'a [State],
    /// No game starts after this time.
    pub time: Option<Duration>,
    /// True if the result is printed as JSON.
    pub json: bool,
    /// True if the JSON document contains the result of each game.
    pub scores: bool,
}

/// Plays the games, and prints the result.
pub(super) fn evaluate(evaluation: &Evaluation<'_>) -> Result<(), Failure> {
    let Evaluation { setting, games, starts, time, .. } = *evaluation;
    let plan = Plan {
        game: &setting.game,
        games: evaluation.count(),
        seed: setting.seed,
        threads: &setting.threads,
        time,
        limits: Limits {
            moves: games.move_limit.map(|limit| limit.get()),
            time: games.game_time.map(|Time(time)| time),
        },
        starts,
    };
    learners::note_models(&setting.player.spec, setting.services.registry());
    let writer = games.records.as_deref().map(|path| recorder(path, evaluation)).transpose()?;
    let played = evaluation::play(&plan, &setting.player.player, writer)?;
    evaluation.print(&played)?;
    evaluation.verdict(&played)
}

/// Opens a file for the games.
fn recorder(path: &Path, evaluation: &Evaluation<'_>) -> Result<RecordWriter, Failure> {
    if path.is_file() && !evaluation.games.force {
        return Err(Failure::exists(path));
    }
    let Setting { game, player, seed, .. } = evaluation.setting;
    Ok(RecordWriter::create(path, &metadata(game, &player.spec, *seed))?)
}

impl Evaluation<'_> {
    /// The number of games that are wanted.
    fn count(&self) -> u64 {
        self.games.games.map_or(GAMES, |games| games.get())
    }

    fn print(&self, played: &Played) -> Result<(), Failure> {
        let setting = self.setting;
        let registry = setting.services.registry();
        let threads = setting.threads.count();
        let run =
            EvalRun::new(&setting.game, &setting.player.spec, setting.seed, threads, registry);
        let report = EvalReport::new(run, setting.game.rules.description(), played);
        let report = if self.scores { report.with_scores(&played.results) } else { report };
        output::print(&report, self.json)
    }

    /// Returns an error, after the result is out, if not all games were played well.
    fn verdict(&self, played: &Played) -> Result<(), Failure> {
        let games = played.results.games().len() as u64;
        if played.interrupted {
            let wanted = self.count();
            let with_force = match &self.games.records {
                Some(_) if !self.games.force => " with --force",
                _ => "",
            };
            return Err(Failure::Interrupted(format!(
                "the result is that of {games} of {wanted} games; the same command{with_force} \
                 plays them all"
            )));
        }
        if played.given_up > 0 {
            note(format!(
                "note: {} of the slowest games were given up when the time was over, \
                 so the scores above may be too low; allow more with --time",
                played.given_up
            ));
        }
        let whose = [self.setting.game.label.as_str(), &self.setting.player.label];
        refuse_faults(played, &whose)
    }
}
