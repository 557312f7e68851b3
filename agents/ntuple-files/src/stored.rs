//! The formats of this program: containers with the weights that training has changed.
//!
//! A weight is untouched if its bits are those of the initial value, which is in the header, and its
//! learning state, where the format has that, is the fresh one. The others are in pieces: in the formats
//! `checkpoint` and `player` as they are ([`masked`]), in the formats with [steps](crate::steps) as
//! rounded changes ([`groups`]). Several threads read and write pieces at a time.

use crate::contents::{Contents, History};
use crate::entrances::with_entrances;
use crate::format::Format;
use crate::groups;
use crate::header::{self, DIVERGED, mismatch};
use crate::masked::{self, Piece, Touched};
use crate::pieces::{self, Pieces, places};
use crate::state::State;
use crate::steps::Steps;
use agent_ntuple_network::threads::each;
use agent_ntuple_network::{Initial, Memory, Shape, touched};
use runner_core::{Host, locked, unpoisoned};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError};
use std::convert::Infallible;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The sections of the pieces, by their code.
const TOUCHED: &str = "touched weights";
const STEPS: &str = "deflated weights";

const OLD_CODE: &str = "has weights in a code of earlier versions of this program, which this one does \
                        not read: write it again from its checkpoint with `runner model convert`";

/// The fact of how many words of learning state each weight has.
const WORDS: &str = "memory words";

/// The fact that is the smallest step.
const STEP: &str = "step";

/// Each thread encodes this many pieces at a time while touched weights are written; that is all
/// the memory that this needs.
const AT_ONCE: usize = 4;

/// Writes a network. `zero` says of each block of [`BLOCK`](masked::BLOCK) records in memory
/// whether all of them are zero.
pub fn write<M: Memory>(
    contents: &Contents<'_, M>,
    zero: &[bool],
    history: &History,
    format: Format,
    out: impl Write,
) -> io::Result<()> {
    match format {
        Format::Steps(doublings) => write_steps(contents, history, doublings, out),
        _ => write_touched(contents, zero, history, format, out),
    }
}

/// Writes the touched weights: for a checkpoint with their learning state.
fn write_touched<M: Memory>(
    contents: &Contents<'_, M>,
    zero: &[bool],
    history: &History,
    format: Format,
    out: impl Write,
) -> io::Result<()> {
    let &Contents { records, learns, initial, .. } = contents;
    let with_state = learns && format == Format::Checkpoint && M::WORDS > 0;
    let pieces = Touched { records, zero, with_state, initial };
    let host = contents.shape.host;
    let lengths = lengths_of(&pieces, host);
    let mut header = header::describe(contents, history, format);
    if with_state {
        header = header.with("memory", M::NAME).with(WORDS, M::WORDS);
    }
    let (header, list) = pieces::sections(header, TOUCHED, lengths.iter().copied());
    let (name, recent) = history.common.section();
    let header = header.section(name, recent.len() as u64);
    let (header, entrances) = match format {
        Format::Checkpoint => with_entrances(header, history),
        _ => (header, Vec::new()),
    };
    let at_once = AT_ONCE * host.threads().max(1);
    let buffers: Vec<_> = (0..at_once).map(|_| Mutex::new(Vec::new())).collect();
    container::write(out, &header, |out| {
        out.write_all(&list)?;
        for first in (0..lengths.len()).step_by(at_once) {
            let some = first..lengths.len().min(first + at_once);
            each(host, some.len() as u64, |k, (): &mut ()| {
                let piece = some.start + k as usize;
                let mut bytes = locked(&buffers[k as usize]);
                bytes.clear();
                if lengths[piece] > 0 {
                    pieces.encode(piece, &mut bytes);
                }
                if bytes.len() != lengths[piece] {
                    return Err(io::Error::other("the network changed while it was saved"));
                }
                Ok(())
            })?;
            for buffer in &buffers[..some.len()] {
                out.write_all(&locked(buffer))?;
            }
        }
        out.write_all(&recent)?;
        out.write_all(&entrances)
    })
}

