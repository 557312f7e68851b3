//! Where the games of a training begin. Every start position is chosen here.

use super::entrances::Entrances;
use super::restarts::{Middle, Restarts};
use super::waypoints::Waypoints;
use agent_ntuple_files::StageEntrances;
use agent_ntuple_network::{Lookup, position};
use runner_core::{Game, Random, Start, TrainingSession};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// As the rules say, at a position of the session, or at an entrance of the stage that is
    /// trained.
    Whole,
    /// At a position of the game before.
    Middle,
    /// At an entrance of this stage.
    Stage(usize),
}

/// The start of a game and the random stream of the rest of it.
#[derive(Clone)]
pub struct NewGame {
    pub start: Start,
    pub random: Random,
    pub origin: Origin,
}

/// A game that has ended, as far as the start of the next one depends on it.
#[derive(Clone, Copy)]
pub struct Ended<'a> {
    pub origin: Origin,
    pub moves: u64,
    /// Its positions, if restarts need them.
    pub waypoints: &'a Waypoints,
    /// Mean length of recent whole games in moves, if there are any.
    pub mean_length: Option<f64>,
}

/// Chooses the start of every game of a training. Game number k draws from stream k of the
/// seed.
pub struct StartChooser<'a> {
    session: &'a TrainingSession<'a>,
    restarts: Restarts,
    lookup: &'a Lookup,
    pub entrances: Entrances,
    /// The stage at whose entrances whole games begin in turn; 0 for the positions of the session.
    stage: usize,
    next: AtomicU64,
    next_whole: AtomicU64,
    left: AtomicU64,
}

impl<'a> StartChooser<'a> {
    /// Creates the starts of at most `games` whole games, which begin at the entrances of a stage or
    /// as the session says, and any number of restarts. The first game has number `first`, and among
    /// whole games `first_whole`.
    pub fn new(
        session: &'a TrainingSession<'a>,
        restarts: Restarts,
        lookup: &'a Lookup,
        entrances: Entrances,
        stage: usize,
        [first, first_whole, games]: [u64; 3],
    ) -> Self {
        let [next, next_whole, left] = [first, first_whole, games].map(AtomicU64::new);
        Self { session, restarts, lookup, entrances, stage, next, next_whole, left }
    }

    pub fn whole_game<G: Game>(&self, game: &G) -> Option<NewGame> {
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).ok()?;
        let number = self.next_whole.fetch_add(1, Relaxed);
        let mut random = self.next_stream();
        let start = match (self.entrances.in_turn(self.stage, number), self.session.starts) {
            (Some(start), _) => start,
            (None, []) => Start::new(game, game.start(random.word())),
            (None, all) => all[random.below(all.len() as u32) as usize],
        };
        Some(NewGame { start, random, origin: Origin::Whole })
    }

    /// Returns the start of the game that follows one that has ended, or `None` if no more may
    /// begin. `done` is the share of the training that is done.
    pub fn after<G: Game>(&self, ended: Ended<'_>, game: &G, done: f64) -> Option<NewGame> {
        let restart = match self.restarts {
            Restarts::None => None,
            Restarts::Middle(middle) => self
                .continuation(middle, ended)
                .or_else(|| self.instead_of_whole_game(middle.entrances.at(done))),
            Restarts::Carousel => {
                let next = match ended.origin {
                    Origin::Stage(stage) => stage + 1,
                    Origin::Whole | Origin::Middle => 1,
                };
                let stage = self.entrances.next_known(next);
                stage.and_then(|stage| self.at_entrance(stage, self.next_stream()))
            }
        };
        restart.or_else(|| self.whole_game(game))
    }

    /// Returns the game that continues one from its middle, if it was long.
    fn continuation(&self, middle: Middle, ended: Ended<'_>) -> Option<NewGame> {
        let start = ended.waypoints.middle()?;
        let length = middle.length(self.lookup.stage(position(start.state)), ended.mean_length)?;
        if ended.moves as f64 <= length {
            return None;
        }
        let mut random = self.next_stream();
        // No number is drawn where there is nothing to decide.
        let is_fresh = middle.fresh > 0.0 && random.unit() < middle.fresh;
        (!is_fresh).then_some(NewGame { start, random, origin: Origin::Middle })
    }

    /// Returns a game that begins at an entrance of a stage, with probability `share`; `None` if a
    /// whole game is to begin.
    fn instead_of_whole_game(&self, share: f32) -> Option<NewGame> {
        // No number is drawn where there is nothing to decide.
        if share <= 0.0 || self.entrances.next_known(1).is_none() {
            return None;
        }
        let mut random = self.next_stream();
        if random.unit() >= f64::from(share) {
            return None;
        }
        let stage = self.entrances.random_known(&mut random)?;
        self.at_entrance(stage, random)
    }

    fn at_entrance(&self, stage: usize, mut random: Random) -> Option<NewGame> {
        let start = self.entrances.choose(stage, &mut random)?;
        Some(NewGame { start, random, origin: Origin::Stage(stage) })
    }

    fn next_stream(&self) -> Random {
        Random::training_stream(self.session.seed, self.next.fetch_add(1, Relaxed))
    }

    /// Returns the number of the next game, and the entrances.
    pub fn close(self) -> (u64, Vec<StageEntrances>) {
        (self.next.into_inner(), self.entrances.into_stages())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::Network;
    use game_2048::{Config, Game2048};
    use runner_core::{Control, SingleThread};

    #[test]
    fn whole_games_take_entrances_in_turn_whatever_number_of_restarts_is_between() {
        let game = Game2048::new(Config { rows: 2, cols: 3, ..Config::default() }).unwrap();
        let boards = ["2,2,0/0,0,0", "4,4,0/0,0,0", "8,8,0/0,0,0"];
        let boards = boards.map(|text| Start::new(&game, game.parse(text).unwrap()));
        let stages = vec![StageEntrances { count: 3, recent: boards.into() }];
        let entrances = Entrances::new(stages, 2, usize::MAX);
        let session = TrainingSession::new(&SingleThread, &|_| Control::Continue);
        let board = game.description().geometry.as_ref().unwrap();
        let lookup = Lookup::new(&Network::read("01", board).unwrap(), board).unwrap();
        let starts = StartChooser::new(&session, Restarts::None, &lookup, entrances, 1, [20, 4, 9]);
        for k in 0..9 {
            // Numbers that restarts use.
            for _ in 0..k % 4 {
                starts.next_stream();
            }
            let new = starts.whole_game(&game).unwrap();
            assert_eq!(new.start.state, boards[(4 + k) % 3].state, "game {k}");
        }
        assert!(starts.whole_game(&game).is_none());
        assert_eq!(starts.close().0, 20 + 9 + 12);
    }
}
