//! A sliding board told as tables: what each row becomes when it is pushed
//! either way, and what enters afterwards. Whoever holds the tables moves
//! without calling the game, at the same speed on both sides of a plugin's
//! boundary.
//!
//! Only boards of up to 4 x 4 are told so (see [`board`](crate::board) for where
//! their cells lie), whose positions are their cells alone and whose actions are
//! up, right, down, left in this order. A position with a rank above 15, or a
//! move that would make one, is not in the tables: the answer is then "ask the
//! game", which is rare enough to cost nothing.

use crate::{Action, Afterstate, Outcomes, State, Successor, Successors, scale};
use std::hint::select_unpredictable;
use std::sync::Arc;

/// A row of four cells has this many contents.
pub const ROWS: usize = 1 << 16;

/// Set in a [`Row`]'s result that needs a rank above 15.
pub const BEYOND: u32 = 1 << 31;

/// What becomes of a row.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Row {
    /// Its content after a push toward its first cell, or [`BEYOND`].
    pub first: u32,
    /// Its content after a push toward its last cell, or [`BEYOND`].
    pub last: u32,
    /// The reward of the push toward the first cell.
    pub first_reward: f32,
    /// The reward of the push toward the last cell.
    pub last_reward: f32,
}

/// A tile that enters on a uniformly random empty cell.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Entry {
    /// Its rank.
    pub rank: u8,
    /// How likely it is that this tile enters, and not another of the list.
    pub probability: f64,
}

/// The tiles that can enter, one of which is drawn with 32 random bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    list: Vec<Entry>,
    /// Entry i is drawn by the random numbers above `bounds[i - 1]`, if there is
    /// one, up to and with `bounds[i]`, or to the end for the last.
    bounds: Vec<u32>,
}

impl Entries {
    /// These tiles, whose probabilities sum to 1.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(list: Vec<Entry>) -> Self {
        assert!(!list.is_empty(), "no tile can enter");
        let mut sum = 0.0;
        let bounds = (list[1..].iter().zip(&list))
            .map(|(_, entry)| {
                sum += entry.probability;
                (sum * (1u64 << 32) as f64) as u32
            })
            .collect();
        Self { list, bounds }
    }

    /// All of them.
    pub fn list(&self) -> &[Entry] {
        &self.list
    }

    /// The rank of one of them.
    #[inline(always)]
    pub fn draw(&self, random: u32) -> u8 {
        // Counted rather than searched: a draw is unpredictable, so is a branch on it.
        let passed = self.bounds.iter().map(|&bound| usize::from(random > bound)).sum::<usize>();
        self.list[passed].rank
    }
}

/// The rules of a sliding board as tables.
#[derive(Clone, Debug, PartialEq)]
pub struct RowTables {
    across: Arc<[Row; ROWS]>,
    down: Arc<[Row; ROWS]>,
    cells: u64,
    entries: Entries,
    layer_is_sum: bool,
}

/// What one push made of a whole board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Slid {
    /// The board.
    pub board: u64,
    /// What the push earned.
    pub reward: f32,
    /// Whether a tile came about that the tables cannot tell: the game must be
    /// asked, and the rest is of no use.
    pub beyond: bool,
}

impl RowTables {
    /// The rules of a board with `rows` x `cols` cells, of at most four each.
    ///
    /// `across` pushes rows left (first) and right, `down` columns up and down;
    /// they are the same table on a square board. `entries` with their
    /// probabilities, summing to 1, enter after every move.
    ///
    /// # Panics
    ///
    /// If there are more than four rows or columns, or no entries.
    pub fn new(
        rows: usize,
        cols: usize,
        across: Arc<[Row; ROWS]>,
        down: Arc<[Row; ROWS]>,
        entries: Vec<Entry>,
    ) -> Self {
        assert!(rows <= 4 && cols <= 4);
        let row = (0..cols).fold(0, |mask, col| mask | 1 << (4 * col));
        let cells = (0..rows).fold(0, |mask, r| mask | row << (16 * r));
        Self { across, down, cells, entries: Entries::new(entries), layer_is_sum: false }
    }

    /// The same, of a game whose [layer](crate::Game::layer) is the sum of the
    /// displayed values of its cells, or is not.
    pub fn with_layer_as_sum(self, layer_is_sum: bool) -> Self {
        Self { layer_is_sum, ..self }
    }

    /// Whether the game's [layer](crate::Game::layer) is the sum of the displayed
    /// values of its cells. Where it is not said, the game must be asked.
    pub fn layer_is_sum(&self) -> bool {
        self.layer_is_sum
    }

