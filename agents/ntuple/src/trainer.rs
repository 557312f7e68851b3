//! The training: every thread plays several games in turn, so that the memory
//! that one of them needs is fetched while the others move.

use crate::credit::{Credit, Trail, Visit, Work};
use crate::learned::{Estimates, Learns, position};
use crate::model::History;
use crate::network::Place;
use crate::recent::Recent;
use crate::rule::Rule;
use runner_core::{
    Action, Control, Fault, Game, MAX_ACTIONS, Random, Seed, State, Successor, Successors,
    TrainingBudget, TrainingProgress, TrainingSession, catch,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Every thread plays so many games in turn.
pub const GAMES: usize = 3;

/// After so many moves a thread says what it has done and looks at the clock.
const BATCH: u64 = 768;

/// Reports come so often.
const TICK: Duration = Duration::from_millis(100);

/// What a learner has lived through: what is kept from one training to the next.
#[derive(Debug, Default)]
pub struct Life {
    moves: u64,
    episodes: u64,
    elapsed: Duration,
    /// The number of the next game.
    next: u64,
    recent: Recent,
    /// The games that go on when the training does, first the one whose turn it is.
    games: Vec<GameInTraining>,
}

impl Life {
    /// Returns the state that a model says. Games that were under way are not in it, so
    /// that training continues with a new game.
    pub fn restored(history: &History) -> Self {
        let &History { moves, episodes, elapsed, next_game: next, .. } = history;
        let recent = history.recent.iter().copied().collect();
        Self { moves, episodes, elapsed, next, recent, ..Self::default() }
    }

    /// Returns the number of the next game.
    pub fn next_game(&self) -> u64 {
        self.next
    }

    /// Returns what a model says of a training with this seed.
    pub fn history(&self, seed: u64) -> History {
        let &Self { moves, episodes, elapsed, next: next_game, .. } = self;
        let recent = self.recent.games().collect();
        History { moves, episodes, elapsed, next_game, seed, recent }
    }

    /// What was done.
    pub fn progress(&self) -> TrainingProgress {
        let done = TrainingProgress {
            moves: self.moves,
            episodes: self.episodes,
            elapsed: self.elapsed,
            ..TrainingProgress::default()
        };
        self.recent.tell(done)
    }
}

/// A game that is being played. It shares no cache line with another, which may be
/// on another thread.
#[derive(Debug)]
#[repr(align(128))]
struct GameInTraining {
    state: State,
    random: Random,
    score: f64,
    /// What was earned since the last visit: what chance gave, and, where the visits
    /// are to states, the action before it.
    given: f32,
    successors: Successors,
    /// The places of all afterstates of the successors, where these are learned.
    places: Vec<Place>,
    trail: Trail,
    /// Whether it has begun and is not over.
    under_way: bool,
}

/// A training in progress, shared by its threads.
pub struct Training<'a, G, R: Rule> {
    game: &'a G,
    /// As it was at first.
    work: Work<'a, R>,
    credit: &'a dyn Credit<R>,
    session: &'a TrainingSession<'a>,
    began: Instant,
    before: TrainingProgress,
    /// Moves that threads have taken on.
    claimed: AtomicU64,
    /// Moves that they have made.
    moves: AtomicU64,
    episodes: AtomicU64,
    next: AtomicU64,
    /// Games begin below this number.
    last: u64,
    stop: AtomicBool,
    recent: Mutex<Recent>,
    next_report: Mutex<Instant>,
    chance_rewards: bool,
}

impl<'a, G: Game, R: Rule> Training<'a, G, R> {
    /// Trains for the session's budget, from where the life has come.
    pub fn run(
        game: &'a G,
        work: Work<'a, R>,
        credit: &'a dyn Credit<R>,
        session: &'a TrainingSession<'a>,
        life: &mut Life,
    ) -> Result<TrainingProgress, Fault> {
        let began = Instant::now();
        let threads = session.host.threads().max(1);
        let mut games = std::mem::take(&mut life.games);
        let room = session.budget.episodes.unwrap_or(u64::MAX);
        // What a budget of episodes has no room for waits for the next training.
        let waiting = games.split_off(games.len().min(room.try_into().unwrap_or(usize::MAX)));
        let training = Self {
            game,
            work,
            credit,
            session,
            began,
            before: life.progress(),
            claimed: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            episodes: AtomicU64::new(0),
            next: AtomicU64::new(life.next),
            last: life.next.saturating_add(room - games.len() as u64),
            stop: AtomicBool::new(session.budget.is_spent(&TrainingProgress::default())),
            recent: Mutex::new(std::mem::take(&mut life.recent)),
            next_report: Mutex::new(began + TICK),
            chance_rewards: game.has_chance_rewards(),
        };
        while games.len() < threads * GAMES {
            games.push(GameInTraining::new(work.lookup.per_position(), credit.horizon()));
        }
        // Dealt out in turn, so that two runs deal alike.
        let mut hands: Vec<Mutex<Vec<GameInTraining>>> =
            (0..threads).map(|_| Mutex::new(Vec::new())).collect();
        for (k, game) in games.into_iter().enumerate() {
            lock_mut(&mut hands[k % threads]).push(game);
        }
        let fault = Mutex::new(None);
        session.host.for_each(threads, &|thread| {
            // A fault of the game on one thread ends the training on all.
            if let Err(error) = catch(|| training.play(&mut lock(&hands[thread]))) {
                training.stop.store(true, Relaxed);
                *lock(&fault) = Some(error);
            }
        });
        life.moves += training.moves.into_inner();
        life.episodes += training.episodes.into_inner();
        life.elapsed += began.elapsed();
        life.next = training.next.into_inner().min(training.last.max(life.next));
        life.recent = into_inner(training.recent);
        // As they were dealt, so that the next training deals the same hands.
        let mut hands: Vec<_> = hands.into_iter().map(|h| into_inner(h).into_iter()).collect();
        let most = hands.iter().map(|hand| hand.len()).max().unwrap_or(0);
        for _ in 0..most {
            life.games.extend(hands.iter_mut().filter_map(|hand| hand.next()));
        }
        life.games.retain(|game| game.under_way);
        life.games.extend(waiting);
        if let Some(fault) = into_inner(fault) {
            life.games.clear();
            return Err(fault);
        }
        Ok(life.progress())
    }

