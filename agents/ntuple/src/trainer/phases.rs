//! Multi-stage learning: the stages of a game are trained one after the other, in phases.
//!
//! Section III of K.-H. Yeh and others, "Multi-stage temporal difference learning for 2048-like
//! games" (2017), with a share of the training for each stage in place of its saturation.
//!
//! The training's plan is divided into phases, equal shares: one for each stage. A phase has two
//! parts. In the first, a stage is trained. In the second, its weights are frozen, and games are
//! played to collect entrances of the next stage. The collection ends when it has enough, or with
//! the phase. If it ends earlier, the rest of its phase is divided equally among the later phases.
//! The next phase trains the next stage from these entrances. If there are none, it trains the
//! same stage again.

use super::batches::{BATCH, PhasePart, TrainingOptions};
use super::state::TrainingState;
use super::train::train;
use crate::rule::Rule;
use crate::starts::{Collection, Restarts};
use crate::update::{TrainingContext, UpdateScheme};
use agent_ntuple_files::Phase;
use agent_ntuple_network::{LimitedLookup, Lookup, position};
use runner_core::{Control, Fault, Game, TrainingProgress, TrainingSession};
use runner_learning::Trained;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Maximum share of a phase for its collection.
const COLLECTION: f64 = 0.25;

/// Share of the plan by which a training may be past the end of a phase that it resumes: a limit of
/// time also counts the moments between the last move and the end of the training.
const OVERRUN: f64 = 0.01;

/// The options of a training of the stages in turn.
pub struct InTurn<'a> {
    /// Limited to the stage that is trained: positions of later stages are looked up in that stage,
    /// also in evaluation.
    pub lookup: &'a LimitedLookup,
    pub scheme: UpdateScheme,
    /// Number of entrances to collect in each phase.
    pub entrances: usize,
    pub restarts: Restarts,
}

/// Trains the stages of a game in turn, for the session's budget, continuing from a state, and
/// returns the progress of all trainings together.
pub fn train_in_turn<G: Game, R: Rule>(
    game: &G,
    context: TrainingContext<'_, R>,
    options: InTurn<'_>,
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
    check_entrances(state, options.lookup)?;
    if state.history.phase.is_none() && before.moves > 0 {
        return Err(Fault::new(
            "the training of the model was not multi-stage, so it cannot go on stage by stage",
        ));
    }
    let share = state.share_at_batch(session.plan).unwrap_or_else(|| plan_share(session, state));
    let stages = options.lookup.stages();
    state.history.phase = state.history.phase.map(|phase| resumed(phase, share, stages));
    loop {
        let done = state.progress().since(&before);
        if is_stopped.load(Relaxed) || session.budget.is_spent(&done) {
            return Ok(state.progress());
        }
        let budget = session.budget.rest(&done);
        let rest = TrainingSession { budget, report: &report, ..*session };
        train_part(game, context, &options, &rest, state)?;
    }
}

/// Returns the share of the plan that is done. It changes in whole batches, so that the result
/// does not depend on where a training is interrupted.
fn plan_share(session: &TrainingSession<'_>, state: &TrainingState) -> f64 {
    let mut done = state.progress();
    done.moves -= done.moves % BATCH;
    session.plan.share(&done)
}

/// Trains in the current part of a phase, until the part ends or the budget is spent. If the part
/// ends, the phase of the state becomes the next part.
fn train_part<G: Game, R: Rule>(
    game: &G,
    context: TrainingContext<'_, R>,
    options: &InTurn<'_>,
    session: &TrainingSession<'_>,
    state: &mut TrainingState,
) -> Result<(), Fault> {
    let lookup = options.lookup;
    let phase = *state.history.phase.get_or_insert_default();
    // The entrances of stage n + 1 are at n.
    let collected = |state: &TrainingState| {
        state.history.entrances.get(phase.stage).map_or(0, |entrances| entrances.recent.len())
    };
    let wanted = options.entrances.saturating_sub(collected(state));
    let collection = Collection::new(phase.stage + 1, lookup, wanted);
    let is_over = AtomicBool::new(false);
    let part = PhasePart {
        stage: phase.stage,
        begins: phase.begun,
        ends: part_end(phase, lookup.stages()),
        collection: phase.collects.then_some(&collection),
        is_over: &is_over,
    };
    let (scheme, restarts) = if phase.collects {
        (UpdateScheme::Frozen, Restarts::None)
    } else {
        (options.scheme, options.restarts)
    };
    let part_options = TrainingOptions { restarts, average: None, phase: Some(part) };
    let limited = TrainingContext { lookup: lookup.set_limit(phase.stage), ..context };
    train(game, limited, scheme, part_options, session, state)?;
    if is_over.load(Relaxed) {
        let share = plan_share(session, state).min(1.0);
        let following = next_part(phase, share, collected(state) > 0);
        state.history.phase = Some(following);
        // Games of one part do not continue in the next.
        state.unfinished.clear();
        state.batch_share = None;
        // Evaluation uses the stages up to that of the new phase from now on.
        lookup.set_limit(following.stage);
    }
    Ok(())
}

