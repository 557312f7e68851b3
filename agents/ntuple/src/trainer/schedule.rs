//! The games of a training on its threads.

use super::game::TrainingGame;
use super::moves::Moves;
use super::state::Counters;
use crate::averaging::Averaging;
use crate::rule::Rule;
use crate::starts::{Collection, Ended, NewGame, Restarts, StartChooser};
use crate::update::TrainingContext;
use runner_core::{Game, Start, TrainingProgress, TrainingSession};
use runner_learning::over_at_start;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Number of moves between two checks of the clock, the budget and the rule's schedule.
pub const BATCH: u64 = 768;

/// Number of games in a row that are over at their start after which a training fails.
pub const OVER_AT_START: u64 = 10_000;

/// A training in progress, shared by its threads.
pub struct Training<'a, G, R: Rule> {
    pub game: &'a G,
    pub context: TrainingContext<'a, R>,
    pub moves: Moves<'a, G>,
    pub session: &'a TrainingSession<'a>,
    pub counters: Counters<'a>,
    pub starts: StartChooser<'a>,
    pub averaging: Option<Averaging<'a>>,
    pub phase: Option<PhasePart<'a>>,
    /// The share of the plan that was done after the last whole batch, as bits. The rule depends on it.
    pub batch_share: AtomicU64,
}

/// The options of a training beside its context and its update scheme.
#[derive(Clone, Copy, Default)]
pub struct TrainingOptions<'a> {
    pub restarts: Restarts,
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

impl<G: Game, R: Rule> Training<'_, G, R> {
    /// Begins the games that are not under way, and lists the actions of the others.
    pub fn begin_all(&self, games: &mut [TrainingGame], context: &TrainingContext<'_, R>) {
        for game in games {
            if game.under_way {
                game.find_actions(self.game, context);
            } else {
                self.begin(game, self.whole_game(), context);
            }
        }
    }

    pub fn play(&self, games: &mut [TrainingGame]) {
        let mut context = self.context_of_batch();
        self.begin_all(games, &context);
        let run = &self.counters.run;
        while !run.is_stopped() && games.iter().any(|game| game.under_way) {
            let claimed = run.claim_moves(BATCH);
            if claimed == 0 {
                break;
            }
            let not_made = self.play_batch(games, &context, claimed);
            self.end_batch(claimed, not_made);
            context = self.context_of_batch();
        }
    }

    /// Counts a batch of claimed moves, of which some were not made, and does the work that follows a batch.
    pub fn end_batch(&self, claimed: u64, not_made: u64) {
        let run = &self.counters.run;
        run.add_claimed(claimed, not_made);
        self.counters.update(&self.starts.entrances);
        // Another thread may be in the middle of a batch, so that the total is of no whole batches.
        let is_whole = claimed - not_made == BATCH || run.total().moves.is_multiple_of(BATCH);
        if is_whole {
            self.batch_share.store(run.plan_share(BATCH).to_bits(), Relaxed);
        }
        self.end_phase(is_whole);
        if let Some(averaging) = &self.averaging {
            averaging.update(self.context.records.all(), self.done());
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
    pub fn begin(
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
        self.moves.end(game, context, None);
        let next = self.next_start(game);
        self.begin(game, next, context);
    }

    /// Counts a game that has ended, and returns the start of the next one.
    pub fn next_start(&self, ended: &TrainingGame) -> Option<NewGame> {
        self.counters.add_game(self.game, ended);
        let mean_length = self.counters.mean_length();
        let TrainingGame { origin, moves, ref waypoints, .. } = *ended;
        let ended = Ended { origin, moves, waypoints, mean_length };
        self.starts.after(ended, self.game, self.done())
    }

    /// Returns the context with the rule as it is after the last whole batch, so that a schedule does not
    /// depend on where a training is interrupted.
    pub fn context_of_batch(&self) -> TrainingContext<'_, R> {
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