fn lengths_of<M: Memory>(pieces: &Touched<'_, M>, host: &dyn Host) -> Vec<usize> {
    let count = pieces.records.len().div_ceil(masked::PIECE);
    let lengths: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
    let Ok(()) = each(host, count as u64, |piece, (): &mut ()| {
        lengths[piece as usize].store(pieces.length(piece as usize), Relaxed);
        Ok::<_, Infallible>(())
    });
    lengths.into_iter().map(AtomicUsize::into_inner).collect()
}

/// Writes changes of weights as multiples of a step that is doubled at most this number of times.
fn write_steps<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    doublings: u32,
    out: impl Write,
) -> io::Result<()> {
    let steps = Steps::of(contents, doublings);
    let (host, weights) = (contents.shape.host, contents.records.len());
    let count = weights.div_ceil(groups::PIECE);
    let pieces = Mutex::new(vec![Vec::new(); count]);
    each(host, count as u64, |piece, (): &mut ()| {
        let groups = steps.groups(places(piece as usize, groups::PIECE, weights));
        // A piece without stored weights has no bytes.
        if !groups.is_empty() {
            let bytes = groups::encode(&groups);
            locked(&pieces)[piece as usize] = bytes;
        }
        Ok::<_, io::Error>(())
    })?;
    let pieces = unpoisoned(pieces.into_inner());
    let header =
        header::describe(contents, history, Format::Steps(doublings)).with(STEP, steps.step);
    let (header, list) = pieces::sections(header, STEPS, pieces.iter().map(Vec::len));
    let (name, recent) = history.common.section();
    let header = header.section(name, recent.len() as u64);
    container::write(out, &header, |out| {
        out.write_all(&list)?;
        pieces.iter().try_for_each(|piece| out.write_all(piece))?;
        out.write_all(&recent)
    })
}

/// An open model, whose header and list of pieces were read.
pub struct Stored<S> {
    container: Container<S>,
    code: Code,
    pieces: Pieces,
    /// Initial value of the weights that are not promoted.
    initial: f32,
    weights: usize,
}

enum Code {
    /// Weights as they are, each with this many words of learning state.
    Touched { words: usize },
    /// Changes as multiples of this step.
    Steps(f32),
}

impl<S: ReadAt> Stored<S> {
    /// Reads where the pieces are. Their number is checked against the length of their
    /// list before memory is allocated.
    pub fn new(container: Container<S>) -> Result<Self, ContainerError> {
        let (code, section, size) = match header::format(&container)? {
            Format::Steps(_) => {
                if container.find(STEPS).is_err() {
                    return Err(container.unsuitable(OLD_CODE));
                }
                (Code::Steps(step(&container)?), STEPS, groups::PIECE)
            }
            _ => {
                let words: u8 = match container.header().fact(WORDS) {
                    None => 0,
                    Some(_) => header::number(&container, WORDS)?,
                };
                (Code::Touched { words: words.into() }, TOUCHED, masked::PIECE)
            }
        };
        let initial = header::initial(&container)?;
        let weights: usize = header::number(&container, "weights")?;
        let pieces = Pieces::open(&container, section, weights.div_ceil(size))?;
        Ok(Self { container, code, pieces, initial, weights })
    }

    pub fn container(&self) -> &Container<S> {
        &self.container
    }

    /// Returns the step of which all changes of weights from this initial value are multiples, if
    /// there is one.
    pub fn step(&self, initial: f32) -> Option<f32> {
        match self.code {
            Code::Steps(step) if self.initial == initial => Some(step),
            _ => None,
        }
    }

    fn words(&self) -> usize {
        match self.code {
            Code::Touched { words } => words,
            Code::Steps(_) => 0,
        }
    }

