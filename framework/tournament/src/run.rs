//! Plays a tournament.

use super::finished::{Games, count};
use super::folder::TournamentFolder;
use super::queue::{Queue, TournamentEvent, TournamentWatch};
use super::report::{ReportRun, TournamentReport};
use super::resolved::BuiltTournament;
use runner_files::LineFile;
use runner_play::arena::Arena;
use runner_play::failure::Failure;
use runner_play::inputs::ReplacedInput;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Time after which a thread may change to another agent. It is long, because a change costs a
/// copy of the agent, and interleaved games end one by one.
const SLICE: Duration = Duration::from_secs(5);

/// Plays what is left of a tournament. If `out` names its folder, the games and the report are
/// written there. Returns the report. If `stop` ended the tournament before its last game, the
/// second result is the number of games that are over.
pub fn play_and_report(
    built: &BuiltTournament,
    out: Option<&Path>,
    replaced: ReplacedInput<'_>,
    command: String,
    stop: &AtomicBool,
    watch: TournamentWatch<'_>,
) -> Result<(TournamentReport, Option<u64>), Failure> {
    let (mut folder, before) = match out {
        Some(out) => {
            let (folder, games) = TournamentFolder::open(out, built, replaced, watch)?;
            (Some(folder), games)
        }
        None => (None, built.cells.iter().map(|_| Vec::new()).collect()),
    };
    let file = folder.as_mut().map(|folder| &mut folder.results);
    let games = play(built, before, file, stop, watch)?;
    let is_interrupted =
        stop.load(Relaxed) && count(&games) < built.games_of(&built.tournament.numbers());
    let run = ReportRun::new(command, built.threads.count());
    let report = TournamentReport::new(built, &games, !is_interrupted, run);
    if let Some(folder) = &folder {
        report.write(folder)?;
    }
    Ok((report, is_interrupted.then(|| count(&games))))
}

/// Plays the games that are left, and appends each to `file`. After `stop`, no game starts.
/// Returns all games that are over.
fn play(
    built: &BuiltTournament,
    before: Games,
    mut file: Option<&mut LineFile>,
    stop: &AtomicBool,
    watch: TournamentWatch<'_>,
) -> Result<Games, Failure> {
    let queue = Queue::new(built, before);
    // `stop` closes the queue, but does not end the games under way.
    let never = AtomicBool::new(false);
    let (cells, threads) = (&built.cells, &built.threads);
    let arena = Arena { cells, threads, slice: SLICE, is_timed: true, shown: None, stop: &never };
    let played = arena.play(&queue, &mut || {
        let mut is_over = stop.load(Relaxed);
        if let Some(file) = &mut file {
            queue.add_lines(file);
            // `sync` returns the error at the end.
            is_over |= file.flush().is_err();
        }
        if is_over {
            queue.close();
        }
        watch(TournamentEvent::Progress(queue.progress()));
    });
    if let Some(file) = file {
        queue.add_lines(file);
        file.sync()?;
    }
    played?;
    Ok(queue.into_games())
}
