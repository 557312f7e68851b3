//! Plays a tournament.

use super::finished::Games;
use super::queue::{Queue, TournamentEvent, TournamentWatch};
use super::resolved::BuiltTournament;
use runner_files::LineFile;
use runner_play::arena::Arena;
use runner_play::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Time after which a thread may change to another agent. Long, because a change costs the
/// games that run at once, and a copy of the agent.
const SLICE: Duration = Duration::from_secs(5);

/// The games of a tournament that are over.
pub struct PlayedTournament {
    pub games: Games,
    /// True if games are missing because the stop flag ended the tournament.
    pub interrupted: bool,
}

/// Plays those of a tournament's games that are left, and appends each to a file. After `stop`, no
/// game starts.
pub fn play(
    built: &BuiltTournament,
    before: Games,
    mut file: Option<&mut LineFile>,
    stop: &AtomicBool,
    watch: TournamentWatch<'_>,
) -> Result<PlayedTournament, Failure> {
    let queue = Queue::new(built, before);
    // Games under way are always finished.
    let never = AtomicBool::new(false);
    let (cells, threads) = (&built.cells, &built.threads);
    let arena = Arena { cells, threads, slice: SLICE, is_timed: true, shown: None, stop: &never };
    let played = arena.play(&queue, &mut || {
        let mut is_over = stop.load(Relaxed);
        if let Some(file) = &mut file {
            queue.add_lines(file);
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
    let interrupted = queue.progress().left > 0 && stop.load(Relaxed);
    Ok(PlayedTournament { interrupted, games: queue.into_games() })
}
