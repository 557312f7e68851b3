//! The rank in each slot of a position, for boards that are not read as one word.

use crate::table::CELL_BITS;
use crate::tuple::{ALPHABET, MAX_RANKS};
use runner_core::Afterstate;
use runner_core::geometry::FIFTH_BITS;

const NARROW_SLOTS: usize = 16;

/// The rank in each slot of a position: 0 in slots that the board does not have.
pub type Ranks = [usize; MAX_RANKS];

/// Returns the rank in each slot of a position. `slots` has the slots of the board's cells.
pub fn ranks(position: Afterstate, slots: &[u8], has_fifth_bits: bool) -> Ranks {
    let bits = position.bits();
    let mut ranks = [0; MAX_RANKS];
    for &slot in slots {
        let slot = u32::from(slot);
        let fifth = if has_fifth_bits { bits >> (FIFTH_BITS + slot) & 1 } else { 0 };
        ranks[slot as usize] = (bits >> (CELL_BITS * slot) & 15 | fifth << CELL_BITS) as usize;
    }
    ranks
}

/// Returns a board up to 4 x 4 with four bits per cell. Ranks above the highest one that a network
/// distinguishes are lowered to it.
pub fn narrow_board(ranks: &Ranks) -> u64 {
    let cell = |slot: usize| (ranks[slot].min(ALPHABET - 1) as u64) << (CELL_BITS * slot as u32);
    (0..NARROW_SLOTS).map(cell).sum()
}
