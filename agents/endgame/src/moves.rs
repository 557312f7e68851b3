//! `endgame-moves`: an agent that takes the move of a table where one answers, and another agent's
//! move elsewhere.
//!
//! ```text
//! endgame-moves(tables: "L3-512", agent: expectimax(depth: 3))
//! ```

use crate::tables::{FORM, Tables};
use runner_core::{
    Action, Agent, AgentPlugin, Analysis, AnyAgent, BuildContext, BuildError, Game, Plugin, Spec,
    Turn, forward_agent, parameters,
};
use std::sync::Arc;

parameters! {
    /// The parameters of [`EndgameMoves`].
    pub struct Config {
        /// Tables of the endings
        pub tables: String = String::new(), file().form(FORM).unset("required");
        /// Agent that decides where no table does
        pub agent: Option<Spec> = None, player().unset("required");
        /// Least probability with which a table decides
        pub least: f32 = 0.5, range(0.0..=1.0);
    }
}

/// Takes the moves of tables.
#[derive(Clone)]
pub struct EndgameMoves<A = AnyAgent> {
    tables: Arc<Tables>,
    agent: A,
    least: f32,
}

/// The move of a table: its place in the order, and the probability.
struct Move {
    action: Action,
    table: usize,
    probability: f32,
}

impl<A: Agent> EndgameMoves<A> {
    /// Returns the best move of the first table that decides.
    fn of_tables(&self, turn: &Turn<'_>) -> Option<Move> {
        let moves = turn.successors.iter().flat_map(|next| {
            let values = self.tables.values(turn.state, next);
            values.map(|(table, probability)| Move { action: next.action, table, probability })
        });
        let moves = moves.filter(|found| found.probability >= self.least);
        moves.max_by(|a, b| b.table.cmp(&a.table).then(a.probability.total_cmp(&b.probability)))
    }
}

impl<A: Agent> Agent for EndgameMoves<A> {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        match self.of_tables(turn) {
            Some(found) => Some(found.action),
            None => self.agent.act(game, turn),
        }
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let mut analysis = self.agent.analyse(game, turn);
        if let Some(found) = self.of_tables(turn) {
            analysis.choice = Some(found.action);
            analysis.facts.extend(self.tables.facts(found.table, found.probability));
        }
        analysis
    }

    forward_agent!(|this| this.agent; begin end threads);
}

impl Plugin for EndgameMoves {
    const NAME: &'static str = "endgame-moves";
    const ABOUT: &'static str = "takes the moves of endgame tables, and another agent's elsewhere";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for EndgameMoves {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(agent) = &config.agent else {
            let message = "an agent is needed, as in \
                           `endgame-moves(tables: \"L3-512\", agent: expectimax)`";
            return Err(BuildError::of("agent", message));
        };
        let agent = context.agent("agent", agent)?;
        let tables = Arc::new(Tables::open("tables", &config.tables, context)?);
        Ok(Self { tables, agent, least: config.least })
    }
}
