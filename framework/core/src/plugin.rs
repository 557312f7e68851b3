//! What makes a game, value or agent a plugin: a name, and a way to be built
//! from a spec. The ABI knows nothing else about them.

use crate::{Agent, BuildContext, BuildError, Fault, Game, Learner, Parameter, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What every plugin says about itself.
pub trait Plugin: Sized + 'static {
    /// The name by which it is asked for: lower case letters, digits, hyphens.
    const NAME: &'static str;
    /// What it is, in one line.
    const ABOUT: &'static str;
    /// Its version; `env!("CARGO_PKG_VERSION")` mostly.
    const VERSION: &'static str;

    /// Its parameters: the fields of a spec. Give it `#[serde(default,
    /// deny_unknown_fields)]`.
    type Config: Serialize + DeserializeOwned + Default;

    /// The parameters in words, for help and messages: one for each field of
    /// [`Config`](Plugin::Config), by the same name.
    fn parameters() -> Vec<Parameter> {
        Vec::new()
    }
}

/// A game that can be built by name.
pub trait GamePlugin: Plugin + Game {
    /// Builds the game, or says which parameter is wrong and what is allowed.
    fn new(config: Self::Config) -> Result<Self, BuildError>;
}

/// A value that can be built by name.
pub trait ValuePlugin: Plugin + Value {
    /// Builds the value for a game.
    fn new(config: Self::Config, site: &BuildContext<'_>) -> Result<Self, BuildError>;
}

/// A learner that can be built by name. It needs no method of its own, but a
/// parameter `model`: the file of a model. Built with one, the learner has loaded
/// it and only plays, and may leave out all that learning takes; built without,
/// it is to learn.
pub trait LearnerPlugin: ValuePlugin + Learner {
    /// What a file says that is a model of another program, if it is one that this
    /// learner can [load](Learner::load). All of it is read and checked if it is to be
    /// `whole`, and otherwise no more than tells what it is.
    fn foreign(file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        let _ = (file, whole);
        Ok(None)
    }
}

/// What a model of another program says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ForeignModel {
    /// What kind of file it is.
    pub kind: String,
    /// The game that it is for.
    pub game: String,
    /// What else is to be known: `("network", "012 45")`.
    pub facts: Vec<(String, String)>,
    /// Its parts, each with its bytes.
    pub sections: Vec<(String, u64)>,
    /// The spec of a learner that loads the file, or an empty text.
    #[serde(default)]
    pub spec: String,
}

/// An agent that can be built by name. It is cloned once for every thread, so
/// what is large in it is shared by reference counts.
pub trait AgentPlugin: Plugin + Agent + Clone {
    /// Builds the agent for a game.
    fn new(config: Self::Config, site: &BuildContext<'_>) -> Result<Self, BuildError>;
}
