//! `downgrade`: lets another agent decide as if the large tiles were one rank lower, for boards
//! with larger tiles than it has learned.
//!
//! From a tile on, the decision is made on a board where every tile above the largest missing
//! one is half as large, and the action is taken on the real board. Both boards have the same
//! legal actions. This is the tile-downgrading of Guei, Chen and Wu, *Optimistic Temporal
//! Difference Learning for 2048*, 2021.
//!
//! ```text
//! downgrade(agent: expectimax(depth: 3, value: tc-ntuple(model: "a.model")), from: 32768)
//! ```
#![forbid(unsafe_code)]

use runner_board::downgraded;
use runner_core::geometry::Geometry;
use runner_core::{
    Action, Agent, AgentPlugin, Analysis, AnyAgent, BuildContext, BuildError, Game, Plugin, Spec,
    State, Successors, Turn, forward_agent, parameters,
};

parameters! {
    /// The parameters of [`Downgrade`].
    pub struct Config {
        /// Agent that decides
        pub agent: Option<Spec> = None, player().unset("required");
        /// Smallest max tile of the boards that are lowered
        pub from: Option<u64> = None,
            any::<u64>().form("a tile of the game").unset("the tile of rank 15: 32768 in 2048");
    }
}

/// The default of `from`, as a rank: the highest one that the usual alphabet of a network
/// distinguishes, 32768 in 2048.
const USUAL_TOP_RANK: usize = 15;

/// Lets an agent decide on boards with lower tiles.
pub struct Downgrade<A = AnyAgent> {
    agent: A,
    board: Geometry,
    /// Smallest max rank of a board that is lowered.
    least: u8,
    successors: Successors,
}

impl<A: Clone> Clone for Downgrade<A> {
    fn clone(&self) -> Self {
        let Self { agent, board, least, .. } = self;
        let (agent, board) = (agent.clone(), board.clone());
        Self { agent, board, least: *least, successors: Successors::new() }
    }
}

impl<A: Agent> Downgrade<A> {
    /// Wraps an agent. Boards whose highest rank is at least `least` are lowered.
    pub fn new(agent: A, board: Geometry, least: u8) -> Self {
        Self { agent, board, least, successors: Successors::new() }
    }

    /// Calls `decide` with the agent and the turn on the lowered board, or the turn itself.
    /// Also returns the position that was lowered to, if one was.
    fn decide<G: Game, T>(
        &mut self,
        game: &G,
        turn: &Turn<'_>,
        decide: impl FnOnce(&mut A, &Turn<'_>) -> T,
    ) -> (T, Option<State>) {
        let state = turn.state;
        if let Some(bits) = downgraded(&self.board, state.bits(), self.least) {
            let lowered = State::from_bits(bits);
            game.successors(lowered, &mut self.successors);
            // The agent must not choose an action that the real board does not allow.
            let actions = |successors: &Successors| {
                successors.iter().map(|successor| successor.action).collect::<Vec<_>>()
            };
            if actions(&self.successors) == actions(turn.successors) {
                let turn = Turn { state: lowered, successors: &self.successors, ..*turn };
                return (decide(&mut self.agent, &turn), Some(lowered));
            }
        }
        (decide(&mut self.agent, turn), None)
    }
}

impl<A: Agent> Agent for Downgrade<A> {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.decide(game, turn, |agent, turn| agent.act(game, turn)).0
    }

    /// The action values are those of the lowered board.
    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let (mut analysis, lowered) =
            self.decide(game, turn, |agent, turn| agent.analyse(game, turn));
        if let Some(lowered) = lowered {
            let text = game.write(lowered);
            analysis.facts.push(("decided on".to_owned(), text.as_str().into()));
        }
        analysis
    }

    forward_agent!(|this| this.agent; begin end threads);
}

