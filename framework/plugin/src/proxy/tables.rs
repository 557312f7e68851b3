//! A loaded game whose rules came over as tables: moving and spawning cross no
//! boundary, everything else does.

use super::DynGame;
use runner_core::rows::RowTables;
use runner_core::{
    Action, Afterstate, Description, Game, Outcome, Outcomes, Playouts, State, Successor,
    Successors, TextError,
};
use std::sync::Arc;

/// A sliding game over a copy of its row tables.
#[derive(Clone, Debug)]
pub struct TableGame {
    tables: RowTables,
    game: Arc<DynGame>,
}

impl TableGame {
    /// The game over its tables, if it has them.
    pub fn over(game: &Arc<DynGame>) -> Option<Self> {
        Some(Self { tables: game.copy_row_tables()?, game: game.clone() })
    }

    /// For what the tables cannot tell. Apart, so that the way through them needs
    /// no call's preparations.
    #[cold]
    #[inline(never)]
    fn ask(&self, state: State, out: &mut Successors) {
        self.game.successors(state, out);
    }
}

impl Game for TableGame {
    #[inline(always)]
    fn successors(&self, state: State, out: &mut Successors) {
        if !self.tables.successors(state, out) {
            self.ask(state, out);
        }
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        match self.tables.successor(state, action) {
            Ok(successor) => successor,
            Err(()) => self.game.successor(state, action),
        }
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.tables.spawn(afterstate, random)
    }

    #[inline]
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.tables.outcomes(afterstate, out);
    }

    fn row_tables(&self) -> Option<&RowTables> {
        Some(&self.tables)
    }

    fn description(&self) -> &Description {
        self.game.description()
    }

    fn start(&self, random: u64) -> State {
        self.game.start(random)
    }

    fn write(&self, state: State) -> String {
        self.game.write(state)
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.game.write_afterstate(afterstate)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        self.game.parse(text)
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        self.game.chance_reward(from, to)
    }

    fn has_chance_rewards(&self) -> bool {
        self.game.has_chance_rewards()
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        self.game.starts()
    }

    fn greatest_tile(&self, state: State) -> Option<u64> {
        self.game.greatest_tile(state)
    }

    fn layer(&self, state: State) -> Option<u64> {
        self.game.layer(state)
    }

    fn transform(&self, state: State, symmetry: usize) -> State {
        self.game.transform(state, symmetry)
    }

    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        self.game.transform_afterstate(afterstate, symmetry)
    }

    fn canonical(&self, state: State) -> State {
        self.game.canonical(state)
    }

    fn canonical_afterstate(&self, afterstate: Afterstate) -> Afterstate {
        self.game.canonical_afterstate(afterstate)
    }

    fn playouts(&self, state: State, games: u64, random: u64) -> Playouts {
        self.game.playouts(state, games, random)
    }
}
