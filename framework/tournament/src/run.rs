//! Plays a tournament.

use super::queue::Queue;
use super::records::RecordFiles;
use super::resolved::Built;
use super::results::Games;
use super::standings::Standings;
use runner_console::interrupt;
use runner_files::LineFile;
use runner_play::arena::Arena;
use runner_play::failure::Failure;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Time after which a thread may change to another agent. Long, because a change costs the
/// games that run at once, and a copy of the agent.
const SLICE: Duration = Duration::from_secs(5);
/// Interval at which results are synced to the disk.
const SYNC: Duration = Duration::from_secs(10);

/// The games of a tournament that are over, and whether the user interrupted it.
pub struct Played {
    /// The games of each cell.
    pub games: Games,
    /// True if games are missing because of an interrupt.
    pub interrupted: bool,
}

/// Plays those of a tournament's games that are left, and appends each to a file. `numbers` are
/// those of the games of each cell.
pub fn play(
    built: &Built,
    numbers: &[Range<u64>],
    before: Games,
    mut file: Option<&mut LineFile>,
    records: Option<RecordFiles>,
) -> Result<Played, Failure> {
    let queue = Queue::new(built, numbers, before, records.as_ref().map(|records| records as _));
    let stop = AtomicBool::new(false);
    let (cells, threads) = (&built.cells, &built.threads);
    let arena = Arena { cells, threads, slice: SLICE, is_timed: true, stop: &stop };
    let mut failed = None;
    let mut standings = Standings::new(built);
    let mut synced = Instant::now();
    let mut lines = Vec::new();
    let played = arena.play(&queue, &mut |stall| {
        interrupt::note_stall(stall.map(|stall| stall.message));
        queue.take_lines(&mut lines);
        if failed.is_none() {
            // The records first: after a crash no result lacks its record.
            let mut written = records.as_ref().map_or(Ok(()), RecordFiles::flush);
            if let Some(file) = &mut file {
                written = written.and_then(|()| Ok(file.append(&lines)?));
                if synced.elapsed() >= SYNC {
                    written = written.and_then(|()| Ok(file.sync()?));
                    synced = Instant::now();
                }
            }
            // After an error nothing is appended: the last line may be incomplete.
            failed = written.err();
            if failed.is_some() {
                queue.close();
            }
        }
        lines.clear();
        standings.show(&queue);
    });
    drop(standings);
    if let Some(failure) = failed {
        return Err(failure);
    }
    if let Some(file) = file {
        file.sync()?;
    }
    played?;
    let left: u64 = queue.standings().iter().map(|standing| standing.left).sum();
    let played =
        Played { interrupted: left > 0 && interrupt::requested(), games: queue.into_games() };
    records.map_or(Ok(()), RecordFiles::finish)?;
    Ok(played)
}
