//! The games of a training on its threads.

use super::game::TrainingGame;
use super::moves::Moves;
use super::state::{Counters, TrainingState};
use crate::averaging::Averaging;
use crate::rule::Rule;
use crate::starts::{Collection, Ended, Entrances, NewGame, Origin, Restarts, StartChooser};
use crate::update::{TrainingContext, UpdateScheme};
use agent_ntuple_files::StageEntrances;
use runner_core::{
    Fault, Game, Start, Successors, TrainingBudget, TrainingProgress, TrainingSession, locked,
    unpoisoned,
};
use runner_learning::over_at_start;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Returns the number of games that each thread plays in turn. A single thread prefetches the weights
/// of one game while it moves in the other. With several threads, another thread often writes a
/// prefetched cache line before it is used, and the line is transferred twice. A training that
/// continues with fewer threads keeps its unfinished games.
fn games_per_thread(threads: usize) -> usize {
    if threads == 1 { 2 } else { 1 }
}

/// Number of moves between two checks of the clock, the budget and the rule's schedule.
const BATCH: u64 = 768;

/// Number of games in a row that are over at their start after which a training fails.
const OVER_AT_START: u64 = 10_000;

/// A training in progress, shared by its threads.
struct Training<'a, G, R: Rule> {
    game: &'a G,
    context: TrainingContext<'a, R>,
    moves: Moves<'a, G>,
    session: &'a TrainingSession<'a>,
    counters: Counters<'a>,
    starts: StartChooser<'a>,
    averaging: Option<Averaging<'a>>,
    phase: Option<PhasePart<'a>>,
    /// The share of the plan that was done after the last whole batch, as bits. The rule depends on it.
    batch_share: AtomicU64,
}

/// The options of a training beside its context and its update scheme.
#[derive(Clone, Copy, Default)]
pub struct TrainingOptions<'a> {
    pub restarts: Restarts,
    /// The running mean of the weights, if there is one.
    pub averaging: Option<Averaging<'a>>,
    /// The part of a multi-stage training, or `None` for all of another training.
    pub phase: Option<PhasePart<'a>>,
}

/// A part of a multi-stage training: it trains one stage, or collects entrances of the next one.
#[derive(Clone, Copy)]
pub struct PhasePart<'a> {
    /// The stage that is trained. Games begin at its entrances in turn; as usual if it is the first.
    pub stage: usize,
    /// Share of the plan at which the phase began.
    pub begins: f64,
    /// Share of the plan at which the part ends, or `None` for the last one.
    pub ends: Option<f64>,
    /// The entrances to collect, with frozen weights; `None` trains.
    pub collection: Option<&'a Collection<'a>>,
    /// Set if the part has ended, not only the session's budget.
    pub is_over: &'a AtomicBool,
}

