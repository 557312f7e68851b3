//! The games of a training on its threads.

use super::accounts::Accounts;
use super::game::TrainingGame;
use super::moves::Moves;
use super::reporter::Reporter;
use super::starts::Starts;
use super::state::TrainingState;
use crate::rule::Rule;
use crate::update::{TrainingContext, UpdateScheme};
use runner_core::{Fault, Game, TrainingProgress, TrainingSession, catch};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of games that every thread plays in turn.
pub const GAMES_PER_THREAD: usize = 3;

/// Number of moves between two checks of the clock, the budget and the rule's schedule.
const BATCH: u64 = 768;

/// A training in progress, shared by its threads.
struct Training<'a, G, R: Rule> {
    game: &'a G,
    /// With the rule of the start of the training.
    context: TrainingContext<'a, R>,
    moves: Moves<'a, G, R>,
    session: &'a TrainingSession<'a>,
    accounts: Accounts,
    starts: Starts<'a>,
    reporter: Reporter<'a>,
}

/// Trains for the session's budget, continuing from a state, and returns the progress of all
/// trainings together.
pub fn train<G: Game, R: Rule>(
    game: &G,
    context: TrainingContext<'_, R>,
    scheme: &dyn UpdateScheme<R>,
    session: &TrainingSession<'_>,
    state: &mut TrainingState,
) -> Result<TrainingProgress, Fault> {
    let threads = session.host.threads().max(1);
    let max_games = session.budget.episodes.unwrap_or(u64::MAX);
    let continued = (state.unfinished.len() as u64).min(max_games);
    let new_games = max_games - continued;
    let starts = Starts::new(game, session.seed, session.starts, state.next_game, new_games)?;
    // Unfinished games beyond the budget wait for the next training.
    let mut games = std::mem::take(&mut state.unfinished);
    let waiting = games.split_off(continued as usize);
    let training = Training {
        game,
        context,
        moves: Moves::new(game, scheme),
        session,
        accounts: Accounts::open(state),
        starts,
        reporter: Reporter::new(session),
    };
    while games.len() < threads * GAMES_PER_THREAD {
        games.push(TrainingGame::new(context.lookup.per_position(), scheme.kept_steps()));
    }
    let shares = deal(games, threads);
    let fault = Mutex::new(None);
    session.host.for_each(threads, &|thread| {
        // A fault of the game on one thread ends the training on all.
        if let Err(error) = catch(|| training.play(&mut lock(&shares[thread]))) {
            training.reporter.stop();
            *lock(&fault) = Some(error);
        }
    });
    training.accounts.close(state);
    state.next_game = training.starts.into_next_game();
    state.unfinished = collect(shares);
    state.unfinished.retain(|game| game.under_way);
    state.unfinished.extend(waiting);
    if let Some(fault) = into_inner(fault) {
        state.unfinished.clear();
        return Err(fault);
    }
    Ok(state.progress())
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
    let mut shares: Vec<_> = shares.into_iter().map(|s| into_inner(s).into_iter()).collect();
    let longest = shares.iter().map(|share| share.len()).max().unwrap_or(0);
    let mut games = Vec::new();
    for _ in 0..longest {
        games.extend(shares.iter_mut().filter_map(|share| share.next()));
    }
    games
}

impl<G: Game, R: Rule> Training<'_, G, R> {
    /// Plays the games of one thread.
    fn play(&self, games: &mut [TrainingGame]) {
        let mut context = self.context_now();
        for game in games.iter_mut() {
            if game.under_way {
                game.find_actions(self.game, &context);
            } else {
                self.begin(game, &context);
            }
        }
        let limit = self.session.budget.moves.unwrap_or(u64::MAX);
        while !self.reporter.is_stopped() && games.iter().any(|game| game.under_way) {
            let claimed = self.accounts.claim(limit, BATCH);
            if claimed == 0 {
                break;
            }
            let not_made = self.play_batch(games, &context, claimed);
            self.accounts.add_moves(claimed, not_made);
            self.reporter.update(&self.accounts);
            context = self.context_now();
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
        while left > 0 {
            if self.turn(&mut games[next], context) {
                left -= 1;
            } else if games.iter().all(|game| !game.under_way) {
                break;
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
    fn turn(&self, game: &mut TrainingGame, context: &TrainingContext<'_, R>) -> bool {
        if !game.under_way {
            return false;
        }
        if game.successors.is_empty() {
            self.finish(game, context);
            return false;
        }
        self.moves.make(game, context);
        true
    }

    /// Begins the next game, if one may begin.
    #[cold]
    fn begin(&self, game: &mut TrainingGame, context: &TrainingContext<'_, R>) {
        match self.starts.next(self.game) {
            Some(new) => game.begin(new, self.game, context),
            None => game.under_way = false,
        }
    }

    /// Updates the weights for the end of a game, accounts it, and begins the next one.
    #[cold]
    fn finish(&self, game: &mut TrainingGame, context: &TrainingContext<'_, R>) {
        self.moves.end(game, context);
        self.accounts.add_game(self.game, game);
        self.begin(game, context);
    }

    /// Returns the context with the rule for the share of the training that is done. The share
    /// changes in whole batches, so that the result does not depend on where a training is
    /// interrupted.
    fn context_now(&self) -> TrainingContext<'_, R> {
        let mut done = self.accounts.total();
        done.moves -= done.moves % BATCH;
        let done = self.session.plan.share(&done);
        TrainingContext { rule: self.context.rule.at(done), ..self.context }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