    /// What one thread does.
    fn play(&self, games: &mut [GameInTraining]) {
        let mut work = self.work();
        for game in games.iter_mut() {
            if game.under_way {
                game.look(self.game, &work);
            } else {
                self.begin(game, &work);
            }
        }
        while !self.stop.load(Relaxed) && games.iter().any(|game| game.under_way) {
            let claimed = self.claim();
            if claimed == 0 {
                break;
            }
            let left = self.play_batch(games, &work, claimed);
            self.moves.fetch_add(claimed - left, Relaxed);
            self.claimed.fetch_sub(left, Relaxed);
            self.report();
            work = self.work();
        }
    }

    /// Takes on as many moves as the budget has left, at most up to the next
    /// multiple of a batch in the learner's life.
    fn claim(&self) -> u64 {
        let limit = self.session.budget.moves.unwrap_or(u64::MAX);
        let part = |claimed: u64| {
            let batch = BATCH - (self.before.moves + claimed) % BATCH;
            batch.min(limit - claimed)
        };
        let take = |claimed| Some(claimed + part(claimed));
        self.claimed.fetch_update(Relaxed, Relaxed, take).map_or(0, part)
    }

    /// Makes so many moves, and returns how many it could not make because no game
    /// is under way any more.
    fn play_batch(&self, games: &mut [GameInTraining], work: &Work<'_, R>, moves: u64) -> u64 {
        let (mut left, mut next) = (moves, 0);
        while left > 0 {
            if self.turn(&mut games[next], work) {
                left -= 1;
            } else if games.iter().all(|game| !game.under_way) {
                break;
            }
            next = if next + 1 == games.len() { 0 } else { next + 1 };
        }
        // However the moves are cut into batches, the same game comes next.
        games.rotate_left(next);
        left
    }

