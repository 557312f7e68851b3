//! The forms `checkpoint` and `player`: every weight as it is.

use super::ascending::Moved;
use super::threads::each;
use super::{Shape, header, unfit};
use crate::learner::NtupleNetwork;
use crate::rule::{Memory, Rule};
use runner_files::container::{self, BLOCK, ReadAt};
use runner_files::{Container, ContainerError, Problem};
use std::io::{self, Write};

/// Numbers are written so many at a time.
const CHUNK: usize = 1 << 14;

/// Writes the weights, and what the rule remembers if that is given.
pub fn write<R: Rule>(
    network: &NtupleNetwork<R>,
    memory: Option<&[R::Memory]>,
    form: &str,
    out: impl Write,
) -> io::Result<()> {
    let words = R::Memory::WORDS;
    let memory = memory.filter(|_| words > 0);
    let count = network.weights.len() as u64;
    let mut header = header::describe(network, form).section("weights", 4 * count);
    if memory.is_some() {
        header = header.with("memory", R::MEMORY).section("memory", 4 * count * words as u64);
    }
    container::write(out, &header, |out| {
        write_words(out, network.weights.iter().map(|weight| weight.get().to_bits()))?;
        let memory = memory.unwrap_or_default();
        write_words(out, memory.iter().flat_map(|m| (0..words).map(|k| m.word(k))))
    })
}

fn write_words(out: &mut impl Write, words: impl Iterator<Item = u32>) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 * CHUNK);
    for word in words {
        bytes.extend(word.to_le_bytes());
        if bytes.len() == 4 * CHUNK {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    out.write_all(&bytes)
}

/// Sees to it that a model has as many weights as the network, and memories of the
/// kind that is asked for, if there are any.
pub fn fits<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
    memory: Option<&str>,
) -> Result<(), ContainerError> {
    let (_, found) = container.find("weights")?;
    let expected = 4 * shape.lookup.weights() as u64;
    if found != expected {
        return Err(container.error(unfit("size of `weights`", found, expected)));
    }
    let theirs = container.header().fact("memory").unwrap_or("nothing");
    match memory {
        Some(ours) if theirs != ours && container.find("memory").is_ok() => {
            Err(container.error(unfit("memory of errors", theirs, ours)))
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
    read_words(container, "weights", shape, |place, word| {
        let weight = f32::from_bits(word);
        take(place, weight);
        weight.is_finite()
    })
    .map_err(|error| match error {
        ReadError::File(error) => error,
        ReadError::Word(place, word) => {
            not_finite(container, shape.name(place), f32::from_bits(word))
        }
    })
}

/// A weight that no training makes.
pub fn not_finite<S: ReadAt>(container: &Container<S>, name: String, value: f32) -> ContainerError {
    container.error(Problem::Damaged(format!("{name} is {value}, which is no weight")))
}

/// Reads what the rule remembers, if the model has it, and sets it where there is
/// something to be set, which may have `moved`.
pub fn read_memory<S: ReadAt, M: Memory>(
    container: &Container<S>,
    shape: &Shape<'_>,
    memory: Option<&[M]>,
    moved: Option<&Moved>,
) -> Result<(), ContainerError> {
    let Ok((_, found)) = container.find("memory") else { return Ok(()) };
    let expected = 4 * (shape.lookup.weights() * M::WORDS) as u64;
    if found != expected {
        return Err(container.error(unfit("size of `memory`", found, expected)));
    }
    read_words(container, "memory", shape, |at, word| {
        if let Some(memory) = memory {
            let place = at / M::WORDS;
            let place = moved.map_or(place, |moved| moved.place(place));
            memory[place].set_word(at % M::WORDS, word);
        }
        M::allows(word)
    })
    .map_err(|error| match error {
        ReadError::File(error) => error,
        ReadError::Word(at, word) => container.error(Problem::Damaged(format!(
            "what is remembered of {} cannot be: {word:#010x}",
            shape.name(at / M::WORDS)
        ))),
    })
}

/// Holds what the rule remembers against its checksums.
pub fn verify_memory<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
) -> Result<(), ContainerError> {
    let Ok((section, _)) = container.find("memory") else { return Ok(()) };
    each(shape.host, container.blocks(section), |block, buffer| {
        container.read_block(section, block, buffer).map(|_| ())
    })
}

/// Why words could not be read.
enum ReadError {
    File(ContainerError),
    /// This one, here, is not allowed.
    Word(usize, u32),
}

/// Reads the words of a section; `take` says whether one is allowed.
fn read_words<S: ReadAt>(
    container: &Container<S>,
    section: &str,
    shape: &Shape<'_>,
    take: impl Fn(usize, u32) -> bool + Sync,
) -> Result<(), ReadError> {
    let (section, _) = container.find(section).map_err(ReadError::File)?;
    each(shape.host, container.blocks(section), |block, buffer| {
        let first = block as usize * (BLOCK / 4);
        let bytes = container.read_block(section, block, buffer).map_err(ReadError::File)?;
        for (k, bytes) in bytes.as_chunks::<4>().0.iter().enumerate() {
            let word = u32::from_le_bytes(*bytes);
            if !take(first + k, word) {
                return Err(ReadError::Word(first + k, word));
            }
        }
        Ok(())
    })
}
