//! Games for the tests of the solver.

use game_2048::{Config, Game2048};
use runner_core::{
    Action, Afterstate, Description, Game, Outcome, Outcomes, State, Successors, TextError,
    forward_game,
};

/// 2048 on a board of 2 x 3 cells.
pub fn small_2048() -> Game2048 {
    Game2048::new(Config { rows: 2, cols: 3, ..Config::default() }).unwrap()
}

/// Threes on a board of 2 x 3 cells, with one of each tile in the bag and no bonus tiles.
pub fn small_threes() -> game_threes::Threes {
    let config = game_threes::Config {
        rows: 2,
        cols: 3,
        bag: 1,
        bonus: game_threes::Bonus::None,
        ..game_threes::Config::default()
    };
    game_threes::Threes::new(config).unwrap()
}

/// A game without its layers or without its symmetries.
pub struct Reduced<G> {
    game: G,
    description: Description,
    has_layers: bool,
}

impl<G: Game> Reduced<G> {
    /// Hides the layers of a game.
    pub fn without_layers(game: G) -> Self {
        let description = game.description().clone();
        Self { game, description, has_layers: false }
    }

    /// Hides the geometry of a game, and so its symmetries.
    pub fn without_symmetry(game: G) -> Self {
        let description = Description { geometry: None, ..game.description().clone() };
        Self { game, description, has_layers: true }
    }
}

impl<G: Game> Game for Reduced<G> {
    forward_game!(|this| this.game;
        start, starts, successors, outcomes, spawn, write, write_afterstate, parse, chance_reward,
        has_chance_rewards, transform, transform_afterstate
    );

    fn description(&self) -> &Description {
        &self.description
    }

    fn layer(&self, state: State) -> Option<u64> {
        self.game.layer(state).filter(|_| self.has_layers)
    }
}

/// A walk forward over [`Walk::PLACES`] places that earns 1 per step.
pub struct Walk {
    description: Description,
    variant: Variant,
}

/// Variants of [`Walk`].
#[derive(Clone, Copy, PartialEq)]
pub enum Variant {
    Regular,
    /// A second action steps back and also earns 1, so the walk can go on for ever.
    Endless,
    /// Layers fall instead of rising.
    FallingLayers,
    /// The start states are not listed.
    WithoutStarts,
    /// Every reward is NaN.
    NanReward,
}

impl Walk {
    /// Number of steps from the start to the end.
    pub const PLACES: u64 = 500;

    pub fn new(variant: Variant) -> Self {
        let description = Description {
            actions: vec!["go".into(), "back".into()],
            max_outcomes: 1,
            ..Description::default()
        };
        Self { description, variant }
    }
}

impl Game for Walk {
    fn description(&self) -> &Description {
        &self.description
    }
    fn start(&self, _: u64) -> State {
        State::default()
    }
    fn starts(&self) -> Option<Vec<Outcome>> {
        let start = Outcome { state: State::default(), probability: 1.0 };
        (self.variant != Variant::WithoutStarts).then(|| vec![start])
    }
    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        if state.lo < Self::PLACES {
            let reward = if self.variant == Variant::NanReward { f32::NAN } else { 1.0 };
            out.push(Action(0), Afterstate::new(state.lo + 1, 0), reward);
            if self.variant == Variant::Endless && state.lo > 0 {
                out.push(Action(1), Afterstate::new(state.lo - 1, 0), 1.0);
            }
        }
    }
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        out.push(1.0, self.spawn(afterstate, 0));
    }
    fn spawn(&self, afterstate: Afterstate, _: u64) -> State {
        State::new(afterstate.lo, 0)
    }
    fn layer(&self, state: State) -> Option<u64> {
        match self.variant {
            Variant::FallingLayers => Some(Self::PLACES - state.lo),
            Variant::Endless | Variant::NanReward => None,
            Variant::Regular | Variant::WithoutStarts => Some(state.lo),
        }
    }
    fn write(&self, state: State) -> String {
        state.lo.to_string()
    }
    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        afterstate.lo.to_string()
    }
    fn parse(&self, text: &str) -> Result<State, TextError> {
        let place = text.parse().map_err(|error| TextError::new(0, error))?;
        Ok(State::new(place, 0))
    }
}