    /// Checks that the model is of this game and network and has as many weights as its stages need;
    /// and, if a kind of learning state is given, that its own is of that kind if it has any. A model of
    /// the network's `leading` stages alone may do.
    pub fn check(
        &self,
        shape: &Shape<'_>,
        memory: Option<&str>,
        leading: bool,
    ) -> Result<(), ContainerError> {
        let leading = leading && matches!(self.code, Code::Touched { .. });
        header::check(&self.container, shape, leading)?;
        let needed = header::weights(&self.container, shape);
        if self.weights != needed {
            return Err(self.container.error(mismatch("number of weights", self.weights, needed)));
        }
        let theirs = self.container.header().fact("memory").unwrap_or("nothing");
        match memory {
            Some(ours) if theirs != ours && self.words() > 0 => {
                Err(self.container.error(mismatch("learning state", theirs, ours)))
            }
            _ => Ok(()),
        }
    }

    /// Reads the weights and their learning state, as [`Model::read`](crate::Model::read) does. Those
    /// of stages that the model lacks are untouched.
    pub fn read<M: Memory>(
        &self,
        shape: &Shape<'_>,
        state: State<'_, M>,
        take: &(impl Fn(usize, f32) + Sync),
        untouched: &(impl Fn(Range<usize>, Initial) + Sync),
    ) -> Result<(), ContainerError> {
        let count = self.words();
        if count > 0 && !state.is_ignored() && count != M::WORDS {
            return Err(self.container.error(mismatch("words of learning state", count, M::WORDS)));
        }
        let initial = Initial::new(self.initial, shape.inheritance, shape.lookup);
        let skip = |places: Range<usize>| {
            state.reset(places.clone());
            untouched(places, initial);
        };
        skip(self.weights..shape.lookup.weights());
        self.pieces.each(
            &self.container,
            shape.host,
            |piece, bytes, weights: &mut Vec<(usize, f32)>| {
                let (all, words) = self.decode(piece, bytes, initial, weights)?;
                let mut next = all.start;
                for (number, &(place, weight)) in weights.iter().enumerate() {
                    if !weight.is_finite() {
                        let name = shape.name(place);
                        let what = format!("{name} is {weight}, not a finite number");
                        return Err(self.container.damaged(what));
                    }
                    skip(next..place);
                    take(place, weight);
                    state.set(place, &words[number * count..][..count]).map_err(|word| {
                        let name = shape.name(place);
                        let what = format!("the learning state of {name} is invalid: {word:#010x}");
                        self.container.damaged(what)
                    })?;
                    next = place + 1;
                }
                skip(next..all.end);
                Ok(())
            },
        )
    }

    /// Reads places and values of the touched weights of a piece, and returns all its places, and the
    /// words of learning state of the touched weights.
    fn decode<'b>(
        &self,
        piece: usize,
        bytes: &'b [u8],
        initial: Initial,
        weights: &mut Vec<(usize, f32)>,
    ) -> Result<(Range<usize>, &'b [[u8; 4]]), ContainerError> {
        weights.clear();
        let damaged = |what| self.container.damaged(format!("piece {piece} of its weights {what}"));
        match self.code {
            Code::Touched { words } => {
                let all = places(piece, masked::PIECE, self.weights);
                let Some(stored) = Piece::new(bytes, all.len(), words) else {
                    return Err(damaged("is inconsistent"));
                };
                let values = stored.weights.iter().map(|weight| f32::from_le_bytes(*weight));
                weights.extend(stored.places(all.start).zip(values));
                Ok((all, stored.state))
            }
            Code::Steps(step) => {
                let all = places(piece, groups::PIECE, self.weights);
                if !bytes.is_empty() {
                    let stored = |place, steps| {
                        let place = all.start + place;
                        weights.push((place, touched(initial.at(place) + step * steps as f32)));
                    };
                    groups::decode(bytes, all.len(), stored)
                        .ok_or_else(|| damaged("cannot be decoded"))?;
                }
                Ok((all, &[]))
            }
        }
    }
}

fn step<S: ReadAt>(container: &Container<S>) -> Result<f32, ContainerError> {
    let step: f32 = header::number(container, STEP)?;
    if !(f32::MIN_POSITIVE..=DIVERGED).contains(&step) {
        return Err(container.damaged(format!("its step is {step:e}")));
    }
    Ok(step)
}
