//! Random games on row tables, several at once.
//!
//! A push, its check and the entry of a tile hang on one another, but those of
//! another game do not: the processor works on all of them at the same time. An
//! action that turns out not to be legal leaves everything as it is, without a
//! branch that could be mispredicted.

use runner_core::rows::{Entries, RowTables, Slid, nth_set_bit};
use runner_core::{Action, Afterstate, Game, Playouts, Random, State};
use std::hint::select_unpredictable;

/// How many games are played at once. More would not fit the registers.
const LANES: usize = 4;

/// One game in progress, or the sum of those that were.
#[derive(Clone, Copy)]
struct Lane {
    board: u64,
    /// The actions that were tried in this position, a bit each.
    tried: u32,
    moves: u64,
    score: f64,
}

/// Plays `games` games of `game`, whose rules `tables` tell, from `state`.
pub(crate) fn play<G: Game>(
    game: &G,
    tables: &RowTables,
    state: State,
    games: u64,
    random: u64,
) -> Playouts {
    if state.hi != 0 {
        return runner_core::playouts::play(game, state, games, random);
    }
    let entries = Entries::new(tables.entries().to_vec());
    let mut random = Random::from_word(random);
    let mut lanes = [Lane { board: state.lo, tried: 0, moves: 0, score: 0.0 }; LANES];
    let mut begun = games.min(LANES as u64);
    let mut ended = vec![false; LANES];
    ended[begun as usize..].fill(true);

    // All lanes together, as long as each has a game to play.
    'together: while begun >= LANES as u64 {
        for lane in 0..LANES {
            if lanes[lane].attempt(game, tables, &entries, &mut random) {
                if begun == games {
                    ended[lane] = true;
                    break 'together;
                }
                begun += 1;
                lanes[lane].board = state.lo;
                lanes[lane].tried = 0;
            }
        }
    }
    // Then those that are left, to their ends.
    for (lane, _) in lanes.iter_mut().zip(ended).filter(|(_, ended)| !ended) {
        while !lane.attempt(game, tables, &entries, &mut random) {}
    }
    Playouts {
        games,
        moves: lanes.iter().map(|lane| lane.moves).sum(),
        score: lanes.iter().map(|lane| lane.score).sum(),
    }
}

impl Lane {
    /// Tries a random action, and returns whether the game is over.
    #[inline(always)]
    fn attempt<G: Game>(
        &mut self,
        game: &G,
        tables: &RowTables,
        entries: &Entries,
        random: &mut Random,
    ) -> bool {
        // Two bits for the action, 32 for the tile, 30 for its cell.
        let word = random.word();
        let action = Action(word as u8 & 3);
        let Slid { board, reward, beyond } = tables.slide(self.board, action);
        if beyond {
            self.ask(game, word);
            return true;
        }
        let legal = board != self.board;
        let empty = tables.empty(Afterstate::new(board, 0));
        let n = ((word >> 34) * u64::from(empty.count_ones())) >> 30;
        // Not legal on a full board: there is no cell, and the result is not used.
        let cell = nth_set_bit(empty, n as u32) & 63;
        let tile = u64::from(entries.draw((word >> 2) as u32)) << cell;
        self.board = select_unpredictable(legal, board | tile, board);
        self.tried = select_unpredictable(legal, 0, self.tried | 1 << action.0);
        self.moves += u64::from(legal);
        // What is not legal earns nothing.
        self.score += f64::from(reward);
        self.tried == 15
    }

    /// Lets the game itself play on, where a tile is beyond the tables.
    #[cold]
    #[inline(never)]
    fn ask<G: Game>(&mut self, game: &G, random: u64) {
        let rest = runner_core::playouts::play(game, State::new(self.board, 0), 1, random);
        self.moves += rest.moves;
        self.score += rest.score;
    }
}
