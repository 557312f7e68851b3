//! Plays the games of one player, and prints their result: for `runner eval` and the main job.

mod report;

pub use report::{EvalRun, eval_report, refuse_faults, saving_text};

use crate::context::Context;
use crate::failed::exit_with;
use crate::notes::note_models;
use crate::options::{GameOptions, KeepOptions};
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::print_report;
use runner_console::progress::ProgressLine;
use runner_core::{Game, State};
use runner_files::Outputs;
use runner_play::evaluation::{self, Limits, Plan, Played, Progress, Stuck};
use runner_play::failure::Failure;
use runner_play::kept::{Job, Kept};
use runner_play::luck::Luck;
use runner_play::position::metadata;
use runner_play::setting::Setting;
use runner_records::{Metadata, RecordWriter, Starts};
use runner_spec::quantity::{Time, counted, grouped};
use runner_watch::small_board;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Default number of games.
const GAMES: u64 = 1000;

pub struct EvaluationJob<'a> {
    pub context: &'a Context,
    pub setting: &'a Setting,
    /// The number of games, their limits, and where they are recorded.
    pub games: &'a GameOptions,
    /// Each game begins at one of these, drawn at random; if there are none, by the rules.
    pub starts: &'a [State],
    /// No game starts after this time.
    pub time: Option<Duration>,
    pub luck: Option<Arc<Luck>>,
    /// The file of --out.
    pub kept: Option<&'a Kept>,
    /// Whether files are continued; `None` if the command cannot continue any.
    pub keep: Option<&'a KeepOptions>,
    pub json: bool,
    /// True if the JSON document contains the result of each game.
    pub scores: bool,
}

/// Plays the games, and prints the result.
pub fn evaluate(job: &EvaluationJob<'_>) -> Result<(), Failure> {
    let &EvaluationJob { setting, games, .. } = job;
    note_models(&setting.player.spec, setting.services.registry());
    let (writer, recorded_games) = match &games.records {
        Some(path) => {
            let (writer, recorded_games) = recorder(path, job)?;
            (Some(writer), recorded_games)
        }
        None => (None, None),
    };
    let plan = Plan {
        time: job.time,
        limits: Limits {
            moves: games.move_limit.map(|limit| limit.get()),
            time: games.game_time.map(|Time(time)| time),
        },
        starts: job.starts,
        kept: job.kept.or(recorded_games.as_ref()),
        luck: job.luck.clone(),
        shows_games: true,
        ..Plan::new(&setting.game, job.count(), setting.seed, &setting.threads)
    };
    let stop = interrupt::listen_and_end_stalled();
    let mut line = Some(ProgressLine::new(true));
    let mut watch = |progress: &Progress| {
        if let Some(stuck) = &progress.stuck {
            // Removes the line from the terminal.
            line = None;
            // The thread that makes the call cannot be ended otherwise.
            exit_with(job.print_stuck(stuck));
        }
        if let Some(line) = &mut line {
            line.show_with(progress.elapsed, progress, || match progress.position {
                Some(state) => small_board(setting.game.rules.description(), state),
                None => Vec::new(),
            });
        }
    };
    let played = evaluation::play(&plan, &setting.player, writer, stop, &mut watch)?;
    drop(line);
    job.print(&played)?;
    job.check(&played)
}

/// Says that games were given up. They are the long games, so the others have lower scores.
fn given_up_text(played: &Played, when: &str) -> String {
    let games = counted(played.given_up.len() as u64, "slow game");
    let were = if played.given_up.len() == 1 { "was" } else { "were" };
    let bias = match played.results.games() {
        [] => "",
        _ => ", so the scores above may be too low",
    };
    format!("{games} {were} given up {when}{bias}")
}

/// Returns the definition of the games of `runner eval`, for a file that keeps them.
pub fn kept_job<'a>(
    setting: &'a Setting,
    games: &GameOptions,
    luck: Option<&'a Luck>,
    starts: Option<&'a PathBuf>,
) -> Job<'a> {
    let game_time = games.game_time.map(|Time(time)| format!("{time:?}"));
    let move_limit = games.move_limit.map(|limit| limit.get().to_string());
    Job {
        command: "eval",
        game: &setting.game.spec,
        players: vec![("agent", &setting.player.spec)],
        seed: setting.seed,
        luck: luck.map(|luck| &luck.spec),
        starts,
        settings: vec![("move-limit", move_limit), ("game-time", game_time)],
    }
}

