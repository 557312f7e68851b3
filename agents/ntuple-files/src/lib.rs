//! N-tuple networks as files.
//!
//! A model of this program is a [`runner_files::container`]. Its header names game and
//! network and says what was trained; the sections have the weights that training has changed
//! (`stored`), as they are (`masked`) or rounded to `steps` and encoded (`tree`, `symbols`). Files of
//! TDL2048+ are read and written too (`exchange`).
//!
//! A learner lends its parts as [`Contents`]; nothing here knows a learner.
#![forbid(unsafe_code)]

mod contents;
mod entrances;
mod exchange;
mod format;
mod header;
mod history;
mod masked;
mod mean_length;
mod open;
mod phase;
mod pieces;
mod steps;
mod stored;
mod symbols;
mod tree;

pub use contents::Contents;
pub use format::Format;
pub use history::{History, StageEntrances};
pub use mean_length::MeanLength;
pub use open::{Definition, Model};
pub use phase::Phase;
pub use steps::Rounding;

use agent_ntuple_network::memory::Region;
use agent_ntuple_network::{Initial, Memory, Places, Promotion, Weight, threads};
use exchange::Exchange;
use header::DIVERGED;
use runner_core::{Fault, ForeignModel};
use runner_files::container::{ReadAt, open_regular};
use runner_files::{Container, FileError};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

const CHECKED: usize = 1 << 20;

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
    refuse_diverged(contents)?;
    let write = || {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        match format {
            Format::Exchange => exchange::write(contents, &mut out)?,
            _ => stored::write(contents, history, format, &mut out)?,
        }
        out.flush()
    };
    write().map_err(|error| Fault::new(FileError::at("write", path)(error)))
}

/// Refuses a network whose training has diverged: its file must not replace an earlier one.
fn refuse_diverged<M: Memory>(contents: &Contents<'_, M>) -> Result<(), Fault> {
    let (weights, shape) = (contents.weights, &contents.shape);
    let parts = weights.len().div_ceil(CHECKED) as u64;
    // False for NaN too.
    let is_sound = |weight: &Weight| weight.get().abs() <= DIVERGED;
    threads::each(shape.host, parts, |part, (): &mut ()| {
        let start = part as usize * CHECKED;
        let mut part = start..weights.len().min(start + CHECKED);
        match part.find(|&place| !is_sound(&weights[place])) {
            None => Ok(()),
            Some(place) => Err(Fault::new(format!(
                "nothing is saved, because training has diverged: {} is {:e}; train again with a \
                 smaller step size or another update scheme",
                shape.name(place),
                weights[place].get()
            ))),
        }
    })
}

/// Loads a model, or the mean of several. The learning state is that of the first. Returns
/// the training that the models have behind them.
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

