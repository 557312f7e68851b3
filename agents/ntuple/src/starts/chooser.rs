//! Where the games of a training begin. Every start position is chosen here.

use super::entrances::Entrances;
use super::middle::Middle;
use super::restarts::Restarts;
use super::waypoints::Waypoints;
use agent_ntuple_network::{Lookup, position};
use runner_core::{Fault, Game, Random, Seed, Start, Successors};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Where a game began: as the rules say, at a position of the session or of the game before, or at
/// an entrance of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Rules,
    Given,
    Middle,
    Stage(usize),
}

impl Origin {
    /// Returns true if the game counts as a whole one, and not as a restart.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Rules | Self::Given)
    }
}

/// The start of a game and the random stream of the rest of it.
pub struct NewGame {
    pub start: Start,
    pub random: Random,
    pub origin: Origin,
}

/// The first positions of whole games. If there are none, games begin as the rules say.
#[derive(Clone, Copy)]
pub enum Positions<'a> {
    /// Each is equally likely.
    Random(&'a [Start]),
    /// Whole game number k has number k, modulo their number.
    InTurn(&'a [Start]),
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
    seed: Seed,
    positions: Positions<'a>,
    restarts: Restarts,
    next: AtomicU64,
    next_whole: AtomicU64,
    /// Number of whole games that may still begin.
    left: AtomicU64,
}

impl<'a> StartChooser<'a> {
    /// Creates the starts of at most `games` whole games and any number of restarts. The first
    /// game has number `first`, and among whole games `first_whole`. Returns an error if one of the
    /// positions is terminal.
    pub fn new<G: Game>(
        game: &G,
        seed: Seed,
        positions: Positions<'a>,
        restarts: Restarts,
        first: u64,
        first_whole: u64,
        games: u64,
    ) -> Result<Self, Fault> {
        let mut successors = Successors::new();
        let (Positions::Random(all) | Positions::InTurn(all)) = positions;
        for start in all {
            game.successors(start.state, &mut successors);
            if successors.is_empty() {
                let text = game.write(start.state);
                return Err(Fault::new(format!("no legal action in the start position {text}")));
            }
        }
        let [next, next_whole, left] = [first, first_whole, games].map(AtomicU64::new);
        Ok(Self { seed, positions, restarts, next, next_whole, left })
    }

    pub fn whole_game<G: Game>(&self, game: &G) -> Option<NewGame> {
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).ok()?;
        let number = self.next_whole.fetch_add(1, Relaxed);
        let mut random = self.next_stream();
        let (start, origin) = match self.positions {
            Positions::Random([]) | Positions::InTurn([]) => {
                (Start::new(game, game.start(random.word())), Origin::Rules)
            }
            Positions::Random(all) => (all[random.below(all.len() as u32) as usize], Origin::Given),
            Positions::InTurn(all) => (all[(number % all.len() as u64) as usize], Origin::Given),
        };
        Some(NewGame { start, random, origin })
    }

    /// Returns the start of the game that follows one that has ended, or `None` if no more may
    /// begin. `done` is the share of the training that is done.
    pub fn after<G: Game>(
        &self,
        ended: Ended<'_>,
        game: &G,
        lookup: &Lookup,
        entrances: &Entrances<'_>,
        done: f64,
    ) -> Option<NewGame> {
        self.restart(ended, lookup, entrances, done).or_else(|| self.whole_game(game))
    }

    fn restart(
        &self,
        ended: Ended<'_>,
        lookup: &Lookup,
        entrances: &Entrances<'_>,
        done: f64,
    ) -> Option<NewGame> {
        match self.restarts {
            Restarts::None => None,
            Restarts::Middle(middle) => self
                .continuation(middle, ended, lookup)
                .or_else(|| self.entrance(middle.entrances.at(done), entrances)),
            Restarts::Carousel(carousel) => {
                let next = entrances.next_known(match ended.origin {
                    Origin::Stage(stage) => stage + 1,
                    Origin::Rules | Origin::Given | Origin::Middle => 1,
                });
                // No number is drawn where there is nothing to decide.
                if next.is_none() && carousel.fresh >= 1.0 {
                    return None;
                }
                let mut random = self.next_stream();
                let stage = match next {
                    Some(stage) => stage,
                    None if random.unit() < carousel.fresh => return None,
                    None => entrances.next_known(1)?,
                };
                let start = entrances.choose(stage, &mut random)?;
                Some(NewGame { start, random, origin: Origin::Stage(stage) })
            }
        }
    }

    /// Returns the game that continues one from its middle, if it was long.
    fn continuation(&self, middle: Middle, ended: Ended<'_>, lookup: &Lookup) -> Option<NewGame> {
        let start = ended.waypoints.at(middle.at)?;
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
    fn entrance(&self, share: f32, entrances: &Entrances<'_>) -> Option<NewGame> {
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
        Random::training_stream(self.seed, self.next.fetch_add(1, Relaxed))
    }

    pub fn into_next_game(self) -> u64 {
        self.next.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::{Config, Game2048};

    #[test]
    fn whole_games_take_their_positions_in_turn_whatever_number_of_restarts_is_between() {
        let game = Game2048::new(Config { rows: 2, cols: 3, ..Config::default() }).unwrap();
        let boards = ["2,2,0/0,0,0", "4,4,0/0,0,0", "8,8,0/0,0,0"];
        let boards = boards.map(|text| Start::new(&game, game.parse(text).unwrap()));
        let positions = Positions::InTurn(&boards);
        let starts =
            StartChooser::new(&game, Seed(1), positions, Restarts::None, 20, 4, 9).unwrap();
        for k in 0..9 {
            // Numbers that restarts use.
            for _ in 0..k % 4 {
                starts.next_stream();
            }
            let new = starts.whole_game(&game).unwrap();
            assert_eq!(new.start.state, boards[(4 + k) % 3].state, "game {k}");
        }
        assert!(starts.whole_game(&game).is_none());
        assert_eq!(starts.into_next_game(), 20 + 9 + 12);
    }
}
