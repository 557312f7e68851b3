//! The loops that play the games of one worker: [`Episodes`]. Several games of a greedy value are
//! played at once, and a game of an agent in one call of its plugin. The host's own loop plays one
//! game after the other. Only that loop begins at given positions, ends games at their limits, and
//! records, measures, shows and times them.

use super::cell::{Cell, Limits};
use super::timed::{SHORTEST_SEEN, ShownGame, Timed, TimingChoice, is_sample};
use crate::luck::Meter;
use crate::player::Player;
use runner_core::wrappers::{Limited, Recorder, Transcript};
use runner_core::{Agent, Episode, Fault, Game, GreedyPolicy, Pulse, Random, Start, catch};
use runner_plugin::{DynAgent, DynValue};
use runner_stats::{GameResult, MoveTimes};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// Number of games that a greedy value plays at once on each thread: their memory reads overlap.
const INTERLEAVED: usize = 8;

/// Takes a game that is over: its number, its moves and its result.
pub type RecordGame<'a> = &'a mut dyn FnMut(u64, &Transcript, &Episode) -> Result<(), Fault>;

#[derive(Clone, Copy, Debug)]
pub enum Ended {
    /// The result of a game that is over.
    Over(GameResult),
    /// The result so far of a game that was stopped.
    Stopped(GameResult),
}

impl Ended {
    /// Returns the result of a game that is over.
    pub fn over(self) -> Option<GameResult> {
        match self {
            Self::Over(game) => Some(game),
            Self::Stopped(_) => None,
        }
    }
}

/// A game that has ended.
pub struct GameOutcome {
    /// Number of the game among those of its player.
    pub number: u64,
    /// Time that the game took on its thread.
    pub time: Duration,
    /// How the game ended, or the fault that ended it.
    pub result: Result<Ended, Fault>,
    /// The times of its moves, if they were measured.
    pub times: Option<MoveTimes>,
}

/// The games of one cell that one worker plays.
pub struct Episodes<'a, G> {
    /// The rules: by row tables where the game has them, otherwise the loaded game.
    pub rules: &'a G,
    pub cell: &'a Cell,
    /// True if the moves of slow players, and of some games of fast ones, are timed.
    pub is_timed: bool,
    /// Ends the games under way, and shows whether their moves end.
    pub pulse: &'a Pulse,
    /// Where this worker shows its games.
    pub shown: Option<&'a ShownGame>,
}

