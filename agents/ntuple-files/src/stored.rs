//! The formats of this program: containers with the weights that training has changed.
//!
//! A weight is *untouched* if its bits are those of the initial value, which is in the header, and
//! its learning state, if the format has it, is that of a weight that was never updated. Touched
//! weights are stored in pieces of many consecutive places: in the formats `checkpoint` and
//! `player` as they are ([`masked`]), in the formats with [steps](crate::steps) as rounded changes
//! ([`groups`]). Several threads read and write pieces at a time.

use crate::contents::{Contents, History};
use crate::entrances::with_entrances;
use crate::format::Format;
use crate::groups;
use crate::header::{self, MAX_WEIGHT, mismatch};
use crate::masked::{self, Piece, Touched};
use crate::open::Purpose;
use crate::pieces::{self, Pieces, places};
use crate::state::State;
use crate::steps::Steps;
use agent_ntuple_network::threads::{each, map};
use agent_ntuple_network::{Initial, Memory, Shape, touched};
use runner_core::{Host, locked};
use runner_files::container::{self, ReadAt};
use runner_files::{Container, ContainerError};
use std::convert::Infallible;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Mutex;

/// The sections of the pieces in the formats without and with steps.
const TOUCHED: &str = "touched weights";
const STEPS: &str = "deflated weights";

const OLD_CODE: &str = "has weights in a code of earlier versions of this program, which this one does \
                        not read: write it again from its checkpoint with `runner model convert`";

/// The fact with the number of words of learning state that each weight has.
const WORDS: &str = "memory words";

/// The fact with the smallest step.
const STEP: &str = "step";

/// Number of pieces for each thread that are encoded before they are written, to limit the memory.
const AT_ONCE: usize = 4;

/// Writes the touched weights, in a checkpoint with their learning state. `zero` is that of
/// [`Touched`].
pub fn write_touched<M: Memory>(
    contents: &Contents<'_, M>,
    zero: &[bool],
    history: &History,
    format: Format,
    out: impl Write,
) -> io::Result<()> {
    let &Contents { records, initial, .. } = contents;
    let with_state = format == Format::Checkpoint && M::WORDS > 0;
    let pieces = Touched { records, zero, with_state, initial };
    let host = contents.shape.host;
    // The header needs the length of each piece in bytes before pieces are encoded.
    let count = records.len().div_ceil(masked::PIECE);
    let Ok(lengths) = map(host, count, |piece| Ok::<_, Infallible>(pieces.length(piece)));
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
    // The order of the sections is that of the header.
    container::write(out, &header, |out| {
        out.write_all(&list)?;
        write_pieces(&pieces, &lengths, host, out)?;
        out.write_all(&recent)?;
        out.write_all(&entrances)
    })
}

fn write_pieces<M: Memory>(
    pieces: &Touched<'_, M>,
    lengths: &[usize],
    host: &dyn Host,
    out: &mut impl Write,
) -> io::Result<()> {
    let at_once = AT_ONCE * host.threads().max(1);
    let buffers: Vec<_> = (0..at_once).map(|_| Mutex::new(Vec::new())).collect();
    for first in (0..lengths.len()).step_by(at_once) {
        let count = at_once.min(lengths.len() - first);
        each(host, count, |k, (): &mut ()| {
            let piece = first + k;
            let mut bytes = locked(&buffers[k]);
            bytes.clear();
            if lengths[piece] > 0 {
                pieces.encode(piece, &mut bytes);
            }
            if bytes.len() != lengths[piece] {
                return Err(io::Error::other("the network changed while it was saved"));
            }
            Ok(())
        })?;
        for buffer in &buffers[..count] {
            out.write_all(&locked(buffer))?;
        }
    }
    Ok(())
}

/// Writes changes of weights as multiples of a step that is doubled at most `doublings` times.
pub fn write_steps<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    doublings: u32,
    out: impl Write,
) -> io::Result<()> {
    let steps = Steps::of(contents, doublings);
    let weights = contents.records.len();
    let count = weights.div_ceil(groups::PIECE);
    let Ok(pieces) = map(contents.shape.host, count, |piece| {
        let groups = steps.groups(places(piece, groups::PIECE, weights));
        // A piece without stored weights has no bytes.
        let bytes = if groups.is_empty() { Vec::new() } else { groups::encode(&groups) };
        Ok::<_, Infallible>(bytes)
    });
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
    pub container: Container<S>,
    code: Code,
    pieces: Pieces,
    /// Initial value of the weights that are not promoted.
    initial: f32,
    weights: usize,
}

/// How the weights of a piece are encoded.
enum Code {
    /// As they are, each with this number of words of learning state.
    Touched { words: usize },
    /// As changes that are multiples of this step.
    Steps(f32),
}

/// A piece but its weights.
struct Decoded<'b> {
    /// The places of all its weights.
    places: Range<usize>,
    /// The words of learning state of the touched weights.
    state: &'b [[u8; 4]],
}