    /// The rule as it is now. How far the training has come is seen in whole batches
    /// of moves, wherever it is cut.
    fn work(&self) -> Work<'a, R> {
        let mut done = self.done();
        done.moves -= done.moves % BATCH;
        let done = self.session.plan.share(&done);
        Work { rule: self.work.rule.at(done), ..self.work }
    }

    /// One move of one game, and whether there was one.
    #[inline(always)]
    fn turn(&self, game: &mut GameInTraining, work: &Work<'_, R>) -> bool {
        if !game.under_way {
            return false;
        }
        if game.successors.is_empty() {
            self.end(game, work);
            return false;
        }
        if work.learns != Learns::Afterstates {
            self.turn_in_state(game, work);
            return true;
        }
        let n = work.lookup.per_position();
        let (mut best, mut value, mut worth) = (0, 0.0, f32::NEG_INFINITY);
        for (k, successor) in game.successors.iter().enumerate() {
            let estimate = work.value(&game.places[k * n..][..n]);
            if successor.reward + estimate > worth {
                (best, value, worth) = (k, estimate, successor.reward + estimate);
            }
        }
        let chosen = game.successors[best];
        self.credit.moved(work, &mut game.trail, game.given + chosen.reward, value);
        let places = &game.places[best * n..][..n];
        work.fetch_memory(places);
        game.trail.visit(places);
        if self.credit.wants_path() {
            let reward = game.given + chosen.reward;
            let visit = Visit { position: chosen.afterstate, reward, action: Action(0) };
            game.trail.path.push(visit);
        }
        self.go_on(game, work, chosen);
        true
    }

    /// Leaves it to chance what comes after an action.
    #[inline(always)]
    fn go_on(&self, game: &mut GameInTraining, work: &Work<'_, R>, chosen: Successor) {
        game.score += f64::from(chosen.reward);
        game.state = self.game.spawn(chosen.afterstate, game.random.word());
        game.given = 0.0;
        if self.chance_rewards {
            game.given = self.game.chance_reward(Some(chosen.afterstate), game.state);
            game.score += f64::from(game.given);
        }
        game.look(self.game, work);
    }

    /// The move of a game of which states or actions are learned: the estimate is that
    /// of where the player stands, and what the action earns comes after it.
    #[cold]
    fn turn_in_state(&self, game: &mut GameInTraining, work: &Work<'_, R>) {
        let mut worths = [0.0; MAX_ACTIONS];
        let worths = &mut worths[..game.successors.len()];
        let estimates = Estimates { weights: work.table.weights, lookup: work.lookup };
        match work.learns {
            Learns::Actions => estimates.of_actions(game.state, &game.successors, worths),
            _ => estimates.of_outcomes(self.game, &game.successors, worths),
        }
        let (mut best, mut worth) = (0, f32::NEG_INFINITY);
        for (k, &other) in worths.iter().enumerate() {
            if other > worth {
                (best, worth) = (k, other);
            }
        }
        let chosen = game.successors[best];
        let action = work.learns.table(chosen.action);
        let visit = Visit { position: position(game.state), reward: game.given, action };
        let places = &mut game.places[..work.lookup.per_position()];
        work.fetch(&visit, places);
        let value = work.value(places);
        self.credit.moved(work, &mut game.trail, visit.reward, value);
        game.trail.visit(places);
        if self.credit.wants_path() {
            game.trail.path.push(visit);
        }
        self.go_on(game, work, chosen);
        game.given += chosen.reward;
    }

    #[cold]
    fn begin(&self, game: &mut GameInTraining, work: &Work<'_, R>) {
        let number = self.next.fetch_add(1, Relaxed);
        if number >= self.last {
            game.under_way = false;
            return;
        }
        game.under_way = true;
        game.random = Random::stream(self.session.seed, number);
        game.state = self.game.start(game.random.word());
        game.score = 0.0;
        if self.chance_rewards {
            game.score += f64::from(self.game.chance_reward(None, game.state));
        }
        game.given = 0.0;
        game.trail.clear();
        game.look(self.game, work);
    }

    #[cold]
    fn end(&self, game: &mut GameInTraining, work: &Work<'_, R>) {
        self.credit.ended(work, &mut game.trail, game.given);
        self.episodes.fetch_add(1, Relaxed);
        let tile = self.game.max_tile(game.state).unwrap_or(0);
        lock(&self.recent).add(game.score, tile, &self.game.description().tiles);
        self.begin(game, work);
    }

    /// What this training has done by now.
    fn here(&self) -> TrainingProgress {
        TrainingProgress {
            moves: self.moves.load(Relaxed),
            episodes: self.episodes.load(Relaxed),
            elapsed: self.began.elapsed(),
            ..TrainingProgress::default()
        }
    }

    /// What the learner has done by now.
    fn done(&self) -> TrainingProgress {
        let here = self.here();
        TrainingProgress {
            moves: self.before.moves + here.moves,
            episodes: self.before.episodes + here.episodes,
            elapsed: self.before.elapsed + here.elapsed,
            ..here
        }
    }

    /// Stops when the budget is spent, and reports when it is time to.
    fn report(&self) {
        // The games that are under way are played to their end.
        let budget = TrainingBudget { episodes: None, ..self.session.budget };
        if budget.is_spent(&self.here()) {
            self.stop.store(true, Relaxed);
        }
        // Who finds another thread reporting goes on.
        let Ok(mut next) = self.next_report.try_lock() else { return };
        let now = Instant::now();
        // Who has been told to stop is told nothing more.
        if now < *next || self.stop.load(Relaxed) {
            return;
        }
        *next = now + TICK;
        let progress = lock(&self.recent).tell(self.done());
        if (self.session.report)(&progress) == Control::Stop {
            self.stop.store(true, Relaxed);
        }
    }
}

impl GameInTraining {
    fn new(per_visit: usize, kept: usize) -> Self {
        Self {
            state: State::default(),
            random: Random::stream(Seed(0), 0),
            score: 0.0,
            given: 0.0,
            successors: Successors::new(),
            places: Vec::new(),
            trail: Trail::new(per_visit, kept),
            under_way: false,
        }
    }

    /// Finds the legal moves, and has the memory fetched that their estimates need.
    #[inline(always)]
    fn look<G: Game, R: Rule>(&mut self, game: &G, work: &Work<'_, R>) {
        game.successors(self.state, &mut self.successors);
        let n = work.lookup.per_position();
        let afterstates = work.learns == Learns::Afterstates;
        let needed = if afterstates { self.successors.len() * n } else { n };
        if self.places.len() < needed {
            self.places.resize(needed, Place::default());
        }
        if afterstates {
            let all = self.successors.iter().map(|s| s.afterstate);
            work.fetch_all(all, &mut self.places[..needed]);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock_mut<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
