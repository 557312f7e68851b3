//! An agent that lets two agents decide in turn.

use runner_core::{
    Action, Agent, AgentPlugin, Analysis, AnyAgent, BuildContext, BuildError, Game, Plugin, Spec,
    State, Turn, parameters,
};

parameters! {
    pub struct Config {
        /// Agents
        pub agents: Vec<Spec> = Vec::new(), list(player());
    }
}

/// Lets its agents decide in turn.
#[derive(Clone)]
pub struct Alternate {
    agents: Vec<AnyAgent>,
    moves: usize,
}

impl Alternate {
    fn next(&mut self) -> &mut AnyAgent {
        let index = self.moves % self.agents.len();
        &mut self.agents[index]
    }
}

impl Agent for Alternate {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let choice = self.next().act(game, turn);
        self.moves += 1;
        choice
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        self.next().analyse(game, turn)
    }

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.moves = 0;
        self.agents.iter_mut().for_each(|agent| agent.begin(game, start));
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        self.agents.iter_mut().for_each(|agent| agent.end(game, last));
    }

    fn threads(&self) -> usize {
        self.agents.iter().map(Agent::threads).max().unwrap_or(1)
    }
}

impl Plugin for Alternate {
    const NAME: &'static str = "alternate";
    const ABOUT: &'static str = "lets agents decide in turn, for the tests";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for Alternate {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let agents = config.agents.iter().map(|spec| context.agent("agents", spec));
        let agents = agents.collect::<Result<Vec<_>, _>>()?;
        if agents.is_empty() {
            Err(BuildError::of("agents", "one agent at least is needed"))
        } else {
            Ok(Self { agents, moves: 0 })
        }
    }
}
