//! The compact formats: the weights that training has changed, compressed.
//!
//! Weights are cut into pieces of [`PIECE`]. A piece has the number of its stored
//! weights, then as [`rans`] the distance of each from the one before, as varints, and their values
//! as [`Precision`] says. The formats with steps have each piece as a [`tree`](crate::tree) instead.

use crate::contents::Contents;
use crate::format::Format;
use crate::header;
use crate::history::History;
use crate::pieces::{self, Pieces};
use crate::precision::{Precision, read_steps};
use crate::refused::{DIVERGED, mismatch, not_finite};
use crate::steps::{Rounding, Steps};
use crate::tree::{CONTEXTS, PIECE, Tree};
use agent_ntuple_network::threads::each;
use agent_ntuple_network::{Initial, Memory, Shape, touched};
use runner_files::container::{self, Header, ReadAt};
use runner_files::symbols::{self, Recorder, SYMBOLS, Tables};
use runner_files::{Container, ContainerError, Problem, rans, varint};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

const DATA: &str = "coded weights";

/// The fact that is the step of a format that rounds to steps.
const STEP: &str = "step";

/// The section of the frequencies by which trees are encoded.
const TABLES: &str = "frequencies";

pub fn write<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    precision: Precision,
    out: impl Write,
) -> io::Result<()> {
    let stored = |place: usize| {
        let (weight, initial) = (contents.weights[place].get(), contents.initial.at(place));
        (weight.to_bits() != initial.to_bits()).then_some(weight)
    };
    let written = each_piece(contents, |places| write_piece(places, &stored, precision))?;
    let header = header::describe(contents, history, Format::Compact(precision));
    write_pieces(header, &[], &written, history, out)
}

/// Writes changes of weights as multiples of a step that is doubled at most this number of times.
pub fn write_steps<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    doublings: u32,
    out: impl Write,
) -> io::Result<()> {
    let steps = Steps::of(contents, history.rounding, doublings);
    let (tables, written) = write_trees(contents, &steps)?;
    let header = header::describe(contents, history, Format::Steps(doublings));
    let header = header.with(STEP, steps.step).section(TABLES, tables.len() as u64);
    write_pieces(header, &tables, &written, history, out)
}

fn write_pieces(
    header: Header,
    tables: &[u8],
    written: &[Vec<u8>],
    history: &History,
    out: impl Write,
) -> io::Result<()> {
    // All pieces are kept until the last one has its length: the header needs it.
    let (header, list) = pieces::sections(header, DATA, written.iter().map(Vec::len));
    let (name, recent) = history.common.section();
    let header = header.section(name, recent.len() as u64);
    container::write(out, &header, |out| {
        out.write_all(tables)?;
        out.write_all(&list)?;
        written.iter().try_for_each(|piece| out.write_all(piece))?;
        out.write_all(&recent)
    })
}

