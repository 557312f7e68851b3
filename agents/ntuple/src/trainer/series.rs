//! The named series of a training's progress.

/// Returns the series of a training: games that began at a restart, if any do, and entrances of
/// each stage after the first.
pub fn series(restarts: Option<u64>, entrances: &[u64]) -> Vec<(String, f64)> {
    let restarts = restarts.map(|count| ("restarts".to_owned(), count as f64));
    let stages = entrances.iter().zip(1..);
    let stages = stages.map(|(&count, stage)| (format!("entered stage {stage}"), count as f64));
    restarts.into_iter().chain(stages).collect()
}
