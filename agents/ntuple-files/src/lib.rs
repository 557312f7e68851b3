//! N-tuple networks as files.
//!
//! A model of this program is a [`runner_files::container`]. Its `header` has facts about the
//! game, the network and its training. Its sections have the weights that training has changed
//! (`stored`), as they are (`masked`) or rounded to `steps` and deflated (`groups`). Files of
//! TDL2048+ are read and written too (`exchange`).
//!
//! A learner passes its parts as [`Contents`]; this crate does not know learners.
#![forbid(unsafe_code)]

mod contents;
mod entrances;
mod exchange;
mod format;
mod groups;
mod header;
mod masked;
mod open;
mod pieces;
mod state;
mod steps;
mod stored;

pub use contents::{Contents, History, MeanLength, Phase, StageEntrances};
pub use format::Format;
pub use open::{Definition, Model, Purpose};
pub use state::State;

use agent_ntuple_network::{Initial, Memory, Record, threads};
use exchange::Exchange;
use header::MAX_WEIGHT;
use masked::BLOCK;
use runner_core::{Fault, ForeignModel};
use runner_files::container::{ReadAt, open_regular};
use runner_files::{Container, ContainerError, FileError};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

/// Number of records that a thread checks at a time, a multiple of [`BLOCK`].
const CHECKED: usize = 1 << 20;

/// Saves a network in the format with this name. The file is created, or overwritten.
pub fn save<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    path: &Path,
    format: &str,
) -> Result<(), Fault> {
    let Some(format) = Format::named(format) else {
        let known = Format::names(|_| true);
        return Err(Fault::new(format!("unknown format `{format}`; known are {known}")));
    };
    if format == Format::Exchange {
        exchange::check_writable(&contents.shape)?;
    }
    let zero = find_zero(contents)?;
    let write = || {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        match format {
            Format::Exchange => exchange::write(contents, &mut out)?,
            Format::Steps(doublings) => {
                stored::write_steps(contents, history, doublings, &mut out)?
            }
            Format::Checkpoint | Format::Player => {
                stored::write_touched(contents, &zero, history, format, &mut out)?;
            }
        }
        out.flush()
    };
    write().map_err(FileError::at("write", path)).map_err(Fault::new)
}

/// Returns true for each block of [`BLOCK`] records in memory that are all zero: most, after a
/// short training. Refuses a network that has diverged: its file must not replace an earlier one.
fn find_zero<M: Memory>(contents: &Contents<'_, M>) -> Result<Vec<bool>, Fault> {
    let &Contents { records, ref shape, .. } = contents;
    let parts = records.in_memory().chunks(CHECKED).collect::<Vec<_>>();
    let zero_of_parts = threads::map(shape.host, parts.len(), |part| {
        let mut blocks = Vec::new();
        for block in parts[part].chunks(BLOCK) {
            let is_zero = all_zero(block);
            if !is_zero && !block.iter().all(is_sound) {
                return Err(diverged(contents));
            }
            blocks.push(is_zero);
        }
        Ok(blocks)
    })?;
    Ok(zero_of_parts.concat())
}

/// Returns false if training has diverged: for NaN too.
fn is_sound<M>(record: &Record<M>) -> bool {
    record.weight.get().abs() <= MAX_WEIGHT
}

fn diverged<M: Memory>(contents: &Contents<'_, M>) -> Fault {
    let &Contents { records, ref shape, .. } = contents;
    let weight = match (0..records.len()).find(|&place| !is_sound(&records[place])) {
        Some(place) => format!("{} is {:e}", shape.name(place), records[place].weight.get()),
        None => "a weight was too large".to_owned(),
    };
    Fault::new(format!(
        "nothing is saved, because training has diverged: {weight}; train again with a smaller step size or \
         another update scheme"
    ))
}

fn all_zero<M: Memory>(records: &[Record<M>]) -> bool {
    let mut bits = 0;
    for Record { weight, memory } in records {
        bits |= weight.get().to_bits();
        (0..M::WORDS).for_each(|word| bits |= memory.word(word));
    }
    bits == 0
}

