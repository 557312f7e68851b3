//! `corner-model`: keeps a chain of descending tiles along a snake path from a corner.
//!
//! A model is a snake path over all cells: from a corner along a side, then back along the
//! next line. A board fits a model by the chain of tiles, from the start of the path, in
//! which no tile is greater than the one before. The agent takes the move after which the
//! board fits its model best. It avoids the move away from the side where the path begins;
//! if no other move is legal, it plays that move and then, if possible, its opposite. Before
//! each move it switches to another model if that one fits the board better. The strategy comes
//! from an answer to *What is the optimal algorithm for the game 2048?* (Stack Overflow, 2014).

use crate::board;
use crate::heuristics::snakes::Corner;
use runner_core::geometry::Geometry;
use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Game, Plugin, State, Turn,
};

/// The actions of a sliding game, in order.
const DIRECTIONS: [&str; 4] = ["up", "right", "down", "left"];

#[derive(Clone, Debug)]
pub struct CornerModel {
    board: Geometry,
    models: Vec<Model>,
    current: usize,
    /// The opposite of a forced move, to be played next.
    undo: Option<Action>,
}

#[derive(Clone, Debug)]
struct Model {
    path: Vec<usize>,
    /// The move away from the side where the path begins.
    avoided: Action,
}

impl CornerModel {
    fn with_board(board: Geometry, corners: &[Corner]) -> Self {
        let of_corner = |corner: &Corner| {
            let [along_rows, along_cols] = corner.snakes(board.rows, board.cols);
            let [up, right, down, left] = [0, 1, 2, 3].map(Action);
            let across = if corner.is_lower() { up } else { down };
            let along = if corner.is_right() { left } else { right };
            [
                Model { path: along_rows, avoided: across },
                Model { path: along_cols, avoided: along },
            ]
        };
        let models = corners.iter().flat_map(of_corner).collect();
        Self { board, models, current: 0, undo: None }
    }

    /// Returns how well a board fits a model: the sum of the chain's tiles, each weighted
    /// half as much as the one before. Empty cells break ties.
    fn fit(&self, model: &Model, bits: u128) -> f64 {
        let value =
            |rank: u8| self.board.values.get(usize::from(rank)).copied().unwrap_or(0) as f64;
        let tiles = model.path.iter().map(|&cell| value(self.board.rank(bits, cell)));
        let (mut fit, mut weight, mut last) = (0.0, 1.0, f64::INFINITY);
        for tile in tiles.take_while(|&tile| tile > 0.0) {
            if tile > last {
                break;
            }
            fit += weight * tile;
            (weight, last) = (weight / 2.0, tile);
        }
        let empty = (0..self.board.cells()).filter(|&cell| self.board.rank(bits, cell) == 0);
        fit + empty.count() as f64 / 64.0
    }

    /// Switches to the model that fits best; ties keep the current one.
    fn choose_model(&mut self, bits: u128) {
        let mut best = (self.current, self.fit(&self.models[self.current], bits));
        for (k, model) in self.models.iter().enumerate() {
            let fit = self.fit(model, bits);
            if fit > best.1 {
                best = (k, fit);
            }
        }
        self.current = best.0;
    }
}

impl Agent for CornerModel {
    fn begin<G: Game>(&mut self, _: &G, _: State) {
        (self.current, self.undo) = (0, None);
    }

    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        if let Some(action) = self.undo.take()
            && turn.successors.of(action).is_some()
        {
            return Some(action);
        }
        self.choose_model(turn.state.bits());
        let model = &self.models[self.current];
        let allowed = turn.successors.iter().filter(|s| s.action != model.avoided);
        let best = allowed
            .map(|s| (self.fit(model, s.afterstate.bits()), s.action))
            .reduce(|best, next| if next.0 > best.0 { next } else { best });
        if let Some((_, action)) = best {
            return Some(action);
        }
        let forced = model.avoided;
        self.undo = Some(Action((forced.0 + 2) % 4));
        Some(forced)
    }
}

impl Plugin for CornerModel {
    const NAME: &'static str = "corner-model";
    const ABOUT: &'static str = "keeps a chain of descending tiles from a corner";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ();
}

impl AgentPlugin for CornerModel {
    fn new((): (), context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = board(context, Self::NAME)?;
        if context.game.actions != DIRECTIONS {
            let message = "`corner-model` needs a game with the actions up, right, down and left";
            return Err(BuildError::new(message));
        }
        Ok(Self::with_board(board, &Corner::ALL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_laws::doubles::with_turn;

    fn game() -> Game2048 {
        Game2048::new(Default::default()).unwrap()
    }

    fn act(agent: &mut CornerModel, text: &str) -> String {
        let game = game();
        let state = game.parse(text).unwrap();
        let action = with_turn(&game, state, 0, |turn| agent.act(&game, turn));
        game.description().action_name(action.unwrap())
    }

    fn agent(corner: Corner) -> CornerModel {
        let board = game().description().geometry.clone().unwrap();
        CornerModel::with_board(board, &[corner])
    }

    #[test]
    fn paths_snake_from_their_corner() {
        let upper_left = agent(Corner::UpperLeft);
        assert_eq!(upper_left.models[0].path[..6], [0, 1, 2, 3, 7, 6]);
        assert_eq!(upper_left.models[0].avoided, Action(2));
        assert_eq!(upper_left.models[1].path[..6], [0, 4, 8, 12, 13, 9]);
        assert_eq!(upper_left.models[1].avoided, Action(1));
        let lower_right = agent(Corner::LowerRight);
        assert_eq!(lower_right.models[0].path[..6], [15, 14, 13, 12, 8, 9]);
        assert_eq!(lower_right.models[0].avoided, Action(0));
        assert_eq!(lower_right.models[1].path[..6], [15, 11, 7, 3, 2, 6]);
        assert_eq!(lower_right.models[1].avoided, Action(3));
    }

    #[test]
    fn the_agent_merges_along_the_chain_and_keeps_to_its_side() {
        let mut agent = agent(Corner::UpperLeft);
        // The lower 4 moves up below the chain.
        assert_eq!(act(&mut agent, "64,32,16,4/0,0,0,4/0,0,0,0/0,0,0,0"), "up");
        // Down is avoided, so right is left.
        assert_eq!(act(&mut agent, "64,32,16,8/4,0,0,0/0,0,0,0/0,0,0,0"), "right");
    }

    #[test]
    fn a_forced_move_is_followed_by_its_opposite() {
        let mut agent = agent(Corner::UpperLeft);
        agent.models.truncate(1);
        let text = "64,32,16,8/2,4,2,4/0,0,0,0/0,0,0,0";
        assert_eq!(act(&mut agent, text), "down", "nothing else moves");
        assert_eq!(act(&mut agent, "0,2,0,0/0,0,0,0/64,32,16,8/2,4,2,4"), "up");
    }
}