impl Plugin for Downgrade {
    const NAME: &'static str = "downgrade";
    const ABOUT: &'static str = "lets an agent decide on a board with lower tiles";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for Downgrade {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(board) = &context.game.geometry else {
            return Err(BuildError::new("tiles are lowered on boards, and the game has none"));
        };
        let Some(agent) = &config.agent else {
            return Err(BuildError::of(
                "agent",
                "an agent is needed, as in `downgrade(agent: tc-ntuple(model: \"a.model\"))`",
            ));
        };
        let least = match config.from {
            None => USUAL_TOP_RANK.min(board.values.len() - 1),
            Some(tile) => {
                let rank = board.values.iter().position(|&value| value == tile && tile > 0);
                rank.ok_or_else(|| {
                    BuildError::of("from", format!("{tile} is not a tile of the game"))
                })?
            }
        };
        Ok(Self::new(context.agent("agent", agent)?, board.clone(), least as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::{Config, Game2048};
    use runner_core::{Fact, GreedyPolicy, Random, Seed, Value};
    use runner_laws::doubles::with_turn;

    /// A value that is the highest rank, and notes what it returned.
    struct Highest(Geometry, std::sync::Mutex<Vec<u8>>);

    impl Value for Highest {
        fn evaluate(&self, afterstates: &[runner_core::Afterstate], values: &mut [f32]) {
            for (value, afterstate) in values.iter_mut().zip(afterstates) {
                let ranks = (0..16).map(|cell| self.0.rank(afterstate.bits(), cell));
                *value = f32::from(ranks.max().unwrap());
                self.1.lock().unwrap().push(*value as u8);
            }
        }
    }

    fn setting() -> (Game2048, Geometry) {
        let game = Game2048::new(Config::default()).unwrap();
        let board = game.description().geometry.clone().unwrap();
        (game, board)
    }

    fn analysis(agent: &mut impl Agent, game: &Game2048, text: &str) -> Analysis {
        let state = game.parse(text).unwrap();
        with_turn(game, state, 1, |turn| agent.analyse(game, turn))
    }

    #[test]
    fn the_agent_decides_on_the_lowered_board() {
        let (game, board) = setting();
        let value = Highest(board.clone(), Default::default());
        let mut agent = Downgrade::new(GreedyPolicy(&value), board, 15);
        for (text, lowered) in [
            (
                "65536,32768,2,0/0,0,0,0/0,0,0,0/0,0,0,2",
                Some("32768,16384,2,0/0,0,0,0/0,0,0,0/0,0,0,2"),
            ),
            (
                "32768,8192,2,0/0,0,0,0/0,0,0,0/0,0,0,2",
                Some("16384,8192,2,0/0,0,0,0/0,0,0,0/0,0,0,2"),
            ),
            ("16384,4096,2,0/0,0,0,0/0,0,0,0/0,0,0,2", None),
        ] {
            value.1.lock().unwrap().clear();
            let found = analysis(&mut agent, &game, text);
            assert!(found.choice.is_some());
            let fact = found.facts.iter().find(|(name, _)| name == "decided on");
            let text =
                lowered.map(|text| Fact::from(game.write(game.parse(text).unwrap()).as_str()));
            assert_eq!(fact.map(|(_, fact)| fact.clone()), text);
            assert!(value.1.lock().unwrap().iter().all(|&rank| rank <= 15));
        }
        // The largest tile of the game, which is alone.
        let found = analysis(&mut agent, &game, "131072,16384,2,0/0,0,0,0/0,0,4,0/0,0,0,2");
        let lowered = "65536,16384,2,0/0,0,0,0/0,0,4,0/0,0,0,2".into();
        assert!(found.facts.contains(&("decided on".to_owned(), lowered)), "{:?}", found.facts);
    }

    #[test]
    fn every_action_is_legal_on_the_real_board() {
        let (game, board) = setting();
        let value = Highest(board.clone(), Default::default());
        let mut agent = Downgrade::new(GreedyPolicy(&value), board.clone(), 1);
        let mut random = Random::stream(Seed(1), 0);
        let (mut successors, mut lowered) = (Successors::new(), 0);
        for _ in 0..10_000 {
            // Boards with many gaps between their ranks.
            let bits = (0..16).fold(0, |bits, cell| {
                board.with_rank(bits, cell, [0, 1, 2, 4, 5, 9, 10, 16][random.below(8) as usize])
            });
            let state = State::from_bits(bits);
            game.successors(state, &mut successors);
            if successors.is_empty() {
                continue;
            }
            let turn = Turn { state, successors: &successors, random: 1 };
            let action = agent.act(&game, &turn).unwrap();
            assert!(successors.iter().any(|successor| successor.action == action));
            lowered += u32::from(downgraded(&board, bits, 1).is_some());
        }
        assert!(lowered > 9000);
    }
}
