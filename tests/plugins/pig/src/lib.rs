//! Pig, played alone for the fewest turns: a game that is no board game.
//!
//! In a turn the player rolls a die as often as it likes. Every number but a 1
//! adds to the turn's total; a 1 loses the total and ends the turn; `hold` banks
//! it and ends the turn. The game is over when the target is banked. Each turn
//! that ends costs a point, so the score is minus the number of turns.
//!
//! `hold` needs a total to bank, and `roll` stops at a total that reaches the
//! target: a player that always rolls ends the game with probability 1.
//!
//! A turn that `hold` ends costs its point as the action's reward; one that a 1
//! ends, as what chance gives.
#![deny(unsafe_code)]

mod text;

use runner_core::{
    Action, Afterstate, BuildError, Description, Game, GameContext, GamePlugin, Outcome, Outcomes,
    Plugin, State, Successors, TextError, parameters, scale,
};

runner_plugin::export_plugin! { games: [Pig] }

/// To throw the die once more.
pub const ROLL: Action = Action(0);
/// To bank the turn's total.
pub const HOLD: Action = Action(1);

/// The reward of ending a turn.
const TURN: f32 = -1.0;

parameters! {
    #[derive(Copy, Eq)]
    pub struct Config {
        /// Number of points that end the game
        pub target: u32 = 100, range(1..=10_000);
        /// Number of faces of the die
        pub faces: u32 = 6, range(2..=2000);
    }
}

#[derive(Clone, Debug)]
pub struct Pig {
    config: Config,
    description: Description,
}

/// A position of the game, which states and afterstates hold in their first word. In an
/// afterstate, `rolling` is true if a die is rolled next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The banked points.
    pub banked: u32,
    /// The points that a 1 would lose.
    pub turn: u32,
}

impl Position {
    pub fn state(self) -> State {
        State::new(self.bits(), 0)
    }

    pub fn of(state: State) -> Self {
        Self::from_bits(state.lo)
    }

    fn bits(self) -> u64 {
        u64::from(self.banked) | u64::from(self.turn) << 32
    }

    fn from_bits(bits: u64) -> Self {
        Self { banked: bits as u32, turn: (bits >> 32) as u32 }
    }

    fn afterstate(self, rolling: bool) -> Afterstate {
        Afterstate::new(self.bits(), rolling.into())
    }

    /// Returns the position after a roll of the die.
    fn rolled(self, face: u32) -> Self {
        Self { turn: if face == 1 { 0 } else { self.turn + face }, ..self }
    }
}

/// The position of an afterstate, and whether the die is in the air.
fn read(afterstate: Afterstate) -> (Position, bool) {
    (Position::from_bits(afterstate.lo), afterstate.hi == 1)
}

impl Game for Pig {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, _: u64) -> State {
        State::default()
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        Some(vec![Outcome { state: State::default(), probability: 1.0 }])
    }

    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        let here = Position::of(state);
        let Position { banked, turn } = here;
        if banked + turn < self.config.target {
            out.push(ROLL, here.afterstate(true), 0.0);
        }
        if turn > 0 {
            let held = Position { banked: banked + turn, turn: 0 };
            out.push(HOLD, held.afterstate(false), TURN);
        }
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        let (here, rolling) = read(afterstate);
        if rolling {
            let share = 1.0 / f64::from(self.config.faces);
            (1..=self.config.faces).for_each(|face| out.push(share, here.rolled(face).state()));
        } else {
            out.push(1.0, here.state());
        }
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let (here, rolling) = read(afterstate);
        let face = || 1 + scale((random >> 32) as u32, self.config.faces);
        if rolling { here.rolled(face()).state() } else { here.state() }
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let lost = from.is_some_and(|from| read(from).1) && Position::of(to).turn == 0;
        if lost { TURN } else { 0.0 }
    }

    fn has_chance_rewards(&self) -> bool {
        true
    }

    fn write(&self, state: State) -> String {
        text::write(Position::of(state))
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        let (here, rolling) = read(afterstate);
        text::write(here) + if rolling { " rolling" } else { " held" }
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        text::parse(text, &self.config).map(Position::state)
    }
}

impl Plugin for Pig {
    const NAME: &'static str = "pig";
    const ABOUT: &'static str = "the dice game Pig, played alone for the fewest turns";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");

    type Config = Config;
}

impl GamePlugin for Pig {
    fn new(config: Config, _: &GameContext<'_>) -> Result<Self, BuildError> {
        let Config { faces, .. } = config;
        let description = Description {
            actions: vec!["roll".into(), "hold".into()],
            max_outcomes: faces as usize,
            ..Description::default()
        };
        Ok(Self { config, description })
    }
}
