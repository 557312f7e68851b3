//! A training from start to end: the checkpoint that it continues, its threads, and its result.

use super::game::TrainingGame;
use super::in_step;
use super::moves::Moves;
use super::schedule::{BATCH, Training, TrainingOptions};
use super::state::{Counters, TrainingState};
use crate::rule::Rule;
use crate::starts::{Entrances, Origin, StartChooser};
use crate::update::{TrainingContext, UpdateScheme};
use agent_ntuple_files::StageEntrances;
use agent_ntuple_network::{PartOfLookup, ValueFunction};
use runner_core::{
    Fault, Game, Start, Successors, TrainingBudget, TrainingProgress, TrainingSession, locked,
    unpoisoned,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Returns the number of games that each thread plays in turn. A single thread prefetches the weights
/// of one game while it moves in the other. With several threads, another thread often writes a
/// prefetched cache line before it is used, and the line is transferred twice. A training that
/// continues with fewer threads keeps its unfinished games.
fn games_per_thread(threads: usize) -> usize {
    if threads == 1 { 2 } else { 1 }
}

/// Trains for the session's budget, continuing from a state, and returns the progress of all
/// trainings together.
pub fn train<G: Game, R: Rule>(
    game: &G,
    context: TrainingContext<'_, R>,
    scheme: UpdateScheme,
    options: TrainingOptions<'_>,
    session: &TrainingSession<'_>,
    state: &mut TrainingState,
) -> Result<TrainingProgress, Fault> {
    let TrainingOptions { restarts, averaging, phase } = options;
    let stages = context.lookup.stages();
    check_starts(game, session.starts)?;
    if state.unchecked {
        check_entrances(game, &state.history.entrances, stages)?;
        state.unchecked = false;
    }
    let mut games = std::mem::take(&mut state.unfinished);
    let whole = games.iter().filter(|game| game.origin == Origin::Whole).count() as u64;
    let max_games = session.budget.episodes.unwrap_or(u64::MAX);
    let continued = whole.min(max_games);
    // Unfinished games beyond the budget wait for the next training.
    let waiting = split_off_whole(&mut games, continued);
    // A multi-stage training keeps all collected entrances.
    let keep = if phase.is_some() { usize::MAX } else { restarts.kept_entrances() };
    let entrances = Entrances::new(std::mem::take(&mut state.history.entrances), stages, keep);
    let stage = phase.map_or(0, |phase| phase.stage);
    let numbers = [state.next_game(), state.history.common.episodes + whole, max_games - continued];
    let starts = StartChooser::new(session, restarts, context.lookup, entrances, stage, numbers);
    // A budget of games is spent when no more may begin; those under way are finished.
    let budget = TrainingBudget { episodes: None, ..session.budget };
    let counted = TrainingSession { budget, ..*session };
    let training = Training {
        game,
        context,
        moves: Moves::new(game, scheme, restarts),
        session,
        counters: Counters::open(&counted, state),
        starts,
        averaging,
        phase,
        batch_share: AtomicU64::new(0),
    };
    let run = &training.counters.run;
    let share_before = state.share_of(session.plan).unwrap_or_else(|| run.plan_share(BATCH));
    training.batch_share.store(share_before.to_bits(), Relaxed);
    if max_games == 0 {
        run.stop();
    }
    let played = play(&training, scheme, &mut games);
    let share = f64::from_bits(training.batch_share.load(Relaxed));
    let (next_game, entrances) = training.starts.close();
    training.counters.close(state, next_game);
    state.history.entrances = entrances;
    let is_within_batch = !state.history.common.moves.is_multiple_of(BATCH);
    state.batch_share = is_within_batch.then_some((session.plan, share));
    played?;
    state.unfinished = games;
    state.unfinished.retain(|game| game.under_way);
    state.unfinished.extend(waiting);
    let progress = state.progress();
    if let Some(averaging) = averaging
        && session.plan.is_spent(&progress)
    {
        averaging.finish(context.records.all());
    }
    Ok(progress)
}

/// Plays games on all threads until the training ends. New games are added to the list.
fn play<G: Game, R: Rule>(
    training: &Training<'_, G, R>,
    scheme: UpdateScheme,
    games: &mut Vec<TrainingGame>,
) -> Result<(), Fault> {
    let threads = training.session.host.threads().max(1);
    let context = &training.context;
    let parts = parts_in_step(context, scheme, threads);
    let at_once =
        if parts.is_some() { in_step::GAMES } else { threads * games_per_thread(threads) };
    while games.len() < at_once {
        games.push(TrainingGame::new(context.lookup.per_position(), scheme.kept_steps()));
    }
    if let Some(parts) = &parts {
        training.begin_all(games, &training.context_of_batch());
        return in_step::train(training, parts, games);
    }
    let shares = deal(std::mem::take(games), threads);
    let run = &training.counters.run;
    let played = run.on_threads(&|thread| training.play(&mut locked(&shares[thread])));
    *games = collect(shares);
    played
}

/// Returns the two parts of the lookup if two threads train in step: if an update needs no values but
/// those of the afterstates and of the last step.
fn parts_in_step<R: Rule>(
    context: &TrainingContext<'_, R>,
    scheme: UpdateScheme,
    threads: usize,
) -> Option<[PartOfLookup; 2]> {
    let is_possible = threads == 2
        && context.learns == ValueFunction::Afterstates
        && scheme.needs_last_value_only();
    if is_possible { context.lookup.parts() } else { None }
}

/// Returns an error if one of the session's positions is terminal.
fn check_starts<G: Game>(game: &G, starts: &[Start]) -> Result<(), Fault> {
    let mut successors = Successors::new();
    for start in starts {
        game.successors(start.state, &mut successors);
        if successors.is_empty() {
            let text = game.write(start.state);
            return Err(Fault::new(format!("no legal action in the start position {text}")));
        }
    }
    Ok(())
}

/// Returns an error if a restored entrance is no position of the game.
fn check_entrances<G: Game>(
    game: &G,
    entrances: &[StageEntrances],
    stages: usize,
) -> Result<(), Fault> {
    let mut successors = Successors::new();
    let mut is_start = |start: &Start| {
        let read = game.parse(&game.write(start.state));
        game.successors(start.state, &mut successors);
        read == Ok(start.state) && !successors.is_empty()
    };
    let mut all = entrances.iter().flat_map(|stage| &stage.recent);
    if entrances.len() < stages && all.all(&mut is_start) {
        Ok(())
    } else {
        Err(Fault::new("the stage entrances of the model are not positions of the game"))
    }
}

fn split_off_whole(games: &mut Vec<TrainingGame>, continued: u64) -> Vec<TrainingGame> {
    let whole = games.iter().enumerate().filter(|(_, game)| game.origin == Origin::Whole);
    let end = whole.map(|(place, _)| place).nth(continued as usize).unwrap_or(games.len());
    games.split_off(end)
}

/// Deals games out to threads in turn, so that equal runs deal equally.
fn deal(games: Vec<TrainingGame>, threads: usize) -> Vec<Mutex<Vec<TrainingGame>>> {
    let mut shares: Vec<Vec<TrainingGame>> = (0..threads).map(|_| Vec::new()).collect();
    for (k, game) in games.into_iter().enumerate() {
        shares[k % threads].push(game);
    }
    shares.into_iter().map(Mutex::new).collect()
}

/// Collects games in the order in which [`deal`] gives every thread the same games again.
fn collect(shares: Vec<Mutex<Vec<TrainingGame>>>) -> Vec<TrainingGame> {
    let mut left: Vec<_> =
        shares.into_iter().map(|share| unpoisoned(share.into_inner()).into_iter()).collect();
    let longest = left.iter().map(|share| share.len()).max().unwrap_or(0);
    let mut games = Vec::new();
    for _ in 0..longest {
        games.extend(left.iter_mut().filter_map(|share| share.next()));
    }
    games
}
