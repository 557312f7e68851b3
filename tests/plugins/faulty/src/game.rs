//! A walk from 0 to 20 by one or two, on which chance gives another one or none.

use runner_core::geometry::{Geometry, Symmetry};
use runner_core::{
    Action, Afterstate, BuildError, Description, Game, GameContext, GamePlugin, MAX_ACTIONS,
    Outcome, Outcomes, ParameterValue, Plugin, Preset, State, Successors, TextError, parameters,
};
use serde::{Deserialize, Serialize};

/// The call that panics, or another fault. `Endless` calls never return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    Nowhere,
    New,
    EndlessNew,
    NoActions,
    ManyActions,
    MostActions,
    Start,
    /// Listing the actions panics, with a message of several lines.
    Successors,
    /// It lists more actions than fit.
    Crowd,
    NanReward,
    Spawn,
    Outcomes,
    NoOutcome,
    HalfOutcomes,
    ManyOutcomes,
    NanOutcomes,
    ReservedSpawn,
    CanonicalStates,
    CanonicalAfterstates,
    Write,
    Parse,
    Endless,
    Loop,
    /// Every game is over at its start, on a board of 2 x 2 cells.
    Over,
    /// Chance never returns, in one game of 512.
    RareLoop,
}

impl ParameterValue for At {}

parameters! {
    #[derive(Copy)]
    pub struct Config {
        /// Where it goes wrong
        pub at: At = At::Nowhere, variants::<At>();
    }
}

#[derive(Debug)]
pub struct FaultyGame {
    at: At,
    description: Description,
}

/// The end of the walk.
const END: u64 = 20;

/// Returns true if the game fails here: one game of four does, from its middle on.
fn is_doomed(walked: u64, word: u64) -> bool {
    word.is_multiple_of(4) && walked >= END / 2
}

impl FaultyGame {
    fn goes_wrong(&self, at: At, lo: u64, hi: u64) -> bool {
        self.at == at && is_doomed(lo, hi)
    }

    fn loop_rarely(&self, lo: u64, hi: u64) {
        if self.goes_wrong(At::RareLoop, lo, hi / 128) && hi.is_multiple_of(128) {
            crate::never_return();
        }
    }
}

impl Game for FaultyGame {
    fn description(&self) -> &Description {
        &self.description
    }

    /// The second word of a position is the fate of the game.
    fn start(&self, random: u64) -> State {
        assert!(self.at != At::Start || !random.is_multiple_of(4), "the start went wrong");
        State::new(0, random >> 1)
    }

    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        if self.goes_wrong(At::Successors, state.lo, state.hi) {
            assert_eq!(state.lo, END, "the list of actions\nwent wrong\x1b[31m");
        }
        if self.goes_wrong(At::Crowd, state.lo, state.hi) {
            for i in 0..=MAX_ACTIONS {
                out.push(Action(i as u8), Afterstate::new(state.lo, state.hi), 0.0);
            }
        }
        if self.at == At::Loop {
            crate::never_return();
        }
        if self.at != At::Over && (state.lo < END || self.at == At::Endless) {
            let is_nan = self.goes_wrong(At::NanReward, state.lo, state.hi);
            let reward = |points| if is_nan { f32::NAN } else { points };
            out.push(Action(0), Afterstate::new(state.lo + 1, state.hi), reward(1.0));
            out.push(Action(1), Afterstate::new(state.lo + 2, state.hi), reward(2.0));
        }
    }

    fn outcomes(&self, Afterstate { lo, hi }: Afterstate, out: &mut Outcomes) {
        out.clear();
        assert!(!self.goes_wrong(At::Outcomes, lo, hi), "the list of outcomes went wrong");
        self.loop_rarely(lo, hi);
        if self.goes_wrong(At::NoOutcome, lo, hi) {
            return;
        }
        let nan = self.goes_wrong(At::NanOutcomes, lo, hi);
        out.push(if nan { f64::NAN } else { 0.5 }, State::new(lo, hi));
        if self.goes_wrong(At::HalfOutcomes, lo, hi) {
            return;
        }
        out.push(0.5, State::new(lo + 1, hi));
        if self.goes_wrong(At::ManyOutcomes, lo, hi) {
            out.push(0.0, State::new(lo + 2, hi));
        }
    }

    fn spawn(&self, Afterstate { lo, hi }: Afterstate, random: u64) -> State {
        assert!(!self.goes_wrong(At::Spawn, lo, hi), "chance went wrong");
        self.loop_rarely(lo, hi);
        if self.goes_wrong(At::ReservedSpawn, lo, hi) {
            return State::RESERVED;
        }
        State::new(lo + random % 2, hi)
    }

    fn write(&self, state: State) -> String {
        assert!(self.at != At::Write, "writing went wrong");
        format!("{} fate={}", state.lo, state.hi)
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        format!("{}+ fate={}", afterstate.lo, afterstate.hi)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        assert!(self.at != At::Parse, "reading went wrong");
        let refuse = |at| TextError::new(at, "`WALKED fate=NUMBER` is expected");
        let (walked, fate) = text.split_once(" fate=").ok_or_else(|| refuse(text.len()))?;
        let at = text.len() - fate.len();
        Ok(State::new(
            walked.parse().map_err(|_| refuse(0))?,
            fate.parse().map_err(|_| refuse(at))?,
        ))
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        None
    }

    fn canonical_states(&self, _: &mut [State]) {
        assert!(self.at != At::CanonicalStates, "the canonical states went wrong");
    }

    fn canonical_afterstates(&self, _: &mut [Afterstate]) {
        assert!(self.at != At::CanonicalAfterstates, "the canonical afterstates went wrong");
    }
}

impl Plugin for FaultyGame {
    const NAME: &'static str = "faulty";
    const ABOUT: &'static str = "a walk that goes wrong";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn presets() -> Vec<Preset> {
        assert!(std::env::var_os(crate::FAIL_TO_LIST).is_none(), "the list went wrong");
        Vec::new()
    }
}

impl GamePlugin for FaultyGame {
    fn new(Config { at }: Config, _: &GameContext<'_>) -> Result<Self, BuildError> {
        assert!(at != At::New, "building the game went wrong");
        if at == At::EndlessNew {
            crate::never_return();
        }
        let mut actions = vec!["step".to_owned(), "leap".to_owned()];
        let more = |actions: &mut Vec<String>, n| {
            actions.extend((2..n).map(|i| format!("stay {i}")));
        };
        match at {
            At::NoActions => actions.clear(),
            At::MostActions => more(&mut actions, MAX_ACTIONS),
            At::ManyActions => more(&mut actions, MAX_ACTIONS + 1),
            _ => {}
        }
        let identity = Symmetry { cells: vec![0, 1, 2, 3], actions: vec![Action(0), Action(1)] };
        let board = Geometry {
            rows: 2,
            cols: 2,
            values: vec![0, 2],
            symmetries: vec![identity],
            ..Geometry::default()
        };
        let geometry = (at == At::Over).then_some(board);
        let description =
            Description { actions, max_outcomes: 2, geometry, ..Description::default() };
        Ok(Self { at, description })
    }
}
