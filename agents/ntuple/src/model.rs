//! Networks as files.
//!
//! A model of this program is a [`runner_files::container`]: its [`header`] names
//! game, network and what was learned. In the [`plain`] forms the section `weights`
//! has a float for every weight, tuple by tuple in the order of
//! [`Lookup`](crate::network::Lookup), and `memory`, if it is there, what the rule
//! remembers of each; the [`compact`] forms keep what was changed alone. The
//! [`exchange`] form is another program's.

mod ascending;
mod compact;
mod exchange;
mod header;
mod plain;
mod threads;

use crate::learner::NtupleNetwork;
use crate::network::{Lookup, Network, USUAL_ALPHABET};
use crate::rule::{Memory, Rule};
use crate::trainer::TrainingState;
use crate::value_function::ValueFunction;
use ascending::Moved;
use compact::{Compact, Values};
use exchange::Exchange;
use runner_core::board::Geometry;
use runner_core::{Fault, ForeignModel, Host};
use runner_files::container::ReadAt;
use runner_files::{Container, ContainerError, FileError, Problem};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The forms in which a network can be saved, each with what it is good for.
pub const FORMS: [(&str, &str); 6] = [
    ("checkpoint", "everything that is needed to go on learning"),
    ("player", "the weights alone: to play with"),
    ("compact", "the weights that were changed, compressed: an eighth, and plays the same games"),
    ("compact16", "these in 16 bits each: a thirteenth, with no loss that 50,000 games could show"),
    ("compact8", "these in 8 bits each: a twentieth, with no loss that 50,000 games could show"),
    ("w", "what TDL2048+ reads and writes: networks of 2048 on 4 x 4"),
];

/// Writes a network in one of its forms.
pub fn save<R: Rule>(network: &NtupleNetwork<R>, path: &Path, form: &str) -> Result<(), Fault> {
    let values = Values::named(form);
    match form {
        "checkpoint" | "player" => {}
        "w" => exchange::has_room_for(&Shape::of(network))?,
        _ if values.is_some() => {}
        other => return Err(Fault::new(format!("a network has no form `{other}`"))),
    }
    refuse_what_diverged(network)?;
    let write = || {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        match (form, values) {
            (_, Some(values)) => compact::write(network, values, &mut out)?,
            ("w", _) => exchange::write(network, &mut out)?,
            ("player", _) => plain::write(network, None, form, &mut out)?,
            _ => plain::write(network, network.memory.as_deref(), form, &mut out)?,
        }
        out.flush()
    };
    write().map_err(|error| Fault::new(FileError::at("write", path)(error)))
}

/// A model that cannot be loaded must not take the place of one that can.
fn refuse_what_diverged<R: Rule>(network: &NtupleNetwork<R>) -> Result<(), Fault> {
    match network.weights.iter().position(|weight| !weight.get().is_finite()) {
        None => Ok(()),
        Some(at) => Err(Fault::new(format!(
            "the learning has diverged, and nothing is saved: {} is {}",
            Shape::of(network).name(at),
            network.weights[at].get()
        ))),
    }
}

/// Takes over models of this network, or the mean of several. What the rule
/// remembers is that of the first.
pub fn load<R: Rule>(network: &NtupleNetwork<R>, files: &[&Path]) -> Result<(), Fault> {
    let models = files.iter().map(|file| Model::open(file)).collect::<Result<Vec<_>, _>>();
    take(network, &models.map_err(Fault::new)?)
}

/// The same with a model that is no file; `name` stands for it in messages.
pub fn load_bytes<R: Rule>(
    network: &NtupleNetwork<R>,
    bytes: &[u8],
    name: &str,
) -> Result<(), Fault> {
    take(network, &[Model::new(bytes, name).map_err(Fault::new)?])
}

/// What a file of another program's form says about itself, if it is one. All of it
/// is read and checked if it is to be `whole`.
pub fn foreign(path: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
    let failed = |action| move |error| Fault::new(FileError::at(action, path)(error));
    let file = File::open(path).map_err(failed("open"))?;
    if !Exchange::is_one(&file).map_err(failed("read"))? {
        return Ok(None);
    }
    let model = Exchange::new(file, &path.display().to_string()).map_err(Fault::new)?;
    if whole {
        model.verify().map_err(Fault::new)?;
    }
    Ok(Some(model.told()))
}