    /// The tables for rows and for columns.
    pub fn tables(&self) -> (&Arc<[Row; ROWS]>, &Arc<[Row; ROWS]>) {
        (&self.across, &self.down)
    }

    /// What enters.
    pub fn entries(&self) -> &[Entry] {
        self.entries.list()
    }

    /// One bit for every cell of the board, at the lowest bit of its slot.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Fills `out` with the legal moves, or returns false if the game must be
    /// asked (`out` is then of no use).
    #[inline(always)]
    pub fn successors(&self, state: State, out: &mut Successors) -> bool {
        let pushed = push_all(&self.across, &self.down, state.lo);
        if state.hi != 0 || pushed.beyond {
            return false;
        }
        out.clear();
        for action in 0..4 {
            let (board, reward) = (pushed.boards[action], pushed.rewards[action]);
            let afterstate = Afterstate::new(board, 0);
            out.push_if(board != state.lo, Action(action as u8), afterstate, reward);
        }
        true
    }

    /// The outcome of one move: `Ok(None)` if it is not legal, `Err` if the game
    /// must be asked.
    #[inline(always)]
    #[allow(clippy::result_unit_err)]
    pub fn successor(&self, state: State, action: Action) -> Result<Option<Successor>, ()> {
        let Slid { board, reward, beyond } = self.slide(state.lo, action);
        if state.hi != 0 || beyond {
            return Err(());
        }
        let afterstate = Afterstate::new(board, 0);
        Ok((board != state.lo).then_some(Successor { afterstate, reward, action }))
    }

    /// Pushes all tiles of a board that has no rank above 15. No branch depends
    /// on the action, so random actions cost no more than others.
    #[inline(always)]
    pub fn slide(&self, board: u64, action: Action) -> Slid {
        slide(&self.across, &self.down, board, action)
    }

    /// The board with a random tile on a random empty cell, of which there is
    /// one at least. The afterstate may hold ranks above 15.
    #[inline(always)]
    pub fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let empty = self.empty(afterstate);
        let cell = nth_set_bit(empty, scale((random >> 32) as u32, empty.count_ones()));
        let rank = self.entries.draw(random as u32);
        State::new(afterstate.lo | u64::from(rank) << cell, afterstate.hi)
    }

    /// Every tile on every empty cell, cell by cell.
    pub fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        let mut empty = self.empty(afterstate);
        let share = 1.0 / f64::from(empty.count_ones());
        while empty != 0 {
            let cell = empty.trailing_zeros();
            for entry in self.entries.list() {
                let board = afterstate.lo | u64::from(entry.rank) << cell;
                out.push(entry.probability * share, State::new(board, afterstate.hi));
            }
            empty &= empty - 1;
        }
    }

    /// The lowest bit of the slot of every empty cell.
    #[inline(always)]
    pub fn empty(&self, afterstate: Afterstate) -> u64 {
        let mut taken = afterstate.lo | afterstate.lo >> 2;
        taken |= taken >> 1;
        if afterstate.hi != 0 {
            taken |= fifth_bits(afterstate.hi);
        }
        !taken & self.cells
    }
}

/// The fifth bits of a narrow board's cells, each at the lowest bit of its slot.
#[cold]
fn fifth_bits(hi: u64) -> u64 {
    let fifth = hi >> (crate::board::FIFTH_BITS - 64);
    (0..16).fold(0, |mask, slot| mask | (fifth >> slot & 1) << (4 * slot))
}

/// What all four pushes made of a board, in the order of the actions.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Pushed {
    boards: [u64; 4],
    rewards: [f32; 4],
    beyond: bool,
}

/// Pushes a board all four ways.
#[inline(always)]
fn push_all(across: &[Row; ROWS], down: &[Row; ROWS], board: u64) -> Pushed {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2"))]
    return push_all_simd(across, down, board);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2")))]
    return push_all_portable(across, down, board);
}

