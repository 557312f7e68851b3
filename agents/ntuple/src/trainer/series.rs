//! The named series of a training's progress.

use agent_ntuple_files::Phase;

/// Returns the series of a training: in a multi-stage training the stage that is trained and the
/// number of phases at whose end no game had reached the next stage; games that began at a
/// restart, if any do; and entrances of each stage after the first.
pub fn series(
    phase: Option<Phase>,
    restarts: Option<u64>,
    entrances: &[u64],
) -> Vec<(String, f64)> {
    let phase = phase.into_iter().flat_map(|phase| {
        let missed = phase.number - phase.stage;
        [("stage", phase.stage), ("phases without entrance", missed)]
    });
    let phase = phase.map(|(name, figure)| (name.to_owned(), figure as f64));
    let restarts = restarts.map(|count| ("restarts".to_owned(), count as f64));
    let stages = entrances.iter().zip(1..);
    let stages = stages.map(|(&count, stage)| (format!("entered stage {stage}"), count as f64));
    phase.chain(restarts).chain(stages).collect()
}
