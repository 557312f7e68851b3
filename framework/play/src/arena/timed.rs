//! Measures the time of each move of a game, and shows its positions: [`Timed`].
//!
//! All games of slow players are timed. The loops for fast players do not see single moves, so
//! only a sample of their games is timed, in another loop.

use runner_core::{Action, Agent, Game, State, Turn, forward_agent, locked};
use runner_stats::MoveTimes;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The games with numbers below this are timed, however fast the player is.
const FIRST: u64 = 4;
/// Later games of a fast player are timed if their number is a multiple of this.
const EVERY: u64 = 4096;
/// A player that takes this time for a move is slow: reading the clock costs less than 1% of it.
const SLOW: Duration = Duration::from_micros(10);

/// Chooses the games whose moves are timed.
pub struct TimingChoice {
    is_slow: bool,
}

impl TimingChoice {
    /// If `may_be_slow` is true, the first game is timed, whatever its number.
    pub fn new(may_be_slow: bool) -> Self {
        Self { is_slow: may_be_slow }
    }

    pub fn includes(&self, number: u64) -> bool {
        self.is_slow || is_sample(number)
    }

    /// Learns from the time of a game whether the player is slow.
    pub fn learn(&mut self, time: Duration, moves: u64) {
        self.is_slow = time.as_nanos() >= SLOW.as_nanos() * u128::from(moves);
    }
}

/// Returns true for a game that is timed even if its player is fast.
pub fn is_sample(number: u64) -> bool {
    number < FIRST || number.is_multiple_of(EVERY)
}

/// Shortest time of a game that a viewer can see. The games of faster players are not shown.
pub const SHORTEST_SEEN: Duration = Duration::from_millis(250);

/// The last position of a game under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    pub state: State,
    /// Number of moves so far.
    pub moves: u64,
}

/// The game under way of each worker.
#[derive(Debug, Default)]
pub struct ShownGames(Vec<ShownGame>);

/// The game under way of one worker; `None` between games, and while its games are too fast.
pub type ShownGame = Mutex<Option<UnderWay>>;

impl ShownGames {
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| ShownGame::default()).collect())
    }

    pub fn of_worker(&self, worker: usize) -> &ShownGame {
        &self.0[worker]
    }

    pub fn under_way(&self) -> impl Iterator<Item = UnderWay> {
        self.0.iter().filter_map(|game| *locked(game))
    }
}

/// An agent whose game is timed and shown. The time of a move includes that of the rules. The time
/// in which the agent prepares for the game does not count: it may start a program.
pub struct Timed<'a, A> {
    agent: A,
    /// Where the game is shown, if it is.
    shown: Option<&'a ShownGame>,
    /// The times of the moves, if they are measured.
    times: Option<MoveTimes>,
    began: Instant,
    /// When the last move ended.
    last: Instant,
}

impl<'a, A> Timed<'a, A> {
    /// Wraps an agent. If `is_timed` is false, only the whole game is timed.
    pub fn new(agent: A, is_timed: bool, shown: Option<&'a ShownGame>) -> Self {
        let now = Instant::now();
        Self { agent, shown, times: is_timed.then(MoveTimes::default), began: now, last: now }
    }

    /// Ends showing the game. Returns the time since its first move could begin, and the times of
    /// its moves.
    pub fn finish(self) -> (Duration, Option<MoveTimes>) {
        if let Some(shown) = self.shown {
            *locked(shown) = None;
        }
        (self.began.elapsed(), self.times)
    }
}

impl<A: Agent> Agent for Timed<'_, A> {
    forward_agent!(|this| this.agent; analyse end threads);

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.agent.begin(game, start);
        self.began = Instant::now();
        self.last = self.began;
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        if let Some(shown) = self.shown {
            let mut game = locked(shown);
            let moves = game.map_or(0, |before| before.moves + 1);
            *game = Some(UnderWay { state: turn.state, moves });
        }
        let action = self.agent.act(game, turn);
        if let Some(times) = &mut self.times
            && action.is_some()
        {
            let now = Instant::now();
            times.add(now - self.last);
            self.last = now;
        }
        action
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn all_games_of_slow_players_and_a_sample_of_fast_ones_are_timed() {
        let mut choice = TimingChoice::new(true);
        assert!(choice.includes(77));
        choice.learn(Duration::from_micros(100), 1000);
        let timed: Vec<_> = (0..9000).filter(|&number| choice.includes(number)).collect();
        assert_eq!(timed, [0, 1, 2, 3, 4096, 8192]);
        choice.learn(Duration::from_millis(10), 1000);
        assert!(choice.includes(77));
    }

    const PREPARATION: Duration = Duration::from_millis(500);

    /// An agent that prepares for a long time, and takes long for every tenth move.
    struct Uneven(u64);

    impl Agent for Uneven {
        fn begin<G: Game>(&mut self, _: &G, _: State) {
            std::thread::sleep(PREPARATION);
        }

        fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
            self.0 += 1;
            if self.0.is_multiple_of(10) {
                std::thread::sleep(Duration::from_millis(2));
            }
            Some(turn.successors[0].action)
        }
    }

    #[test]
    fn percentiles_are_those_of_single_moves() {
        let game = game_2048::Game2048::new(Default::default()).unwrap();
        let play = |is_timed| {
            let mut timed = Timed::new(Uneven(0), is_timed, None);
            let mut random = Random::from_word(1);
            let began = Instant::now();
            let episode =
                runner_core::play(&game, &mut timed, &mut random, &AtomicBool::new(false));
            let (time, times) = timed.finish();
            assert!(time + PREPARATION <= began.elapsed(), "the preparation counts");
            (episode.moves, times)
        };
        let (moves, times) = play(true);
        let times = times.unwrap();
        assert!(moves > 20 && times.moves() == moves);
        // The mean of the moves is far below the time of every tenth.
        assert!(times.quantile(0.8).unwrap() < 0.2e-3 && times.quantile(0.99).unwrap() > 1.9e-3);
        assert_eq!(play(false), (moves, None));
    }
}
