//! An open model of any format, and the network that a model or parameters define.

use crate::contents::History;
use crate::exchange::Exchange;
use crate::header;
use crate::state::State;
use crate::stored::Stored;
use agent_ntuple_network::{
    Inheritance, Initial, Memory, Network, Shape, Stages, ValueFunction, default_text,
};
use runner_core::BuildError;
use runner_core::geometry::Geometry;
use runner_files::container::{ReadAt, open_regular};
use runner_files::{Container, ContainerError, ContainerProblem};
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// The use that a model is checked for.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// A network that only evaluates.
    Evaluation,
    /// A network that learns. Learning state, if the model has any, must be that of the rule with
    /// this [`Memory::NAME`]. A model that may lack stages has the network's first ones.
    Training { memory: &'static str, may_lack_stages: bool },
}

/// An open model, whose header was read, but none of its weights.
pub enum Model<S = File> {
    Stored(Box<Stored<S>>),
    Exchange(Exchange<S>),
}

impl Model {
    pub fn open(path: &Path) -> Result<Self, ContainerError> {
        let name = path.display().to_string();
        match open_regular(path) {
            Ok(file) => Self::new(file, &name),
            Err(error) => Err(ContainerError { file: name, problem: ContainerProblem::Io(error) }),
        }
    }
}

/// Checks the header of a file of this program, if it is a model of a network.
pub fn check_header(path: &Path) -> Result<(), ContainerError> {
    let container = Container::open(path)?;
    match header::check_kind(&container) {
        Ok(()) => Model::Stored(Stored::new(container)?.into()).history().map(drop),
        Err(_) => Ok(()),
    }
}

impl<S: ReadAt> Model<S> {
    /// Opens a model; `name` is its name for messages.
    pub fn new(source: S, name: &str) -> Result<Self, ContainerError> {
        let failed =
            |error| ContainerError { file: name.to_owned(), problem: ContainerProblem::Io(error) };
        if Exchange::is_exchange(&source).map_err(failed)? {
            return Exchange::new(source, name).map(Self::Exchange);
        }
        let container = Container::new(source, name)?;
        header::check_kind(&container)?;
        Stored::new(container).map(|stored| Self::Stored(stored.into()))
    }

    fn container(&self) -> Option<&Container<S>> {
        match self {
            Self::Stored(stored) => Some(&stored.container),
            Self::Exchange(_) => None,
        }
    }

    /// Returns the error of a model that cannot be used: the text continues "FILE ...".
    pub fn unsuitable(&self, why: String) -> ContainerError {
        let problem = ContainerProblem::Unsuitable(why);
        match self {
            Self::Stored(stored) => stored.container.error(problem),
            Self::Exchange(exchange) => exchange.error(problem),
        }
    }

    /// Returns the step if all weights differ by multiples of it from this initial value.
    pub fn step(&self, initial: f32) -> Option<f32> {
        match self {
            Self::Stored(stored) => stored.step(initial),
            Self::Exchange(_) => None,
        }
    }

    /// Checks that the model is of this game and network, and fits the purpose.
    pub fn check(&self, shape: &Shape<'_>, purpose: Purpose) -> Result<(), ContainerError> {
        match self {
            Self::Stored(stored) => stored.check(shape, purpose),
            Self::Exchange(exchange) => exchange.check(shape),
        }
    }

    /// Returns the history of the model's training, which exchange files do not have.
    pub fn history(&self) -> Result<History, ContainerError> {
        self.container().map_or(Ok(History::default()), header::history)
    }

    /// Reads every weight, checks that it is finite, and calls `take` with its place and value, on
    /// the host's threads. For untouched weights, it calls `untouched` with their places and the
    /// model's initial weights. `state` receives the learning state.
    pub fn read<M: Memory>(
        &self,
        shape: &Shape<'_>,
        state: &State<'_, M>,
        take: &(impl Fn(usize, f32) + Sync),
        untouched: &(impl Fn(Range<usize>, Initial) + Sync),
    ) -> Result<(), ContainerError> {
        match self {
            Self::Stored(stored) => stored.read(shape, state, take, untouched),
            Self::Exchange(exchange) => exchange.read(shape, state, take),
        }
    }
}

/// The parts of a network that parameters define. The others are those of the model, or the
/// defaults if there is no model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Definition<'a> {
    pub network: Option<&'a str>,
    pub stages: Option<&'a str>,
    pub inheritance: Option<Inheritance>,
    /// Afterstates, the default, are replaced by the value function of the model.
    pub learns: ValueFunction,
}

impl Definition<'_> {
    /// Returns the network, its inheritance and its value function, for a board of this game.
    pub fn read<S: ReadAt>(
        self,
        model: Option<&Model<S>>,
        board: &Geometry,
        game: &str,
    ) -> Result<(Network, Inheritance, ValueFunction), BuildError> {
        let of_model = |error| BuildError::of("model", error);
        // An exchange file names no game, and its network has the default properties.
        let container = model.and_then(Model::container);
        // The network of another game's model may be invalid on this board, so this comes first.
        if let Some(container) = container {
            header::check_game(container, game).map_err(of_model)?;
        }
        let text = match (self.network, model) {
            (Some(text), _) => text.to_owned(),
            (None, Some(Model::Stored(stored))) => {
                header::fact(&stored.container, "network").map_err(of_model)?.to_owned()
            }
            (None, Some(Model::Exchange(exchange))) => exchange.network(),
            (None, None) => default_text(board),
        };
        let inheritance = match (self.inheritance, container) {
            (Some(inheritance), _) => inheritance,
            (None, Some(container)) => header::inheritance(container).map_err(of_model)?,
            (None, None) => Inheritance::Weights,
        };
        let learns = match self.learns {
            // An unknown name is ignored here: `Model::check` refuses it.
            ValueFunction::Afterstates => container
                .and_then(|file| ValueFunction::named(file.header().fact("learns")?))
                .unwrap_or(self.learns),
            given => given,
        };
        let list = self.stages.or_else(|| container?.header().fact(header::STAGES));
        let stages = list.map(|list| Stages::read(list, board)).transpose()?;
        Ok((Network::read(&text, board)?.with_stages(stages), inheritance, learns))
    }
}