/// Loads a model into a network that learns, or the mean of several models. The learning state is
/// that of the first. Returns the joint history of the models.
pub fn load<M: Memory>(contents: &Contents<'_, M>, files: &[&Path]) -> Result<History, Fault> {
    let models = files.iter().map(|file| Model::open(file)).collect::<Result<Vec<_>, _>>();
    load_open(contents, &models.map_err(Fault::new)?)
}

/// Loads a model from memory; `name` is its name for messages.
pub fn load_bytes<M: Memory>(
    contents: &Contents<'_, M>,
    bytes: &[u8],
    name: &str,
) -> Result<History, Fault> {
    load_open(contents, &[Model::new(bytes, name).map_err(Fault::new)?])
}

/// Loads open models, as [`load`] does. All of every file is checked before anything is changed.
fn load_open<M: Memory, S: ReadAt>(
    contents: &Contents<'_, M>,
    models: &[Model<S>],
) -> Result<History, Fault> {
    let [first, others @ ..] = models else {
        return Err(Fault::new("there is no model to load"));
    };
    let shape = &contents.shape;
    let purpose = Purpose::Training { memory: M::NAME, may_lack_stages: others.is_empty() };
    for model in models {
        model.check(shape, purpose).map_err(Fault::new)?;
    }
    if !others.is_empty() && shape.promotion().is_some() {
        return Err(Fault::new(
            "no mean of these models: the stages of their network inherit weights, and those that \
             one model has touched are untouched in another",
        ));
    }
    let mut history = first.history().map_err(Fault::new)?;
    for other in others {
        history = history.joined(&other.history().map_err(Fault::new)?);
    }
    // The first pass checks everything and takes nothing.
    for model in models {
        model.read(shape, &State::<M>::Checked, &|_, _| (), &|_, _| ()).map_err(Fault::new)?;
    }
    mean(contents, models).map_err(Fault::new)?;
    Ok(history)
}

/// Sets the weights to the mean of models, and the learning state to that of the first.
fn mean<M: Memory, S: ReadAt>(
    contents: &Contents<'_, M>,
    models: &[Model<S>],
) -> Result<(), ContainerError> {
    let &Contents { ref shape, records, initial: own_initial, .. } = contents;
    let mut state = State::Restored(records);
    for (number, model) in models.iter().enumerate() {
        let count = (number + 1) as f64;
        let take = |place: usize, value: f32| {
            let weight = &records[place].weight;
            let current = weight.get();
            let mean = match number {
                0 => value,
                // The mean of equal values is that value: untouched weights stay untouched.
                _ => (f64::from(current) + (f64::from(value) - f64::from(current)) / count) as f32,
            };
            // Memory that nothing has used yet stays unused if the value is right already.
            if current.to_bits() != mean.to_bits() {
                weight.set(mean);
            }
        };
        let take_initial = |places: Range<usize>, initial_of_model: Initial| {
            // A training that continues from one model gives its own value to untouched weights.
            let initial = if models.len() == 1 { own_initial } else { initial_of_model };
            places.for_each(|place| take(place, initial.at(place)));
        };
        model.read(shape, &state, &take, &take_initial)?;
        // The state of the other models is not used.
        state = State::Ignored;
    }
    Ok(())
}

/// Returns the description of a file, if it is one of another program. `learner` is the name of
/// the learner that loads it. If `whole` is true, all of it is read and checked. The header of a
/// network in a file of this program is checked too.
pub fn foreign(path: &Path, whole: bool, learner: &str) -> Result<Option<ForeignModel>, Fault> {
    let file = open_regular(path).map_err(FileError::at("open", path)).map_err(Fault::new)?;
    if !Exchange::is_exchange(&file).map_err(FileError::at("read", path)).map_err(Fault::new)? {
        if Container::is_container(path).map_err(FileError::at("read", path)).map_err(Fault::new)? {
            open::check_header(path).map_err(Fault::new)?;
        }
        return Ok(None);
    }
    let model = Exchange::new(file, &path.display().to_string()).map_err(Fault::new)?;
    if whole {
        model.verify().map_err(Fault::new)?;
    }
    Ok(Some(model.describe(learner)))
}
