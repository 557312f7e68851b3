//! A player of games: a loaded agent, or a loaded value that plays greedily.

use crate::failure::Failure;
use crate::learners;
use crate::registry::{LoadedGame, Registry};
use crate::threads::{KnownValue, Services, Threads};
use runner_core::{Action, Agent, Analysis, Game, GreedyPolicy, Spec, State, TimeLimit, Turn};
use runner_plugin::{DynAgent, DynValue, PluginKind};
use std::sync::Arc;
use std::time::Duration;

/// A player of one game. Each thread plays with a clone.
#[derive(Clone)]
pub enum Player {
    Agent(DynAgent),
    /// A value that plays greedily: the action with the largest sum of reward and value.
    Value(GreedyPolicy<DynValue>),
}

impl Player {
    /// Returns the name of the function that chooses a move.
    pub fn move_name(&self) -> &'static str {
        match self {
            Self::Agent(_) => "act",
            Self::Value(_) => "evaluate",
        }
    }
}

/// A player with the spec that names it in results.
#[derive(Clone)]
pub struct NamedPlayer {
    pub player: Player,
    /// Its spec, defaults included.
    pub spec: Spec,
    /// Kind, name and file of its plugin, for messages about its faults.
    pub label: String,
    /// The value that it plays or searches with.
    pub value: Option<KnownValue>,
}

impl NamedPlayer {
    /// Builds the player that a spec names. `services` say what is refused.
    pub fn build(
        registry: &Registry,
        spec: &Spec,
        game: &LoadedGame,
        services: &Services,
    ) -> Result<Self, Failure> {
        let services = services.noting_values();
        let plugin = registry.player(spec.name())?;
        let host = services.share();
        let label = plugin.label();
        if plugin.kind == PluginKind::Agent {
            let (agent, resolved) = registry.agent(spec, game, &host)?;
            let value = services.first_value();
            return Ok(Self { player: Player::Agent(agent), spec: resolved, label, value });
        }
        let (value, resolved) = registry.value(spec, game, &host)?;
        let known =
            KnownValue { typed: spec.clone(), spec: resolved.clone(), value: value.clone() };
        let player = Player::Value(GreedyPolicy(value));
        Ok(Self { player, spec: resolved, label, value: Some(known) })
    }

    /// Builds the player that a spec names. All learners in the spec must have a model.
    pub fn trained(
        registry: &Arc<Registry>,
        spec: &Spec,
        game: &LoadedGame,
        threads: &Threads,
    ) -> Result<Self, Failure> {
        let services = Services::new(threads, registry, game).refusing_untrained();
        let player = Self::build(registry, spec, game, &services)?;
        player.refuse_untrained(game, registry)?;
        Ok(player)
    }

    /// Refuses a player that is a learner without a model.
    pub fn refuse_untrained(&self, game: &LoadedGame, registry: &Registry) -> Result<(), Failure> {
        match self.learner() {
            Some(learner) if learners::is_untrained(&self.spec, learner)? => {
                Err(Failure::usage(learners::untrained(&self.spec, &game.spec, registry)))
            }
            _ => Ok(()),
        }
    }

    pub fn learner(&self) -> Option<&DynValue> {
        match &self.player {
            Player::Value(GreedyPolicy(value)) if value.is_learner() => Some(value),
            _ => None,
        }
    }
}

/// Returns the time that a move may take by the parameters of a spec and its nested specs: `time`,
/// and `start` of the agent `process`, which may start its program again during a move.
pub(crate) fn own_time(spec: &Spec) -> Duration {
    let mut sum: Duration = spec.nested().iter().map(|(_, nested)| own_time(nested)).sum();
    for value in ["time", "start"].into_iter().filter_map(|parameter| spec.get(parameter)) {
        let text = value.as_text().map_or_else(|| value.to_string(), str::to_owned);
        // A parameter of this name that is no time limits nothing.
        sum += text.parse::<TimeLimit>().map_or(Duration::ZERO, |limit| limit.get());
    }
    sum
}

macro_rules! delegate {
    ($player:expr, $method:ident($($argument:expr),*)) => {
        match $player {
            Player::Agent(agent) => agent.$method($($argument),*),
            Player::Value(greedy) => greedy.$method($($argument),*),
        }
    };
}

impl Agent for Player {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        delegate!(self, begin(game, start));
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        delegate!(self, act(game, turn))
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        delegate!(self, analyse(game, turn))
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        delegate!(self, end(game, last));
    }

    fn threads(&self) -> usize {
        delegate!(self, threads())
    }
}