/// Returns the share of the plan at which the current part of a phase ends at the latest. Returns
/// `None` in the last of `phases` phases, because it ends with the training.
fn part_end(phase: Phase, phases: usize) -> Option<f64> {
    let reserved = if phase.collects { 0.0 } else { COLLECTION };
    let remaining = phases.saturating_sub(phase.number).max(1);
    let end = phase.begun + (1.0 - phase.begun) * (1.0 - reserved) / remaining as f64;
    (remaining > 1).then_some(end)
}

/// Returns the phase of a training that continues when a share `done` of its plan is done. If
/// `done` is before the beginning or after the end of the phase, the phase was part of another
/// plan, with a lower or a higher limit. The same part then begins now, with its share of the
/// remaining plan.
fn resumed(phase: Phase, done: f64, phases: usize) -> Phase {
    let end = part_end(phase, phases).map_or(1.0, |end| end + OVERRUN);
    let is_of_plan = (phase.begun..=end).contains(&done);
    if is_of_plan { phase } else { Phase { begun: done.min(1.0), ..phase } }
}

/// Returns the part that follows when a share `done` of the plan is done. `has_entrances` is true
/// if entrances of the next stage were collected.
fn next_part(phase: Phase, done: f64, has_entrances: bool) -> Phase {
    if !phase.collects {
        return Phase { collects: true, ..phase };
    }
    Phase {
        number: phase.number + 1,
        stage: phase.stage + usize::from(has_entrances),
        begun: done,
        collects: false,
    }
}

/// Returns an error if a restored entrance has not reached its stage, or if the stage that is
/// trained has none.
fn check_entrances(state: &TrainingState, lookup: &Lookup) -> Result<(), Fault> {
    let stages = &state.history.entrances;
    for (stage, entrances) in (1..).zip(stages) {
        if entrances.recent.iter().any(|start| lookup.stage(position(start.state)) < stage) {
            return Err(Fault::new(
                "the collected boards of the model are not of its stages; the model is damaged, or \
                 it comes from a training that was not multi-stage",
            ));
        }
    }
    let trained = state.history.phase.map_or(0, |phase| phase.stage);
    if trained > 0 && stages.get(trained - 1).is_none_or(|entrances| entrances.recent.is_empty()) {
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
        assert_eq!(part_end(first, 4), Some(0.1875));
        let collects = next_part(first, 0.19, false);
        assert_eq!((collects.collects, collects.stage), (true, 0));
        assert_eq!(part_end(collects, 4), Some(0.25));
        let again = next_part(collects, 0.25, false);
        assert_eq!(again, Phase { number: 1, stage: 0, begun: 0.25, collects: false });
        let reached = next_part(next_part(again, 0.44, true), 0.5, true);
        assert_eq!(reached, Phase { number: 2, stage: 1, begun: 0.5, collects: false });
        // The rest of a collection that was complete early is divided among all later phases.
        let early = next_part(next_part(first, 0.1875, false), 0.19, true);
        assert!((part_end(early, 4).unwrap() - (0.19 + 0.81 / 3.0 * 0.75)).abs() < 1e-9);
        assert_eq!(part_end(Phase { number: 3, ..reached }, 4), None);
    }

    #[test]
    fn a_phase_of_another_plan_begins_where_the_training_continues() {
        let phase = Phase { number: 1, stage: 1, begun: 0.25, collects: false };
        let last = part_end(phase, 4).unwrap();
        for done in [0.25, 0.3, last, last + OVERRUN / 2.0] {
            assert_eq!(resumed(phase, done, 4), phase, "{done}");
        }
        for done in [0.0, 0.2499, last + 2.0 * OVERRUN, 0.9] {
            let resumed = resumed(phase, done, 4);
            assert_eq!(resumed, Phase { begun: done, ..phase }, "{done}");
            let length = part_end(resumed, 4).unwrap() - done;
            assert!((length - (1.0 - done) / 3.0 * 0.75).abs() < 1e-9, "{done}: {length}");
        }
        let last = Phase { number: 3, ..phase };
        assert_eq!(resumed(last, 0.9, 4), last);
        assert_eq!(resumed(last, 0.1, 4).begun, 0.1);
    }
}