impl<S: ReadAt> Stored<S> {
    /// Reads where the pieces are. [`Pieces::open`] checks their number before it allocates memory.
    pub fn new(container: Container<S>) -> Result<Self, ContainerError> {
        let (code, section, piece_size) = match header::format(&container)? {
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
        let pieces = Pieces::open(&container, section, weights.div_ceil(piece_size))?;
        Ok(Self { container, code, pieces, initial, weights })
    }

    /// As [`Model::step`](crate::Model::step).
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

    /// As [`Model::check`](crate::Model::check).
    pub fn check(&self, shape: &Shape<'_>, purpose: Purpose) -> Result<(), ContainerError> {
        // A model with steps needs all stages.
        let may_lack_stages = matches!(self.code, Code::Touched { .. })
            && matches!(purpose, Purpose::Training { may_lack_stages: true, .. });
        header::check(&self.container, shape, may_lack_stages)?;
        let needed = header::weights(&self.container, shape);
        if self.weights != needed {
            return Err(self.container.error(mismatch("number of weights", self.weights, needed)));
        }
        let found = self.container.header().fact("memory").unwrap_or("nothing");
        match purpose {
            Purpose::Training { memory, .. } if found != memory && self.words() > 0 => {
                Err(self.container.error(mismatch("learning state", found, memory)))
            }
            _ => Ok(()),
        }
    }

    /// Reads the weights and their learning state, as [`Model::read`](crate::Model::read) does.
    /// Those of stages that the model lacks are untouched.
    pub fn read<M: Memory>(
        &self,
        shape: &Shape<'_>,
        state: &State<'_, M>,
        take: &(impl Fn(usize, f32) + Sync),
        untouched: &(impl Fn(Range<usize>, Initial) + Sync),
    ) -> Result<(), ContainerError> {
        let words = self.words();
        if words > 0 && !state.is_ignored() && words != M::WORDS {
            return Err(self.container.error(mismatch("words of learning state", words, M::WORDS)));
        }
        let initial = Initial::new(self.initial, shape.inheritance, shape.lookup);
        let skip = |places: Range<usize>| {
            state.reset(places.clone());
            untouched(places, initial);
        };
        skip(self.weights..shape.lookup.weights());
        let read_piece = |piece: usize, bytes: &[u8], weights: &mut Vec<(usize, f32)>| {
            let decoded = self.decode(piece, bytes, initial, weights)?;
            let mut next = decoded.places.start;
            for (number, &(place, weight)) in weights.iter().enumerate() {
                if !weight.is_finite() {
                    let name = shape.name(place);
                    let what = format!("{name} is {weight}, not a finite number");
                    return Err(self.container.damaged(what));
                }
                skip(next..place);
                take(place, weight);
                let words_of_weight = &decoded.state[number * words..][..words];
                state.set(place, words_of_weight).map_err(|word| {
                    let name = shape.name(place);
                    let what = format!("the learning state of {name} is invalid: {word:#010x}");
                    self.container.damaged(what)
                })?;
                next = place + 1;
            }
            skip(next..decoded.places.end);
            Ok(())
        };
        self.pieces.each(&self.container, shape.host, read_piece)
    }

    /// Decodes a piece. `weights` becomes the place and the value of each touched weight.
    fn decode<'b>(
        &self,
        piece: usize,
        bytes: &'b [u8],
        initial: Initial,
        weights: &mut Vec<(usize, f32)>,
    ) -> Result<Decoded<'b>, ContainerError> {
        weights.clear();
        let damaged = |what| self.container.damaged(format!("piece {piece} of its weights {what}"));
        match self.code {
            Code::Touched { words } => {
                let places = places(piece, masked::PIECE, self.weights);
                let Some(stored) = Piece::new(bytes, places.len(), words) else {
                    return Err(damaged("is inconsistent"));
                };
                let values = stored.weights.iter().map(|weight| f32::from_le_bytes(*weight));
                weights.extend(stored.places(places.start).zip(values));
                Ok(Decoded { places, state: stored.state })
            }
            Code::Steps(step) => {
                let places = places(piece, groups::PIECE, self.weights);
                if !bytes.is_empty() {
                    let take = |place_in_piece, steps| {
                        let place = places.start + place_in_piece;
                        weights.push((place, touched(initial.at(place) + step * steps as f32)));
                    };
                    groups::decode(bytes, places.len(), take)
                        .ok_or_else(|| damaged("cannot be decoded"))?;
                }
                Ok(Decoded { places, state: &[] })
            }
        }
    }
}

fn step<S: ReadAt>(container: &Container<S>) -> Result<f32, ContainerError> {
    let step: f32 = header::number(container, STEP)?;
    if !(f32::MIN_POSITIVE..=MAX_WEIGHT).contains(&step) {
        return Err(container.damaged(format!("its step is {step:e}")));
    }
    Ok(step)
}
