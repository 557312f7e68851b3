//! What makes a game, value or agent a plugin: a name, and a way to be built from a spec.

use crate::{
    Agent, BuildContext, BuildError, Fault, Game, GameContext, Host, Learner, Parameters, Preset,
    SingleThread, Value,
};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// Name, version and parameters of a plugin.
pub trait Plugin: Sized + 'static {
    /// The name by which it is built: lower case letters, digits and hyphens.
    const NAME: &'static str;
    /// Its description, in one line.
    const ABOUT: &'static str;
    /// Its version; usually `env!("CARGO_PKG_VERSION")`.
    const VERSION: &'static str;

    /// Its parameters, which are the fields of a spec, declared by
    /// [`parameters!`](crate::parameters); `()` if it has none.
    type Config: Parameters;

    /// Returns the named sets of parameters that the plugin offers. A spec with
    /// `preset: "NAME"` has the parameters of the preset, except those that it sets itself. The
    /// program replaces `preset` by these parameters before it reads
    /// [`Config`](Plugin::Config), which needs no such field.
    fn presets() -> Vec<Preset> {
        Vec::new()
    }
}

/// A game that can be built by name.
pub trait GamePlugin: Plugin + Game {
    /// Builds the game. A game that wraps another builds it through the context.
    ///
    /// # Errors
    ///
    /// Names the invalid parameter and the allowed values.
    fn new(config: Self::Config, context: &GameContext<'_>) -> Result<Self, BuildError>;

    /// Builds the game without a program, for tests and benchmarks: it can build no other
    /// game by name.
    fn alone(config: Self::Config) -> Result<Self, BuildError> {
        let host: Arc<dyn Host> = Arc::new(SingleThread);
        Self::new(config, &GameContext { host: &host })
    }
}

/// A value that can be built by name.
pub trait ValuePlugin: Plugin + Value {
    /// Builds the value for the game of the context.
    fn new(config: Self::Config, context: &BuildContext<'_>) -> Result<Self, BuildError>;
}

/// A learner that can be built by name. It must have a parameter `model`, a model file. If it is
/// given, the new learner loads the file, only plays, and may leave out everything that learning
/// needs. If it is not given, the learner is built for a training.
pub trait LearnerPlugin: ValuePlugin + Learner {
    /// Returns the facts about a model file of another program, or `None` if this learner
    /// cannot [load](Learner::load) the file. If `whole` is true the whole file is read and
    /// checked, otherwise only as much as identifies it.
    ///
    /// It is also called for files of this program, and fails if the header of a model of this
    /// learner is invalid.
    fn foreign(file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        let _ = (file, whole);
        Ok(None)
    }
}

/// Facts about a model file of another program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ForeignModel {
    /// The kind of file.
    pub kind: String,
    /// The game that the model plays.
    pub game: String,
    /// Further facts, such as `("network", "012 45")`.
    pub facts: Vec<(String, String)>,
    /// The sections of the file with their sizes in bytes.
    pub sections: Vec<(String, u64)>,
    /// The spec of a learner that loads the file, or an empty string.
    #[serde(default)]
    pub spec: String,
}

/// An agent that can be built by name. It is cloned once for every thread, so share large
/// data by reference counts.
pub trait AgentPlugin: Plugin + Agent + Clone {
    /// Builds the agent for the game of the context.
    fn new(config: Self::Config, context: &BuildContext<'_>) -> Result<Self, BuildError>;
}
