//! The formats `checkpoint` and `player`: the weights that training has touched.
//!
//! A weight is untouched if its bits are those of the initial value, which is in the
//! header, and its learning state, where the format has that, is the fresh one. Weights
//! are cut into pieces of [`PIECE`]. A piece without touched weights has no bytes. Any
//! other has:
//!
//! ```text
//! groups           1024 bits: which groups of 64 weights have touched ones
//! masks            u64 for each such group: which of its weights are touched
//! weights          f32 for each touched weight
//! state            the words (u32) of the learning state of each touched weight
//! ```
//!
//! All in the order of places, the lowest bit first.

use super::cell_order::Permutation;
use super::contents::{Contents, History};
use super::format::Format;
use super::header;
use super::pieces::{self, Pieces};
use super::shape::{Shape, impossible_state, mismatch, not_finite};
use super::threads::each;
use crate::rule::{Memory, Rule, Weight};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError, Problem};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Weights of a piece.
const PIECE: usize = 1 << 16;

/// Weights of a group.
const GROUP: usize = 64;

/// Bytes of the list of groups.
const GROUPS: usize = PIECE / GROUP / 8;

/// The section of the pieces.
pub const DATA: &str = "touched weights";

/// The fact of how many words of learning state each weight has.
const WORDS: &str = "memory words";

/// Each thread encodes this many pieces at a time while a network is written; that is all
/// the memory that writing needs.
const AT_ONCE: usize = 4;

/// Writes a network: for a checkpoint with its learning state.
pub fn write<R: Rule>(
    contents: &Contents<'_, R>,
    history: &History,
    format: Format,
    out: impl Write,
) -> io::Result<()> {
    let memory = contents.memory.filter(|_| format == Format::Checkpoint && R::Memory::WORDS > 0);
    let pieces = Touched { weights: contents.weights, memory, initial: contents.initial.to_bits() };
    let host = contents.shape.host;
    let count = contents.weights.len().div_ceil(PIECE);
    let lengths: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
    each(host, count as u64, |piece, (): &mut ()| {
        lengths[piece as usize].store(pieces.length(piece as usize), Relaxed);
        Ok::<_, io::Error>(())
    })?;
    let header = header::describe(contents, history, format);
    let header = match memory {
        Some(_) => header.with("memory", R::MEMORY).with(WORDS, R::Memory::WORDS),
        None => header,
    };
    let all = lengths.iter().map(|length| length.load(Relaxed));
    let (header, list) = pieces::sections(header, DATA, all);
    let (header, recent) = header::with_recent(header, history);
    let at_once = AT_ONCE * host.threads().max(1);
    let buffers: Vec<_> = (0..at_once).map(|_| Mutex::new(Vec::new())).collect();
    container::write(out, &header, |out| {
        out.write_all(&list)?;
        for first in (0..count).step_by(at_once) {
            let some = first..count.min(first + at_once);
            each(host, some.len() as u64, |k, (): &mut ()| {
                let piece = some.start + k as usize;
                let mut bytes = buffers[k as usize].lock().unwrap_or_else(PoisonError::into_inner);
                bytes.clear();
                pieces.encode(piece, &mut bytes);
                match bytes.len() == lengths[piece].load(Relaxed) {
                    true => Ok(()),
                    false => Err(io::Error::other("the network changed while it was saved")),
                }
            })?;
            for buffer in &buffers[..some.len()] {
                out.write_all(&buffer.lock().unwrap_or_else(PoisonError::into_inner))?;
            }
        }
        out.write_all(&recent)
    })
}

/// The touched weights of a network.
struct Touched<'a, M> {
    weights: &'a [Weight],
    memory: Option<&'a [M]>,
    /// The bits of an untouched weight.
    initial: u32,
}

impl<M: Memory> Touched<'_, M> {
    /// Returns the mask of the touched weights of the group that begins at `first`.
    fn mask(&self, first: usize) -> u64 {
        let end = self.weights.len().min(first + GROUP);
        let weights = self.weights[first..end].iter().enumerate();
        let mut mask = weights.fold(0, |mask, (k, weight)| {
            mask | u64::from(weight.get().to_bits() != self.initial) << k
        });
        if let Some(memory) = self.memory {
            let fresh = M::default();
            for (k, memory) in memory[first..end].iter().enumerate() {
                let is_fresh = (0..M::WORDS).all(|word| memory.word(word) == fresh.word(word));
                mask |= u64::from(!is_fresh) << k;
            }
        }
        mask
    }

    fn groups(&self, piece: usize) -> impl Iterator<Item = usize> {
        places(piece, self.weights.len()).step_by(GROUP)
    }

    /// Returns the length of an encoded piece in bytes.
    fn length(&self, piece: usize) -> usize {
        let (mut groups, mut weights) = (0, 0);
        for mask in self.groups(piece).map(|first| self.mask(first)) {
            groups += usize::from(mask != 0);
            weights += mask.count_ones() as usize;
        }
        match groups {
            0 => 0,
            _ => GROUPS + 8 * groups + 4 * (1 + self.words()) * weights,
        }
    }

    /// Words of learning state of each weight.
    fn words(&self) -> usize {
        self.memory.map_or(0, |_| M::WORDS)
    }

    /// Appends an encoded piece.
    fn encode(&self, piece: usize, out: &mut Vec<u8>) {
        let mut groups = [0; GROUPS];
        let mut touched = Vec::new();
        out.extend(groups);
        for (number, first) in self.groups(piece).enumerate() {
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
        out[..GROUPS].copy_from_slice(&groups);
        for &place in &touched {
            out.extend(self.weights[place].get().to_le_bytes());
        }
        if let Some(memory) = self.memory {
            for &place in &touched {
                (0..M::WORDS).for_each(|word| out.extend(memory[place].word(word).to_le_bytes()));
            }
        }
    }
}

