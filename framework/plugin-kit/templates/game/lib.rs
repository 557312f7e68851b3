//! A game of dice and columns.
//!
//! The player puts the thrown die on a column that is empty, shows a smaller number, or
//! shows the same number. A pair of equal numbers leaves the column empty and scores the
//! sum of both. The game ends when the die fits on no column.
//!
//! Every game ends: there are more faces than columns, so the die can always show a number
//! that is on no column, and such numbers only raise the columns.

mod text;

use runner_core::{
    Action, Afterstate, BuildError, Description, Game, GameContext, GamePlugin, Outcome, Outcomes,
    Plugin, State, Successors, TextError, parameters, scale,
};

parameters! {
    /// The parameters of a spec.
    #[derive(Copy)]
    pub struct Config {
        /// Number of columns
        pub columns: u32 = 3, range(1..=8);
        /// Number of faces of the die
        pub faces: u32 = 6, range(..=15).form("columns + 1 to 15");
    }
}

/// The rules. They hold no position: positions are plain 16-byte values.
pub struct __Type__ {
    config: Config,
    description: Description,
}

/// A position: four bits for each column in the first word, the die in the second.
/// Between the move and the next throw, the die is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Table {
    columns: u64,
    die: u64,
}

impl Table {
    fn of(state: State) -> Self {
        Self { columns: state.lo, die: state.hi }
    }

    fn state(self) -> State {
        State::new(self.columns, self.die)
    }

    fn column(self, i: u32) -> u64 {
        self.columns >> (4 * i) & 15
    }

    fn with_column(self, i: u32, number: u64) -> Self {
        Self { columns: self.columns & !(15 << (4 * i)) | number << (4 * i), ..self }
    }
}

impl Game for __Type__ {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        self.spawn(Afterstate::default(), random)
    }

    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        let table = Table::of(state);
        for i in 0..self.config.columns {
            let number = table.column(i);
            let (left, reward) = match table.die {
                die if die > number => (die, 0.0),
                die if die == number => (0, 2.0 * die as f32),
                _ => continue,
            };
            let after = table.with_column(i, left);
            out.push(Action(i as u8), Afterstate::new(after.columns, 0), reward);
        }
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        for die in 1..=u64::from(self.config.faces) {
            let table = Table { columns: afterstate.lo, die };
            out.push(1.0 / f64::from(self.config.faces), table.state());
        }
    }

    // Draws from the distribution of `outcomes`; the laws compare the two.
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let die = 1 + scale((random >> 32) as u32, self.config.faces);
        Table { columns: afterstate.lo, die: die.into() }.state()
    }

    // The start positions with their probabilities, from which `runner solve` starts.
    fn starts(&self) -> Option<Vec<Outcome>> {
        let mut outcomes = Outcomes::with_capacity(self.description.max_outcomes);
        self.outcomes(Afterstate::default(), &mut outcomes);
        Some(outcomes.iter().copied().collect())
    }

    fn write(&self, state: State) -> String {
        text::write(Table::of(state), &self.config)
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        text::write_columns(Table { columns: afterstate.lo, die: 0 }, &self.config)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        text::parse(text, &self.config).map(Table::state)
    }
}

impl Plugin for __Type__ {
    const NAME: &'static str = "__name__";
    const ABOUT: &'static str = "dice on columns: pairs score and leave";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl GamePlugin for __Type__ {
    fn new(config: Config, _: &GameContext<'_>) -> Result<Self, BuildError> {
        let Config { columns, faces } = config;
        if !(columns + 1..=15).contains(&faces) {
            let least = columns + 1;
            let message = format!("{faces} is not from {least} to 15, as {columns} columns need");
            return Err(BuildError::of("faces", message));
        }
        let description = Description {
            actions: (1..=columns).map(|i| format!("column {i}")).collect(),
            max_outcomes: faces as usize,
            ..Description::default()
        };
        Ok(Self { config, description })
    }
}

runner_plugin::export_plugin! { games: [__Type__] }
