//! Multi-stage learning: trains the stages of a game one after the other, see
//! [`MultiStage`].

use super::schedule::{PhasePart, TrainingOptions, plan_share, train};
use super::state::TrainingState;
use crate::rule::Rule;
use crate::starts::{Collection, MultiStage, Restarts, phases};
use crate::update::{Frozen, TrainingContext, UpdateScheme};
use agent_ntuple_network::{Lookup, position};
use runner_core::{Control, Exploration, Fault, Game, Start, TrainingProgress, TrainingSession};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub struct InTurn<'a, R: Rule, C> {
    pub lookup: &'a Lookup,
    /// Returns the context for the training of a stage, with a lookup that reads positions of
    /// later stages in that stage; evaluation reads them so from then on.
    pub context_of: C,
    pub scheme: &'a dyn UpdateScheme<R>,
    pub options: MultiStage,
    pub restarts: Restarts,
    /// The behaviour policy while a stage is trained.
    pub explore: Exploration,
}

/// Trains the stages of a game in turn, for the session's budget, continuing from a state, and
/// returns the progress of all trainings together.
pub fn train_in_turn<'a, G: Game, R: Rule>(
    game: &G,
    training: InTurn<'_, R, impl Fn(usize) -> TrainingContext<'a, R>>,
    session: &TrainingSession<'_>,
    state: &mut TrainingState,
) -> Result<TrainingProgress, Fault> {
    let InTurn { lookup, context_of, scheme, options, restarts, explore } = training;
    let before = state.progress();
    let is_stopped = AtomicBool::new(false);
    let report = |progress: &TrainingProgress| {
        let control = (session.report)(progress);
        is_stopped.fetch_or(control == Control::Stop, Relaxed);
        control
    };
    check_boards(state, lookup)?;
    if state.history.phase.is_none() && before.moves > 0 {
        return Err(Fault::new(
            "the training of the model was not multi-stage, so it cannot go on stage by stage",
        ));
    }
    let done = plan_share(session, before.clone());
    state.history.phase =
        state.history.phase.map(|phase| options.resumed(phase, done, lookup.stages()));
    loop {
        let done = state.progress().since(&before);
        if is_stopped.load(Relaxed) || session.budget.is_spent(&done) {
            return Ok(state.progress());
        }
        let phase = *state.history.phase.get_or_insert_default();
        // The first stage is trained from the start of the game.
        let boards: Vec<Start> = match phase.stage.checked_sub(1) {
            None => Vec::new(),
            Some(before) => state.history.entrances[before].recent.iter().copied().collect(),
        };
        let found = |state: &TrainingState| {
            state.history.entrances.get(phase.stage).map_or(0, |entrances| entrances.recent.len())
        };
        let wanted = options.boards.saturating_sub(found(state));
        let collection = Collection::new(phase.stage + 1, lookup, wanted);
        let is_over = AtomicBool::new(false);
        let part = PhasePart {
            begins: phase.begun,
            ends: options.end(phase, lookup.stages()),
            starts: &boards,
            collection: phase.collects.then_some(&collection),
            is_over: &is_over,
        };
        let (scheme, restarts, explore): (&dyn UpdateScheme<R>, _, _) = match phase.collects {
            true => (&Frozen, Restarts::None, Exploration::Greedy),
            false => (scheme, restarts, explore),
        };
        let training = TrainingOptions { restarts, explore, averaging: None, phase: Some(part) };
        let TrainingSession { plan, seed, host, starts, collected, .. } = *session;
        let budget = session.budget.rest(&done);
        let session =
            TrainingSession { budget, plan, seed, host, report: &report, starts, collected };
        train(game, context_of(phase.stage), scheme, training, &session, state)?;
        if is_over.load(Relaxed) {
            let done = plan_share(&session, state.progress()).min(1.0);
            state.history.phase = Some(phases::next(phase, done, found(state) > 0));
            // Games of one part do not continue in the next.
            state.unfinished.clear();
            // Evaluation uses the stages up to that of the new phase from now on.
            context_of(state.history.phase.map_or(0, |phase| phase.stage));
        }
    }
}

/// Returns an error if the restored boards of a stage have not reached it, or if those of the
/// stage that is trained are missing.
fn check_boards(state: &TrainingState, lookup: &Lookup) -> Result<(), Fault> {
    let is_of = |stage: usize, start: &Start| lookup.stage(position(start.state)) >= stage;
    let stages = (1..).zip(&state.history.entrances);
    let mut all = stages.flat_map(|(stage, boards)| boards.recent.iter().map(move |b| (stage, b)));
    let trained = state.history.phase.map_or(0, |phase| phase.stage);
    let is_missing = trained > 0
        && state.history.entrances.get(trained - 1).is_none_or(|boards| boards.recent.is_empty());
    if !all.all(|(stage, board)| is_of(stage, board)) {
        return Err(Fault::new(
            "the collected boards of the model are not of its stages; the model is damaged, or \
             it comes from a training that was not multi-stage",
        ));
    }
    if is_missing {
        return Err(Fault::new(format!(
            "the model has no collected boards for the training of its stage {}, with which its \
             training continues; only a model of format `checkpoint` has them",
            trained + 1
        )));
    }
    Ok(())
}
