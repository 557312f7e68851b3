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

/// Methods about the images of one kind of position. The game is asked for positions that the
/// tables do not know.
macro_rules! images {
    ($position:ident: $transform:ident $canonical:ident $canonical_all:ident) => {
        #[inline]
        fn $transform(&self, position: $position, symmetry: usize) -> $position {
            match &self.symmetries {
                Some(all) if position.hi & self.asks == 0 => {
                    $position::new(all.transform(position.lo, symmetry), position.hi)
                }
                _ => self.game.$transform(position, symmetry),
            }
        }

        #[inline]
        fn $canonical(&self, position: $position) -> $position {
            match &self.symmetries {
                Some(all) if position.hi & self.asks == 0 => {
                    $position::new(all.least(position.lo), position.hi)
                }
                _ => self.game.$canonical(position),
            }
        }

        fn $canonical_all(&self, positions: &mut [$position]) {
            for positions in positions.chunks_mut(TOGETHER) {
                match self.least_of_each(positions.iter().map(|one| (one.lo, one.hi))) {
                    Some(boards) => {
                        positions.iter_mut().zip(boards).for_each(|(one, board)| one.lo = board);
                    }
                    None => positions.iter_mut().for_each(|one| *one = self.$canonical(*one)),
                }
            }
        }
    };
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

    images! { State: transform canonical canonical_states }
    images! { Afterstate: transform_afterstate canonical_afterstate canonical_afterstates }

    #[inline]
    fn as_loaded(&self) -> Option<&dyn Any> {
        self.game.as_loaded()
    }
}