/// Returns the share of the plan that is done. It changes in whole batches, so that the result
/// does not depend on where a training is interrupted.
pub fn plan_share(session: &TrainingSession<'_>, mut done: TrainingProgress) -> f64 {
    done.moves -= done.moves % BATCH;
    session.plan.share(&done)
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
    let threads = session.host.threads().max(1);
    let max_games = session.budget.episodes.unwrap_or(u64::MAX);
    // Unfinished games beyond the budget wait for the next training.
    let is_whole = |game: &&TrainingGame| game.origin == Origin::Whole;
    let whole = state.unfinished.iter().filter(is_whole).count() as u64;
    let continued = whole.min(max_games);
    let numbers = [state.next_game(), state.history.common.episodes + whole, max_games - continued];
    let stages = context.lookup.stages();
    check_starts(game, session.starts)?;
    if state.unchecked {
        check_entrances(game, &state.history.entrances, stages)?;
        state.unchecked = false;
    }
    let mut games = std::mem::take(&mut state.unfinished);
    let waiting = split_off_whole(&mut games, continued);
    // A multi-stage training keeps all collected entrances.
    let keep = if phase.is_some() { usize::MAX } else { restarts.kept_entrances() };
    let entrances = Entrances::new(std::mem::take(&mut state.history.entrances), stages, keep);
    let stage = phase.map_or(0, |phase| phase.stage);
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
    let share = state.batch_share(session.plan);
    let share = share.unwrap_or_else(|| training.counters.run.plan_share(BATCH));
    training.batch_share.store(share.to_bits(), Relaxed);
    while games.len() < threads * games_per_thread(threads) {
        games.push(TrainingGame::new(context.lookup.per_position(), scheme.kept_steps()));
    }
    let shares = deal(games, threads);
    let run = &training.counters.run;
    if max_games == 0 {
        run.stop();
    }
    let trained = run.on_threads(&|thread| training.play(&mut locked(&shares[thread])));
    let share = f64::from_bits(training.batch_share.load(Relaxed));
    let (next_game, entrances) = training.starts.close();
    training.counters.close(state, next_game);
    state.history.entrances = entrances;
    let is_within_batch = !state.history.common.moves.is_multiple_of(BATCH);
    state.set_batch_share(is_within_batch.then_some((session.plan, share)));
    state.unfinished = collect(shares);
    state.unfinished.retain(|game| game.under_way);
    state.unfinished.extend(waiting);
    if trained.is_err() {
        state.unfinished.clear();
    }
    trained?;
    let progress = state.progress();
    if let Some(averaging) = averaging
        && session.plan.is_spent(&progress)
    {
        averaging.finish(context.records.all());
    }
    Ok(progress)
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
    let mut shares: Vec<_> =
        shares.into_iter().map(|s| unpoisoned(s.into_inner()).into_iter()).collect();
    let longest = shares.iter().map(|share| share.len()).max().unwrap_or(0);
    let mut games = Vec::new();
    for _ in 0..longest {
        games.extend(shares.iter_mut().filter_map(|share| share.next()));
    }
    games
}

