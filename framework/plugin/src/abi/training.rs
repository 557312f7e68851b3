//! The budget and the progress of a training, as structs.

use super::cross::{Answer, Argument, answer, argument, longer};
use super::data::{List, Maybe};
use runner_core::{TrainingBudget, TrainingProgress};
use std::time::Duration;

/// A [`TrainingBudget`], with the time in nanoseconds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Budget {
    moves: Maybe<u64>,
    episodes: Maybe<u64>,
    time: Maybe<u64>,
}

impl From<TrainingBudget> for Budget {
    fn from(TrainingBudget { moves, episodes, time }: TrainingBudget) -> Self {
        Self { moves: moves.into(), episodes: episodes.into(), time: time.map(nanoseconds).into() }
    }
}

impl From<Budget> for TrainingBudget {
    fn from(Budget { moves, episodes, time }: Budget) -> Self {
        let time = Option::from(time).map(Duration::from_nanos);
        Self { moves: moves.into(), episodes: episodes.into(), time }
    }
}

/// Nanoseconds suffice for 584 years.
fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos().try_into().unwrap_or(u64::MAX)
}

/// A [`TrainingProgress`], with the time in nanoseconds, and the names and figures of the series apart.
#[repr(C)]
pub struct Progress {
    moves: u64,
    episodes: u64,
    elapsed: u64,
    window: u64,
    mean: f64,
    ended: List<[u64; 2]>,
    names: List<List<u8>>,
    figures: List<f64>,
}

impl From<&TrainingProgress> for Progress {
    fn from(progress: &TrainingProgress) -> Self {
        let ended: Vec<_> = progress.ended.iter().map(|&(tile, games)| [tile, games]).collect();
        let names: Vec<_> = progress.series.iter().map(|(name, _)| name.clone().into()).collect();
        let figures: Vec<_> = progress.series.iter().map(|series| series.1).collect();
        Self {
            moves: progress.moves,
            episodes: progress.episodes,
            elapsed: nanoseconds(progress.elapsed),
            window: progress.window,
            mean: progress.mean,
            ended: ended.into(),
            names: names.into(),
            figures: figures.into(),
        }
    }
}

impl From<&Progress> for TrainingProgress {
    fn from(progress: &Progress) -> Self {
        let names = progress.names.iter().map(List::text);
        Self {
            moves: progress.moves,
            episodes: progress.episodes,
            elapsed: Duration::from_nanos(progress.elapsed),
            window: progress.window,
            mean: progress.mean,
            ended: progress.ended.iter().map(|&[tile, games]| (tile, games)).collect(),
            series: names.zip(progress.figures.iter().copied()).collect(),
        }
    }
}

answer!([] TrainingProgress as Progress: |progress| (&progress).into(), |form| (&form).into());
argument!(['a] &'a TrainingProgress as *const Progress:
    |progress| &Progress::from(progress), |form| longer(&TrainingProgress::from(&*form)));
