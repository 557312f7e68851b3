//! A piece of weights as they are: the touched weights among [`PIECE`] consecutive places.
//!
//! A piece without touched weights has no bytes. Any other has:
//!
//! ```text
//! groups           1024 bits: bit k is set if group k of 64 weights has touched ones
//! masks            u64 for each of these groups: bit k is set if its weight k is touched
//! weights          f32 for each touched weight
//! state            the words (u32) of the learning state of each touched weight
//! ```
//!
//! All are in the order of places.

use crate::pieces::places;
use agent_ntuple_network::{Initial, Memory, Places, Record};

/// Number of weights of a piece.
pub const PIECE: usize = 1 << 16;

/// Number of weights of a group.
const GROUP: usize = 64;

/// Number of bytes with the bits of the groups.
const GROUPS_BYTES: usize = PIECE / GROUP / 8;

/// Number of consecutive records in memory that are found to be zero together.
pub const BLOCK: usize = 512;

/// The records of a network, which are encoded in pieces.
pub struct Touched<'a, M> {
    pub records: Places<'a, Record<M>>,
    /// For each block of [`BLOCK`] records in memory, true if all of them are zero.
    pub zero: &'a [bool],
    /// True if the learning state is encoded too.
    pub with_state: bool,
    pub initial: Initial,
}

impl<M: Memory> Touched<'_, M> {
    /// Returns the mask of the touched weights of the group that begins at `first`.
    fn mask(&self, first: usize) -> u64 {
        let (fresh, mut mask) = (M::default(), 0);
        let end = self.records.len().min(first + GROUP);
        // If the first weight of the group begins at zero, all of the group do.
        let begins_at_zero = self.initial.at(first).to_bits() == 0
            && (0..self.words()).all(|word| fresh.word(word) == 0);
        if begins_at_zero && self.records.all_blocks_of(first..end, BLOCK, |block| self.zero[block])
        {
            return 0;
        }
        self.records.each_of(first..end, |place, Record { weight, memory }| {
            let is_initial = weight.get().to_bits() == self.initial.at(place).to_bits();
            let is_fresh = (0..self.words()).all(|word| memory.word(word) == fresh.word(word));
            mask |= u64::from(!is_initial || !is_fresh) << (place - first);
        });
        mask
    }

    fn group_starts(&self, piece: usize) -> impl Iterator<Item = usize> {
        places(piece, PIECE, self.records.len()).step_by(GROUP)
    }

    /// Returns the length of an encoded piece in bytes.
    pub fn length(&self, piece: usize) -> usize {
        let (mut groups, mut weights) = (0, 0);
        for first in self.group_starts(piece) {
            let mask = self.mask(first);
            groups += usize::from(mask != 0);
            weights += mask.count_ones() as usize;
        }
        if groups == 0 { 0 } else { GROUPS_BYTES + 8 * groups + 4 * (1 + self.words()) * weights }
    }

    /// Returns the number of words of learning state that are encoded for each weight.
    fn words(&self) -> usize {
        if self.with_state { M::WORDS } else { 0 }
    }

    /// Encodes a piece into `out`, which is empty.
    pub fn encode(&self, piece: usize, out: &mut Vec<u8>) {
        let mut groups = [0; GROUPS_BYTES];
        let mut touched = Vec::new();
        // The bits of the groups are known after the masks.
        out.extend(groups);
        for (number, first) in self.group_starts(piece).enumerate() {
            let mask = self.mask(first);
            if mask != 0 {
                groups[number / 8] |= 1 << (number % 8);
                out.extend(mask.to_le_bytes());
                touched.extend(bits(mask).map(|bit| first + bit));
            }
        }
        if touched.is_empty() {
            return out.clear();
        }
        out[..GROUPS_BYTES].copy_from_slice(&groups);
        for &place in &touched {
            out.extend(self.records[place].weight.get().to_le_bytes());
        }
        for &place in &touched {
            let memory = &self.records[place].memory;
            (0..self.words()).for_each(|word| out.extend(memory.word(word).to_le_bytes()));
        }
    }
}

/// Returns the numbers of the set bits of a mask, from the lowest on.
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(bit)
    })
}

/// The parts of an encoded piece, in their order.
pub struct Piece<'a> {
    groups: &'a [u8],
    masks: &'a [[u8; 8]],
    /// Touched weights, as f32.
    pub weights: &'a [[u8; 4]],
    pub state: &'a [[u8; 4]],
}

