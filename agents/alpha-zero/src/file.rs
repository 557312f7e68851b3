//! Models as files.

use crate::estimator::{Architecture, Weights};
use crate::learning::Optimizer;
use crate::replay::Replay;
use crate::training::{Phase, Progress, Training};
use agent_neural::file::{Contents, Identity, Model, read_tensors, tensors};
use runner_core::Fault;
use std::path::Path;

/// The kind of the container.
pub const KIND: &str = "policy-and-value network";

/// The section of the network that learns, in the safetensors format.
const NEW: &str = "new weights";
/// The section of recent positions.
const REPLAY: &str = "replay";
/// The sections of the scores (f64) of the best network's last games, and the new one's.
const BEST_SCORES: &str = "best scores";
const NEW_SCORES: &str = "new scores";

/// Writes a model in a format.
pub fn save(
    training: &Training,
    architecture: &Architecture,
    identity: &Identity,
    spec: &str,
    path: &Path,
    format: &str,
) -> Result<(), Fault> {
    let Progress { best, new, phase, history, replay, .. } = &training.progress;
    let Progress { best_scores, new_scores, cycles, accepted, .. } = &training.progress;
    let scores = |scores: &[f64]| scores.iter().flat_map(|score| score.to_le_bytes()).collect();
    let (phase, left) = match phase {
        Phase::SelfPlay => ("self-play", 0),
        Phase::Learning { left } => ("learning", *left),
        Phase::Gate => ("gate", 0),
    };
    let facts = [
        ("average", best.average.to_string()),
        ("new average", new.average.to_string()),
        ("phase", phase.to_owned()),
        ("steps left", left.to_string()),
        ("cycles", cycles.to_string()),
        ("accepted", accepted.to_string()),
    ];
    let contents = Contents {
        identity,
        spec,
        network: &architecture.network,
        parameters: &best.parameters,
        history,
        adam: &training.optimizer.adam,
        facts: facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect(),
        sections: vec![
            (NEW, tensors(&architecture.network, &new.parameters, None)?),
            (REPLAY, replay.write()),
            (BEST_SCORES, scores(best_scores)),
            (NEW_SCORES, scores(new_scores)),
        ],
    };
    contents.write(path, format)
}

/// Reads a training. The caller has checked that the model fits.
pub fn load(model: &Model, architecture: &Architecture) -> Result<Training, Fault> {
    let network = &architecture.network;
    let damaged = |section: &str, why: &str| Fault::new(model.damaged(section, why));
    let average = |name| match model.finite(name) {
        Ok(average) if average < 0.0 => Err(damaged(name, "it is negative")),
        average => average.map_err(Fault::new),
    };
    let parameters = model.weights(network).map_err(Fault::new)?;
    let best = Weights { parameters, average: average("average")? };
    let bytes = model.section(NEW).map_err(Fault::new)?;
    let parameters = read_tensors(network, &bytes).map_err(|why| damaged(NEW, &why))?;
    let new = Weights { parameters, average: average("new average")? };
    let scores = |section| {
        let bytes = model.section(section).map_err(Fault::new)?;
        let scores: Vec<f64> =
            bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        match bytes.len().is_multiple_of(8) && scores.iter().all(|score| score.is_finite()) {
            true => Ok(scores),
            false => Err(damaged(section, "it is invalid")),
        }
    };
    let bytes = model.section(REPLAY).map_err(Fault::new)?;
    let replay = Replay::read(&bytes, architecture.actions);
    let replay = replay.ok_or_else(|| damaged(REPLAY, "it is invalid"))?;
    let phase = match (model.fact("phase"), model.number("steps left").map_err(Fault::new)?) {
        ("self-play", _) => Phase::SelfPlay,
        ("gate", _) => Phase::Gate,
        ("learning", left) if left > 0 && replay.len() > 0 => Phase::Learning { left },
        _ => return Err(damaged("phase", "it is unknown")),
    };
    let progress = Progress {
        best,
        new,
        phase,
        best_scores: scores(BEST_SCORES)?,
        new_scores: scores(NEW_SCORES)?,
        cycles: model.number("cycles").map_err(Fault::new)?,
        accepted: model.number("accepted").map_err(Fault::new)?,
        replay,
        history: model.history().map_err(Fault::new)?,
    };
    let adam = model.adam(network).map_err(Fault::new)?;
    Ok(Training::new(progress, Optimizer::new(architecture, adam)))
}
