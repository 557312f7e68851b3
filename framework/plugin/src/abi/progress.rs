//! The budget and the progress of a training, which cross ten times a second.

use super::cross::{Answer, Argument, answer, argument, longer};
use super::data::{List, Maybe};
use runner_core::{TrainingBudget, TrainingProgress};
use std::time::Duration;

/// A [`Duration`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Time {
    seconds: u64,
    nanoseconds: u32,
}

impl From<Duration> for Time {
    fn from(time: Duration) -> Self {
        Self { seconds: time.as_secs(), nanoseconds: time.subsec_nanos() }
    }
}

impl From<Time> for Duration {
    fn from(time: Time) -> Self {
        Self::new(time.seconds, time.nanoseconds)
    }
}

/// A [`TrainingBudget`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Budget {
    moves: Maybe<u64>,
    episodes: Maybe<u64>,
    time: Maybe<Time>,
}

impl From<TrainingBudget> for Budget {
    fn from(budget: TrainingBudget) -> Self {
        let time = budget.time.map(Time::from);
        Self { moves: budget.moves.into(), episodes: budget.episodes.into(), time: time.into() }
    }
}

impl From<Budget> for TrainingBudget {
    fn from(budget: Budget) -> Self {
        let time = Option::from(budget.time).map(Time::into);
        Self { moves: budget.moves.into(), episodes: budget.episodes.into(), time }
    }
}

/// The number of recent games that reached a tile.
#[repr(C)]
pub struct Reached {
    tile: u64,
    games: u64,
}

/// The latest figure of a series.
#[repr(C)]
pub struct Figure {
    name: List<u8>,
    figure: f64,
}

/// A [`TrainingProgress`].
#[repr(C)]
pub struct Progress {
    moves: u64,
    episodes: u64,
    elapsed: Time,
    window: u64,
    mean: f64,
    ended: List<Reached>,
    series: List<Figure>,
}

impl From<&TrainingProgress> for Progress {
    fn from(progress: &TrainingProgress) -> Self {
        let ended = progress.ended.iter().map(|&(tile, games)| Reached { tile, games });
        let figure =
            |(name, figure): &(String, f64)| Figure { name: name.clone().into(), figure: *figure };
        Self {
            moves: progress.moves,
            episodes: progress.episodes,
            elapsed: progress.elapsed.into(),
            window: progress.window,
            mean: progress.mean,
            ended: ended.collect::<Vec<_>>().into(),
            series: progress.series.iter().map(figure).collect::<Vec<_>>().into(),
        }
    }
}

impl From<&Progress> for TrainingProgress {
    fn from(progress: &Progress) -> Self {
        let figure = |series: &Figure| (series.name.text(), series.figure);
        Self {
            moves: progress.moves,
            episodes: progress.episodes,
            elapsed: progress.elapsed.into(),
            window: progress.window,
            mean: progress.mean,
            ended: progress.ended.iter().map(|reached| (reached.tile, reached.games)).collect(),
            series: progress.series.iter().map(figure).collect(),
        }
    }
}

answer!([] TrainingProgress as Progress: |progress| (&progress).into(), |form| (&form).into());
argument!(['a] &'a TrainingProgress as *const Progress:
    |progress| &Progress::from(progress), |form| longer(&TrainingProgress::from(&*form)));
