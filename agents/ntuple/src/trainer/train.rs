//! A training from start to end: it continues from the state of a learner, plays games on all
//! threads, and puts its results into the state.

use super::batches::{BATCH, Training, TrainingOptions};
use super::game::TrainingGame;
use super::in_step;
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
use runner_learning::Trained;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
    let TrainingOptions { restarts, average, phase } = options;
    let stages = context.lookup.stages();
    check_starts(game, session.starts)?;
    if state.has_unchecked_entrances {
        check_entrances(game, &state.history.entrances, stages)?;
        state.has_unchecked_entrances = false;
    }
    let mut games = std::mem::take(&mut state.unfinished);
    let whole_games = games.iter().filter(|game| game.origin == Origin::Whole).count() as u64;
    let max_games = session.budget.episodes.unwrap_or(u64::MAX);
    let continued = whole_games.min(max_games);
    // Unfinished games beyond the budget wait for the next training.
    let waiting = split_off_after(&mut games, continued);
    // A multi-stage training keeps all collected entrances.
    let keep = if phase.is_some() { usize::MAX } else { restarts.kept_entrances() };
    let entrances = Entrances::new(std::mem::take(&mut state.history.entrances), stages, keep);
    let whole_starts = if restarts.kept_entrances() > 0 {
        entrances.take_starts(session.starts, context.lookup)
    } else {
        session.starts.to_vec()
    };
    let starts = StartChooser {
        session,
        restarts,
        lookup: context.lookup,
        entrances,
        starts: whole_starts,
        stage: phase.map_or(0, |phase| phase.stage),
        next: AtomicU64::new(state.history.common.next_game),
        next_whole: AtomicU64::new(state.history.common.episodes + whole_games),
        whole_left: AtomicU64::new(max_games - continued),
    };
    // The chooser of starts enforces a budget of games. The counters must not: they would stop the
    // training before the games under way are finished.
    let budget = TrainingBudget { episodes: None, ..session.budget };
    let session_of_counters = TrainingSession { budget, ..*session };
    let training = Training {
        game,
        context,
        scheme,
        has_chance_rewards: game.has_chance_rewards(),
        counters: Counters::open(&session_of_counters, state),
        starts,
        average,
        phase,
        batch_share: AtomicU64::new(0),
    };
    let run = &training.counters.run;
    let share_before = state.share_at_batch(session.plan).unwrap_or_else(|| run.plan_share(BATCH));
    training.batch_share.store(share_before.to_bits(), Relaxed);
    if max_games == 0 {
        run.stop();
    }
    let played = play(&training, &mut games);
    let share = f64::from_bits(training.batch_share.load(Relaxed));
    let (next_game, entrances) = training.starts.close();
    training.counters.close(state, next_game);
    state.history.entrances = entrances;
    let is_within_batch = !state.history.common.moves.is_multiple_of(BATCH);
    state.batch_share = is_within_batch.then_some((session.plan, share));
    // After a fault the counts are in the state, but its games are lost.
    played?;
    state.unfinished = games;
    state.unfinished.retain(|game| game.under_way);
    state.unfinished.extend(waiting);
    let progress = state.progress();
    if let Some(average) = average
        && session.plan.is_spent(&progress)
    {
        average.finish(context.records.all());
    }
    Ok(progress)
}

/// Plays games on all threads until the training ends. New games are added to `games`.
fn play<G: Game, R: Rule>(
    training: &Training<'_, G, R>,
    games: &mut Vec<TrainingGame>,
) -> Result<(), Fault> {
    let threads = training.counters.run.session().host.threads().max(1);
    let (context, scheme) = (&training.context, training.scheme);
    let parts = parts_in_step(context, scheme, threads);
    let at_once = match (&parts, threads) {
        (Some(_), _) => in_step::GAMES,
        // The thread prefetches the weights of one game while it moves in the other.
        (None, 1) => 2,
        // One for each thread: if a thread prefetched a cache line, another thread would often
        // write the line before it is used, and the line would be transferred twice.
        (None, _) => threads,
    };
    // There may be more games, from a training with more threads.
    while games.len() < at_once {
        games.push(TrainingGame::new(context.lookup.per_position(), scheme.kept_steps()));
    }
    if let Some(parts) = &parts {
        training.begin_all(games, &training.context_of_batch());
        return in_step::train(training, parts, games);
    }
    let games_of_threads = deal(std::mem::take(games), threads);
    let run = &training.counters.run;
    let played = run.on_threads(&|thread| training.play(&mut locked(&games_of_threads[thread])));
    *games = collect(games_of_threads);
    played
}

/// Returns two parts of the lookup if two threads train in step. An update must need no values but
/// those of the afterstates and of the last step, because the threads exchange only these.
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
    // The first stage has no entrances.
    let has_stages = entrances.len() < stages;
    if has_stages && entrances.iter().flat_map(|stage| &stage.recent).all(&mut is_start) {
        Ok(())
    } else {
        Err(Fault::new("the stage entrances of the model are not positions of the game"))
    }
}

/// Keeps `count` whole games and the restarts before the next whole game, and returns the other
/// games.
fn split_off_after(games: &mut Vec<TrainingGame>, count: u64) -> Vec<TrainingGame> {
    let mut whole_games = (0..games.len()).filter(|&k| games[k].origin == Origin::Whole);
    match whole_games.nth(count as usize) {
        Some(next) => games.split_off(next),
        None => Vec::new(),
    }
}

/// Deals the games out to the threads in turn, so that equal runs deal equally.
fn deal(games: Vec<TrainingGame>, threads: usize) -> Vec<Mutex<Vec<TrainingGame>>> {
    let mut hands: Vec<Vec<TrainingGame>> = (0..threads).map(|_| Vec::new()).collect();
    for (k, game) in games.into_iter().enumerate() {
        hands[k % threads].push(game);
    }
    hands.into_iter().map(Mutex::new).collect()
}

/// Collects the games that [`deal`] has dealt, so that it gives every thread the same games again:
/// first the first game of each thread, then the second ones, and so on.
fn collect(hands: Vec<Mutex<Vec<TrainingGame>>>) -> Vec<TrainingGame> {
    let mut hands: Vec<_> =
        hands.into_iter().map(|hand| unpoisoned(hand.into_inner()).into_iter()).collect();
    let (threads, count) = (hands.len(), hands.iter().map(|hand| hand.len()).sum());
    (0..count).filter_map(|k| hands[k % threads].next()).collect()
}
