//! The same game with tiles that appear on the edge of the board, while a cell is empty there.
//! `lib.rs` exports one of the two.

use crate::{Config, __Type__};
use runner_core::{
    Afterstate, BuildError, Game, GameContext, GamePlugin, Outcome, Outcomes, Plugin, State,
    forward_game,
};
use runner_sliding::Scattered;

/// The game. Only its chance events differ from those of the game that it holds.
pub struct Edges(Scattered<__Type__>);

impl Edges {
    /// Returns true if the new tile of a state lies on the edge.
    fn is_on_edge(&self, afterstate: Afterstate, state: State) -> bool {
        let board = self.0.board().geometry();
        let is_new =
            |&cell: &usize| board.rank(afterstate.bits(), cell) != board.rank(state.bits(), cell);
        (0..board.cells()).find(is_new).is_some_and(|cell| {
            let (row, col) = (cell / board.cols, cell % board.cols);
            row == 0 || row == board.rows - 1 || col == 0 || col == board.cols - 1
        })
    }
}

impl Game for Edges {
    forward_game!(|this| this.0; description, start, starts, successors, successor, layer,
        max_tile, parse, write, write_afterstate);

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.0.outcomes(afterstate, out);
        let is_on_edge = |outcome: &Outcome| self.is_on_edge(afterstate, outcome.state);
        let on_edge: Vec<_> = out.iter().copied().filter(is_on_edge).collect();
        let total: f64 = on_edge.iter().map(|outcome| outcome.probability).sum();
        if on_edge.is_empty() {
            return;
        }
        out.clear();
        for Outcome { probability, state } in on_edge {
            out.push(probability / total, state);
        }
    }

    // Draws from the distribution of `outcomes`; the laws compare the two.
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let mut outcomes = Outcomes::with_capacity(self.description().max_outcomes);
        self.outcomes(afterstate, &mut outcomes);
        let mut left = random as f64 / 2f64.powi(64);
        let drawn = outcomes.iter().find(|outcome| {
            left -= outcome.probability;
            left < 0.0
        });
        drawn.or(outcomes.last()).expect("a move leaves an empty cell").state
    }
}

impl Plugin for Edges {
    const NAME: &'static str = __Type__::NAME;
    const ABOUT: &'static str = __Type__::ABOUT;
    const VERSION: &'static str = __Type__::VERSION;
    type Config = Config;
}

impl GamePlugin for Edges {
    fn new(config: Config, context: &GameContext<'_>) -> Result<Self, BuildError> {
        GamePlugin::new(config, context).map(Self)
    }
}