/// Begins or continues the record file of --records. Also returns its games if it is continued.
fn recorder(path: &Path, job: &EvaluationJob<'_>) -> Result<(RecordWriter, Option<Kept>), Failure> {
    let &EvaluationJob { context, setting, games, .. } = job;
    let registry = context.registry();
    let definition = kept_job(setting, games, job.luck.as_deref(), None);
    let outputs = Outputs::default().writes("the record", path);
    let may_exist = games.force || job.keep.is_some();
    context.check_outputs(definition.input_files(registry), outputs, may_exist)?;
    if let Some(keep) = job.keep {
        keep.refuse_file(path, games.force)?;
        // An empty file is begun anew: its run was killed before it wrote the first byte.
        if keep.resume && path.metadata().is_ok_and(|file| file.len() > 0) {
            let replaced = keep.changes.replaced();
            let (writer, kept) =
                Kept::resume_record(path, &definition, &setting.game, replaced, registry)?;
            keep.note_count(&kept);
            return Ok((writer, Some(kept)));
        }
    }
    let starts = if job.starts.is_empty() { Starts::OfRules } else { Starts::Given };
    let metadata = Metadata {
        definition: definition.text(registry)?,
        ..metadata(&setting.game, &setting.player.spec, setting.seed, starts)
    };
    Ok((RecordWriter::create(path, &metadata)?, None))
}

impl EvaluationJob<'_> {
    fn count(&self) -> u64 {
        self.games.games.map_or(GAMES, |games| games.get())
    }

    fn print(&self, played: &Played) -> Result<(), Failure> {
        let setting = self.setting;
        let run = EvalRun {
            game: setting.game.spec.to_string(),
            agent: setting.player.spec.to_string(),
            title: format!("{} by {}", setting.brief_game(), setting.brief_player()),
            seed: setting.seed,
            threads: setting.threads.count(),
            luck: self.luck.as_ref().map(|luck| luck.spec.clone()),
        };
        let description = setting.game.rules.description();
        Ok(print_report(&eval_report(&run, description, played, self.scores), self.json)?)
    }

    /// Prints the result of the games that are over, because a call of a plugin does not return
    /// and the others cannot end. Returns the failure of the command.
    fn print_stuck(&self, Stuck { call, played }: &Stuck) -> Failure {
        let played = match played {
            Ok(played) => played,
            Err(failure) => return failure.clone(),
        };
        let games = played.results.games().len() as u64;
        if games > 0
            && let Err(failure) = self.print(played)
        {
            return failure;
        }
        let over = format!("{} of {} games are over", grouped(games), grouped(self.count()));
        if played.interrupted {
            Failure::Interrupted(format!("{over}; {call}"))
        } else {
            Failure::failed(format!("the time is over, {over}, and {call}"))
        }
    }

    /// Fails after an interrupt, or if games ended by a fault. Notes games that were given up.
    fn check(&self, played: &Played) -> Result<(), Failure> {
        if played.interrupted {
            return Err(self.interrupted(played));
        }
        if !played.given_up.is_empty() {
            let games = given_up_text(played, "when the time was over");
            note(format!("note: {games}; allow more with --for"));
        }
        let whose = [self.setting.game.label.as_str(), &self.setting.player.label];
        refuse_faults(played, &whose, !self.json)
    }

    fn interrupted(&self, played: &Played) -> Failure {
        let over = played.results.games().len();
        let mut message = format!("the result is that of {over} of {} games", self.count());
        if !played.given_up.is_empty() {
            message += &format!("; {}", given_up_text(played, "by the interrupt"));
        }
        let records = self.games.records.as_ref();
        let file = self.keep.and_then(|keep| keep.out.as_ref()).or(records);
        let command = self.keep.and_then(|keep| keep.how_to_continue(file, &self.context.typed));
        let again = match command {
            Some(command) => command,
            None if records.is_some() && !self.games.force => {
                "the same command with --force plays them all".into()
            }
            None => "the same command plays them all".into(),
        };
        Failure::Interrupted(format!("{message}; {again}"))
    }
}