impl<G: Game, R: Rule> Training<'_, G, R> {
    fn play(&self, games: &mut [TrainingGame]) {
        let mut context = self.context_of_batch();
        for game in games.iter_mut() {
            if game.under_way {
                game.find_actions(self.game, &context);
            } else {
                self.begin(game, self.whole_game(), &context);
            }
        }
        let run = &self.counters.run;
        while !run.is_stopped() && games.iter().any(|game| game.under_way) {
            let claimed = run.claim_moves(BATCH);
            if claimed == 0 {
                break;
            }
            let not_made = self.play_batch(games, &context, claimed);
            run.add_claimed(claimed, not_made);
            self.counters.update(&self.starts.entrances);
            // Another thread may be in the middle of a batch, so that the total is of no whole batches.
            let is_whole = claimed - not_made == BATCH
                || self.counters.run.total().moves.is_multiple_of(BATCH);
            if is_whole {
                let share = self.counters.run.plan_share(BATCH);
                self.batch_share.store(share.to_bits(), Relaxed);
            }
            context = self.context_of_batch();
            self.end_phase(is_whole);
            if let Some(averaging) = &self.averaging {
                averaging.update(self.context.records.all(), self.done());
            }
        }
    }

    /// Makes `moves` moves. Returns how many were not made because no game is under way.
    fn play_batch(
        &self,
        games: &mut [TrainingGame],
        context: &TrainingContext<'_, R>,
        moves: u64,
    ) -> u64 {
        let (mut left, mut next) = (moves, 0);
        // The turns without a move since the last move, and the moves left then.
        let (mut idle, mut idle_at) = (0, left);
        while left > 0 {
            let last = if next == 0 { games.len() - 1 } else { next - 1 };
            let moved = match games.get_disjoint_mut([next, last]) {
                Ok([game, previous]) => self.turn(game, Some(previous), context),
                Err(_) => self.turn(&mut games[next], None, context),
            };
            if moved {
                left -= 1;
            } else if games.iter().all(|game| !game.under_way) {
                break;
            } else {
                idle = if idle_at == left { idle + 1 } else { 1 };
                idle_at = left;
                if idle == OVER_AT_START {
                    over_at_start(self.game, games[next].state, OVER_AT_START).raise()
                }
            }
            next = if next + 1 == games.len() { 0 } else { next + 1 };
        }
        // The next batch continues with the game that is next, so that the result does not
        // depend on the size of batches.
        games.rotate_left(next);
        left
    }

    /// Makes one move of a game, or ends it. Returns true if it moved.
    #[inline(always)]
    fn turn(
        &self,
        game: &mut TrainingGame,
        previous: Option<&TrainingGame>,
        context: &TrainingContext<'_, R>,
    ) -> bool {
        if !game.under_way {
            return false;
        }
        if let Some(PhasePart { collection: Some(collection), .. }) = self.phase {
            return self.collecting_turn(game, context, collection);
        }
        if game.successors.is_empty() {
            self.finish(game, context);
            return false;
        }
        self.moves.make(game, previous, context, &self.starts.entrances);
        true
    }

    /// Makes one move of a game with frozen weights, or ends it. Returns true if it moved.
    #[inline(never)]
    fn collecting_turn(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        collection: &Collection<'_>,
    ) -> bool {
        if collection.is_full() {
            game.under_way = false;
            return false;
        }
        let moves = !game.successors.is_empty();
        if moves {
            self.moves.make(game, None, context, &self.starts.entrances);
        }
        let start = Start { state: game.state, score: game.score };
        let is_over = game.successors.is_empty();
        if !moves || (!is_over && collection.add(start, &self.starts.entrances)) {
            self.counters.run.add_game_without_score();
            self.begin(game, self.whole_game(), context);
        }
        moves
    }

    /// Stops the training if its part of a multi-stage training has ended. The share of the plan
    /// is compared after whole batches only.
    fn end_phase(&self, is_whole: bool) {
        let Some(PhasePart { ends, collection, is_over, .. }) = self.phase else { return };
        let is_full = collection.is_some_and(Collection::is_full);
        let total = self.counters.run.total();
        let is_spent = ends.is_some_and(|end| plan_share(self.session, total) >= end);
        if is_full || (is_whole && is_spent) {
            is_over.store(true, Relaxed);
            self.counters.run.stop();
        }
    }

    fn whole_game(&self) -> Option<NewGame> {
        self.starts.whole_game(self.game)
    }

    /// Begins a new game in place of another one, if there is one.
    fn begin(
        &self,
        game: &mut TrainingGame,
        new: Option<NewGame>,
        context: &TrainingContext<'_, R>,
    ) {
        match new {
            Some(new) => game.begin(new, self.game, context),
            None => game.under_way = false,
        }
    }

    /// Updates the weights for the end of a game, counts it, and begins the next one.
    #[cold]
    fn finish(&self, game: &mut TrainingGame, context: &TrainingContext<'_, R>) {
        self.moves.end(game, context);
        self.counters.add_game(self.game, game);
        let mean_length = self.counters.mean_length();
        let TrainingGame { origin, moves, ref waypoints, .. } = *game;
        let ended = Ended { origin, moves, waypoints, mean_length };
        let next = self.starts.after(ended, self.game, self.done());
        self.begin(game, next, context);
    }

    /// Returns the context with the rule as it is after the last whole batch, so that a schedule does not
    /// depend on where a training is interrupted.
    fn context_of_batch(&self) -> TrainingContext<'_, R> {
        let share = f64::from_bits(self.batch_share.load(Relaxed));
        TrainingContext { rule: self.context.rule.at(self.in_phase(share)), ..self.context }
    }

    /// Returns the share of the training that is done: of the training of one stage in a
    /// multi-stage training.
    fn done(&self) -> f64 {
        self.in_phase(self.counters.run.plan_share(BATCH))
    }

    /// Returns the share of the current phase, if there are phases, for a share of the plan.
    fn in_phase(&self, done: f64) -> f64 {
        match self.phase {
            None => done,
            Some(PhasePart { begins, ends, .. }) => {
                let length = ends.unwrap_or(1.0) - begins;
                // The plan of a resumed training may be another one than where the phase began.
                if length > 0.0 { ((done - begins) / length).clamp(0.0, 1.0) } else { done }
            }
        }
    }
}