/// Returns the places of a piece.
fn places(piece: usize, weights: usize) -> Range<usize> {
    piece * PIECE..weights.min((piece + 1) * PIECE)
}

/// Returns the positions of the set bits of a mask, ascending.
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(bit)
    })
}

/// An open model of touched weights.
pub struct Sparse<S> {
    container: Container<S>,
    pieces: Pieces,
    initial: f32,
    weights: usize,
    /// Words of learning state of each weight.
    words: usize,
}

impl<S: ReadAt> Sparse<S> {
    /// Reads where the pieces are. Their number is checked against the length of their
    /// list, so that no size is believed which the file does not bear out.
    pub fn new(container: Container<S>) -> Result<Self, ContainerError> {
        let initial: f32 = header::number(&container, "initial")?;
        if !initial.is_finite() {
            return Err(container.unsuitable(format!("has {initial} as initial value")));
        }
        let weights: usize = header::number(&container, "weights")?;
        let words: u8 = match container.header().fact(WORDS) {
            None => 0,
            Some(_) => header::number(&container, WORDS)?,
        };
        let pieces = Pieces::open(&container, DATA, weights.div_ceil(PIECE))?;
        Ok(Self { container, pieces, initial, weights, words: words.into() })
    }

    /// Returns the file.
    pub fn container(&self) -> &Container<S> {
        &self.container
    }

    /// Checks that the model has as many weights as the network and, if a kind of
    /// learning state is given, that its own is of that kind if it has any.
    pub fn check(&self, shape: &Shape<'_>, memory: Option<&str>) -> Result<(), ContainerError> {
        let needed = shape.lookup.weights();
        if self.weights != needed {
            return Err(self.container.error(mismatch("number of weights", self.weights, needed)));
        }
        let theirs = self.container.header().fact("memory").unwrap_or("nothing");
        match memory {
            Some(ours) if theirs != ours && self.words > 0 => {
                Err(self.container.error(mismatch("learning state", theirs, ours)))
            }
            _ => Ok(()),
        }
    }

    /// Reads every weight, also the untouched ones.
    pub fn read_weights(
        &self,
        shape: &Shape<'_>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        self.pieces.each(&self.container, shape.host, |number, bytes, (): &mut ()| {
            let all = places(number, self.weights);
            let piece = self.piece(number, bytes)?;
            let mut next = all.start;
            for (place, weight) in piece.places(all.start).zip(piece.weights) {
                let weight = f32::from_le_bytes(*weight);
                if !weight.is_finite() {
                    return Err(not_finite(&self.container, shape, place, weight));
                }
                (next..place).for_each(|place| take(place, self.initial));
                take(place, weight);
                next = place + 1;
            }
            (next..all.end).for_each(|place| take(place, self.initial));
            Ok(())
        })
    }

    /// Returns true if the model has learning state.
    pub fn has_memory(&self) -> bool {
        self.words > 0
    }

    /// Reads the learning state, if the model has any, and sets `memory` if it is given;
    /// a permutation says where each weight belongs.
    pub fn read_memory<M: Memory>(
        &self,
        shape: &Shape<'_>,
        memory: Option<&[M]>,
        permutation: Option<&Permutation>,
    ) -> Result<(), ContainerError> {
        if self.words == 0 {
            return Ok(());
        }
        if self.words != M::WORDS {
            return Err(self.container.error(mismatch(
                "words of learning state",
                self.words,
                M::WORDS,
            )));
        }
        let record = |place: usize| {
            let place = permutation.map_or(place, |permutation| permutation.place(place));
            memory.map(|memory| &memory[place])
        };
        let reset = |places: Range<usize>| places.filter_map(record).for_each(Memory::reset);
        self.pieces.each(&self.container, shape.host, |number, bytes, (): &mut ()| {
            let all = places(number, self.weights);
            let piece = self.piece(number, bytes)?;
            let mut next = all.start;
            for (place, words) in piece.places(all.start).zip(piece.state.chunks(M::WORDS)) {
                reset(next..place);
                for (number, word) in words.iter().enumerate() {
                    let word = u32::from_le_bytes(*word);
                    if !M::allows(word) {
                        return Err(impossible_state(&self.container, shape, place, word));
                    }
                    if let Some(record) = record(place) {
                        record.set_word(number, word);
                    }
                }
                next = place + 1;
            }
            reset(next..all.end);
            Ok(())
        })
    }

    /// Takes a piece apart, and checks that its parts fit together.
    fn piece<'b>(&self, number: usize, bytes: &'b [u8]) -> Result<Piece<'b>, ContainerError> {
        let room = places(number, self.weights).len();
        let piece = Piece::new(bytes, room, self.words);
        piece.ok_or_else(|| {
            let what = format!("piece {number} of its weights is inconsistent");
            self.container.error(Problem::Damaged(what))
        })
    }
}

