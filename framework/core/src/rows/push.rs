//! Pushes of a whole narrow board by row tables: in one direction, or in all four at once.
//!
//! The actions are 0 up, 1 right, 2 down and 3 left. Up and left push toward the first cell of each
//! line. A line is a row for left and right, and a column for up and down.

use crate::Action;
use crate::slots::{ROWS, transpose};
use std::hint::select_unpredictable;

/// The bit that is set in the result of a push that needs a rank above 15.
pub const BEYOND: u32 = 1 << 31;

/// An element of a row table: the results of both pushes of one row or column.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Row {
    /// The row after a push toward its first cell, in the low 16 bits, or [`BEYOND`].
    pub first: u32,
    /// The row after a push toward its last cell, or [`BEYOND`].
    pub last: u32,
    /// The reward of the push toward the first cell.
    pub first_reward: f32,
    /// The reward of the push toward the last cell.
    pub last_reward: f32,
}

/// The result of one push of a whole board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Slid {
    pub board: u64,
    pub reward: f32,
    /// True if the result has a rank that the tables cannot hold. The other fields are
    /// then meaningless, and the game must be asked.
    pub beyond: bool,
}

/// The results of all four pushes of a board, in the order of the actions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pushed {
    pub boards: [u64; 4],
    pub rewards: [f32; 4],
    /// As in [`Slid`], for any of the results.
    pub beyond: bool,
}

/// Pushes a board in all four directions.
#[inline(always)]
pub(super) fn push_all(across: &[Row; ROWS], down: &[Row; ROWS], board: u64) -> Pushed {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2"))]
    return push_all_simd(across, down, board);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2")))]
    return push_all_portable(across, down, board);
}

/// [`push_all`] with one vector register for each row and column.
#[cfg(all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2"))]
#[allow(unsafe_code)]
#[inline(always)]
fn push_all_simd(across: &[Row; ROWS], down: &[Row; ROWS], board: u64) -> Pushed {
    use core::arch::x86_64::*;
    /// The first column.
    const COLUMN: u64 = 0x000f_000f_000f_000f;
    // SAFETY: the cfg says that the processor has these instructions. A `Row` is 16 plain
    // bytes, and the loads need no alignment.
    unsafe {
        // The four lanes of a register are the fields of a `Row`, `first` in the lowest.
        let load = |table: &[Row; ROWS], line: u64| {
            let row: *const Row = &table[(line & 0xffff) as usize];
            _mm_loadu_si128(row.cast())
        };
        // a to d are the rows of the board, e to h its columns.
        let [a, b, c, d] = [0, 16, 32, 48].map(|shift| load(across, board >> shift));
        let [e, f, g, h] = [0, 4, 8, 12].map(|shift| load(down, _pext_u64(board, COLUMN << shift)));

        let or = |x, y| _mm_or_si128(x, y);
        let any = or(or(or(a, b), or(c, d)), or(or(e, f), or(g, h)));
        let either_beyond = (BEYOND as u64) << 32 | BEYOND as u64;
        let beyond = _mm_testz_si128(any, _mm_set_epi64x(0, either_beyond as i64)) == 0;

        // Joins four lines to the boards after both pushes: the push toward the first cell is in
        // the low half.
        let join = |a, b, c, d| {
            let (ab, cd) = (or(a, _mm_slli_epi32::<16>(b)), or(c, _mm_slli_epi32::<16>(d)));
            _mm_unpacklo_epi32(ab, cd)
        };
        let left_right = join(a, b, c, d);
        let up_down = transpose_both(join(e, f, g, h));

        // (a + b) + (c + d), in the order of `push_all_portable`: sums must not depend on the
        // processor. The lanes are the rewards of left, right, up and down.
        let rewards = |x, y| _mm_castsi128_ps(_mm_unpackhi_epi64(x, y));
        let sums = _mm_add_ps(
            _mm_add_ps(rewards(a, e), rewards(b, f)),
            _mm_add_ps(rewards(c, g), rewards(d, h)),
        );
        let [left, right, up, down]: [f32; 4] = std::mem::transmute(sums);
        let low = |v| _mm_cvtsi128_si64(v) as u64;
        let high = |v| _mm_extract_epi64::<1>(v) as u64;
        Pushed {
            boards: [low(up_down), high(left_right), high(up_down), low(left_right)],
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
        let cells = _mm_and_si128(
            _mm_xor_si128(boards, _mm_srli_epi64::<12>(boards)),
            _mm_set1_epi64x(0x0000_f0f0_0000_f0f0),
        );
        let half = _mm_xor_si128(boards, _mm_xor_si128(cells, _mm_slli_epi64::<12>(cells)));
        let blocks = _mm_and_si128(
            _mm_xor_si128(half, _mm_srli_epi64::<24>(half)),
            _mm_set1_epi64x(0x0000_0000_ff00_ff00),
        );
        _mm_xor_si128(half, _mm_xor_si128(blocks, _mm_slli_epi64::<24>(blocks)))
    }
}

/// [`push_all`] for any processor.
#[inline(always)]
#[cfg_attr(
    all(target_arch = "x86_64", target_feature = "sse4.1", target_feature = "bmi2"),
    allow(dead_code)
)]
fn push_all_portable(across: &[Row; ROWS], down: &[Row; ROWS], board: u64) -> Pushed {
    /// Returns the boards and rewards of both pushes of four lines, first toward the first cells,
    /// and true if a result is beyond.
    #[inline(always)]
    fn push_both(table: &[Row; ROWS], lines: u64) -> ([u64; 2], [f32; 2], bool) {
        let rows = [0, 16, 32, 48].map(|shift| &table[(lines >> shift & 0xffff) as usize]);
        let beyond = rows.iter().fold(0, |any, row| any | row.first | row.last) & BEYOND != 0;
        let sum = |[a, b, c, d]: [f32; 4]| (a + b) + (c + d);
        let boards = [join(rows.map(|row| row.first)), join(rows.map(|row| row.last))];
        let rewards = [sum(rows.map(|row| row.first_reward)), sum(rows.map(|row| row.last_reward))];
        (boards, rewards, beyond)
    }
    let ([left, right], [left_reward, right_reward], across_beyond) = push_both(across, board);
    let ([up, down], [up_reward, down_reward], down_beyond) = push_both(down, transpose(board));
    Pushed {
        boards: [transpose(up), right, transpose(down), left],
        rewards: [up_reward, right_reward, down_reward, left_reward],
        beyond: across_beyond || down_beyond,
    }
}

/// Pushes all tiles of a board in one direction, as
/// [`RowTables::slide`](super::RowTables::slide) does, for games that have such tables
/// and another kind of chance.
#[inline(always)]
pub fn slide(across: &[Row; ROWS], down: &[Row; ROWS], board: u64, action: Action) -> Slid {
    let vertical = action.0 & 1 == 0;
    let toward_first = action.0 == 0 || action.0 == 3;
    // Transposed, the columns are the lines of the board.
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

/// Returns the board with these four lines.
#[inline(always)]
fn join([a, b, c, d]: [u32; 4]) -> u64 {
    u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Returns a table of random rows. One result in a thousand is beyond the tables.
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
    fn all_implementations_of_a_push_agree() {
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
        // A board has sixteen results: 0.999^16 of the boards are known.
        assert!((97_500..99_500).contains(&known), "{known}");
    }
}