/// Takes over what is open. Whatever is wrong with any of them is found before
/// anything is changed.
pub fn take<R: Rule, S: ReadAt>(
    network: &NtupleNetwork<R>,
    models: &[Model<S>],
) -> Result<(), Fault> {
    let [first, others @ ..] = models else {
        return Err(Fault::new("no model is named that could be loaded"));
    };
    let shape = Shape::of(network);
    let learns = network.memory.is_some();
    for model in models {
        model.fits(&shape, learns.then_some(R::MEMORY)).map_err(Fault::new)?;
    }
    let life = if others.is_empty() { Some(first.life().map_err(Fault::new)?) } else { None };
    for model in models {
        model.read_weights(&shape, &|_, _| ()).map_err(Fault::new)?;
        model.check_rest::<R::Memory>(&shape, learns).map_err(Fault::new)?;
    }
    let share = 1.0 / models.len() as f32;
    for (number, model) in models.iter().enumerate() {
        let give = |place: usize, value: f32| {
            let weight = &network.weights[place];
            let value = if number == 0 { value * share } else { weight.get() + value * share };
            // What is so already is left alone: it may lie in memory that nothing
            // has used yet.
            if weight.get().to_bits() != value.to_bits() {
                weight.set(value);
            }
        };
        model.read_weights(&shape, &give).map_err(Fault::new)?;
    }
    if let Some(memory) = &network.memory {
        first.read_memory(&shape, Some(memory)).map_err(Fault::new)?;
    }
    if let Some((life, seed)) = life {
        network.resume(life, seed);
    }
    Ok(())
}

/// What a model is held against.
pub struct Shape<'a> {
    network: &'a Network,
    learns: ValueFunction,
    lookup: &'a Lookup,
    board: &'a Geometry,
    game: &'a str,
    host: &'a dyn Host,
}

impl<'a> Shape<'a> {
    fn of<R: Rule>(network: &'a NtupleNetwork<R>) -> Self {
        Self {
            network: &network.network,
            learns: network.learns,
            lookup: &network.lookup,
            board: &network.board,
            game: &network.game,
            host: &*network.host,
        }
    }

    /// What a weight is called in messages.
    fn name(&self, place: usize) -> String {
        let of_each = self.lookup.weights() / self.network.actions();
        let (action, place) = (place / of_each, place % of_each);
        let tuples = self.network.text().split(' ').zip(self.lookup.ranges());
        let found = tuples.into_iter().find(|(_, range)| range.contains(&place));
        let (tuple, range) = found.expect("a place of the network");
        let name = format!("weight {} of the tuple `{tuple}`", place - range.start);
        match self.network.actions() {
            1 => name,
            _ => format!("{name} for action {action}"),
        }
    }
}

/// A model that is open. Its frame has been read, and none of its weights.
pub enum Model<S = File> {
    Plain(Container<S>),
    Compact(Compact<S>),
    Exchange(Exchange<S>),
}

impl Model {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, ContainerError> {
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Self::new(file, &name),
            Err(error) => Err(ContainerError { file: name, problem: Problem::Io(error) }),
        }
    }
}

impl<S: ReadAt> Model<S> {
    /// Opens what `name` stands for in messages.
    pub fn new(source: S, name: &str) -> Result<Self, ContainerError> {
        let failed = |error| ContainerError { file: name.to_owned(), problem: Problem::Io(error) };
        if Exchange::is_one(&source).map_err(failed)? {
            return Exchange::new(source, name).map(Self::Exchange);
        }
        let container = Container::new(source, name)?;
        header::check_kind(&container)?;
        match header::values_of(&container)? {
            None => Ok(Self::Plain(container)),
            Some(values) => Compact::new(container, values).map(Self::Compact),
        }
    }

    /// Sees to it that it is a model of this game, whose board its network is read for.
    pub fn is_of(&self, game: &str) -> Result<(), ContainerError> {
        match self {
            Self::Plain(container) => header::is_of(container, game),
            Self::Compact(compact) => header::is_of(compact.container(), game),
            // It names no game; its network and the board tell.
            Self::Exchange(_) => Ok(()),
        }
    }

    /// Its network.
    pub fn network(&self) -> Result<String, ContainerError> {
        match self {
            Self::Plain(container) => header::network(container),
            Self::Compact(compact) => header::network(compact.container()),
            Self::Exchange(exchange) => Ok(exchange.network()),
        }
    }

    /// How many ranks it tells apart in a cell.
    pub fn alphabet(&self) -> Result<usize, ContainerError> {
        match self {
            Self::Plain(container) => header::alphabet(container),
            Self::Compact(compact) => header::alphabet(compact.container()),
            Self::Exchange(_) => Ok(USUAL_ALPHABET),
        }
    }

