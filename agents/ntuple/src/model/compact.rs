//! The compact forms: what learning has changed, compressed.
//!
//! The weights are cut into pieces of [`PIECE`]. A piece lists the places of the
//! weights that are not what they all were at first, each by how far it lies from
//! the one before, then their [`Values`]. Each piece is compressed for itself, so
//! that many threads can work on them: the section `pieces` has the length of each
//! (u32), `compact` one after the other.

mod values;

pub use values::Values;

use super::plain::not_finite;
use super::threads::each;
use super::{Shape, header, unfit};
use crate::learner::NtupleNetwork;
use crate::rule::{Rule, Weight};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError, Problem, varint};
use ruzstd::decoding::FrameDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// So many weights are compressed together.
const PIECE: usize = 1 << 18;

/// The most bytes of a piece of so many weights before it is compressed: how many
/// are there, and for each how far it lies from the one before (three bytes) and its
/// value (four, or fewer beside a scale for the first of some).
const fn most(weights: usize) -> usize {
    4 + 8 + (3 + 4) * weights
}

/// Writes a network's changed weights.
pub fn write<R: Rule>(
    network: &NtupleNetwork<R>,
    values: Values,
    out: impl Write,
) -> io::Result<()> {
    let weights = &*network.weights;
    let count = pieces(weights.len());
    let written = Mutex::new(vec![Vec::new(); count]);
    let work = |number: u64, bytes: &mut Vec<u8>| {
        bytes.clear();
        write_piece(&weights[range(weights.len(), number)], network.initial, values, bytes);
        let piece = compress_to_vec(bytes.as_slice(), CompressionLevel::Fastest);
        written.lock().unwrap_or_else(PoisonError::into_inner)[number as usize] = piece;
        Ok::<_, io::Error>(())
    };
    each(&*network.host, count as u64, work)?;
    let written = written.into_inner().unwrap_or_else(PoisonError::into_inner);
    let bytes: usize = written.iter().map(Vec::len).sum();
    let header = header::describe(network, values.name())
        .section("pieces", 4 * count as u64)
        .section("compact", bytes as u64);
    container::write(out, &header, |out| {
        for piece in &written {
            out.write_all(&(piece.len() as u32).to_le_bytes())?;
        }
        written.iter().try_for_each(|piece| out.write_all(piece))
    })
}

fn pieces(weights: usize) -> usize {
    weights.div_ceil(PIECE)
}

/// The places of a piece.
fn range(weights: usize, number: u64) -> Range<usize> {
    let start = number as usize * PIECE;
    start..weights.min(start + PIECE)
}

fn write_piece(weights: &[Weight], initial: f32, values: Values, out: &mut Vec<u8>) {
    let changed = |weight: f32| weight.to_bits() != initial.to_bits();
    let all = weights.iter().map(Weight::get).enumerate();
    let (places, changed): (Vec<usize>, Vec<f32>) = all.filter(|w| changed(w.1)).unzip();
    varint::push(places.len() as u128, out);
    let mut next = 0;
    for place in places {
        varint::push((place - next) as u128, out);
        next = place + 1;
    }
    values.write(&changed, out);
    debug_assert!(out.len() <= most(weights.len()));
}

/// A compact model that is open.
pub struct Compact<S> {
    container: Container<S>,
    values: Values,
    /// What the weights were at first.
    initial: f32,
    weights: usize,
    /// Where each piece lies among the compressed bytes.
    pieces: Vec<Range<usize>>,
    bytes: Vec<u8>,
}

