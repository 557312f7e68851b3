//! A loaded game with a copy of its row tables: moves, chance, symmetries and layers cross
//! no boundary, everything else does.

use super::DynGame;
use runner_board::narrow::{Sums, Symmetries};
use runner_board::rows::RowTables;
use runner_core::{Action, Afterstate, Game, Outcomes, State, Successor, Successors, forward_game};
use std::any::Any;
use std::sync::Arc;

/// How many boards are made canonical at a time.
const TOGETHER: usize = 64;

/// A loaded game with a copy of its row tables.
#[derive(Clone, Debug)]
pub struct TableGame {
    tables: RowTables,
    /// The symmetries, if they are those of a rectangle.
    symmetries: Option<Symmetries>,
    /// The sums of tiles, if they are the game's layers.
    sums: Option<Arc<Sums>>,
    /// Bits of the second word for which the game must be asked.
    asks: u64,
    game: DynGame,
}

impl TableGame {
    /// Copies the game's tables, if it has them.
    pub fn over(game: &DynGame) -> Option<Self> {
        let tables = game.copy_row_tables()?;
        let geometry = game.description().geometry.as_ref()?;
        Some(Self {
            symmetries: Symmetries::of(geometry),
            sums: Sums::of(geometry).filter(|_| tables.layer_is_sum()).map(Arc::new),
            game: game.clone(),
            asks: !tables.carried_bits(),
            tables,
        })
    }

    /// Returns the smallest images of some boards, if the tables know all positions.
    #[inline]
    fn least_of_each(
        &self,
        positions: impl Iterator<Item = (u64, u64)>,
    ) -> Option<[u64; TOGETHER]> {
        let symmetries = self.symmetries.as_ref()?;
        let (mut boards, mut beyond) = ([0; TOGETHER], 0);
        for (place, (lo, hi)) in boards.iter_mut().zip(positions) {
            *place = lo;
            beyond |= hi & self.asks;
        }
        symmetries.least_of_each(&mut boards);
        (beyond == 0).then_some(boards)
    }

    /// Asks the game, for positions that the tables do not know. Not inlined, so that the
    /// fast path saves no registers for a call.
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

    fn tables(&self) -> Option<&dyn Any> {
        Some(&self.tables)
    }

    forward_game!(|this| this.game;
        description, start, write, write_afterstate, parse, chance_reward, has_chance_rewards,
        starts, max_tile, playouts
    );

    #[inline]
    fn layer(&self, state: State) -> Option<u64> {
        match &self.sums {
            Some(sums) if state.hi & self.asks == 0 => Some(sums.sum(state.lo)),
            _ => self.game.layer(state),
        }
    }

    #[inline]
    fn transform(&self, state: State, symmetry: usize) -> State {
        match &self.symmetries {
            Some(all) if state.hi & self.asks == 0 => {
                State::new(all.transform(state.lo, symmetry), state.hi)
            }
            _ => self.game.transform(state, symmetry),
        }
    }

    #[inline]
    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        match &self.symmetries {
            Some(all) if afterstate.hi & self.asks == 0 => {
                Afterstate::new(all.transform(afterstate.lo, symmetry), afterstate.hi)
            }
            _ => self.game.transform_afterstate(afterstate, symmetry),
        }
    }

    #[inline]
    fn canonical(&self, state: State) -> State {
        match &self.symmetries {
            Some(all) if state.hi & self.asks == 0 => State::new(all.least(state.lo), state.hi),
            _ => self.game.canonical(state),
        }
    }

    #[inline]
    fn canonical_afterstate(&self, afterstate: Afterstate) -> Afterstate {
        match &self.symmetries {
            Some(all) if afterstate.hi & self.asks == 0 => {
                Afterstate::new(all.least(afterstate.lo), afterstate.hi)
            }
            _ => self.game.canonical_afterstate(afterstate),
        }
    }

    fn canonical_states(&self, states: &mut [State]) {
        for states in states.chunks_mut(TOGETHER) {
            let boards = states.iter().map(|state| (state.lo, state.hi));
            match self.least_of_each(boards) {
                Some(boards) => {
                    states.iter_mut().zip(boards).for_each(|(state, board)| state.lo = board);
                }
                None => states.iter_mut().for_each(|state| *state = self.canonical(*state)),
            }
        }
    }

    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        for afterstates in afterstates.chunks_mut(TOGETHER) {
            let boards = afterstates.iter().map(|after| (after.lo, after.hi));
            match self.least_of_each(boards) {
                Some(boards) => {
                    afterstates.iter_mut().zip(boards).for_each(|(after, board)| after.lo = board);
                }
                None => afterstates
                    .iter_mut()
                    .for_each(|after| *after = self.canonical_afterstate(*after)),
            }
        }
    }

    #[inline]
    fn as_loaded(&self) -> Option<&dyn Any> {
        self.game.as_loaded()
    }
}
