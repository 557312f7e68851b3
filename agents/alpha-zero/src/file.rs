//! The training cycles in a model file.

use crate::estimator::Weights;
use crate::replay::Replay;
use crate::training::{Cycles, Phase};
use agent_neural::PositionNetwork;
use agent_neural::file::{Model, bytes};
use agent_neural::learner::Saved;
use runner_core::Fault;

/// The section of the network that learns.
const NEW: &str = "new weights";
const REPLAY: &str = "replay";
/// The sections of the scores (f64) of the best network's last games, and the new one's.
const BEST_SCORES: &str = "best scores";
const NEW_SCORES: &str = "new scores";

/// Returns the facts and the sections of the cycles, and of the network that plays.
pub fn write(best: &Weights, cycles: &Cycles) -> Saved {
    let scores = |scores: &[f64]| scores.iter().flat_map(|score| score.to_le_bytes()).collect();
    let (phase, left) = match cycles.phase {
        Phase::SelfPlay => ("self-play", 0),
        Phase::Learning { left } => ("learning", left),
        Phase::Gate => ("gate", 0),
    };
    let facts = vec![
        ("average", best.average.to_string()),
        ("new average", cycles.new.average.to_string()),
        ("phase", phase.to_owned()),
        ("steps left", left.to_string()),
        ("cycles", cycles.count.to_string()),
        ("accepted", cycles.accepted.to_string()),
    ];
    let sections = vec![
        (NEW, bytes(&cycles.new.parameters)),
        (REPLAY, cycles.replay.write()),
        (BEST_SCORES, scores(&cycles.best_scores)),
        (NEW_SCORES, scores(&cycles.new_scores)),
    ];
    (facts, sections)
}

pub fn read(model: &Model, network: &PositionNetwork) -> Result<Cycles, Fault> {
    let parameters = model.parameters(&network.network, NEW)?;
    let scores = |section| {
        let bytes = model.section(section)?;
        let scores: Vec<f64> =
            bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        if bytes.len().is_multiple_of(8) && scores.iter().all(|score| score.is_finite()) {
            Ok(scores)
        } else {
            Err(model.damaged(section, "it is invalid"))
        }
    };
    let replay = Replay::read(&model.section(REPLAY)?, network.network.outputs() - 1);
    let replay = replay.ok_or_else(|| model.damaged(REPLAY, "it is invalid"))?;
    let phase = match (model.fact("phase"), model.number("steps left")?) {
        ("self-play", _) => Phase::SelfPlay,
        ("gate", _) => Phase::Gate,
        ("learning", left) if left > 0 && replay.len() > 0 => Phase::Learning { left },
        _ => return Err(model.damaged("phase", "it is unknown")),
    };
    Ok(Cycles {
        new: Weights { parameters, average: model.finite("new average")? },
        phase,
        best_scores: scores(BEST_SCORES)?,
        new_scores: scores(NEW_SCORES)?,
        count: model.number("cycles")?,
        accepted: model.number("accepted")?,
        replay,
        ..Cycles::default()
    })
}