impl<G: Game> Episodes<'_, G> {
    /// Plays games until `next` returns no number; `done` receives each. `next` may be called again
    /// after that, because each loop asks it. The functions are trait objects, so that the loops
    /// are compiled once for each type of rules.
    pub fn play(
        &self,
        player: &mut Player,
        mut record: Option<RecordGame<'_>>,
        next: &mut dyn FnMut() -> Option<u64>,
        done: &mut dyn FnMut(GameOutcome),
    ) {
        let needs_host = record.is_some()
            || self.cell.luck.is_some()
            || !self.cell.starts.is_empty()
            || self.cell.limits != Limits::default();
        // Games are shown while they are slow enough to be seen.
        let mut is_seen = self.shown.is_some();
        while is_seen && let Some(number) = next() {
            let outcome = self.play_one(player, number, &mut record, false);
            is_seen = outcome.time >= SHORTEST_SEEN;
            done(outcome);
        }
        let mut alone = Vec::new();
        let mut timing = TimingChoice::new(true);
        if let Player::Value(value) = &*player
            && !needs_host
        {
            alone = self.play_interleaved(value, next, done);
            timing = TimingChoice::new(false);
        }
        // The interleaved loop leaves the games that are timed, and after a fault all others.
        for number in alone.into_iter().chain(std::iter::from_fn(next)) {
            let times_moves = self.is_timed && timing.includes(number);
            let outcome = match player {
                Player::Agent(agent) if !needs_host && !times_moves => {
                    self.play_in_plugin(agent, number)
                }
                _ => self.play_one(player, number, &mut record, times_moves),
            };
            if let Ok(Ended::Over(game)) = &outcome.result {
                timing.learn(outcome.time, game.moves);
            }
            done(outcome);
        }
    }

    /// Plays several games at once with a greedy value. Returns the games that it has not played:
    /// the caller plays each of these alone, because their moves are timed.
    fn play_interleaved(
        &self,
        value: &GreedyPolicy<DynValue>,
        next: &mut dyn FnMut() -> Option<u64>,
        done: &mut dyn FnMut(GameOutcome),
    ) -> Vec<u64> {
        let mut alone = Vec::new();
        let running = RefCell::new(Running::new());
        let begin_next = || {
            let mut number = next()?;
            // `TimingChoice` includes these games, whatever it has learned.
            while self.is_timed && is_sample(number) {
                alone.push(number);
                number = next()?;
            }
            running.borrow_mut().begin(number);
            Some((number, Random::stream(self.cell.seed, number)))
        };
        let mut end_game = |number, episode: Episode| {
            let time = running.borrow_mut().end(number);
            let result = self.result(number, &episode, None);
            done(GameOutcome { number, time, result, times: None });
        };
        let played = catch(|| {
            runner_core::play_interleaved(
                self.rules,
                value,
                INTERLEAVED,
                begin_next,
                &mut end_game,
                self.pulse,
            )
        });
        if played.is_err() {
            // The fault does not say in which game it occurred, so each is played again, alone.
            let mut player = Player::Value(value.clone());
            for (number, _) in running.into_inner().begun {
                done(self.play_one(&mut player, number, &mut None, false));
            }
        }
        alone
    }

    fn play_in_plugin(&self, agent: &mut DynAgent, number: u64) -> GameOutcome {
        let start = Instant::now();
        let episode = agent.play(self.rules, self.cell.seed, number, self.pulse);
        let result = episode.and_then(|episode| self.result(number, &episode, None));
        GameOutcome { number, time: start.elapsed(), result, times: None }
    }

    /// Plays one game by the host's loop.
    fn play_one(
        &self,
        player: &mut Player,
        number: u64,
        record: &mut Option<RecordGame<'_>>,
        times_moves: bool,
    ) -> GameOutcome {
        let mut player = Timed::new(player, times_moves, self.shown);
        if record.is_none() && self.cell.luck.is_none() {
            let episode = self.play_here(&mut player, number);
            let (time, times) = player.finish();
            let result = episode.and_then(|episode| self.result(number, &episode, None));
            return GameOutcome { number, time, result, times };
        }
        let mut recorder = Recorder::new(&mut player);
        let episode = self.play_here(&mut recorder, number);
        let transcript = recorder.transcript;
        let (time, times) = player.finish();
        let result = episode.and_then(|episode| {
            if let Some(record) = record
                && !self.was_stopped(&episode)
            {
                record(number, &transcript, &episode)?;
            }
            self.result(number, &episode, Some(&transcript))
        });
        GameOutcome { number, time, result, times }
    }

    /// Returns the result of a game, with its luck if that is measured and the game is over.
    fn result(
        &self,
        number: u64,
        episode: &Episode,
        transcript: Option<&Transcript>,
    ) -> Result<Ended, Fault> {
        if !episode.score.is_finite() {
            return Err(Fault::new(format!(
                "{}: the rewards of game {number} sum to {}",
                self.cell.game.label, episode.score
            )));
        }
        let &Episode { score, moves, last, .. } = episode;
        let max_tile = catch(|| self.rules.max_tile(last))?;
        let mut game = GameResult { number, score, moves, max_tile, luck: None };
        if self.was_stopped(episode) {
            return Ok(Ended::Stopped(game));
        }
        if let (Some(luck), Some(transcript)) = (&self.cell.luck, transcript) {
            let measure = || Meter::new(luck.clone(), self.rules).game(self.rules, transcript);
            game.luck = Some(catch(measure)?);
        }
        Ok(Ended::Over(game))
    }

    /// Plays one game under the limits.
    fn play_here<A: Agent>(&self, agent: &mut A, number: u64) -> Result<Episode, Fault> {
        let mut random = Random::stream(self.cell.seed, number);
        let Limits { moves, time } = self.cell.limits;
        catch(|| {
            if moves.is_none() && time.is_none() {
                return self.play_to_end(agent, &mut random);
            }
            // `u64::MAX` and `Duration::MAX` mean no limit.
            let mut limited = Limited::to_moves(agent, moves.unwrap_or(u64::MAX))
                .and_time(time.unwrap_or(Duration::MAX));
            self.play_to_end(&mut limited, &mut random)
        })
    }

    /// Plays one game from a position of `starts`, or from one that the rules draw.
    fn play_to_end<A: Agent>(&self, agent: &mut A, random: &mut Random) -> Episode {
        let starts = &self.cell.starts;
        if starts.is_empty() {
            return runner_core::play(self.rules, agent, random, self.pulse);
        }
        let state = starts[random.below(starts.len() as u32) as usize];
        let start = Start { state, score: 0.0 };
        runner_core::play_from(self.rules, agent, start, random, self.pulse)
    }

    /// Returns true if [`Pulse::stop`] ended this game.
    fn was_stopped(&self, episode: &Episode) -> bool {
        !episode.finished && self.pulse.is_stopped()
    }
}

/// The interleaved games that were begun and are not over. If `n` games run, each is charged
/// `1/n` of the time that passes.
struct Running {
    /// The number of each game, at most [`INTERLEAVED`] games, and `charged` at its beginning.
    begun: Vec<(u64, Duration)>,
    /// The time charged so far to a game that has run since the first one began.
    charged: Duration,
    /// When `charged` was last updated.
    updated: Instant,
}

impl Running {
    fn new() -> Self {
        let begun = Vec::with_capacity(INTERLEAVED);
        Self { begun, charged: Duration::ZERO, updated: Instant::now() }
    }

    /// Begins a game. No time has passed since the last update: a game begins right after another
    /// ends, or together with the first ones.
    fn begin(&mut self, number: u64) {
        self.begun.push((number, self.charged));
    }

    /// Ends a game and returns its time.
    fn end(&mut self, number: u64) -> Duration {
        let now = Instant::now();
        self.charged += (now - self.updated) / self.begun.len().max(1) as u32;
        self.updated = now;
        match self.begun.iter().position(|&(begun, _)| begun == number) {
            Some(index) => self.charged - self.begun.swap_remove(index).1,
            None => Duration::ZERO,
        }
    }
}
