//! The games of one thread, which plays them in batches of moves, and what all threads of a
//! training share.

use super::game::TrainingGame;
use super::state::Counters;
use crate::averaging::Average;
use crate::rule::Rule;
use crate::starts::{Collection, Ended, NewGame, Restarts, StartChooser};
use crate::update::{TrainingContext, UpdateScheme};
use runner_core::{Game, Start};
use runner_learning::over_at_start;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Number of moves of a batch. The clock, the budget and the rule's schedule are checked after each
/// batch.
pub const BATCH: u64 = 768;

/// Number of games in a row that are over at their start after which a training fails.
pub const OVER_AT_START: u64 = 10_000;

/// A training in progress, shared by its threads.
pub struct Training<'a, G, R: Rule> {
    pub game: &'a G,
    /// The rule of this context is not the current one: use [`Training::context_of_batch`].
    pub context: TrainingContext<'a, R>,
    pub scheme: UpdateScheme,
    pub has_chance_rewards: bool,
    pub counters: Counters<'a>,
    pub starts: StartChooser<'a>,
    pub average: Option<&'a Average>,
    pub phase: Option<PhasePart<'a>>,
    /// The share of the plan that was done after the last whole batch, as the bits of an f64. The
    /// rule depends on it.
    pub batch_share: AtomicU64,
}

/// The options of a training beside its context and its update scheme.
#[derive(Clone, Copy, Default)]
pub struct TrainingOptions<'a> {
    pub restarts: Restarts,
    pub average: Option<&'a Average>,
    /// The part of a multi-stage training, or `None` if the stages are trained together.
    pub phase: Option<PhasePart<'a>>,
}

/// A part of a phase of a multi-stage training: it trains one stage, or collects entrances of the
/// next one.
#[derive(Clone, Copy)]
pub struct PhasePart<'a> {
    /// The stage that is trained. Games begin at its entrances in turn; in stage 0 they begin as
    /// the session says.
    pub stage: usize,
    /// Share of the plan at which the phase began.
    pub begins: f64,
    /// Share of the plan at which the part ends, or `None` if it ends with the plan.
    pub ends: Option<f64>,
    /// `Some` if the part collects entrances with frozen weights, `None` if it trains.
    pub collection: Option<&'a Collection<'a>>,
    /// Set when the part has ended. It stays false if only the session's budget is spent.
    pub is_over: &'a AtomicBool,
}

