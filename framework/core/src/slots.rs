//! Bit operations on the slots of a narrow board, one of up to 4 x 4 cells. The layout of a
//! position is that of [`Geometry`](crate::geometry).

use crate::geometry::FIFTH_BITS;

/// The number of contents of a row of four cells with ranks up to 15.
pub const ROWS: usize = 1 << 16;

/// Returns the fifth bits of a narrow board's cells, each at the lowest bit of its
/// slot. `hi` is the second word of the position.
#[cold]
pub fn fifth_bits(hi: u64) -> u64 {
    let fifth = hi >> (FIFTH_BITS - 64);
    (0..16).fold(0, |mask, slot| mask | (fifth >> slot & 1) << (4 * slot))
}

/// Mirrors a narrow board at its main diagonal: rows become columns.
#[inline(always)]
pub const fn transpose(board: u64) -> u64 {
    // Swap within 2 x 2 blocks of cells, then the blocks.
    let cells = (board ^ board >> 12) & 0x0000_f0f0_0000_f0f0;
    let half = board ^ cells ^ cells << 12;
    let blocks = (half ^ half >> 24) & 0x0000_0000_ff00_ff00;
    half ^ blocks ^ blocks << 24
}

/// Returns the lowest bit of every slot whose rank is at least `least`, which is 1 or more.
#[inline(always)]
pub fn at_least(board: u64, least: u8) -> u64 {
    const CELLS: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const CARRY: u64 = 0x1010_1010_1010_1010;
    // A cell of at least this rank carries into the next four bits.
    let missing = u64::from(16u8.saturating_sub(least)) * 0x0101_0101_0101_0101;
    let even = ((board & CELLS) + missing) & CARRY;
    let odd = ((board >> 4 & CELLS) + missing) & CARRY;
    even >> 4 | odd
}

/// Returns the numbers of the set bits, from the lowest on.
#[inline(always)]
pub fn set_bits(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros());
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn transpose_moves_cell_r_c_to_c_r() {
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
    fn fifth_bits_lie_at_the_lowest_bit_of_their_slots() {
        for slot in 0..16 {
            assert_eq!(fifth_bits(1 << (FIFTH_BITS - 64 + slot)), 1 << (4 * slot));
        }
    }
}