/// Loads open models, as [`load`] does. Every file is checked from beginning to end before
/// anything is changed.
fn load_open<M: Memory, S: ReadAt>(
    contents: &Contents<'_, M>,
    models: &[Model<S>],
) -> Result<History, Fault> {
    let [first, others @ ..] = models else {
        return Err(Fault::new("there is no model to load"));
    };
    let Contents { shape, memory, .. } = contents;
    // A training may begin with fewer stages.
    let leading = memory.is_some() && others.is_empty();
    for model in models {
        model.check(shape, memory.map(|_| M::NAME), leading).map_err(Fault::new)?;
    }
    let mut history = first.history().map_err(Fault::new)?;
    for other in others {
        history = history.joined(&other.history().map_err(Fault::new)?);
    }
    if others.is_empty() {
        history.rounding = first.rounding(contents.initial.value());
    }
    for model in models {
        model.read_weights(shape, &|_, _| (), &|_, _| ()).map_err(Fault::new)?;
        if memory.is_some() {
            model.read_memory(shape, None::<Places<'_, M>>).map_err(Fault::new)?;
        }
    }
    match shape.promotion() {
        Some(promotion) if !others.is_empty() => mean_of_stages(contents, promotion, models)?,
        _ => mean(contents, models)?,
    }
    if let &Some(memory) = memory {
        if !first.has_memory() {
            memory.iter().for_each(Memory::reset);
        }
        first.read_memory(shape, Some(memory)).map_err(Fault::new)?;
    }
    Ok(history)
}

/// Loads a model into a new network that only evaluates: all of its weights are zero. If the model is
/// refused, the network may have a part of its weights.
pub fn load_new<M: Memory, S: ReadAt>(
    contents: &Contents<'_, M>,
    model: &Model<S>,
) -> Result<History, Fault> {
    let Contents { shape, weights, .. } = contents;
    model.check(shape, None, false).map_err(Fault::new)?;
    let take = |place: usize, value: f32| weights[place].set(value);
    // Memory that nothing has used yet stays unused.
    let untouched = |places: Range<usize>, initial: Initial| {
        if initial.value() != 0.0 {
            places.for_each(|place| take(place, initial.at(place)));
        }
    };
    model.read_weights(shape, &take, &untouched).map_err(Fault::new)?;
    let history = model.history().map_err(Fault::new)?;
    Ok(History { rounding: model.rounding(contents.initial.value()), ..history })
}

fn mean<M: Memory, S: ReadAt>(
    contents: &Contents<'_, M>,
    models: &[Model<S>],
) -> Result<(), Fault> {
    let Contents { shape, weights, .. } = contents;
    // A training that continues gives its own initial value to untouched weights.
    let continues = contents.memory.is_some() && models.len() == 1;
    let untouched = continues.then_some(contents.initial);
    for (number, model) in models.iter().enumerate() {
        let count = (number + 1) as f64;
        let take = |place: usize, value: f32| {
            let weight = &weights[place];
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
        let rest = |places: Range<usize>, theirs| {
            let initial: Initial = untouched.unwrap_or(theirs);
            places.for_each(|place| take(place, initial.at(place)));
        };
        model.read_weights(shape, &take, &rest).map_err(Fault::new)?;
    }
    Ok(())
}

/// Sets the weights of a network with promotion to the mean of several models: where a weight
/// is untouched in all of them it stays so, else an untouched one counts as the weight that it
/// would be promoted from.
fn mean_of_stages<M: Memory, S: ReadAt>(
    contents: &Contents<'_, M>,
    promotion: Promotion,
    models: &[Model<S>],
) -> Result<(), Fault> {
    let Contents { shape, weights, initial, .. } = contents;
    let no_memory = |error| Fault::new(format!("no memory for the mean of models: {error}"));
    let one = Region::<Weight>::new(weights.len()).map_err(no_memory)?;
    let is_touched = Region::<Weight>::new(weights.len()).map_err(no_memory)?;
    for (number, model) in models.iter().enumerate() {
        let take = |place: usize, value| one[shape.lookup.entry(place)].set(value);
        let rest = |places: Range<usize>, initial: Initial| {
            places.for_each(|place| take(place, initial.at(place)));
        };
        model.read_weights(shape, &take, &rest).map_err(Fault::new)?;
        let count = (number + 1) as f64;
        for (place, weight) in weights.iter().enumerate() {
            let entry = shape.lookup.entry(place);
            if one[entry].get().to_bits() != initial.at(place).to_bits() {
                is_touched[place].set(1.0);
            }
            let value = f64::from(promotion.weight(&one, entry));
            let current = if number == 0 { 0.0 } else { f64::from(weight.get()) };
            let mean = (current + (value - current) / count) as f32;
            if weight.get().to_bits() != mean.to_bits() {
                weight.set(mean);
            }
        }
    }
    for (place, weight) in weights.iter().enumerate() {
        if is_touched[place].is_untouched() {
            weight.set(initial.at(place))
        } else {
            weight.touch(weight.get())
        }
    }
    Ok(())
}

/// Returns the description of a file of another program, if it is one; `learner` is the
/// name of the learner that loads it. If it is to be `whole`, all of it is read and checked. Of a network in
/// a file of this program the header is checked.
pub fn foreign(path: &Path, whole: bool, learner: &str) -> Result<Option<ForeignModel>, Fault> {
    let failed = |action| move |error| Fault::new(FileError::at(action, path)(error));
    let file = open_regular(path).map_err(failed("open"))?;
    if !Exchange::is_exchange(&file).map_err(failed("read"))? {
        if Container::is_container(path).map_err(failed("read"))? {
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
