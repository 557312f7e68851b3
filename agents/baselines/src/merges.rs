//! `greedy-merges`: takes the move that merges the most tiles, the algorithm in the question
//! *What is the optimal algorithm for the game 2048?* (Stack Overflow, 2014).

use crate::board;
use runner_core::geometry::Geometry;
use runner_core::{Action, Agent, AgentPlugin, BuildContext, BuildError, Game, Plugin, Turn};

/// Takes the action that leaves the fewest tiles. Ties go to the larger reward, then to the
/// first action.
#[derive(Clone, Debug)]
pub struct GreedyMerges {
    board: Geometry,
}

impl Agent for GreedyMerges {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let tiles = |bits: u128| {
            (0..self.board.cells()).filter(|&cell| self.board.rank(bits, cell) != 0).count()
        };
        let better = |one: &(usize, f32, Action), other: &(usize, f32, Action)| {
            one.0 < other.0 || one.0 == other.0 && one.1 > other.1
        };
        let all = turn.successors.iter().map(|s| (tiles(s.afterstate.bits()), s.reward, s.action));
        all.reduce(|best, next| if better(&next, &best) { next } else { best }).map(|best| best.2)
    }
}

impl Plugin for GreedyMerges {
    const NAME: &'static str = "greedy-merges";
    const ABOUT: &'static str = "takes the move that merges the most tiles";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ();
}

impl AgentPlugin for GreedyMerges {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        Ok(Self { board: board(context, Self::NAME)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_laws::doubles::with_turn;

    #[test]
    fn two_small_merges_beat_a_large_one() {
        let game = Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.clone().unwrap();
        let choice = |text: &str| {
            let mut agent = GreedyMerges { board: board.clone() };
            let state = game.parse(text).unwrap();
            let action = with_turn(&game, state, 0, |turn| agent.act(&game, turn));
            game.description().action_name(action.unwrap())
        };
        // Vertical moves merge the 64s, horizontal ones two pairs.
        assert_eq!(choice("2,2,4,4/64,0,0,0/64,0,0,0/0,0,0,0"), "right");
        assert_eq!(choice("2,4,0,0/64,0,0,0/64,0,0,0/0,0,0,0"), "up", "the first action");
        assert_eq!(choice("2,2,0,0/64,0,0,0/64,0,0,0/0,0,0,0"), "up", "the larger reward");
    }
}
