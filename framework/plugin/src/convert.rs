//! Conversions between the types of `runner-core` and those that cross the boundary.

use crate::abi::training::{AbiBudget, AbiFigure, AbiProgress};
use abi_stable::std_types::RStr;
use runner_core::{Fault, TrainingBudget, TrainingProgress};
use std::path::Path;
use std::time::Duration;

/// Returns a path as it crosses the boundary.
pub fn utf8(path: &Path) -> Result<RStr<'_>, Fault> {
    let text = path.to_str().map(RStr::from_str);
    text.ok_or_else(|| Fault::new(format!("the path {} is not valid UTF-8", path.display())))
}

/// Returns a time in nanoseconds, at most 584 years.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

pub fn to_abi_budget(budget: &TrainingBudget) -> AbiBudget {
    AbiBudget {
        moves: budget.moves.into(),
        episodes: budget.episodes.into(),
        nanoseconds: budget.time.map(nanoseconds).into(),
    }
}

pub fn from_abi_budget(budget: &AbiBudget) -> TrainingBudget {
    TrainingBudget {
        moves: budget.moves.into_option(),
        episodes: budget.episodes.into_option(),
        time: budget.nanoseconds.into_option().map(Duration::from_nanos),
    }
}

pub fn to_abi_progress(p: &TrainingProgress) -> AbiProgress {
    let figure =
        |(name, figure): &(String, f64)| AbiFigure { name: name.as_str().into(), figure: *figure };
    AbiProgress {
        moves: p.moves,
        episodes: p.episodes,
        nanoseconds: nanoseconds(p.elapsed),
        window: p.window,
        mean: p.mean,
        ended: p.ended.iter().map(|&ended| ended.into()).collect(),
        series: p.series.iter().map(figure).collect(),
    }
}

pub fn from_abi_progress(p: &AbiProgress) -> TrainingProgress {
    TrainingProgress {
        moves: p.moves,
        episodes: p.episodes,
        elapsed: Duration::from_nanos(p.nanoseconds),
        window: p.window,
        mean: p.mean,
        ended: p.ended.iter().map(|&ended| ended.into()).collect(),
        series: p.series.iter().map(|f| (f.name.to_string(), f.figure)).collect(),
    }
}
