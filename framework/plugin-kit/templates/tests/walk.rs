//! A game small enough to compute its values by hand: the way home.
//!
//! The player stands on a field from 1 to 9; home is field 0, and every step costs a point.
//! After each step, with probability 1/4, the wind blows the player one field further home.

use runner_core::{Action, Afterstate, Description, Game, Outcomes, State, Successors, TextError};

/// First in the order of actions, so that it wins ties.
pub const AWAY: Action = Action(0);
pub const HOME: Action = Action(1);

const LAST: u64 = 9;

pub struct Walk(Description);

impl Walk {
    pub fn new() -> Self {
        Self(Description {
            actions: vec!["away".into(), "home".into()],
            max_outcomes: 2,
            ..Description::default()
        })
    }

    /// Returns the position on a field.
    pub fn on(field: u64) -> State {
        State::new(field, 0)
    }
}

impl Game for Walk {
    fn description(&self) -> &Description {
        &self.0
    }

    fn start(&self, _: u64) -> State {
        Self::on(LAST)
    }

    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        if (1..LAST).contains(&state.lo) {
            out.push(AWAY, Afterstate::new(state.lo + 1, 0), -1.0);
        }
        if state.lo > 0 {
            out.push(HOME, Afterstate::new(state.lo - 1, 0), -1.0);
        }
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        match afterstate.lo {
            0 => out.push(1.0, Self::on(0)),
            field => {
                out.push(0.75, Self::on(field));
                out.push(0.25, Self::on(field - 1));
            }
        }
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let wind = u64::from(random >> 62 == 0);
        Self::on(afterstate.lo.saturating_sub(wind))
    }

    fn write(&self, state: State) -> String {
        state.lo.to_string()
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        afterstate.lo.to_string()
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        match text.parse() {
            Ok(field @ 0..=LAST) => Ok(Self::on(field)),
            _ => Err(TextError::new(0, format!("a field from 0 to {LAST} is expected"))),
        }
    }
}
