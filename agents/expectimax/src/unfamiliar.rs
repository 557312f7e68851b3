//! The search of unfamiliar positions. They are unlike those of the training of the player's
//! value, so its estimates are guesses, and another value replaces it.

use crate::options::SearchOptions;
use runner_core::{
    Afterstate, Agent, Analysis, BuildContext, BuildError, Fault, Game, Host, MAX_ACTIONS, Spec,
    State, Turn, Value,
};
use std::sync::Arc;

/// The value if the player names none.
pub const DEFAULT: &str = "rows";

/// An agent of type `S` that searches with another value. It is created at the first unfamiliar
/// position, because most games have none.
#[derive(Clone)]
pub struct Unfamiliar<S> {
    /// The name of the value.
    name: String,
    /// The value that the player names. `None` is the default, which is built with the agent.
    value: Option<Arc<dyn Value>>,
    options: SearchOptions,
    host: Arc<dyn Host>,
    agent: Option<Box<S>>,
    create_agent: fn(Arc<dyn Value>, SearchOptions, Arc<dyn Host>) -> S,
    /// True if the agent knows of the current game.
    has_begun_game: bool,
}

impl<S: Agent> Unfamiliar<S> {
    /// `spec` is the value that the player names.
    pub fn new(
        spec: Option<&Spec>,
        options: &SearchOptions,
        context: &BuildContext<'_>,
        create_agent: fn(Arc<dyn Value>, SearchOptions, Arc<dyn Host>) -> S,
    ) -> Result<Self, BuildError> {
        Ok(Self {
            name: spec.map_or(DEFAULT, Spec::name).to_owned(),
            value: spec.map(|spec| context.afterstate_value("unfamiliar", spec)).transpose()?,
            options: options.clone(),
            host: context.host.clone(),
            agent: None,
            create_agent,
            has_begun_game: false,
        })
    }

    /// Returns true if the estimates of `value` for all actions of a turn are guesses.
    pub fn is_unfamiliar<V: Value>(value: &V, turn: &Turn<'_>) -> bool {
        let mut afterstates = [Afterstate::default(); MAX_ACTIONS];
        for (afterstate, successor) in afterstates.iter_mut().zip(turn.successors.iter()) {
            *afterstate = successor.afterstate;
        }
        value.is_guess(&afterstates[..turn.successors.len()]) == Some(true)
    }

    /// Notes that a new game begins.
    pub fn begin_game(&mut self) {
        self.has_begun_game = false;
    }

    /// Returns the agent, after it has begun the current game.
    pub fn agent<G: Game>(&mut self, game: &G, state: State) -> &mut S {
        let Self { value, options, host, create_agent, .. } = self;
        let agent = self.agent.get_or_insert_with(|| {
            let value = value.clone().unwrap_or_else(|| default_value(host));
            Box::new(create_agent(value, options.clone(), host.clone()))
        });
        if !self.has_begun_game {
            agent.begin(game, state);
            self.has_begun_game = true;
        }
        agent
    }

    pub fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let mut analysis = self.agent(game, turn.state).analyse(game, turn);
        let reason = format!("{}: unfamiliar position", self.name);
        analysis.facts.insert(0, ("value".to_owned(), reason.as_str().into()));
        analysis
    }
}

fn default_value(host: &Arc<dyn Host>) -> Arc<dyn Value> {
    let spec: Spec = DEFAULT.parse().expect("a name is a spec");
    host.value(&spec).unwrap_or_else(|error| {
        Fault::new(format!("the value of an unfamiliar position: {error}")).raise()
    })
}
