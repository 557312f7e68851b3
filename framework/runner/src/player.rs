//! Who plays: a loaded agent, or a loaded value that plays greedily.

use crate::failure::Failure;
use crate::threads::Services;
use runner_core::{Action, Agent, Analysis, Game, GreedyPolicy, Spec, State, Turn};
use runner_plugin::{DynAgent, DynValue, Kind, LoadedGame, Registry};

/// A player of one game. It is cloned once for every thread.
#[derive(Clone)]
pub enum Player {
    /// An agent decides.
    Agent(DynAgent),
    /// The largest sum of reward and value decides.
    Value(GreedyPolicy<DynValue>),
}

/// A player with the spec that names it in results.
#[derive(Clone)]
pub struct NamedPlayer {
    /// Who decides.
    pub player: Player,
    /// The spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file: who is to blame for its faults.
    pub label: String,
}

impl NamedPlayer {
    /// Builds what a spec names, an agent or a value.
    pub fn build(
        registry: &Registry,
        spec: &Spec,
        game: &LoadedGame,
        services: &Services,
    ) -> Result<Self, Failure> {
        Ok(match registry.player_kind(spec.name())?.kind {
            Kind::Agent => {
                let loaded = registry.agent(spec, game, &services.share())?;
                let player = Player::Agent(loaded.agent);
                Self { player, spec: loaded.spec, label: loaded.label }
            }
            _ => {
                let loaded = registry.value(spec, game, &services.share())?;
                let player = Player::Value(GreedyPolicy(loaded.value));
                Self { player, spec: loaded.spec, label: loaded.label }
            }
        })
    }

    /// The learner that plays, if it is one.
    pub fn learner(&self) -> Option<&DynValue> {
        match &self.player {
            Player::Value(GreedyPolicy(value)) if value.is_learner() => Some(value),
            _ => None,
        }
    }
}

impl Agent for Player {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        match self {
            Self::Agent(agent) => agent.begin(game, start),
            Self::Value(value) => value.begin(game, start),
        }
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        match self {
            Self::Agent(agent) => agent.act(game, turn),
            Self::Value(value) => value.act(game, turn),
        }
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        match self {
            Self::Agent(agent) => agent.analyse(game, turn),
            Self::Value(value) => value.analyse(game, turn),
        }
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        match self {
            Self::Agent(agent) => agent.end(game, last),
            Self::Value(value) => value.end(game, last),
        }
    }

    fn threads(&self) -> usize {
        match self {
            Self::Agent(agent) => agent.threads(),
            Self::Value(value) => value.threads(),
        }
    }
}
