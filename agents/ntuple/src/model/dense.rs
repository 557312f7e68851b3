//! The formats `checkpoint` and `player` of older files: all weights in the section
//! `weights` (f32), and the learning state of all in `memory`. They are still read.

use super::cell_order::Permutation;
use super::shape::{Shape, impossible_state, mismatch, not_finite};
use crate::rule::Memory;
use crate::threads::each;
use runner_files::container::{BLOCK, ReadAt};
use runner_files::{Container, ContainerError};

/// The section of weights.
pub const WEIGHTS: &str = "weights";

/// The section of learning state.
const MEMORY: &str = "memory";

/// Checks that a model has as many weights as the network and, if a kind of learning
/// state is given, that its own is of that kind if it has any.
pub fn check<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
    memory: Option<&str>,
) -> Result<(), ContainerError> {
    let (_, found) = container.find(WEIGHTS)?;
    let needed = 4 * shape.lookup.weights() as u64;
    if found != needed {
        return Err(container.error(mismatch("size of `weights`", found, needed)));
    }
    let theirs = container.header().fact("memory").unwrap_or("nothing");
    match memory {
        Some(ours) if theirs != ours && has_memory(container) => {
            Err(container.error(mismatch("learning state", theirs, ours)))
        }
        _ => Ok(()),
    }
}

/// Reads every weight.
pub fn read_weights<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
    take: &(impl Fn(usize, f32) + Sync),
) -> Result<(), ContainerError> {
    read_words(container, WEIGHTS, shape, |place, word| {
        let weight = f32::from_bits(word);
        if !weight.is_finite() {
            return Err(not_finite(container, shape, place, weight));
        }
        take(place, weight);
        Ok(())
    })
}

/// Returns true if the model has learning state.
pub fn has_memory<S: ReadAt>(container: &Container<S>) -> bool {
    container.find(MEMORY).is_ok()
}

/// Reads the learning state, if the model has any, and sets `memory` if it is given; a
/// permutation says where each weight belongs.
pub fn read_memory<S: ReadAt, M: Memory>(
    container: &Container<S>,
    shape: &Shape<'_>,
    memory: Option<&[M]>,
    permutation: Option<&Permutation>,
) -> Result<(), ContainerError> {
    let Ok((_, found)) = container.find(MEMORY) else { return Ok(()) };
    let needed = 4 * (shape.lookup.weights() * M::WORDS) as u64;
    if found != needed {
        return Err(container.error(mismatch("size of `memory`", found, needed)));
    }
    read_words(container, MEMORY, shape, |at, word| {
        let (place, number) = (at / M::WORDS, at % M::WORDS);
        if !M::allows(word) {
            return Err(impossible_state(container, shape, place, word));
        }
        if let Some(memory) = memory {
            let place = permutation.map_or(place, |permutation| permutation.place(place));
            // Untouched memory stays unused.
            if memory[place].word(number) != word {
                memory[place].set_word(number, word);
            }
        }
        Ok(())
    })
}

/// Checks the learning state against its checksums.
pub fn verify_memory<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
) -> Result<(), ContainerError> {
    let Ok((section, _)) = container.find(MEMORY) else { return Ok(()) };
    each(shape.host, container.blocks(section), |block, buffer| {
        container.read_block(section, block, buffer).map(|_| ())
    })
}

/// Calls `take` with the index and the value of every word of a section.
fn read_words<S: ReadAt>(
    container: &Container<S>,
    section: &str,
    shape: &Shape<'_>,
    take: impl Fn(usize, u32) -> Result<(), ContainerError> + Sync,
) -> Result<(), ContainerError> {
    let (section, _) = container.find(section)?;
    each(shape.host, container.blocks(section), |block, buffer| {
        let first = block as usize * (BLOCK / 4);
        let bytes = container.read_block(section, block, buffer)?;
        let words = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        words.enumerate().try_for_each(|(k, word)| take(first + k, word))
    })
}
