//! Multi-stage learning: the stages of a game are trained one after the other, in phases.
//!
//! Section III of K.-H. Yeh and others, "Multi-stage temporal difference learning for 2048-like
//! games" (2017), with a share of the training for each stage in place of its saturation.
//!
//! Each stage has an equal share of the training's plan, its phase. In a phase, the stage is
//! trained first. Then its weights are frozen, and games are played until enough positions are
//! collected at which they enter the next stage; the collection ends with the phase at the
//! latest. If it is complete earlier, the rest of its phase is divided equally among the later
//! phases. The next phase trains the next stage from these positions. If there are none, it trains
//! the same stage again.

use super::schedule::{PhasePart, TrainingOptions, plan_share};
use super::state::TrainingState;
use super::train::train;
use crate::rule::Rule;
use crate::starts::{Collection, Restarts};
use crate::update::{TrainingContext, UpdateScheme};
use agent_ntuple_files::Phase;
use agent_ntuple_network::{LimitedLookup, Lookup, position};
use runner_core::{Control, Fault, Game, TrainingProgress, TrainingSession};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Maximum share of a phase for its collection.
const COLLECTION: f64 = 0.25;

/// A phase that ended less than this share of the plan ago still belongs to the plan: a limit of
/// time also counts the moments between the last move and the end of the training.
const OVERRUN: f64 = 0.01;

pub struct InTurn<'a> {
    /// Reads positions of later stages in the one that is trained, also in evaluation.
    pub lookup: &'a LimitedLookup,
    pub scheme: UpdateScheme,
    /// Number of boards to collect at the entrance of each stage.
    pub boards: usize,
    pub restarts: Restarts,
}

/// Trains the stages of a game in turn, for the session's budget, continuing from a state, and
/// returns the progress of all trainings together.
pub fn train_in_turn<G: Game, R: Rule>(
    game: &G,
    context: TrainingContext<'_, R>,
    training: InTurn<'_>,
    session: &TrainingSession<'_>,
    state: &mut TrainingState,
) -> Result<TrainingProgress, Fault> {
    let before = state.progress();
    let is_stopped = AtomicBool::new(false);
    let report = |progress: &TrainingProgress| {
        let control = (session.report)(progress);
        is_stopped.fetch_or(control == Control::Stop, Relaxed);
        control
    };
    check_boards(state, training.lookup)?;
    if state.history.phase.is_none() && before.moves > 0 {
        return Err(Fault::new(
            "the training of the model was not multi-stage, so it cannot go on stage by stage",
        ));
    }
    let share = state.share_of(session.plan).unwrap_or_else(|| plan_share(session, before.clone()));
    let stages = training.lookup.stages();
    state.history.phase = state.history.phase.map(|phase| resumed(phase, share, stages));
    loop {
        let done = state.progress().since(&before);
        if is_stopped.load(Relaxed) || session.budget.is_spent(&done) {
            return Ok(state.progress());
        }
        let budget = session.budget.rest(&done);
        let rest = TrainingSession { budget, report: &report, ..*session };
        train_part(game, context, &training, &rest, state)?;
    }
}

/// Trains in the current part of a phase. If the part ends, the next one is that of the state.
fn train_part<G: Game, R: Rule>(
    game: &G,
    context: TrainingContext<'_, R>,
    training: &InTurn<'_>,
    session: &TrainingSession<'_>,
    state: &mut TrainingState,
) -> Result<(), Fault> {
    let lookup = training.lookup;
    let phase = *state.history.phase.get_or_insert_default();
    let found = |state: &TrainingState| {
        state.history.entrances.get(phase.stage).map_or(0, |entrances| entrances.recent.len())
    };
    let wanted = training.boards.saturating_sub(found(state));
    let collection = Collection::new(phase.stage + 1, lookup, wanted);
    let is_over = AtomicBool::new(false);
    let part = PhasePart {
        stage: phase.stage,
        begins: phase.begun,
        ends: end(phase, lookup.stages()),
        collection: phase.collects.then_some(&collection),
        is_over: &is_over,
    };
    let (scheme, restarts) = if phase.collects {
        (UpdateScheme::Frozen, Restarts::None)
    } else {
        (training.scheme, training.restarts)
    };
    let options = TrainingOptions { restarts, averaging: None, phase: Some(part) };
    let limited = TrainingContext { lookup: lookup.set_limit(Some(phase.stage)), ..context };
    train(game, limited, scheme, options, session, state)?;
    if is_over.load(Relaxed) {
        let share = plan_share(session, state.progress()).min(1.0);
        let following = next(phase, share, found(state) > 0);
        state.history.phase = Some(following);
        // Games of one part do not continue in the next.
        state.unfinished.clear();
        state.batch_share = None;
        // Evaluation uses the stages up to that of the new phase from now on.
        lookup.set_limit(Some(following.stage));
    }
    Ok(())
}

