//! Where the games of a training begin. Every start position is chosen here.

use super::entrances::Entrances;
use super::restarts::{Middle, Restarts};
use super::waypoints::Waypoints;
use agent_ntuple_network::{Lookup, position};
use runner_core::{Fault, Game, Random, Start, Successors, TrainingSession};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where a game began.
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
pub struct NewGame {
    pub start: Start,
    pub random: Random,
    pub origin: Origin,
}

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
    /// The stage at whose entrances whole games begin in turn; 0 for the positions of the session.
    stage: usize,
    next: AtomicU64,
    next_whole: AtomicU64,
    /// Number of whole games that may still begin.
    left: AtomicU64,
}

impl<'a> StartChooser<'a> {
    /// Creates the starts of at most `games` whole games, which begin at the entrances of a stage or
    /// as the session says, and any number of restarts. The first game has number `first`, and among
    /// whole games `first_whole`. Returns an error if one of the session's positions is terminal.
    pub fn new<G: Game>(
        game: &G,
        session: &'a TrainingSession<'a>,
        restarts: Restarts,
        stage: usize,
        [first, first_whole, games]: [u64; 3],
    ) -> Result<Self, Fault> {
        let mut successors = Successors::new();
        for start in session.starts {
            game.successors(start.state, &mut successors);
            if successors.is_empty() {
                let text = game.write(start.state);
                return Err(Fault::new(format!("no legal action in the start position {text}")));
            }
        }
        let [next, next_whole, left] = [first, first_whole, games].map(AtomicU64::new);
        Ok(Self { session, restarts, stage, next, next_whole, left })
    }

    pub fn whole_game<G: Game>(&self, game: &G, entrances: &Entrances) -> Option<NewGame> {
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).ok()?;
        let number = self.next_whole.fetch_add(1, Relaxed);
        let mut random = self.next_stream();
        let start = match (entrances.in_turn(self.stage, number), self.session.starts) {
            (Some(start), _) => start,
            (None, []) => Start::new(game, game.start(random.word())),
            (None, all) => all[random.below(all.len() as u32) as usize],
        };
        Some(NewGame { start, random, origin: Origin::Whole })
    }

    /// Returns the start of the game that follows one that has ended, or `None` if no more may
    /// begin. `done` is the share of the training that is done.
    pub fn after<G: Game>(
        &self,
        ended: Ended<'_>,
        game: &G,
        lookup: &Lookup,
        entrances: &Entrances,
        done: f64,
    ) -> Option<NewGame> {
        let restart = match self.restarts {
            Restarts::None => None,
            Restarts::Middle(middle) => self
                .continuation(middle, ended, lookup)
                .or_else(|| self.entrance(middle.entrances.at(done), entrances)),
            Restarts::Carousel(_) => {
                let next = match ended.origin {
                    Origin::Stage(stage) => stage + 1,
                    Origin::Whole | Origin::Middle => 1,
                };
                entrances.next_known(next).and_then(|stage| {
                    let mut random = self.next_stream();
                    let start = entrances.choose(stage, &mut random)?;
                    Some(NewGame { start, random, origin: Origin::Stage(stage) })
                })
            }
        };
        restart.or_else(|| self.whole_game(game, entrances))
    }

    /// Returns the game that continues one from its middle, if it was long.
    fn continuation(&self, middle: Middle, ended: Ended<'_>, lookup: &Lookup) -> Option<NewGame> {
        let start = ended.waypoints.middle()?;
        let length = middle.length(lookup.stage(position(start.state)), ended.mean_length)?;
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
    fn entrance(&self, share: f32, entrances: &Entrances) -> Option<NewGame> {
        // No number is drawn where there is nothing to decide.
        if share <= 0.0 || entrances.next_known(1).is_none() {
            return None;
        }
        let mut random = self.next_stream();
        if random.unit() >= f64::from(share) {
            return None;
        }
        let stage = entrances.random_known(&mut random)?;
        let start = entrances.choose(stage, &mut random)?;
        Some(NewGame { start, random, origin: Origin::Stage(stage) })
    }

    fn next_stream(&self) -> Random {
        Random::training_stream(self.session.seed, self.next.fetch_add(1, Relaxed))
    }

    pub fn into_next_game(self) -> u64 {
        self.next.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_files::StageEntrances;
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
        let starts = StartChooser::new(&game, &session, Restarts::None, 1, [20, 4, 9]).unwrap();
        for k in 0..9 {
            // Numbers that restarts use.
            for _ in 0..k % 4 {
                starts.next_stream();
            }
            let new = starts.whole_game(&game, &entrances).unwrap();
            assert_eq!(new.start.state, boards[(4 + k) % 3].state, "game {k}");
        }
        assert!(starts.whole_game(&game, &entrances).is_none());
        assert_eq!(starts.into_next_game(), 20 + 9 + 12);
    }
}
