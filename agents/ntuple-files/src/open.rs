//! An open model of any format.

use crate::compact::Compact;
use crate::exchange::Exchange;
use crate::format::Format;
use crate::header;
use crate::history::History;
use crate::sparse::Sparse;
use crate::steps::Rounding;
use crate::tensors;
use agent_ntuple_network::{Inheritance, Initial, Lookup, Memory, Shape, USUAL_ALPHABET};
use runner_files::container::{ReadAt, open_regular};
use runner_files::{Container, ContainerError, Problem};
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// An open model, whose header was read, but none of its weights.
pub enum Model<S = File> {
    Sparse(Sparse<S>),
    Compact(Compact<S>),
    Exchange(Exchange<S>),
}

impl Model {
    pub fn open(path: &Path) -> Result<Self, ContainerError> {
        let name = path.display().to_string();
        match open_regular(path) {
            Ok(file) => Self::new(file, &name),
            Err(error) => Err(ContainerError { file: name, problem: Problem::Io(error) }),
        }
    }
}

/// Checks the header of a file of this program, if its kind is that of networks.
pub fn check_header(path: &Path) -> Result<(), ContainerError> {
    let container = Container::open(path)?;
    match header::check_kind(&container) {
        Ok(()) => Model::of_container(container)?.history().map(drop),
        Err(_) => Ok(()),
    }
}

impl<S: ReadAt> Model<S> {
    /// Opens a model; `name` is its name for messages.
    pub fn new(source: S, name: &str) -> Result<Self, ContainerError> {
        tensors::refuse(&source, name)?;
        let failed = |error| ContainerError { file: name.to_owned(), problem: Problem::Io(error) };
        if Exchange::is_exchange(&source).map_err(failed)? {
            return Exchange::new(source, name).map(Self::Exchange);
        }
        let container = Container::new(source, name)?;
        header::check_kind(&container)?;
        Self::of_container(container)
    }

    fn of_container(container: Container<S>) -> Result<Self, ContainerError> {
        match header::format(&container)? {
            Format::Compact(precision) => Compact::new(container, precision).map(Self::Compact),
            Format::Steps(doublings) => Compact::of_steps(container, doublings).map(Self::Compact),
            _ => Sparse::new(container).map(Self::Sparse),
        }
    }

    fn container(&self) -> Option<&Container<S>> {
        match self {
            Self::Sparse(sparse) => Some(sparse.container()),
            Self::Compact(compact) => Some(compact.container()),
            Self::Exchange(_) => None,
        }
    }

    /// Checks that the model is of this game. An exchange file names none; its network and
    /// the board are compared later.
    pub fn check_game(&self, game: &str) -> Result<(), ContainerError> {
        self.container().map_or(Ok(()), |container| header::check_game(container, game))
    }

    pub fn network(&self) -> Result<String, ContainerError> {
        match self {
            Self::Sparse(sparse) => header::network(sparse.container()),
            Self::Compact(compact) => header::network(compact.container()),
            Self::Exchange(exchange) => Ok(exchange.network()),
        }
    }

    pub fn alphabet(&self) -> Result<usize, ContainerError> {
        self.container().map_or(Ok(USUAL_ALPHABET), header::alphabet)
    }

    /// Returns how all changes of weights from this initial value are rounded, if they are.
    pub fn rounding(&self, initial: f32) -> Option<Rounding> {
        match self {
            Self::Compact(compact) => compact.rounding(initial),
            Self::Sparse(_) | Self::Exchange(_) => None,
        }
    }

    pub fn stages(&self) -> Option<String> {
        self.container().and_then(header::stages)
    }

    pub fn inheritance(&self) -> Result<Inheritance, ContainerError> {
        self.container().map_or(Ok(Inheritance::Weights), header::inheritance)
    }

    /// Checks that the model is of this game and network, and has as many weights; and
    /// that its learning state, if it has any, is of the kind of a rule that is to learn. A
    /// model of the network's `leading` stages alone may do: the others are then untouched.
    pub fn check(
        &self,
        shape: &Shape<'_>,
        memory: Option<&str>,
        leading: bool,
    ) -> Result<(), ContainerError> {
        if let Some(container) = self.container() {
            let leading = leading && matches!(self, Self::Sparse(_));
            header::check(container, shape, leading)?;
        }
        match self {
            Self::Sparse(sparse) => sparse.check(shape, memory),
            Self::Compact(compact) => compact.check(shape),
            Self::Exchange(exchange) => exchange.check(shape),
        }
    }

    /// Returns the place of a weight in the network by its place in the file, which differ if the model
    /// has an earlier order of weights.
    pub fn place_in(&self, lookup: &Lookup) -> impl Fn(usize) -> usize + Sync {
        let order = self.container().and_then(|container| container.header().fact("order"));
        let is_earlier = order.is_some_and(|order| lookup.is_earlier_order(order));
        move |place| if is_earlier { lookup.place_of_earlier(place) } else { place }
    }

    /// Returns the training that the model has behind it. Exchange files do not say.
    pub fn history(&self) -> Result<History, ContainerError> {
        self.container().map_or(Ok(History::default()), header::history)
    }

    /// Reads every weight, checks that it is finite, and calls `take` with its place, on the host's
    /// threads. Where the file marks weights as untouched, it calls `untouched` with their places
    /// and the initial weights of the model.
    pub fn read_weights(
        &self,
        shape: &Shape<'_>,
        take: &(impl Fn(usize, f32) + Sync),
        untouched: &(impl Fn(Range<usize>, Initial) + Sync),
    ) -> Result<(), ContainerError> {
        match self {
            Self::Sparse(sparse) => sparse.read_weights(shape, take, untouched),
            Self::Compact(compact) => compact.read_weights(shape, take, untouched),
            Self::Exchange(exchange) => exchange.read_weights(shape, take),
        }
    }

    fn has_memory(&self) -> bool {
        match self {
            Self::Sparse(sparse) => sparse.has_memory(),
            Self::Compact(_) => false,
            Self::Exchange(exchange) => exchange.has_memory(),
        }
    }

    /// Sets learning state to that of the model, or to the fresh one if it has none.
    pub fn load_memory<M: Memory>(
        &self,
        shape: &Shape<'_>,
        memory: &[M],
    ) -> Result<(), ContainerError> {
        if !self.has_memory() {
            memory.iter().for_each(Memory::reset);
        }
        self.read_memory(shape, Some(memory))
    }

    /// Reads and checks the learning state, if the model has any, and sets `memory` if it is
    /// given.
    pub fn read_memory<M: Memory>(
        &self,
        shape: &Shape<'_>,
        memory: Option<&[M]>,
    ) -> Result<(), ContainerError> {
        match self {
            Self::Sparse(sparse) => sparse.read_memory(shape, memory, &self.place_in(shape.lookup)),
            Self::Compact(_) => Ok(()),
            Self::Exchange(exchange) => exchange.read_memory(shape, memory),
        }
    }
}
