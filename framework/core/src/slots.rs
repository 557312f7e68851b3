//! Bit operations on the slots of a narrow board, one of up to 4 x 4 cells. A slot has four bits;
//! [`geometry`](crate::geometry) says where the cells of a position lie.

use crate::geometry::FIFTH_BITS;

/// The number of different rows of four cells with ranks up to 15.
pub const ROWS: usize = 1 << 16;

/// Returns a mask with the lowest bit of the slot of every cell whose fifth bit is set. `hi` is the
/// second word of the position of a narrow board.
#[cold]
pub fn fifth_bits(hi: u64) -> u64 {
    let fifth = hi >> (FIFTH_BITS - 64);
    (0..16).fold(0, |mask, slot| mask | (fifth >> slot & 1) << (4 * slot))
}

/// Mirrors a narrow board at its main diagonal: rows become columns.
#[inline(always)]
pub const fn transpose(board: u64) -> u64 {
    // Swap two cells within each block of 2 x 2 cells, then two blocks. `cells` and `blocks` hold
    // the bits in which the two differ, at the place of the lower one.
    let cells = (board ^ board >> 12) & 0x0000_f0f0_0000_f0f0;
    let half = board ^ cells ^ cells << 12;
    let blocks = (half ^ half >> 24) & 0x0000_0000_ff00_ff00;
    half ^ blocks ^ blocks << 24
}

/// Returns a mask with the lowest bit of every slot whose rank is at least `least`, which is 1 or
/// more.
#[inline(always)]
pub fn at_least(board: u64, least: u8) -> u64 {
    /// The slots with an even number.
    const EVEN: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    /// The lowest bit of each slot with an odd number, into which a sum carries.
    const CARRY: u64 = 0x1010_1010_1010_1010;
    // A rank of at least `least` carries when `16 - least` is added to it.
    let addend = u64::from(16u8.saturating_sub(least)) * 0x0101_0101_0101_0101;
    let even = ((board & EVEN) + addend) & CARRY;
    let odd = ((board >> 4 & EVEN) + addend) & CARRY;
    even >> 4 | odd
}

/// Returns the indices of the set bits, from the lowest on.
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
