//! A game that plays by a copy of its row tables, which give moves, chance, canonical positions and
//! layers without a call of the game. So a loaded game is as fast as one that is linked in.

use crate::narrow::{Sums, Symmetries};
use runner_core::rows::RowTables;
use runner_core::{Action, Afterstate, Game, Outcomes, State, Successor, Successors, forward_game};
use std::sync::Arc;

/// Number of boards that are made canonical at a time.
const TOGETHER: usize = 64;

/// A game that plays by its row tables, if it has them.
#[derive(Clone, Debug)]
pub struct RowGame<G> {
    /// `None` if the game has no row tables: then every call goes to the game.
    rules: Option<Rules>,
    game: G,
}

/// The parts of a game that its row tables determine.
#[derive(Clone, Debug)]
struct Rules {
    tables: RowTables,
    /// `None` if they are not those of a rectangle.
    symmetries: Option<Symmetries>,
    /// The sums of tiles. `None` if they are not the game's layers.
    sums: Option<Arc<Sums>>,
    /// Bits of the second word that the tables do not know: except for chance, the game is called
    /// for positions that have one.
    unknown: u64,
}

impl Rules {
    fn of(tables: RowTables, game: &impl Game) -> Option<Self> {
        let geometry = game.description().geometry.as_ref()?;
        Some(Self {
            symmetries: Symmetries::of(geometry),
            sums: Sums::of(geometry).filter(|_| tables.layer_is_sum()).map(Arc::new),
            unknown: !tables.carried_bits(),
            tables,
        })
    }

    /// Returns the boards of the smallest images of up to [`TOGETHER`] positions, if the tables
    /// know all of them. A position is given by its two words; symmetries leave the second
    /// unchanged.
    #[inline]
    fn least_of_each(
        &self,
        positions: impl Iterator<Item = (u64, u64)>,
    ) -> Option<[u64; TOGETHER]> {
        let symmetries = self.symmetries.as_ref()?;
        let (mut boards, mut unknown) = ([0; TOGETHER], 0);
        for (board, (lo, hi)) in boards.iter_mut().zip(positions) {
            *board = lo;
            unknown |= hi & self.unknown;
        }
        symmetries.least_of_each(&mut boards);
        (unknown == 0).then_some(boards)
    }
}

impl<G: Game> RowGame<G> {
    /// `tables` are those of the game, if it has any.
    pub fn new(tables: Option<RowTables>, game: G) -> Self {
        Self { rules: tables.and_then(|tables| Rules::of(tables, &game)), game }
    }

    // Calls of a game without tables, or for moves that the tables do not know. Not inlined, so
    // that the fast paths save no registers for a call.

    #[cold]
    #[inline(never)]
    fn successors_by_game(&self, state: State, out: &mut Successors) {
        self.game.successors(state, out);
    }

    #[cold]
    #[inline(never)]
    fn spawn_by_game(&self, afterstate: Afterstate, random: u64) -> State {
        self.game.spawn(afterstate, random)
    }
}

#[warn(clippy::missing_trait_methods)]
impl<G: Game> Game for RowGame<G> {
    #[inline(always)]
    fn successors(&self, state: State, out: &mut Successors) {
        if let Some(rules) = &self.rules
            && rules.tables.successors(state, out)
        {
            return;
        }
        self.successors_by_game(state, out);
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        if let Some(rules) = &self.rules
            && let Ok(successor) = rules.tables.successor(state, action)
        {
            return successor;
        }
        self.game.successor(state, action)
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        match &self.rules {
            // Chance is right for unknown bits too: the tables find cells with ranks above 15.
            Some(rules) => rules.tables.spawn(afterstate, random),
            None => self.spawn_by_game(afterstate, random),
        }
    }

    #[inline]
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        match &self.rules {
            Some(rules) => rules.tables.outcomes(afterstate, out),
            None => self.game.outcomes(afterstate, out),
        }
    }

    fn tables(&self) -> Option<&RowTables> {
        self.rules.as_ref().map(|rules| &rules.tables)
    }

    forward_game!(|this| this.game;
        description, start, write, write_afterstate, parse, chance_reward, has_chance_rewards,
        starts, max_tile, transform, transform_afterstate, playouts, as_loaded
    );

    #[inline]
    fn layer(&self, state: State) -> Option<u64> {
        if let Some(Rules { sums: Some(sums), unknown, .. }) = &self.rules
            && state.hi & unknown == 0
        {
            return Some(sums.sum(state.lo));
        }
        self.game.layer(state)
    }

    fn canonical_states(&self, states: &mut [State]) {
        let Some(rules) = &self.rules else { return self.game.canonical_states(states) };
        for chunk in states.chunks_mut(TOGETHER) {
            match rules.least_of_each(chunk.iter().map(|state| (state.lo, state.hi))) {
                Some(boards) => chunk.iter_mut().zip(boards).for_each(|(to, board)| to.lo = board),
                None => self.game.canonical_states(chunk),
            }
        }
    }

    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        let Some(rules) = &self.rules else { return self.game.canonical_afterstates(afterstates) };
        for chunk in afterstates.chunks_mut(TOGETHER) {
            match rules.least_of_each(chunk.iter().map(|after| (after.lo, after.hi))) {
                Some(boards) => chunk.iter_mut().zip(boards).for_each(|(to, board)| to.lo = board),
                None => self.game.canonical_afterstates(chunk),
            }
        }
    }
}
