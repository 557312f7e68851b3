//! The formats `checkpoint` and `player`: the weights that training has touched.
//!
//! A weight is untouched if its bits are those of the initial value, which is in the
//! header, and its learning state, where the format has that, is the fresh one. Weights
//! are cut into pieces, see [`piece`].

mod piece;

use crate::contents::Contents;
use crate::entrances::with_entrances;
use crate::format::Format;
use crate::header;
use crate::history::History;
use crate::pieces::{self, Pieces};
use crate::refused::{impossible_state, mismatch, not_finite};
use agent_ntuple_network::threads::each;
use agent_ntuple_network::{Initial, Memory, Shape};
use piece::{PIECE, Piece, Touched, places};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError, Problem};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

const DATA: &str = "touched weights";

/// The fact of how many words of learning state each weight has.
const WORDS: &str = "memory words";

/// Each thread encodes this many pieces at a time while a network is written; that is all
/// the memory that writing needs.
const AT_ONCE: usize = 4;

/// Writes a network: for a checkpoint with its learning state.
pub fn write<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    format: Format,
    out: impl Write,
) -> io::Result<()> {
    let memory = contents.memory.filter(|_| format == Format::Checkpoint && M::WORDS > 0);
    let pieces = Touched { weights: contents.weights, memory, initial: contents.initial };
    let host = contents.shape.host;
    let count = contents.weights.len().div_ceil(PIECE);
    let lengths: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
    each(host, count as u64, |piece, (): &mut ()| {
        lengths[piece as usize].store(pieces.length(piece as usize), Relaxed);
        Ok::<_, io::Error>(())
    })?;
    let header = header::describe(contents, history, format);
    let header = match memory {
        Some(_) => header.with("memory", M::NAME).with(WORDS, M::WORDS),
        None => header,
    };
    let all = lengths.iter().map(|length| length.load(Relaxed));
    let (header, list) = pieces::sections(header, DATA, all);
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
        for first in (0..count).step_by(at_once) {
            let some = first..count.min(first + at_once);
            each(host, some.len() as u64, |k, (): &mut ()| {
                let piece = some.start + k as usize;
                let mut bytes = buffers[k as usize].lock().unwrap_or_else(PoisonError::into_inner);
                bytes.clear();
                let length = lengths[piece].load(Relaxed);
                if length > 0 {
                    pieces.encode(piece, &mut bytes);
                }
                match bytes.len() == length {
                    true => Ok(()),
                    false => Err(io::Error::other("the network changed while it was saved")),
                }
            })?;
            for buffer in &buffers[..some.len()] {
                out.write_all(&buffer.lock().unwrap_or_else(PoisonError::into_inner))?;
            }
        }
        out.write_all(&recent)?;
        out.write_all(&entrances)
    })
}

pub struct Sparse<S> {
    container: Container<S>,
    pieces: Pieces,
    /// Initial value of the weights that are not promoted.
    initial: f32,
    weights: usize,
    words: usize,
}

impl<S: ReadAt> Sparse<S> {
    /// Reads where the pieces are. Their number is checked against the length of their
    /// list before memory is allocated.
    pub fn new(container: Container<S>) -> Result<Self, ContainerError> {
        let initial = header::initial(&container)?;
        let weights: usize = header::number(&container, "weights")?;
        let words: u8 = match container.header().fact(WORDS) {
            None => 0,
            Some(_) => header::number(&container, WORDS)?,
        };
        let pieces = Pieces::open(&container, DATA, weights.div_ceil(PIECE))?;
        Ok(Self { container, pieces, initial, weights, words: words.into() })
    }

    pub fn container(&self) -> &Container<S> {
        &self.container
    }

    /// Checks that the model has as many weights as its stages need and, if a kind of
    /// learning state is given, that its own is of that kind if it has any.
    pub fn check(&self, shape: &Shape<'_>, memory: Option<&str>) -> Result<(), ContainerError> {
        let needed = header::weights(&self.container, shape);
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

    /// Reads the weights. Those of stages that the model lacks are untouched.
    pub fn read_weights(
        &self,
        shape: &Shape<'_>,
        take: &(impl Fn(usize, f32) + Sync),
        untouched: &(impl Fn(Range<usize>, Initial) + Sync),
    ) -> Result<(), ContainerError> {
        let initial = Initial::new(self.initial, shape.inheritance, shape.lookup);
        untouched(self.weights..shape.lookup.weights(), initial);
        self.pieces.each(&self.container, shape.host, |number, bytes, (): &mut ()| {
            let all = places(number, self.weights);
            let piece = self.piece(number, bytes)?;
            let mut next = all.start;
            for (place, weight) in piece.places(all.start).zip(piece.weights) {
                let weight = f32::from_le_bytes(*weight);
                if !weight.is_finite() {
                    return Err(not_finite(&self.container, shape, place, weight));
                }
                untouched(next..place, initial);
                take(place, weight);
                next = place + 1;
            }
            untouched(next..all.end, initial);
            Ok(())
        })
    }

    pub fn has_memory(&self) -> bool {
        self.words > 0
    }

    /// Reads the learning state, if the model has any, and sets `memory` if it is given: of each weight that
    /// at the place that `place_in` returns.
    pub fn read_memory<M: Memory>(
        &self,
        shape: &Shape<'_>,
        memory: Option<&[M]>,
        place_in: &(impl Fn(usize) -> usize + Sync),
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
        let record = |place: usize| memory.map(|memory| &memory[place_in(place)]);
        let reset = |places: Range<usize>| places.filter_map(record).for_each(Memory::reset);
        reset(self.weights..shape.lookup.weights());
        self.pieces.each(&self.container, shape.host, |number, bytes, (): &mut ()| {
            let all = places(number, self.weights);
            let piece = self.piece(number, bytes)?;
            let mut next = all.start;
            for (place, words) in piece.places(all.start).zip(piece.state.chunks(M::WORDS)) {
                reset(next..place);
                for (number, word) in words.iter().enumerate() {
                    let word = u32::from_le_bytes(*word);
                    if !M::allows(word) {
                        return Err(impossible_state(
                            &self.container,
                            shape,
                            place_in(place),
                            word,
                        ));
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
