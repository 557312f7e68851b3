//! The search of positions unlike those of the training of a value, whose estimates are then guesses:
//! another value takes its place.

use crate::options::SearchOptions;
use runner_core::{
    Afterstate, Agent, Analysis, BuildContext, BuildError, Fault, Game, Host, MAX_ACTIONS, Spec,
    State, Turn, Value,
};
use std::sync::Arc;

/// The value where none is named.
pub const DEFAULT: &str = "rows";

/// A search with another value.
#[derive(Clone)]
pub struct Unfamiliar<S> {
    name: String,
    /// The value that the player names. The default one is built when it is needed: most games have no
    /// such position.
    value: Option<Arc<dyn Value>>,
    options: SearchOptions,
    host: Arc<dyn Host>,
    search: Option<Box<S>>,
    create: fn(Arc<dyn Value>, SearchOptions, Arc<dyn Host>) -> S,
    has_begun: bool,
}

impl<S: Agent> Unfamiliar<S> {
    /// Creates it with the value that `spec` names. `create` makes a search.
    pub fn new(
        spec: Option<&Spec>,
        options: &SearchOptions,
        context: &BuildContext<'_>,
        create: fn(Arc<dyn Value>, SearchOptions, Arc<dyn Host>) -> S,
    ) -> Result<Self, BuildError> {
        let value = spec.map(|spec| context.afterstate_value("unfamiliar", spec)).transpose()?;
        let name = spec.map_or(DEFAULT, Spec::name).to_owned();
        let (options, host) = (options.clone(), context.host.clone());
        Ok(Self { name, value, options, host, search: None, create, has_begun: false })
    }

    /// Returns the search if the estimates of a value for all actions are guesses.
    pub fn of<'a, V: Value>(
        unfamiliar: &'a mut Option<Self>,
        value: &V,
        turn: &Turn<'_>,
    ) -> Option<&'a mut Self> {
        let unfamiliar = unfamiliar.as_mut()?;
        let mut afterstates = [Afterstate::default(); MAX_ACTIONS];
        for (slot, successor) in afterstates.iter_mut().zip(turn.successors.iter()) {
            *slot = successor.afterstate;
        }
        let is_guess = value.is_guess(&afterstates[..turn.successors.len()]) == Some(true);
        is_guess.then_some(unfamiliar)
    }

    pub fn begin(&mut self) {
        self.has_begun = false;
    }

    pub fn search<G: Game>(&mut self, game: &G, state: State) -> &mut S {
        let Self { value, options, host, create, .. } = self;
        let search = self.search.get_or_insert_with(|| {
            let value = value.clone().unwrap_or_else(|| built(host));
            Box::new(create(value, options.clone(), host.clone()))
        });
        if !self.has_begun {
            search.begin(game, state);
            self.has_begun = true;
        }
        search
    }

    pub fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let mut analysis = self.search(game, turn.state).analyse(game, turn);
        let reason = format!("{}: unfamiliar position", self.name);
        analysis.facts.insert(0, ("value".to_owned(), reason.as_str().into()));
        analysis
    }
}

fn built(host: &Arc<dyn Host>) -> Arc<dyn Value> {
    let spec: Spec = DEFAULT.parse().expect("a name is a spec");
    host.value(&spec).unwrap_or_else(|error| {
        Fault::new(format!("the value of an unfamiliar position: {error}")).raise()
    })
}
