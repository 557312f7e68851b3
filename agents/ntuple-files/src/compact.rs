//! The compact formats: the weights that training has changed, compressed.
//!
//! Weights are cut into pieces of [`PIECE`]. A piece has the number of its changed
//! weights, the distance of each from the one before, both as varints, and their values
//! as [`Precision`] says. Each piece is compressed as a separate Zstandard frame.

use crate::contents::Contents;
use crate::format::Format;
use crate::header;
use crate::history::History;
use crate::pieces::{self, Pieces};
use crate::precision::Precision;
use crate::refused::{mismatch, not_finite};
use agent_ntuple_network::threads::each;
use agent_ntuple_network::{Initial, Memory, Shape, Weight, touched};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError, Problem, varint};
use ruzstd::decoding::FrameDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

const PIECE: usize = 1 << 18;

const DATA: &str = "compact";

/// Returns the maximum length in bytes of a piece of this many weights before it is
/// compressed: for each a distance (three bytes) and a value (four, or fewer beside a
/// scale for the first of a block).
const fn max_bytes(weights: usize) -> usize {
    4 + 8 + (3 + 4) * weights
}

pub fn write<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    precision: Precision,
    out: impl Write,
) -> io::Result<()> {
    let weights = contents.weights;
    let count = weights.len().div_ceil(PIECE);
    // The compressed pieces are kept until all have their length: the header needs it.
    let written = Mutex::new(vec![Vec::new(); count]);
    each(contents.shape.host, count as u64, |number, bytes: &mut Vec<u8>| {
        bytes.clear();
        let places = range(weights.len(), number as usize);
        let initial = |place| contents.initial.at(places.start + place);
        write_piece(&weights[places.clone()], initial, precision, bytes);
        let piece = compress_to_vec(bytes.as_slice(), CompressionLevel::Fastest);
        written.lock().unwrap_or_else(PoisonError::into_inner)[number as usize] = piece;
        Ok::<_, io::Error>(())
    })?;
    let written = written.into_inner().unwrap_or_else(PoisonError::into_inner);
    let header = header::describe(contents, history, Format::Compact(precision));
    let (header, list) = pieces::sections(header, DATA, written.iter().map(Vec::len));
    let (name, recent) = history.common.section();
    let header = header.section(name, recent.len() as u64);
    container::write(out, &header, |out| {
        out.write_all(&list)?;
        written.iter().try_for_each(|piece| out.write_all(piece))?;
        out.write_all(&recent)
    })
}

fn range(weights: usize, number: usize) -> Range<usize> {
    let start = number * PIECE;
    start..weights.min(start + PIECE)
}

fn write_piece(
    weights: &[Weight],
    initial: impl Fn(usize) -> f32,
    precision: Precision,
    out: &mut Vec<u8>,
) {
    let is_changed = |(place, weight): &(usize, f32)| weight.to_bits() != initial(*place).to_bits();
    let all = weights.iter().map(Weight::get).enumerate();
    let (places, changed): (Vec<usize>, Vec<f32>) = all.filter(is_changed).unzip();
    varint::push(places.len() as u128, out);
    let mut next = 0;
    for place in places {
        varint::push((place - next) as u128, out);
        next = place + 1;
    }
    precision.write(&changed, out);
    debug_assert!(out.len() <= max_bytes(weights.len()));
}

pub struct Compact<S> {
    container: Container<S>,
    precision: Precision,
    /// Initial value of the weights that are not promoted.
    initial: f32,
    weights: usize,
    pieces: Pieces,
}

impl<S: ReadAt> Compact<S> {
    /// Reads where the pieces are. Their number is checked against the length of their
    /// list before memory is allocated.
    pub fn new(container: Container<S>, precision: Precision) -> Result<Self, ContainerError> {
        let initial = header::initial(&container)?;
        let weights: usize = header::number(&container, "weights")?;
        let pieces = Pieces::open(&container, DATA, weights.div_ceil(PIECE))?;
        Ok(Self { precision, initial, weights, pieces, container })
    }

    pub fn container(&self) -> &Container<S> {
        &self.container
    }

    pub fn check(&self, shape: &Shape<'_>) -> Result<(), ContainerError> {
        let needed = shape.lookup.weights();
        match self.weights == needed {
            true => Ok(()),
            false => Err(self.container.error(mismatch("number of weights", self.weights, needed))),
        }
    }

    /// Reads every weight, also the unchanged ones.
    pub fn read_weights(
        &self,
        shape: &Shape<'_>,
        untouched: Option<Initial>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        let ours = Initial::new(self.initial, shape.inheritance, shape.lookup);
        let initial = untouched.unwrap_or(ours);
        self.pieces.each(
            &self.container,
            shape.host,
            |number, compressed, decoder: &mut Decoder| {
                let places = range(self.weights, number);
                decoder.read(compressed, places.len(), self.precision).map_err(|problem| {
                    let piece = format!("piece {number} of its weights {problem}");
                    self.container.error(Problem::Damaged(piece))
                })?;
                let mut next = places.start;
                for (&gap, &value) in decoder.gaps.iter().zip(&decoder.values) {
                    let place = next + gap;
                    if !value.is_finite() {
                        return Err(not_finite(&self.container, shape, place, value));
                    }
                    (next..place).for_each(|place| take(place, initial.at(place)));
                    take(place, touched(value));
                    next = place + 1;
                }
                (next..places.end).for_each(|place| take(place, initial.at(place)));
                Ok(())
            },
        )
    }
}

struct Decoder {
    frames: FrameDecoder,
    bytes: Vec<u8>,
    /// The distance of each changed weight from the one before.
    gaps: Vec<usize>,
    values: Vec<f32>,
}

impl Default for Decoder {
    fn default() -> Self {
        let mut frames = FrameDecoder::new();
        // A match cannot be further back than the piece is long.
        frames.set_max_window_size(max_bytes(PIECE) as u64);
        Self { frames, bytes: Vec::new(), gaps: Vec::new(), values: Vec::new() }
    }
}

impl Decoder {
    /// Reads a piece of this many weights. The distances add up to no more.
    fn read(
        &mut self,
        compressed: &[u8],
        weights: usize,
        precision: Precision,
    ) -> Result<(), String> {
        self.bytes.resize(max_bytes(weights), 0);
        let decoded = self.frames.decode_all(compressed, &mut self.bytes);
        let length = decoded.map_err(|error| format!("cannot be decompressed: {error}"))?;
        let bytes = &self.bytes[..length];
        let mut at = 0;
        // A number that exceeds `usize` exceeds every piece.
        let mut next = || match varint::read(bytes, &mut at) {
            Ok(number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
            Err(error) => Err(format!("cannot be read: {error}")),
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
        precision.read(&bytes[at..], count, &mut self.values)
    }
}