    /// Sees to it that it is a model of this game and network, and has the weights
    /// of such; of this memory, if it has any and one is named.
    fn fits(&self, shape: &Shape<'_>, memory: Option<&str>) -> Result<(), ContainerError> {
        match self {
            Self::Plain(container) => {
                header::fits(container, shape)?;
                plain::fits(container, shape, memory)
            }
            Self::Compact(compact) => {
                header::fits(compact.container(), shape)?;
                compact.fits(shape)
            }
            Self::Exchange(exchange) => exchange.fits(shape),
        }
    }

    /// Sees to it that a network of this game has the weights of this model, before
    /// there is memory for them.
    pub fn fits_before(
        &self,
        network: &Network,
        learns: ValueFunction,
        lookup: &Lookup,
        board: &Geometry,
        game: &str,
    ) -> Result<(), ContainerError> {
        let host = &runner_core::SingleThread;
        self.fits(&Shape { network, learns, lookup, board, game, host }, None)
    }

    /// What its learner has lived through, and the seed of that.
    fn life(&self) -> Result<(TrainingState, u64), ContainerError> {
        match self {
            Self::Plain(container) => header::life(container),
            Self::Compact(compact) => header::life(compact.container()),
            Self::Exchange(_) => Ok((TrainingState::default(), 0)),
        }
    }

    /// Reads every weight, all of which are numbers, and gives it to `take` with its
    /// place, on many threads.
    fn read_weights(
        &self,
        shape: &Shape<'_>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        match self.moved(shape) {
            None => self.read_weights_as_they_lie(shape, take),
            Some(moved) => self.read_weights_as_they_lie(shape, &|place, weight| {
                take(moved.place(place), weight);
            }),
        }
    }

    fn read_weights_as_they_lie(
        &self,
        shape: &Shape<'_>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        match self {
            Self::Plain(container) => plain::read_weights(container, shape, take),
            Self::Compact(compact) => compact.read_weights(shape, take),
            Self::Exchange(exchange) => exchange.read_weights(shape, take),
        }
    }

    /// Where its weights lie, if not where they are looked up.
    fn moved(&self, shape: &Shape<'_>) -> Option<Moved> {
        let header = match self {
            Self::Plain(container) => container.header(),
            Self::Compact(compact) => compact.container().header(),
            Self::Exchange(_) => return None,
        };
        Moved::of(header.fact("order"), shape.lookup)
    }

    /// Reads what is no weight, so that nothing of a damaged file is believed.
    fn check_rest<M: Memory>(&self, shape: &Shape<'_>, learns: bool) -> Result<(), ContainerError> {
        if learns {
            return self.read_memory::<M>(shape, None);
        }
        match self {
            Self::Plain(container) => plain::verify_memory(container, shape),
            Self::Compact(_) | Self::Exchange(_) => Ok(()),
        }
    }

    /// Reads what the rule remembers, if it is there, and sets it where there is
    /// something to be set.
    fn read_memory<M: Memory>(
        &self,
        shape: &Shape<'_>,
        memory: Option<&[M]>,
    ) -> Result<(), ContainerError> {
        match self {
            Self::Plain(container) => {
                plain::read_memory(container, shape, memory, self.moved(shape).as_ref())
            }
            Self::Compact(_) => Ok(()),
            Self::Exchange(exchange) => exchange.read_memory(shape, memory),
        }
    }
}

/// A model of something else than what is asked for.
fn unfit(what: &str, theirs: impl std::fmt::Display, ours: impl std::fmt::Display) -> Problem {
    Problem::Unsuitable(format!(
        "does not fit: its {what} is `{theirs}`, and what is asked for is `{ours}`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::{Game, GamePlugin};

    #[test]
    fn a_weight_is_named_by_its_place_in_the_table_of_its_tuple() {
        let game = game_threes::Threes::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let network = &Network::read("012 0145+next 3!", board).unwrap();
        let lookup = &Lookup::new(network, board).unwrap();
        let host = &runner_core::SingleThread;
        let learns = ValueFunction::Afterstates;
        let shape = Shape { network, learns, lookup, board, game: "threes", host };
        assert_eq!(lookup.ranges()[1].start, 1 << 12);
        assert_eq!(shape.name((1 << 12) - 1), "weight 4095 of the tuple `012`");
        assert_eq!(shape.name(1 << 12), "weight 0 of the tuple `0145+next`");
        assert_eq!(shape.name(lookup.weights() - 1), "weight 15 of the tuple `3!`");
        let network = &network.clone().with_actions(4);
        let lookup = &Lookup::new(network, board).unwrap();
        let shape = Shape { network, learns: ValueFunction::Actions, lookup, ..shape };
        assert_eq!(shape.name(0), "weight 0 of the tuple `012` for action 0");
        let last = "weight 15 of the tuple `3!` for action 3";
        assert_eq!(shape.name(lookup.weights() - 1), last);
    }
}