/// Calls a function with the places of each piece, on the host's threads, and returns what it returns.
fn each_piece<M: Memory, T: Clone + Default + Send>(
    contents: &Contents<'_, M>,
    piece: impl Fn(Range<usize>) -> T + Sync,
) -> io::Result<Vec<T>> {
    let weights = contents.weights.len();
    let count = weights.div_ceil(PIECE);
    let done = Mutex::new(vec![T::default(); count]);
    each(contents.shape.host, count as u64, |number, (): &mut ()| {
        let piece = piece(range(weights, number as usize));
        done.lock().unwrap_or_else(PoisonError::into_inner)[number as usize] = piece;
        Ok::<_, io::Error>(())
    })?;
    Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the tables of the trees, and their code.
fn write_trees<M: Memory>(
    contents: &Contents<'_, M>,
    steps: &Steps<'_, M>,
) -> io::Result<(Vec<u8>, Vec<Vec<u8>>)> {
    // A piece without stored weights has no bytes.
    let record = |places: Range<usize>| {
        let mut tree = Tree::default();
        steps.round(places, &mut tree);
        tree.encode::<Recorder>()
    };
    // To keep all records would take more memory than the weights.
    let counts = Mutex::new(vec![[0; SYMBOLS]; CONTEXTS]);
    each_piece(contents, |places| {
        if let Some(recorder) = record(places) {
            recorder.count(&mut counts.lock().unwrap_or_else(PoisonError::into_inner));
        }
    })?;
    let tables = Tables::new(&counts.into_inner().unwrap_or_else(PoisonError::into_inner));
    let written = each_piece(contents, |places| {
        record(places).map_or(Some(Vec::new()), |recorder| recorder.encode(&tables))
    })?;
    let written: Option<Vec<_>> = written.into_iter().collect();
    let changed = || io::Error::other("the network changed while it was saved");
    let written = written.ok_or_else(changed)?;
    let mut bytes = Vec::new();
    tables.push(&mut bytes);
    Ok((bytes, written))
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
    code: Code,
    /// Initial value of the weights that are not promoted.
    initial: f32,
    weights: usize,
    pieces: Pieces,
}

/// The encoding of the pieces.
enum Code {
    Weights(Precision),
    /// Changes in steps, as trees with these frequencies, or as varints in files of earlier versions.
    Steps(Rounding, Option<Tables>),
}

impl<S: ReadAt> Compact<S> {
    /// Opens a model of weights with this precision.
    pub fn new(container: Container<S>, precision: Precision) -> Result<Self, ContainerError> {
        Self::open(container, Code::Weights(precision))
    }

    /// Opens a model of a format with steps, which are doubled at most this number of times.
    pub fn of_steps(container: Container<S>, doublings: u32) -> Result<Self, ContainerError> {
        let step: f32 = header::number(&container, STEP)?;
        if !(f32::MIN_POSITIVE..=DIVERGED).contains(&step) {
            return Err(container.error(Problem::Damaged(format!("its step is {step:e}"))));
        }
        let tables = match container.find(TABLES) {
            Err(_) => None,
            Ok(_) => {
                let damaged = |problem| {
                    container.error(Problem::Damaged(format!("the list of frequencies {problem}")))
                };
                let bytes = container.read_section(TABLES)?;
                Some(Tables::read(&bytes, CONTEXTS).map_err(damaged)?)
            }
        };
        Self::open(container, Code::Steps(Rounding { step, doublings }, tables))
    }

    /// Reads where the pieces are. Their number is checked against the length of their
    /// list before memory is allocated.
    fn open(container: Container<S>, code: Code) -> Result<Self, ContainerError> {
        let initial = header::initial(&container)?;
        let weights: usize = header::number(&container, "weights")?;
        let pieces = Pieces::open(&container, DATA, weights.div_ceil(PIECE))?;
        Ok(Self { container, code, initial, weights, pieces })
    }

    pub fn container(&self) -> &Container<S> {
        &self.container
    }

    /// Returns how all changes of weights from this initial value are rounded, if they are.
    pub fn rounding(&self, initial: f32) -> Option<Rounding> {
        match self.code {
            Code::Steps(rounding, _) if self.initial == initial => Some(rounding),
            _ => None,
        }
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
            |number, compressed, decoder: &mut Scratch| {
                let places = range(self.weights, number);
                let read = match &self.code {
                    Code::Steps(_, Some(tables)) => {
                        decoder.read_tree(compressed, places.len(), tables)
                    }
                    Code::Steps(_, None) => decoder.read(compressed, places.len(), None),
                    Code::Weights(precision) => {
                        decoder.read(compressed, places.len(), Some(*precision))
                    }
                };
                read.map_err(|problem| {
                    let piece = format!("piece {number} of its weights {problem}");
                    self.container.error(Problem::Damaged(piece))
                })?;
                let mut next = places.start;
                for (&gap, &value) in decoder.gaps.iter().zip(&decoder.values) {
                    let place = next + gap;
                    let value = match self.code {
                        Code::Steps(Rounding { step, .. }, _) => initial.at(place) + step * value,
                        Code::Weights(_) => value,
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
struct Scratch {
    /// The distance of each stored weight from the one before.
    gaps: Vec<usize>,
    values: Vec<f32>,
    /// Of a file with trees.
    tree: Option<Tree>,
}

impl Scratch {
    /// Reads a piece of this many weights that is a tree.
    fn read_tree(&mut self, piece: &[u8], weights: usize, tables: &Tables) -> Result<(), String> {
        self.gaps.clear();
        self.values.clear();
        if piece.is_empty() {
            return Ok(());
        }
        let mut decoder = symbols::Decoder::new(piece, tables).ok_or("has an impossible length")?;
        let mut next = 0;
        self.tree.get_or_insert_default().decode(&mut decoder, |place, steps| {
            self.gaps.push(place - next);
            self.values.push(steps as f32);
            next = place + 1;
        });
        if !decoder.is_finished() {
            return Err("cannot be decoded: it does not end where it should".to_owned());
        }
        match next <= weights {
            true => Ok(()),
            false => Err(format!("has a weight beyond its {weights}")),
        }
    }

    /// Reads a piece of this many weights, with a precision or else as steps. The distances add up to no
    /// more.
    fn read(
        &mut self,
        piece: &[u8],
        weights: usize,
        precision: Option<Precision>,
    ) -> Result<(), String> {
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
        match precision {
            Some(precision) => precision.read(count, &mut next, &mut self.values)?,
            None => read_steps(count, &mut next, &mut self.values)?,
        }
        match piece.len() - at {
            0 => Ok(()),
            more => Err(format!("has {more} bytes too many")),
        }
    }
}