impl<G: Game, R: Rule> Training<'_, G, R> {
    /// Begins the games that are not under way, and lists the actions of the others.
    pub fn begin_all(&self, games: &mut [TrainingGame], context: &TrainingContext<'_, R>) {
        for game in games {
            if game.under_way {
                game.list_actions(self.game, context);
            } else {
                game.replace(self.starts.whole_game(self.game), self.game, context);
            }
        }
    }

    /// Plays the games of one thread until the training ends.
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

    /// Counts a batch of claimed moves, of which some were not made, and does the work that
    /// follows a batch.
    pub fn end_batch(&self, claimed: u64, not_made: u64) {
        let run = &self.counters.run;
        run.add_claimed(claimed, not_made);
        self.counters.check_budget_and_report(&self.starts.entrances);
        // The batch was whole, or it was the rest of a batch that an earlier training began. In the
        // first case the total may still be between two multiples: another thread is in its batch.
        let is_whole = claimed - not_made == BATCH || run.total().moves.is_multiple_of(BATCH);
        if is_whole {
            self.batch_share.store(run.plan_share(BATCH).to_bits(), Relaxed);
        }
        self.end_part_if_due(is_whole);
        if let Some(average) = self.average {
            average.include_if_due(self.context.records.all(), self.done());
        }
    }

    /// Makes `moves` moves, in the games in turn. Returns the number of moves that were not made
    /// because no game is under way. Rotates the games, so that the one with the next turn is
    /// first.
    fn play_batch(
        &self,
        games: &mut [TrainingGame],
        context: &TrainingContext<'_, R>,
        moves: u64,
    ) -> u64 {
        let (mut moves_left, mut next) = (moves, 0);
        // Number of turns without a move since the last move.
        let mut idle_turns = 0;
        while moves_left > 0 {
            let before = if next == 0 { games.len() - 1 } else { next - 1 };
            let has_moved = match games.get_disjoint_mut([next, before]) {
                Ok([game, previous]) => self.take_turn(game, Some(previous), context),
                // There is one game only.
                Err(_) => self.take_turn(&mut games[next], None, context),
            };
            if has_moved {
                moves_left -= 1;
                idle_turns = 0;
            } else if games.iter().all(|game| !game.under_way) {
                break;
            } else {
                idle_turns += 1;
                if idle_turns == OVER_AT_START {
                    over_at_start(self.game, games[next].state, OVER_AT_START).raise()
                }
            }
            next = if next + 1 == games.len() { 0 } else { next + 1 };
        }
        games.rotate_left(next);
        moves_left
    }

    /// Makes one move of a game, or ends it. Returns true if it made a move.
    #[inline(always)]
    fn take_turn(
        &self,
        game: &mut TrainingGame,
        previous: Option<&TrainingGame>,
        context: &TrainingContext<'_, R>,
    ) -> bool {
        if !game.under_way {
            return false;
        }
        if let Some(PhasePart { collection: Some(collection), .. }) = self.phase {
            return self.take_collecting_turn(game, context, collection);
        }
        if game.successors.is_empty() {
            self.finish(game, context);
            return false;
        }
        self.make_move(game, previous, context);
        true
    }

    /// Makes one move of a game with frozen weights, or ends it. Returns true if it made a move.
    /// The game also ends when it has reached the stage whose entrances are collected.
    #[inline(never)]
    fn take_collecting_turn(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        collection: &Collection<'_>,
    ) -> bool {
        if collection.is_full() {
            game.under_way = false;
            return false;
        }
        let can_move = !game.successors.is_empty();
        if can_move {
            self.make_move(game, None, context);
        }
        let start = Start { state: game.state, score: game.score };
        let is_over = game.successors.is_empty();
        let entrances = &self.starts.entrances;
        if !can_move || (!is_over && collection.add_if_reached(start, entrances)) {
            self.counters.run.add_game_without_score();
            game.replace(self.starts.whole_game(self.game), self.game, context);
        }
        can_move
    }

    /// Stops the training if its part of a multi-stage training has ended. The share of the plan
    /// is compared after whole batches only.
    fn end_part_if_due(&self, is_whole: bool) {
        let Some(PhasePart { ends, collection, is_over, .. }) = self.phase else { return };
        let is_full = collection.is_some_and(Collection::is_full);
        let run = &self.counters.run;
        let is_spent = ends.is_some_and(|end| run.plan_share(BATCH) >= end);
        if is_full || (is_whole && is_spent) {
            is_over.store(true, Relaxed);
            run.stop();
        }
    }

    #[cold]
    fn finish(&self, game: &mut TrainingGame, context: &TrainingContext<'_, R>) {
        self.update_for_end(game, context, None);
        let next = self.count_and_choose_next(game);
        game.replace(next, self.game, context);
    }

    pub fn count_and_choose_next(&self, game: &TrainingGame) -> Option<NewGame> {
        self.counters.add_game(self.game, game);
        let &TrainingGame { origin, moves, ref waypoints, .. } = game;
        let mean_length = self.counters.mean_length();
        let ended = Ended { origin, moves, waypoints, mean_length };
        self.starts.after(ended, self.game, self.done())
    }

    /// Returns the context with the rule as it is after the last whole batch, so that a schedule
    /// does not depend on where a training is interrupted.
    pub fn context_of_batch(&self) -> TrainingContext<'_, R> {
        let share = f64::from_bits(self.batch_share.load(Relaxed));
        TrainingContext { rule: self.context.rule.at(self.share_of_part(share)), ..self.context }
    }

    /// Returns the share of the training that is done. In a multi-stage training, it is the share
    /// of the current part.
    fn done(&self) -> f64 {
        self.share_of_part(self.counters.run.plan_share(BATCH))
    }

    /// Converts a share of the plan to a share of the current part, if there are parts.
    fn share_of_part(&self, share: f64) -> f64 {
        let Some(PhasePart { begins, ends, .. }) = self.phase else { return share };
        let length = ends.unwrap_or(1.0) - begins;
        // A resumed training may have another plan than the training in which the phase began.
        if length > 0.0 { ((share - begins) / length).clamp(0.0, 1.0) } else { share }
    }
}