/// A piece as it is in a file.
struct Piece<'a> {
    groups: &'a [u8],
    masks: &'a [[u8; 8]],
    weights: &'a [[u8; 4]],
    state: &'a [[u8; 4]],
}

impl<'a> Piece<'a> {
    /// Takes a piece of `room` weights apart, if its parts are as long as they should be.
    fn new(bytes: &'a [u8], room: usize, words: usize) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self { groups: &[], masks: &[], weights: &[], state: &[] });
        }
        let (groups, rest) = bytes.split_at_checked(GROUPS)?;
        let count = groups.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
        let (masks, rest) = rest.split_at_checked(8 * count)?;
        let masks = masks.as_chunks::<8>().0;
        let touched = masks.iter().map(|mask| u64::from_le_bytes(*mask).count_ones() as usize);
        let touched = touched.sum::<usize>();
        let (weights, state) = rest.split_at_checked(4 * touched)?;
        let (weights, state) = (weights.as_chunks::<4>().0, state.as_chunks::<4>());
        let piece = Self { groups, masks, weights, state: state.0 };
        let fits = state.1.is_empty()
            && piece.state.len() == words * touched
            && piece.places(0).last().is_none_or(|place| place < room);
        fits.then_some(piece)
    }

    /// Returns the places of the touched weights, if the first of the piece is at `start`.
    fn places(&self, start: usize) -> impl Iterator<Item = usize> {
        let set = |(k, byte): (usize, &u8)| bits((*byte).into()).map(move |bit| 8 * k + bit);
        let groups = self.groups.iter().enumerate().flat_map(set);
        groups.zip(self.masks).flat_map(move |(group, mask)| {
            let first = start + GROUP * group;
            bits(u64::from_le_bytes(*mask)).map(move |bit| first + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learners::tc::TcWideMemory;

    /// Weights and learning state of which some are touched.
    fn touched(count: usize) -> (Vec<Weight>, Vec<TcWideMemory>) {
        let (weights, memory): (Vec<Weight>, Vec<TcWideMemory>) =
            (0..count).map(|_| Default::default()).unzip();
        weights.iter().for_each(|weight| weight.set(7.0));
        for place in (0..count).step_by(97) {
            weights[place].set(place as f32);
        }
        for place in (0..count).step_by(131) {
            memory[place].set_sums(1.0, 2.0);
        }
        (weights, memory)
    }

    #[test]
    fn a_weight_is_stored_if_its_value_or_its_state_is_touched() {
        let count = PIECE + 1000;
        let (weights, memory) = touched(count);
        let initial = 7.0f32.to_bits();
        let all = Touched { weights: &weights, memory: Some(&memory), initial };
        let only = Touched { weights: &weights, memory: None::<&[TcWideMemory]>, initial };
        for number in 0..2 {
            let (mut bytes, mut player) = (Vec::new(), Vec::new());
            all.encode(number, &mut bytes);
            only.encode(number, &mut player);
            assert_eq!((bytes.len(), player.len()), (all.length(number), only.length(number)));
            let places = places(number, count);
            let piece = Piece::new(&bytes, places.len(), 2).unwrap();
            let found: Vec<usize> = piece.places(places.start).collect();
            let is_touched = |place: &usize| place % 97 == 0 || place % 131 == 0;
            assert!(found.iter().copied().eq(places.clone().filter(is_touched)));
            assert_eq!(piece.state.len(), 2 * found.len());
            let player = Piece::new(&player, places.len(), 0).unwrap();
            assert!(player.places(places.start).eq(places.filter(|place| place % 97 == 0)));
            // No part of it is a piece.
            for end in [1, GROUPS, bytes.len() - 1] {
                assert!(Piece::new(&bytes[..end], PIECE, 2).is_none());
            }
        }
    }

    #[test]
    fn untouched_pieces_have_no_bytes() {
        let (weights, memory) = touched(2 * PIECE);
        weights[PIECE..].iter().for_each(|weight| weight.set(7.0));
        memory[PIECE..].iter().for_each(Memory::reset);
        let all = Touched { weights: &weights, memory: Some(&memory), initial: 7.0f32.to_bits() };
        let mut bytes = Vec::new();
        all.encode(1, &mut bytes);
        assert!(bytes.is_empty() && all.length(1) == 0 && all.length(0) > 0);
    }
}
