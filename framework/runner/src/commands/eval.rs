//! `runner eval`: many games, honestly counted.

use crate::cli::Eval;
use crate::evaluation::{self, Limits, Plan, Played};
use crate::failure::{Failure, attributed};
use crate::notes::note;
use crate::report::{self, EvalReport, Evaluation};
use crate::setting::Setting;
use runner_core::Game;
use runner_plugin::Registry;
use runner_records::{Metadata, RecordWriter};
use std::sync::Arc;
use std::time::Duration;

/// How many games are played where nothing else is said.
const GAMES: u64 = 1000;

pub(super) fn run(eval: &Eval, registry: &Arc<Registry>) -> Result<(), Failure> {
    let setting = Setting::new(&eval.contest, registry)?;
    evaluate(&setting, eval.time, eval.game_time)
}

/// Plays, prints, and says how it went.
pub(super) fn evaluate(
    setting: &Setting,
    time: Option<Duration>,
    game_time: Option<Duration>,
) -> Result<(), Failure> {
    let plan = Plan {
        game: &setting.game,
        games: setting.games.unwrap_or(GAMES),
        seed: setting.seed,
        threads: &setting.threads,
        time,
        limits: Limits { moves: setting.move_limit, time: game_time },
    };
    let records = setting.records.as_deref();
    let writer = records.map(|path| RecordWriter::create(path, &metadata(setting))).transpose()?;
    let played = evaluation::play(&plan, &setting.player.player, writer)?;
    print(setting, &played)?;
    verdict(setting, &played)
}

fn metadata(setting: &Setting) -> Metadata {
    Metadata {
        game: setting.game.spec.to_string(),
        game_version: setting.game.version.clone(),
        agent: setting.player.spec.to_string(),
        seed: setting.seed,
        program: format!("runner {}", env!("CARGO_PKG_VERSION")),
        actions: setting.game.rules.description().actions.clone(),
    }
}

fn print(setting: &Setting, played: &Played) -> Result<(), Failure> {
    let run = Evaluation {
        game: setting.game.spec.to_string(),
        agent: setting.player.spec.to_string(),
        seed: setting.seed,
        threads: setting.threads.count(),
        elapsed: played.elapsed,
        faults: played.faults,
        fault_messages: played.fault_messages.clone(),
    };
    let report = EvalReport::new(run, setting.game.rules.description(), &played.results);
    report::print(&report, setting.json)
}

/// The exit code's reason, after the result is out.
fn verdict(setting: &Setting, played: &Played) -> Result<(), Failure> {
    let games = played.results.games().len() as u64;
    if played.interrupted {
        let wanted = setting.games.unwrap_or(GAMES);
        return Err(Failure::Interrupted(format!(
            "the result is that of {games} of {wanted} games; the same command plays them all"
        )));
    }
    if played.given_up > 0 {
        note(format!(
            "note: {} of the slowest games were given up when the time was over, \
             so the scores above may be too low; allow more with --time",
            played.given_up
        ));
    }
    if played.faults > 0 {
        let first = played.fault_messages.first().map_or("", String::as_str);
        return Err(Failure::failed(format!(
            "{} of {} games ended in a fault: {}; `runner plugins doctor` examines plugins",
            played.faults,
            games + played.faults,
            attributed(first, &[&setting.game.label, &setting.player.label])
        )));
    }
    Ok(())
}
