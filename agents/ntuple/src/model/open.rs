//! An open model of any format.

use super::cell_order::Permutation;
use super::compact::Compact;
use super::contents::History;
use super::exchange::Exchange;
use super::format::Format;
use super::shape::Shape;
use super::sparse::{self, Sparse};
use super::{dense, header, tensors};
use crate::initial::Initial;
use crate::network::USUAL_ALPHABET;
use crate::promotion::Inheritance;
use crate::rule::{Memory, Rule};
use runner_files::container::ReadAt;
use runner_files::{Container, ContainerError, Problem};
use std::fs::File;
use std::path::Path;

/// An open model, whose header was read, but none of its weights.
pub enum Model<S = File> {
    /// Touched weights.
    Sparse(Sparse<S>),
    /// All weights: an older file.
    Dense(Container<S>),
    /// Compressed weights.
    Compact(Compact<S>),
    /// A file of TDL2048+.
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
    /// Opens a model; `name` is its name for messages.
    pub fn new(source: S, name: &str) -> Result<Self, ContainerError> {
        tensors::refuse(&source, name)?;
        let failed = |error| ContainerError { file: name.to_owned(), problem: Problem::Io(error) };
        if Exchange::is_exchange(&source).map_err(failed)? {
            return Exchange::new(source, name).map(Self::Exchange);
        }
        let container = Container::new(source, name)?;
        header::check_kind(&container)?;
        match header::format(&container)? {
            Format::Compact(precision) => Compact::new(container, precision).map(Self::Compact),
            _ if container.find(sparse::DATA).is_ok() => Sparse::new(container).map(Self::Sparse),
            _ => Ok(Self::Dense(container)),
        }
    }

    fn container(&self) -> Option<&Container<S>> {
        match self {
            Self::Sparse(sparse) => Some(sparse.container()),
            Self::Dense(container) => Some(container),
            Self::Compact(compact) => Some(compact.container()),
            Self::Exchange(_) => None,
        }
    }

    /// Checks that the model is of this game. An exchange file names none; its network and
    /// the board are compared later.
    pub fn check_game(&self, game: &str) -> Result<(), ContainerError> {
        self.container().map_or(Ok(()), |container| header::check_game(container, game))
    }

    /// Returns the network as text.
    pub fn network(&self) -> Result<String, ContainerError> {
        match self {
            Self::Exchange(exchange) => Ok(exchange.network()),
            Self::Sparse(_) | Self::Dense(_) | Self::Compact(_) => {
                header::network(self.container().expect("all others are containers"))
            }
        }
    }

    /// Returns the number of ranks that the model distinguishes in a cell.
    pub fn alphabet(&self) -> Result<usize, ContainerError> {
        self.container().map_or(Ok(USUAL_ALPHABET), header::alphabet)
    }

    /// Returns the conditions of the stages, if there is more than one.
    pub fn stages(&self) -> Option<String> {
        self.container().and_then(header::stages)
    }

    /// Returns what a stage inherits from the one before.
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
            header::check(container, shape, leading && matches!(self, Self::Sparse(_)))?;
        }
        match self {
            Self::Sparse(sparse) => sparse.check(shape, memory),
            Self::Dense(container) => dense::check(container, shape, memory),
            Self::Compact(compact) => compact.check(shape),
            Self::Exchange(exchange) => exchange.check(shape),
        }
    }

    /// Returns the training that the model has behind it. Exchange files do not say.
    pub fn history(&self) -> Result<History, ContainerError> {
        self.container().map_or(Ok(History::default()), header::history)
    }

    /// Reads every weight, checks that it is finite, and calls `take` with its place, on
    /// the host's threads. Weights that the file marks as untouched are `untouched`, or have the
    /// initial value of the model.
    pub fn read_weights(
        &self,
        shape: &Shape<'_>,
        untouched: Option<Initial>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        match self.permutation(shape) {
            None => self.read_stored(shape, untouched, take),
            Some(permutation) => self.read_stored(shape, untouched, &|place, weight| {
                take(permutation.place(place), weight);
            }),
        }
    }

    /// Reads every weight, with the place that it has in the file.
    fn read_stored(
        &self,
        shape: &Shape<'_>,
        untouched: Option<Initial>,
        take: &(impl Fn(usize, f32) + Sync),
    ) -> Result<(), ContainerError> {
        match self {
            Self::Sparse(sparse) => sparse.read_weights(shape, untouched, take),
            Self::Dense(container) => dense::read_weights(container, shape, take),
            Self::Compact(compact) => compact.read_weights(shape, untouched, take),
            Self::Exchange(exchange) => exchange.read_weights(shape, take),
        }
    }

    fn permutation(&self, shape: &Shape<'_>) -> Option<Permutation> {
        let header = self.container()?.header();
        Permutation::new(header.fact("order"), shape.lookup)
    }

    /// Checks everything but the weights: the learning state, or its checksums if no rule
    /// is to learn from it.
    pub fn check_memory<R: Rule>(
        &self,
        shape: &Shape<'_>,
        learns: bool,
    ) -> Result<(), ContainerError> {
        match self {
            _ if learns => self.read_memory::<R>(shape, None),
            Self::Dense(container) => dense::verify_memory(container, shape),
            // Their checksums were checked with the weights, or there is no learning state.
            Self::Sparse(_) | Self::Compact(_) => Ok(()),
            Self::Exchange(_) => Ok(()),
        }
    }

    /// Sets learning state to that of the model, or to the fresh one if it has none.
    pub fn load_memory<R: Rule>(
        &self,
        shape: &Shape<'_>,
        memory: &[R::Memory],
    ) -> Result<(), ContainerError> {
        let has_memory = match self {
            Self::Sparse(sparse) => sparse.has_memory(),
            Self::Dense(container) => dense::has_memory(container),
            Self::Compact(_) => false,
            Self::Exchange(exchange) => exchange.has_memory(),
        };
        if !has_memory {
            memory.iter().for_each(Memory::reset);
        }
        self.read_memory::<R>(shape, Some(memory))
    }

    fn read_memory<R: Rule>(
        &self,
        shape: &Shape<'_>,
        memory: Option<&[R::Memory]>,
    ) -> Result<(), ContainerError> {
        let permutation = self.permutation(shape);
        match self {
            Self::Sparse(sparse) => sparse.read_memory(shape, memory, permutation.as_ref()),
            Self::Dense(container) => {
                dense::read_memory(container, shape, memory, permutation.as_ref())
            }
            Self::Compact(_) => Ok(()),
            Self::Exchange(exchange) => exchange.read_memory(shape, memory),
        }
    }
}