/// [`push_all`] with a register for each row and column.
#[cfg(all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2"))]
#[allow(unsafe_code)]
#[inline(always)]
fn push_all_simd(across: &[Row; ROWS], down: &[Row; ROWS], board: u64) -> Pushed {
    use core::arch::x86_64::*;
    /// The first column.
    const COLUMN: u64 = 0x000f_000f_000f_000f;
    // SAFETY: the instructions are there, the cfg says so. A row is 16 plain
    // bytes, and these loads need no alignment.
    unsafe {
        let load = |table: &[Row; ROWS], line: u64| {
            let row: *const Row = &table[(line & 0xffff) as usize];
            _mm_loadu_si128(row.cast())
        };
        let [a, b, c, d] = [0, 16, 32, 48].map(|shift| load(across, board >> shift));
        let [e, f, g, h] = [0, 4, 8, 12].map(|shift| load(down, _pext_u64(board, COLUMN << shift)));

        let or = |x, y| _mm_or_si128(x, y);
        let any = or(or(or(a, b), or(c, d)), or(or(e, f), or(g, h)));
        let either_beyond = (BEYOND as u64) << 32 | BEYOND as u64;
        let beyond = _mm_testz_si128(any, _mm_set_epi64x(0, either_beyond as i64)) == 0;

        // Both results of four lines, the first in the low half.
        let join = |a, b, c, d| {
            let (ab, cd) = (or(a, _mm_slli_epi32::<16>(b)), or(c, _mm_slli_epi32::<16>(d)));
            _mm_unpacklo_epi32(ab, cd)
        };
        let sideways = join(a, b, c, d);
        let upright = transpose_both(join(e, f, g, h));

        // (a + b) + (c + d): the sums must not depend on the processor.
        let rewards = |x, y| _mm_castsi128_ps(_mm_unpackhi_epi64(x, y));
        let sums = _mm_add_ps(
            _mm_add_ps(rewards(a, e), rewards(b, f)),
            _mm_add_ps(rewards(c, g), rewards(d, h)),
        );
        let [left, right, up, down]: [f32; 4] = std::mem::transmute(sums);
        let word = |v| _mm_cvtsi128_si64(v) as u64;
        let high = |v| _mm_extract_epi64::<1>(v) as u64;
        Pushed {
            boards: [word(upright), high(sideways), high(upright), word(sideways)],
            rewards: [up, right, down, left],
            beyond,
        }
    }
}

/// [`transpose`] of both halves.
#[cfg(all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2"))]
#[allow(unsafe_code)]
#[inline(always)]
fn transpose_both(boards: core::arch::x86_64::__m128i) -> core::arch::x86_64::__m128i {
    use core::arch::x86_64::*;
    // SAFETY: these instructions are part of every x86-64.
    unsafe {
        let v = boards;
        let t = _mm_and_si128(
            _mm_xor_si128(v, _mm_srli_epi64::<12>(v)),
            _mm_set1_epi64x(0x0000_f0f0_0000_f0f0),
        );
        let v = _mm_xor_si128(v, _mm_xor_si128(t, _mm_slli_epi64::<12>(t)));
        let t = _mm_and_si128(
            _mm_xor_si128(v, _mm_srli_epi64::<24>(v)),
            _mm_set1_epi64x(0x0000_0000_ff00_ff00),
        );
        _mm_xor_si128(v, _mm_xor_si128(t, _mm_slli_epi64::<24>(t)))
    }
}

/// [`push_all`] for any processor.
#[inline(always)]
#[cfg_attr(
    all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2"),
    allow(dead_code)
)]
fn push_all_portable(across: &[Row; ROWS], down: &[Row; ROWS], board: u64) -> Pushed {
    /// Both results of four lines, their rewards, and whether one is beyond.
    #[inline(always)]
    fn push(table: &[Row; ROWS], lines: u64) -> ([u64; 2], [f32; 2], bool) {
        let rows = [0, 16, 32, 48].map(|shift| &table[(lines >> shift & 0xffff) as usize]);
        let beyond = rows.iter().fold(0, |any, row| any | row.first | row.last) & BEYOND != 0;
        let sum = |[a, b, c, d]: [f32; 4]| (a + b) + (c + d);
        let boards = [join(rows.map(|row| row.first)), join(rows.map(|row| row.last))];
        let rewards = [sum(rows.map(|row| row.first_reward)), sum(rows.map(|row| row.last_reward))];
        (boards, rewards, beyond)
    }
    let ([left, right], [left_reward, right_reward], beyond) = push(across, board);
    let ([up, down], [up_reward, down_reward], also) = push(down, transpose(board));
    Pushed {
        boards: [transpose(up), right, transpose(down), left],
        rewards: [up_reward, right_reward, down_reward, left_reward],
        beyond: beyond || also,
    }
}

