//! The training cycles in a model file.

use super::estimator::Weights;
use super::replay::Replay;
use super::training::{Cycles, Phase};
use crate::PositionNetwork;
use crate::file::{NeuralModel, bytes};
use crate::learner::Saved;
use runner_core::Fault;

/// The section of the network that learns.
const NEW: &str = "new weights";
const REPLAY: &str = "replay";
/// The section of the scores (f64) of the best network's last games.
const BEST_SCORES: &str = "best scores";

/// Returns the facts and the sections of the cycles, and of the network that plays. Games in
/// progress are not saved, so a phase of play begins again: the games that ended first are the
/// short ones.
pub fn write(best: &Weights, cycles: &Cycles) -> Saved {
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
    let scores: &[f64] = if cycles.phase == Phase::SelfPlay { &[] } else { &cycles.best_scores };
    let sections = vec![
        (NEW, bytes(&cycles.new.parameters)),
        (REPLAY, cycles.replay.write()),
        (BEST_SCORES, scores.iter().flat_map(|score| score.to_le_bytes()).collect()),
    ];
    (facts, sections)
}

/// Reads the cycles of a model for a learner that makes `steps` steps in each.
pub fn read(model: &NeuralModel, network: &PositionNetwork, steps: usize) -> Result<Cycles, Fault> {
    let parameters = model.parameters(&network.network, NEW)?;
    let bytes = model.section(BEST_SCORES)?;
    let best_scores: Vec<f64> =
        bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    if !bytes.len().is_multiple_of(8) || !best_scores.iter().all(|score| score.is_finite()) {
        return Err(model.damaged(BEST_SCORES, "it is invalid"));
    }
    let Some(replay) = Replay::read(&model.section(REPLAY)?, network.network.outputs() - 1) else {
        return Err(model.damaged(REPLAY, "it is invalid"));
    };
    let phase = match (model.fact("phase"), model.number("steps left")?) {
        ("self-play", _) => Phase::SelfPlay,
        ("gate", _) => Phase::Gate,
        ("learning", left) if left > 0 && replay.len() > 0 => {
            Phase::Learning { left: steps.min(left) }
        }
        _ => return Err(model.damaged("phase", "it is unknown")),
    };
    Ok(Cycles {
        new: Weights { parameters, average: model.finite("new average")? },
        phase,
        best_scores,
        count: model.count("cycles")?,
        accepted: model.count("accepted")?,
        replay,
        ..Cycles::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_a_phase_of_play_are_saved_only_when_it_has_ended() {
        let phases = [Phase::SelfPlay, Phase::Learning { left: 1 }, Phase::Gate];
        let bytes = phases.map(|phase| {
            let (best_scores, new_scores) = (vec![1.0, 2.0], vec![3.0]);
            let cycles = Cycles { phase, best_scores, new_scores, ..Cycles::default() };
            let (_, sections) = write(&Weights::default(), &cycles);
            sections.iter().map(|(name, bytes)| (*name, bytes.len())).collect::<Vec<_>>()
        });
        let expected = |scores| vec![(NEW, 0), (REPLAY, 0), (BEST_SCORES, scores)];
        assert_eq!(bytes, [0, 16, 16].map(expected));
    }
}