impl<'a> Piece<'a> {
    /// Splits a piece of `size` weights, each with `words` of state, if the bytes are one.
    pub fn new(bytes: &'a [u8], size: usize, words: usize) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self { groups: &[], masks: &[], weights: &[], state: &[] });
        }
        let (groups, rest) = bytes.split_at_checked(GROUPS_BYTES)?;
        let count = groups.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
        let (masks, rest) = rest.split_at_checked(8 * count)?;
        let masks = masks.as_chunks::<8>().0;
        let ones = masks.iter().map(|mask| u64::from_le_bytes(*mask).count_ones() as usize);
        let touched: usize = ones.sum();
        let (weights, state) = rest.split_at_checked(4 * touched)?;
        if state.len() != 4 * words * touched {
            return None;
        }
        let (weights, state) = (weights.as_chunks().0, state.as_chunks().0);
        let piece = Self { groups, masks, weights, state };
        piece.places(0).last().is_none_or(|place| place < size).then_some(piece)
    }

    /// Returns the places of the touched weights. `start` is the first place of the piece.
    pub fn places(&self, start: usize) -> impl Iterator<Item = usize> {
        let groups_of = |(k, byte): (usize, &u8)| bits((*byte).into()).map(move |bit| 8 * k + bit);
        let groups = self.groups.iter().enumerate().flat_map(groups_of);
        groups.zip(self.masks).flat_map(move |(group, mask)| {
            let first = start + GROUP * group;
            bits(u64::from_le_bytes(*mask)).map(move |bit| first + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::{Inheritance, Lookup, Network};
    use runner_core::geometry::{Geometry, Symmetry};

    #[derive(Default, bytemuck::Zeroable)]
    struct State([agent_ntuple_network::Weight; 2]);

    impl Memory for State {
        const NAME: &'static str = "two words";
        const WORDS: usize = 2;

        fn word(&self, number: usize) -> u32 {
            self.0[number].get().to_bits()
        }

        fn set_word(&self, number: usize, value: u32) {
            self.0[number].set(f32::from_bits(value));
        }
    }

    /// Returns the lookup of a network on a board of one column, whose places equal its indices.
    fn lookup(network: &str) -> Lookup {
        let symmetries = vec![Symmetry { cells: (0..6).collect(), actions: Vec::new() }];
        let values = vec![0; 16];
        let board = Geometry { rows: 6, cols: 1, values, symmetries, ..Geometry::default() };
        Lookup::new(&Network::read(network, &board).unwrap(), &board).unwrap()
    }

    fn touched(count: usize) -> Vec<Record<State>> {
        let records: Vec<Record<State>> = (0..count).map(|_| Record::default()).collect();
        records.iter().for_each(|record| record.weight.set(7.0));
        for place in (0..count).step_by(97) {
            records[place].weight.set(place as f32);
        }
        for place in (0..count).step_by(131) {
            records[place].memory.0[1].set(2.0);
        }
        records
    }

    #[test]
    fn a_weight_is_stored_if_its_value_or_its_state_is_touched() {
        let lookup = lookup("0123 45");
        let count = lookup.weights();
        let initial = Initial::new(7.0, Inheritance::None, &lookup);
        let (touched, zero) = (touched(count), vec![false; count.div_ceil(BLOCK)]);
        let records = Places::new(&touched, &lookup);
        let all = Touched { records, zero: &zero, with_state: true, initial };
        let only = Touched { with_state: false, ..all };
        for number in 0..2 {
            let (mut bytes, mut player) = (Vec::new(), Vec::new());
            all.encode(number, &mut bytes);
            only.encode(number, &mut player);
            assert_eq!((bytes.len(), player.len()), (all.length(number), only.length(number)));
            let places = places(number, PIECE, count);
            let piece = Piece::new(&bytes, places.len(), 2).unwrap();
            let found: Vec<usize> = piece.places(places.start).collect();
            let is_touched = |place: &usize| place.is_multiple_of(97) || place.is_multiple_of(131);
            assert!(found.iter().copied().eq(places.clone().filter(is_touched)));
            assert_eq!(piece.state.len(), 2 * found.len());
            let player = Piece::new(&player, places.len(), 0).unwrap();
            assert!(player.places(places.start).eq(places.filter(|place| place % 97 == 0)));
            // No part of it is a piece.
            for end in [1, GROUPS_BYTES, bytes.len() - 1] {
                assert!(Piece::new(&bytes[..end], PIECE, 2).is_none());
            }
        }
    }

    #[test]
    fn zero_blocks_are_untouched_only_if_weights_begin_at_zero() {
        let lookup = lookup("012");
        let records: Vec<_> = (0..lookup.weights()).map(|_| Record::<State>::default()).collect();
        records[BLOCK + 5].memory.0[0].set(1.0);
        let of = |initial, zero: [bool; 8]| {
            let initial = Initial::new(initial, Inheritance::None, &lookup);
            let records = Places::new(&records, &lookup);
            Touched { records, zero: &zero, with_state: true, initial }.length(0)
        };
        let unknown = [false; 8];
        let mut zero = [true; 8];
        zero[1] = false;
        assert_eq!(of(0.0, zero), of(0.0, unknown));
        assert!(of(0.0, zero) > 0);
        // Zero is a change of weights that begin at 7.
        assert_eq!(of(7.0, zero), of(7.0, unknown));
        assert!(of(7.0, zero) > 4096 * 12);
    }
}