impl<S: ReadAt> Compact<S> {
    /// Reads what is compressed, and where its pieces lie.
    pub fn new(container: Container<S>, values: Values) -> Result<Self, ContainerError> {
        let initial = header::number(&container, "initial")?;
        let weights = header::number(&container, "weights")?;
        let lengths = container.read_section("pieces")?;
        let bytes = container.read_section("compact")?;
        let damaged = |what| Err(container.error(Problem::Damaged(what)));
        if lengths.len() as u128 != 4 * pieces(weights) as u128 {
            return damaged(format!(
                "it lists {} bytes of pieces, and {weights} weights have {} pieces",
                lengths.len(),
                pieces(weights)
            ));
        }
        let (mut pieces, mut end) = (Vec::new(), 0);
        for length in lengths.as_chunks::<4>().0 {
            let start = end;
            end += u64::from(u32::from_le_bytes(*length));
            pieces.push(start as usize..end as usize);
        }
        if end != bytes.len() as u64 {
            let bytes = bytes.len();
            return damaged(format!("its pieces would have {end} bytes, and there are {bytes}"));
        }
        Ok(Self { values, initial, weights, pieces, bytes, container })
    }

    /// The file.
    pub fn container(&self) -> &Container<S> {
        &self.container
    }

    /// Sees to it that it has as many weights as the network.
    pub fn fits(&self, shape: &Shape<'_>) -> Result<(), ContainerError> {
        let expected = shape.lookup.weights();
        match self.weights == expected {
            true => Ok(()),
            false => Err(self.container.error(unfit("number of weights", self.weights, expected))),
        }
    }

    /// Reads every weight, also those that are what they were at first.
    pub fn read_weights(
        &self,
        shape: &Shape<'_>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        each(shape.host, self.pieces.len() as u64, |number, scratch: &mut Scratch| {
            let compressed = &self.bytes[self.pieces[number as usize].clone()];
            let places = range(self.weights, number);
            scratch.read(compressed, places.len(), self.values).map_err(|problem| {
                let piece = format!("piece {number} of its weights {problem}");
                self.container.error(Problem::Damaged(piece))
            })?;
            let mut next = places.start;
            for (&gap, &value) in scratch.gaps.iter().zip(&scratch.values) {
                let place = next + gap;
                if !value.is_finite() {
                    let name = shape.name(place);
                    return Err(not_finite(&self.container, name, value));
                }
                (next..place).for_each(|place| take(place, self.initial));
                take(place, value);
                next = place + 1;
            }
            (next..places.end).for_each(|place| take(place, self.initial));
            Ok(())
        })
    }
}

/// What reading a piece takes, to be used for many.
struct Scratch {
    decoder: FrameDecoder,
    bytes: Vec<u8>,
    gaps: Vec<usize>,
    values: Vec<f32>,
}

impl Default for Scratch {
    fn default() -> Self {
        let mut decoder = FrameDecoder::new();
        // Nothing can be repeated from farther back than the piece is long.
        decoder.set_max_window_size(most(PIECE) as u64);
        Self { decoder, bytes: Vec::new(), gaps: Vec::new(), values: Vec::new() }
    }
}

impl Scratch {
    /// Reads a piece of so many weights: how far each that is there lies from the
    /// one before, and its value. The gaps and the weights between them are no more
    /// than the piece has.
    fn read(&mut self, compressed: &[u8], weights: usize, values: Values) -> Result<(), String> {
        self.bytes.resize(most(weights), 0);
        let decoded = self.decoder.decode_all(compressed, &mut self.bytes);
        let length = decoded.map_err(|error| format!("cannot be decompressed: {error}"))?;
        let bytes = &self.bytes[..length];
        let mut at = 0;
        // What exceeds a place exceeds every piece.
        let mut next = || match varint::read(bytes, &mut at) {
            Ok(number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
            Err(why) => Err(format!("cannot be read: {why}")),
        };
        let count = next()?;
        self.gaps.clear();
        let mut room = weights;
        for _ in 0..count {
            let gap = next()?;
            room = match room.checked_sub(gap.saturating_add(1)) {
                Some(room) => room,
                None => return Err(format!("has a weight beyond its {weights}")),
            };
            self.gaps.push(gap);
        }
        values.read(&bytes[at..], count, &mut self.values)
    }
}