/// Returns the share of the plan at which the current part of a phase ends at the latest, or `None`
/// in the last of `phases` phases, which ends with the training.
fn end(phase: Phase, phases: usize) -> Option<f64> {
    let reserved = if phase.collects { 0.0 } else { COLLECTION };
    let remaining = phases.saturating_sub(phase.number).max(1);
    let end = phase.begun + (1.0 - phase.begun) * (1.0 - reserved) / remaining as f64;
    (remaining > 1).then_some(end)
}

/// Returns the phase of a training that continues when a share `done` of its plan is done. A phase
/// that began later, or had to end earlier, is of another plan, such as one with a higher limit: the
/// same part then begins here, and has its share of the remaining plan.
fn resumed(phase: Phase, done: f64, phases: usize) -> Phase {
    let end = end(phase, phases).map_or(1.0, |end| end + OVERRUN);
    let is_of_plan = (phase.begun..=end).contains(&done);
    if is_of_plan { phase } else { Phase { begun: done.min(1.0), ..phase } }
}

/// Returns the part that follows when a share `done` of the plan is done; `is_reached` is true if
/// entrances of the next stage were collected.
fn next(phase: Phase, done: f64, is_reached: bool) -> Phase {
    if !phase.collects {
        return Phase { collects: true, ..phase };
    }
    Phase {
        number: phase.number + 1,
        stage: phase.stage + usize::from(is_reached),
        begun: done,
        collects: false,
    }
}

/// Returns an error if the restored boards of a stage have not reached it, or if those of the
/// stage that is trained are missing.
fn check_boards(state: &TrainingState, lookup: &Lookup) -> Result<(), Fault> {
    let entrances = &state.history.entrances;
    for (stage, boards) in (1..).zip(entrances) {
        if boards.recent.iter().any(|board| lookup.stage(position(board.state)) < stage) {
            return Err(Fault::new(
                "the collected boards of the model are not of its stages; the model is damaged, or \
                 it comes from a training that was not multi-stage",
            ));
        }
    }
    let trained = state.history.phase.map_or(0, |phase| phase.stage);
    if trained > 0 && entrances.get(trained - 1).is_none_or(|boards| boards.recent.is_empty()) {
        return Err(Fault::new(format!(
            "the model has no collected boards for the training of its stage {}, with which its \
             training continues; only a model of format `checkpoint` has them",
            trained + 1
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phases_divide_the_plan_and_a_stage_that_is_not_reached_is_trained_again() {
        let first = Phase::default();
        assert_eq!(end(first, 4), Some(0.1875));
        let collects = next(first, 0.19, false);
        assert_eq!((collects.collects, collects.stage), (true, 0));
        assert_eq!(end(collects, 4), Some(0.25));
        let again = next(collects, 0.25, false);
        assert_eq!(again, Phase { number: 1, stage: 0, begun: 0.25, collects: false });
        let reached = next(next(again, 0.44, true), 0.5, true);
        assert_eq!(reached, Phase { number: 2, stage: 1, begun: 0.5, collects: false });
        // The rest of a collection that was complete early is divided among all later phases.
        let early = next(next(first, 0.1875, false), 0.19, true);
        assert!((end(early, 4).unwrap() - (0.19 + 0.81 / 3.0 * 0.75)).abs() < 1e-9);
        assert_eq!(end(Phase { number: 3, ..reached }, 4), None);
    }

    #[test]
    fn a_phase_of_another_plan_begins_where_the_training_continues() {
        let phase = Phase { number: 1, stage: 1, begun: 0.25, collects: false };
        let last = end(phase, 4).unwrap();
        for done in [0.25, 0.3, last, last + OVERRUN / 2.0] {
            assert_eq!(resumed(phase, done, 4), phase, "{done}");
        }
        for done in [0.0, 0.2499, last + 2.0 * OVERRUN, 0.9] {
            let resumed = resumed(phase, done, 4);
            assert_eq!(resumed, Phase { begun: done, ..phase }, "{done}");
            let length = end(resumed, 4).unwrap() - done;
            assert!((length - (1.0 - done) / 3.0 * 0.75).abs() < 1e-9, "{done}: {length}");
        }
        let last = Phase { number: 3, ..phase };
        assert_eq!(resumed(last, 0.9, 4), last);
        assert_eq!(resumed(last, 0.1, 4).begun, 0.1);
    }
}