/// Pushes all tiles of a board as [`RowTables::slide`] does, for games that have
/// such tables but another manner of chance.
#[inline(always)]
pub fn slide(across: &[Row; ROWS], down: &[Row; ROWS], board: u64, action: Action) -> Slid {
    let vertical = action.0 & 1 == 0;
    let toward_first = action.0 == 0 || action.0 == 3;
    let table = select_unpredictable(vertical, down, across);
    let lines = select_unpredictable(vertical, transpose(board), board);
    let [a, b, c, d] = [0, 16, 32, 48].map(|shift| {
        let row = &table[(lines >> shift & 0xffff) as usize];
        let (line, reward) = select_unpredictable(
            toward_first,
            (&row.first, &row.first_reward),
            (&row.last, &row.last_reward),
        );
        (*line, *reward)
    });
    let pushed = join([a.0, b.0, c.0, d.0]);
    Slid {
        board: select_unpredictable(vertical, transpose(pushed), pushed),
        reward: (a.1 + b.1) + (c.1 + d.1),
        beyond: (a.0 | b.0 | c.0 | d.0) & BEYOND != 0,
    }
}

#[inline(always)]
fn join([a, b, c, d]: [u32; 4]) -> u64 {
    u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
}

/// Mirrors a narrow board at its main diagonal: rows become columns.
#[inline(always)]
pub const fn transpose(board: u64) -> u64 {
    // Swap within 2 x 2 blocks of cells, then the blocks.
    let t = (board ^ board >> 12) & 0x0000_f0f0_0000_f0f0;
    let board = board ^ t ^ t << 12;
    let t = (board ^ board >> 24) & 0x0000_0000_ff00_ff00;
    board ^ t ^ t << 24
}

/// The position of the set bit number `n`, counted from 0 and from the lowest;
/// there must be as many.
#[inline(always)]
pub fn nth_set_bit(mask: u64, n: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the instruction is there, the cfg says so.
    return unsafe { core::arch::x86_64::_pdep_u64(1 << n, mask) }.trailing_zeros();
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    return nth_set_bit_portable(mask, n);
}

/// [`nth_set_bit`] for any processor.
#[inline]
pub fn nth_set_bit_portable(mut mask: u64, n: u32) -> u32 {
    for _ in 0..n {
        mask &= mask - 1;
    }
    mask.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn transposing_moves_cell_r_c_to_c_r() {
        let mut random = Random::from_word(1);
        for _ in 0..1000 {
            let board = random.word();
            let mirrored = transpose(board);
            for (r, c) in (0..4).flat_map(|r| (0..4).map(move |c| (r, c))) {
                assert_eq!(board >> (16 * r + 4 * c) & 15, mirrored >> (16 * c + 4 * r) & 15);
            }
        }
    }

    #[test]
    fn both_selections_of_a_bit_agree() {
        let mut random = Random::from_word(2);
        for _ in 0..1000 {
            let mask = random.word() & random.word();
            for n in 0..mask.count_ones() {
                let bit = nth_set_bit(mask, n);
                assert_eq!(bit, nth_set_bit_portable(mask, n));
                assert_eq!((mask & ((1 << bit) - 1)).count_ones(), n);
                assert!(mask >> bit & 1 == 1);
            }
        }
    }

    /// Whatever rows may hold; one result in a thousand is beyond the tables.
    fn made_up_table(random: &mut Random) -> Box<[Row; ROWS]> {
        let rows = (0..ROWS).map(|_| {
            let mut result = || match random.below(1000) {
                0 => BEYOND,
                _ => random.below(1 << 16),
            };
            let (first, last) = (result(), result());
            let mut reward = || random.below(100) as f32 / 3.0;
            Row { first, last, first_reward: reward(), last_reward: reward() }
        });
        rows.collect::<Box<[Row]>>().try_into().expect("as many")
    }

    #[test]
    fn all_ways_to_push_agree() {
        let mut random = Random::from_word(3);
        let table = made_up_table(&mut random);
        let mut known = 0;
        for _ in 0..100_000 {
            let board = random.word();
            let (pushed, portable) =
                (push_all(&table, &table, board), push_all_portable(&table, &table, board));
            assert_eq!(pushed.beyond, portable.beyond);
            if pushed.beyond {
                continue;
            }
            assert_eq!(pushed, portable);
            known += 1;
            for action in 0..4 {
                let one = slide(&table, &table, board, Action(action as u8));
                assert_eq!(
                    (one.board, one.reward),
                    (pushed.boards[action], pushed.rewards[action])
                );
            }
        }
        // Sixteen results, each known: 0.999^16 of the boards.
        assert!((97_500..99_500).contains(&known), "{known}");
    }
}
