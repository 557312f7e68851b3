//! The parameters that learners share. To add one: its field here, and its use.

use crate::starts::Restarts;
use crate::update::{self, UpdateScheme};
use agent_ntuple_network::{Inheritance, ValueFunction, is_whole_board};
use runner_core::geometry::Geometry;
use runner_core::{BuildError, Spec, parameters};

/// The largest f32 as its text reads: ranges are checked against the text.
const LARGEST: f64 = 3.4028235e38;

parameters! {
    /// The parameters of all learners.
    pub struct Shared {
        /// Tuples of cells and features of the board that index the weight tables; by
        /// default tuples also read the game's extra fields, such as the announced tile
        /// of Threes
        pub network: Option<String> = None,
            text(
                "presets (`4x6`, `5x6`, `6x6`, `7x6`, `8x6`, `17x4`), shapes (`42-33`), \
                 tuples of cells (`012345`) and features (`large:2048`, `empty`, \
                 `distinct`, `pairs`, `neighbours`), separated by spaces",
            )
            .unset("by the board, `4x6` on 4 x 4 cells; `ms-td` adds `large`");
        /// Update scheme: which earlier steps an error updates, and when; by default `delayed` for
        /// `tc-ntuple` on more than 9 cells, `mean-return` for a tuned `ms-td`
        pub update: Option<String> = None,
            words(update::NAMES.iter().map(|name| format!("{name:?}")))
                .unset("`forward`, but for some learners and boards");
        /// Trace decay λ
        pub lambda: Option<f32> = None,
            range(0.0..1.0).unset("0; of `tc-ntuple` with `delayed` 0.5");
        /// Number of steps of `n-step`
        pub steps: usize = update::STEPS, range(1..=update::MAX_STEPS).unit("steps");
        /// Initial value of every position
        pub optimism: Option<f32> = None,
            range(0.0..=LARGEST)
                .form("0 or more points")
                .unset("0; with the default network 128 on 2 x 2 cells, 768 on 2 x 3");
        /// First positions of training games: those of the rules (`none`), the middle of
        /// the last game if it was long, or the first positions of each stage in turn
        pub restarts: Option<Spec> = None, other(Restarts::allowed()).unset("`none`");
        /// Model to evaluate with; disables training
        pub model: Option<String> = None, file();
    }
}

parameters! {
    /// The parameters of learners that train all stages together.
    pub struct Joint {
        /// Tiles with which a position enters each stage; a stage has its own weights
        pub stages: Option<String> = None,
            text(
                "a condition for each stage after the first (`16384 16384+8192@8192`), or `2^4`; \
                 before them `downgrade@4096` reads the \
                 tiles above 4096 as the smallest ones in the same order",
            )
            .unset("one stage, or those of the model");
        /// Values that a weight inherits from the previous stage when it is first read
        pub promotion: Option<Inheritance> = None,
            any::<Inheritance>().unset("`weights`, or that of the model");
        /// Domain of the value function, by default that of the model if there is one; `actions` is
        /// Q-learning
        pub learns: ValueFunction = ValueFunction::Afterstates;
        /// Share of the training, at its end, over which the weights are averaged
        pub average: f64 = 0.0, range(0.0..1.0);
    }
}

impl Shared {
    pub fn update_scheme(&self) -> Result<UpdateScheme, BuildError> {
        UpdateScheme::new(self.update(), self.lambda.unwrap_or(0.0), self.steps)
    }

    pub fn update(&self) -> &str {
        self.update.as_deref().unwrap_or("forward")
    }

    /// Refuses parameters that have no effect beside the others. Those of a training may stand
    /// beside a model, which then was trained with them; default values may always be given.
    pub fn refuse_idle(&self, joint: &Joint) -> Result<(), BuildError> {
        if self.model.is_some() {
            return Ok(());
        }
        if self.steps != update::STEPS && self.update() != "n-step" {
            let why = format!("has no effect: `update` is `{}`, not `n-step`", self.update());
            return Err(BuildError::of("steps", why));
        }
        if joint.promotion.is_some() && joint.stages.is_none() {
            let why = "has no effect: without `stages` there is nothing to inherit from";
            return Err(BuildError::of("promotion", why));
        }
        Ok(())
    }

    /// Returns true if optimistic initialisation is the default: all m weights of a position begin
    /// with V0/m, where V0 is above every score, so positions that were not tried look best.
    ///
    /// H. Guei, L.-P. Chen and I-C. Wu, "Optimistic temporal difference learning for 2048" (2021), and
    /// H. Guei, "On reinforcement learning for the game of 2048" (2023).
    ///
    /// Up to 2 x 3 cells the default network is one table of the whole board. It generalises
    /// nothing, so a greedy policy with zero weights never tries a position that it has not seen,
    /// and stays far below the optimum.
    fn is_optimistic(&self, board: &Geometry) -> bool {
        self.network.is_none() && self.model.is_none() && is_whole_board(board)
    }

    /// Returns the value of every position before training. The default is no larger than
    /// necessary, because the surplus must be unlearned at every position: 2 n 2^n for n cells.
    /// Optimal play scores 67 and 480 in 2048 on 2 x 2 and 2 x 3 cells, and less in 1024 and
    /// Threes.
    pub fn initial_value(&self, board: &Geometry) -> f32 {
        self.optimism.unwrap_or_else(|| {
            if self.is_optimistic(board) {
                ((2 * board.cells()) << board.cells()) as f32
            } else {
                0.0
            }
        })
    }

    /// Returns the default meta learning rate of TC. With 1 on an optimistic network, a few bad
    /// outcomes in a row push a position below its value, and it is not tried again.
    pub fn default_beta(&self, board: Option<&Geometry>) -> f32 {
        if board.is_some_and(|board| self.is_optimistic(board)) { 0.3 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimism_is_the_default_on_the_smallest_boards_only() {
        let named = Shared { network: Some("01".to_owned()), ..Shared::default() };
        for ((rows, cols), value, beta) in
            [((2, 2), 128.0, 0.3), ((3, 2), 768.0, 0.3), ((2, 4), 0.0, 1.0), ((3, 3), 0.0, 1.0)]
        {
            let board = Geometry { rows, cols, values: vec![0; 16], ..Geometry::default() };
            let of =
                |shared: &Shared| (shared.initial_value(&board), shared.default_beta(Some(&board)));
            assert_eq!(of(&Shared::default()), (value, beta));
            assert_eq!(of(&Shared { optimism: Some(0.0), ..Shared::default() }), (0.0, beta));
            assert_eq!(of(&named), (0.0, 1.0));
        }
    }
}
