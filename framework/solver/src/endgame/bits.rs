//! The cells of a narrow board that a mask selects, packed into a code and back.

use runner_core::geometry::FIFTH_BITS;

/// Returns the slots of a board that a mask selects, packed to the lowest bits.
#[inline(always)]
pub fn pack(board: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the cfg says that the processor has this instruction.
    return unsafe { core::arch::x86_64::_pext_u64(board, mask) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    return pack_portable(board, mask);
}

/// The inverse of [`pack`].
#[inline(always)]
pub fn unpack(code: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the cfg says that the processor has this instruction.
    return unsafe { core::arch::x86_64::_pdep_u64(code, mask) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    return unpack_portable(code, mask);
}

/// [`pack`] for any processor.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
#[inline]
fn pack_portable(board: u64, mut mask: u64) -> u64 {
    let (mut code, mut to) = (0, 0);
    while mask != 0 {
        code |= (board >> mask.trailing_zeros() & 1) << to;
        to += 1;
        mask &= mask - 1;
    }
    code
}

/// [`unpack`] for any processor.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
#[inline]
fn unpack_portable(mut code: u64, mut mask: u64) -> u64 {
    let mut board = 0;
    while mask != 0 {
        board |= (code & 1) << mask.trailing_zeros();
        code >>= 1;
        mask &= mask - 1;
    }
    board
}

/// Returns a mask with the lowest bit of each slot that holds this rank.
#[inline(always)]
pub fn holders(board: u64, rank: u8) -> u64 {
    let differs = board ^ (u64::from(rank) * LOW);
    let any = differs | differs >> 2;
    !(any | any >> 1) & LOW
}

/// Returns all bits of slots that are named by their lowest.
#[inline(always)]
pub fn filled(slots: u64) -> u64 {
    slots * 15
}

/// Returns the slots of a board with greater ranks than 15 as 15.
pub fn ranks_to_fifteen(bits: u128) -> u64 {
    match (bits >> FIFTH_BITS) as u16 {
        0 => bits as u64,
        fifth => bits as u64 | filled(unpack(u64::from(fifth), LOW)),
    }
}

/// The lowest bit of each slot.
pub const LOW: u64 = 0x1111_1111_1111_1111;

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;

    #[test]
    fn both_implementations_agree() {
        let mut random = Random::from_word(3);
        for _ in 0..1000 {
            let (board, mask) = (random.word(), random.word() & random.word());
            assert_eq!(pack(board, mask), pack_portable(board, mask));
            assert_eq!(unpack(board, mask), unpack_portable(board, mask));
            assert_eq!(unpack(pack(board, mask), mask), board & mask);
        }
    }

    #[test]
    fn holders_are_the_slots_with_a_rank() {
        let mut random = Random::from_word(4);
        for _ in 0..1000 {
            let (board, rank) = (random.word(), random.below(16) as u8);
            for slot in 0..16 {
                let held = (board >> (4 * slot) & 15) as u8 == rank;
                assert_eq!(holders(board, rank) >> (4 * slot) & 1 == 1, held);
            }
        }
    }
}
