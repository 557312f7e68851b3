//! Threes as a [`Game`] and a plugin.

use crate::config::{Config, Entry};
use crate::layout::{LastMove, cells};
use crate::rules::Threes;
use crate::tiles::points;
use crate::{playouts, text};
use runner_core::{
    Action, Afterstate, BuildError, Description, Game, GameContext, GamePlugin, Outcome, Outcomes,
    Playout, Plugin, State, Successor, Successors, TextError,
};
use runner_sliding::Direction;

impl Game for Threes {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        self.draw_start(random)
    }

    #[inline]
    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        for direction in Direction::ALL {
            if let Some(Successor { afterstate, reward, action }) = self.push(state, direction) {
                out.push(action, afterstate, reward);
            }
        }
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        self.push(state, Direction::of(action)?)
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.list_outcomes(afterstate, out);
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.draw_outcome(afterstate, random)
    }

    #[inline]
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let Some(from) = from else { return self.score(to.bits()) as f32 };
        // The cell in which the tile entered.
        let entered = cells(from.bits() ^ to.bits());
        let rank = entered >> (entered.trailing_zeros() & !3);
        points(rank as u8 & 15) as f32
    }

    fn has_chance_rewards(&self) -> bool {
        true
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        self.list_starts()
    }

    fn write(&self, state: State) -> String {
        text::write(self, state)
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        text::write_afterstate(self, afterstate)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        text::parse(self, text)
    }

    fn max_tile(&self, state: State) -> Option<u64> {
        let rank = self.board.max_rank(state.bits());
        Some(self.board.geometry().values[usize::from(rank)])
    }

    /// Returns the sum of the displayed values: merges keep it, and every tile that enters
    /// adds to it.
    fn layer(&self, state: State) -> Option<u64> {
        Some(self.board.sum(state.bits()))
    }

    fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
        if self.entry != Entry::MovedLines || !playouts::play(self, starts, random, results) {
            runner_core::playouts::play(self, starts, random, results);
        }
    }

    fn transform(&self, state: State, symmetry: usize) -> State {
        State::from_bits(self.board.transform(state.bits(), symmetry))
    }

    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        let bits = self.board.transform(afterstate.bits(), symmetry);
        let moved = LastMove::of(bits);
        let image =
            self.board.geometry().symmetries[symmetry].actions[moved.direction.action().index()];
        let direction = Direction::of(image).expect("a symmetry maps directions to directions");
        let line_images = &self.images[symmetry][usize::from(moved.direction.is_vertical())];
        let lines = (0..5)
            .filter(|line| moved.lines >> line & 1 != 0)
            .fold(0, |lines, line| lines | 1 << line_images[line]);
        let shown = LastMove { direction, lines };
        Afterstate::from_bits(bits ^ moved.bits() ^ shown.bits())
    }
}

impl Plugin for Threes {
    const NAME: &'static str = "threes";
    const ABOUT: &'static str = "push by one cell, merge 1 and 2 and equal tiles from 3 on";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl GamePlugin for Threes {
    fn new(config: Config, _: &GameContext<'_>) -> Result<Self, BuildError> {
        Self::new(config)
    }
}
