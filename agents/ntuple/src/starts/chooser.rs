//! Chooses the start of every game of a training.

use super::entrances::Entrances;
use super::restarts::{Middle, Restarts};
use super::waypoints::Waypoints;
use agent_ntuple_files::StageEntrances;
use agent_ntuple_network::{Lookup, position};
use runner_core::{Game, Random, Start, TrainingSession};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where a game has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A whole game, see [`starts`](crate::starts).
    Whole,
    /// A restart at a position of the game before.
    Middle,
    /// A restart at an entrance of this stage.
    Stage(usize),
}

/// The start of a game and the random stream of the rest of it.
#[derive(Clone)]
pub struct NewGame {
    pub start: Start,
    pub random: Random,
    pub origin: Origin,
}

/// A game that has ended: the facts that decide where the next game begins.
#[derive(Clone, Copy)]
pub struct Ended<'a> {
    pub origin: Origin,
    pub moves: u64,
    /// Positions of the game; none unless `restarts` is `middle`.
    pub waypoints: &'a Waypoints,
    /// Mean length of recent whole games in moves, if there are any.
    pub mean_length: Option<f64>,
}

/// Chooses the start of every game of a training.
pub struct StartChooser<'a> {
    pub session: &'a TrainingSession<'a>,
    pub restarts: Restarts,
    pub lookup: &'a Lookup,
    pub entrances: Entrances,
    /// The positions at which whole games begin; as the rules say, if there are none.
    pub starts: Vec<Start>,
    /// The stage at whose entrances whole games begin in turn, if it is not 0.
    pub stage: usize,
    /// Number of the next game. Game number k draws from stream k of the seed.
    pub next: AtomicU64,
    /// Number of the next game among whole games, which take entrances in turn.
    pub next_whole: AtomicU64,
    /// Number of whole games that may still begin.
    pub whole_left: AtomicU64,
}

impl StartChooser<'_> {
    /// Returns the start of the next whole game, or `None` if no more may begin.
    pub fn whole_game<G: Game>(&self, game: &G) -> Option<NewGame> {
        self.whole_left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).ok()?;
        let number = self.next_whole.fetch_add(1, Relaxed);
        let mut random = self.next_stream();
        let start = if let Some(entrance) = self.entrances.in_turn(self.stage, number) {
            entrance
        } else if self.starts.is_empty() {
            Start::new(game, game.start(random.word()))
        } else {
            self.starts[random.below(self.starts.len() as u32) as usize]
        };
        Some(NewGame { start, random, origin: Origin::Whole })
    }

    /// Returns the start of the game that follows one that has ended, or `None` if no more may
    /// begin. `done` is the share of the training that is done.
    pub fn after<G: Game>(&self, ended: Ended<'_>, game: &G, done: f64) -> Option<NewGame> {
        let restart = match self.restarts {
            Restarts::None => None,
            Restarts::Middle(middle) => self
                .at_middle(middle, ended)
                .or_else(|| self.instead_of_whole_game(middle.entrances.at(done))),
            Restarts::Carousel => {
                let from = match ended.origin {
                    Origin::Stage(stage) => stage + 1,
                    Origin::Whole | Origin::Middle => 1,
                };
                let stages = self.entrances.stages_with_entrance();
                let stage = stages.into_iter().find(|&stage| stage >= from);
                stage.and_then(|stage| self.at_entrance(stage, self.next_stream()))
            }
        };
        restart.or_else(|| self.whole_game(game))
    }

    /// Returns a game that begins in the middle of the game that has ended, if that game was long.
    fn at_middle(&self, middle: Middle, ended: Ended<'_>) -> Option<NewGame> {
        let start = ended.waypoints.middle()?;
        let stage = self.lookup.stage(position(start.state));
        if ended.moves as f64 <= middle.restart_above(stage, ended.mean_length)? {
            return None;
        }
        let mut random = self.next_stream();
        // A share of 0 draws no random number.
        if middle.fresh > 0.0 && random.unit() < middle.fresh {
            return None;
        }
        Some(NewGame { start, random, origin: Origin::Middle })
    }

    /// Returns a game that begins at an entrance of a random stage, with probability `share`; else
    /// `None`, and a whole game begins.
    fn instead_of_whole_game(&self, share: f32) -> Option<NewGame> {
        // Where there is no choice, no game number is used.
        if share <= 0.0 {
            return None;
        }
        let stages = self.entrances.stages_with_entrance();
        if stages.is_empty() {
            return None;
        }
        let mut random = self.next_stream();
        if random.unit() >= f64::from(share) {
            return None;
        }
        let stage = stages[random.below(stages.len() as u32) as usize];
        self.at_entrance(stage, random)
    }

    fn at_entrance(&self, stage: usize, mut random: Random) -> Option<NewGame> {
        let start = self.entrances.choose(stage, &mut random)?;
        Some(NewGame { start, random, origin: Origin::Stage(stage) })
    }

    fn next_stream(&self) -> Random {
        self.session.random(self.next.fetch_add(1, Relaxed))
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
        let starts = StartChooser {
            session: &session,
            restarts: Restarts::None,
            lookup: &lookup,
            entrances,
            starts: Vec::new(),
            stage: 1,
            next: AtomicU64::new(20),
            next_whole: AtomicU64::new(4),
            whole_left: AtomicU64::new(9),
        };
        for k in 0..9 {
            // Restarts use 0, 1, 2, 3, 0 and so on: 12 numbers in all.
            for _ in 0..k % 4 {
                starts.next_stream();
            }
            let new = starts.whole_game(&game).unwrap();
            assert_eq!(new.start.state, boards[(4 + k) % 3].state, "game {k}");
        }
        assert!(starts.whole_game(&game).is_none());
        let (next_game, _) = starts.close();
        assert_eq!(next_game, 20 + 9 + 12);
    }
}
