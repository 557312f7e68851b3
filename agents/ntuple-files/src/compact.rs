//! The compact formats: the weights that training has changed, compressed.
//!
//! Weights are cut into pieces of [`PIECE`]. A piece has the number of its stored
//! weights, then as [`rans`] the distance of each from the one before, as varints, and their values
//! as [`Precision`] says.

use crate::contents::Contents;
use crate::format::Format;
use crate::header;
use crate::history::History;
use crate::pieces::{self, Pieces};
use crate::precision::Precision;
use crate::refused::{mismatch, not_finite};
use crate::steps::Steps;
use agent_ntuple_network::threads::each;
use agent_ntuple_network::{Initial, Memory, Shape, touched};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError, Problem, rans, varint};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

const PIECE: usize = 1 << 18;

const DATA: &str = "coded weights";

/// The fact that is the step of a format that rounds to steps.
const STEP: &str = "step";

pub fn write<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    precision: Precision,
    out: impl Write,
) -> io::Result<()> {
    let weights = contents.weights;
    let count = weights.len().div_ceil(PIECE);
    let steps = match precision {
        Precision::Steps(doublings) => Some(Steps::of(contents, doublings)),
        _ => None,
    };
    let stored = |place: usize| match &steps {
        Some(steps) => steps.change_in_steps(&weights[place], place),
        None => {
            let (weight, initial) = (weights[place].get(), contents.initial.at(place));
            (weight.to_bits() != initial.to_bits()).then_some(weight)
        }
    };
    // The pieces are kept until all have their length: the header needs it.
    let written = Mutex::new(vec![Vec::new(); count]);
    each(contents.shape.host, count as u64, |number, (): &mut ()| {
        let piece = write_piece(range(weights.len(), number as usize), &stored, precision);
        written.lock().unwrap_or_else(PoisonError::into_inner)[number as usize] = piece;
        Ok::<_, io::Error>(())
    })?;
    let written = written.into_inner().unwrap_or_else(PoisonError::into_inner);
    let header = header::describe(contents, history, Format::Compact(precision));
    let header = match &steps {
        Some(steps) => header.with(STEP, steps.step),
        None => header,
    };
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
    places: Range<usize>,
    stored: &impl Fn(usize) -> Option<f32>,
    precision: Precision,
) -> Vec<u8> {
    let (mut gaps, mut values, mut next) = (Vec::new(), Vec::new(), places.start);
    for (place, value) in places.filter_map(|place| Some((place, stored(place)?))) {
        varint::push((place - next) as u128, &mut gaps);
        values.push(value);
        next = place + 1;
    }
    let mut piece = Vec::new();
    varint::push(values.len() as u128, &mut piece);
    rans::push(&gaps, &mut piece);
    precision.write(&values, |stream| rans::push(stream, &mut piece));
    piece
}

pub struct Compact<S> {
    container: Container<S>,
    precision: Precision,
    /// The step, if the values are changes in steps.
    step: Option<f32>,
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
        let step = match precision {
            Precision::Steps(_) => Some(header::number(&container, STEP)?),
            _ => None,
        };
        let pieces = Pieces::open(&container, DATA, weights.div_ceil(PIECE))?;
        Ok(Self { precision, step, initial, weights, pieces, container })
    }

    pub fn container(&self) -> &Container<S> {
        &self.container
    }

    pub fn step(&self) -> Option<f32> {
        self.step.filter(|_| self.initial == 0.0)
    }

    pub fn check(&self, shape: &Shape<'_>) -> Result<(), ContainerError> {
        let needed = shape.lookup.weights();
        match self.weights == needed {
            true => Ok(()),
            false => Err(self.container.error(mismatch("number of weights", self.weights, needed))),
        }
    }

    /// Reads the weights.
    pub fn read_weights(
        &self,
        shape: &Shape<'_>,
        take: &(impl Fn(usize, f32) + Sync),
        untouched: &(impl Fn(Range<usize>, Initial) + Sync),
    ) -> Result<(), ContainerError> {
        let initial = Initial::new(self.initial, shape.inheritance, shape.lookup);
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
                    let value = match self.step {
                        Some(step) => initial.at(place) + step * value,
                        None => value,
                    };
                    if !value.is_finite() {
                        return Err(not_finite(&self.container, shape, place, value));
                    }
                    untouched(next..place, initial);
                    take(place, touched(value));
                    next = place + 1;
                }
                untouched(next..places.end, initial);
                Ok(())
            },
        )
    }
}

#[derive(Default)]
struct Decoder {
    /// The distance of each stored weight from the one before.
    gaps: Vec<usize>,
    values: Vec<f32>,
}

impl Decoder {
    /// Reads a piece of this many weights. The distances add up to no more.
    fn read(&mut self, piece: &[u8], weights: usize, precision: Precision) -> Result<(), String> {
        let mut at = 0;
        let unreadable = |error| format!("cannot be read: {error}");
        let count = varint::read(piece, &mut at).map_err(unreadable)?;
        if count > weights as u128 {
            return Err(format!("has {count} of its {weights} weights"));
        }
        let count = count as usize;
        let mut next = |max: usize| {
            let mut bytes = Vec::new();
            rans::read(piece, &mut at, max, &mut bytes).map(|()| bytes)
        };
        let gaps = next(3 * count)?;
        self.gaps.clear();
        let (mut room, mut at_gap) = (weights, 0);
        for _ in 0..count {
            let gap = varint::read(&gaps, &mut at_gap).map_err(unreadable)?;
            let gap = usize::try_from(gap).unwrap_or(usize::MAX);
            room = match room.checked_sub(gap.saturating_add(1)) {
                Some(room) => room,
                None => return Err(format!("has a weight beyond its {weights}")),
            };
            self.gaps.push(gap);
        }
        precision.read(count, &mut next, &mut self.values)?;
        match piece.len() - at {
            0 => Ok(()),
            more => Err(format!("has {more} bytes too many")),
        }
    }
}
