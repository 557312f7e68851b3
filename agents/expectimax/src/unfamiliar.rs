//! The search of unfamiliar positions. They are unlike those of the training of the player's
//! value, so its estimates are guesses, and another value replaces it.

use crate::Expectimax;
use runner_core::{
    Afterstate, Agent, BuildContext, BuildError, Fault, Game, Host, MAX_ACTIONS, Spec, Turn, Value,
};
use std::sync::Arc;

/// The value if the player names none.
pub const DEFAULT: &str = "rows";

/// The value that replaces the player's, and the agent that searches with it.
#[derive(Clone)]
pub struct Unfamiliar {
    /// The name of the value.
    name: String,
    /// The value that the player names. `None` is the default, which is built with the agent.
    value: Option<Arc<dyn Value>>,
    /// Created at the first unfamiliar position, because most games have none.
    agent: Option<Box<Expectimax>>,
    /// True if the agent knows of the current game.
    pub has_begun_game: bool,
}

impl Unfamiliar {
    /// `spec` is the value that the player names.
    pub fn new(spec: Option<&Spec>, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        Ok(Self {
            name: spec.map_or(DEFAULT, Spec::name).to_owned(),
            value: spec.map(|spec| context.afterstate_value("unfamiliar", spec)).transpose()?,
            agent: None,
            has_begun_game: false,
        })
    }
}

impl<V: Value> Expectimax<V> {
    /// If the estimates of the player's value are guesses for all actions of this turn, returns
    /// the name of the other value and the agent with it, which has begun the current game.
    pub(crate) fn unfamiliar_agent<G: Game>(
        &mut self,
        game: &G,
        turn: &Turn<'_>,
    ) -> Option<(&str, &mut Expectimax)> {
        let Unfamiliar { name, value, agent, has_begun_game } = self.unfamiliar.as_mut()?;
        let mut afterstates = [Afterstate::default(); MAX_ACTIONS];
        for (afterstate, successor) in afterstates.iter_mut().zip(turn.successors.iter()) {
            *afterstate = successor.afterstate;
        }
        if self.searcher.value.is_guess(&afterstates[..turn.successors.len()]) != Some(true) {
            return None;
        }
        let agent = agent.get_or_insert_with(|| {
            let value = value.clone().unwrap_or_else(|| default_value(&*self.host));
            let options = self.searcher.options.clone();
            Box::new(Expectimax::with_options(value, options, self.host.clone()))
        });
        if !*has_begun_game {
            agent.begin(game, turn.state);
            *has_begun_game = true;
        }
        Some((name, agent))
    }
}

fn default_value(host: &dyn Host) -> Arc<dyn Value> {
    let spec: Spec = DEFAULT.parse().expect("a name is a spec");
    host.value(&spec).unwrap_or_else(|error| {
        Fault::new(format!("the value of an unfamiliar position: {error}")).raise()
    })
}
