//! The parameters that learners share. To add one: its field here, and its use.

use crate::starts::Restarts;
use crate::update;
use agent_ntuple_network::{Inheritance, ValueFunction, is_whole_board};
use runner_core::geometry::Geometry;
use runner_core::{BuildError, Spec, parameters};

/// `f32::MAX` in the digits that Rust prints. `f64::from(f32::MAX)` is a little less, so a range
/// that ends there would refuse these digits.
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
        pub restarts: Option<Spec> = None, other(Restarts::form()).unset("`none`");
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
    pub fn update_name(&self) -> &str {
        self.update.as_deref().unwrap_or("forward")
    }

    /// Returns an error if a parameter has no effect because of the other parameters. A parameter
    /// with its default value is never refused. Nothing is refused beside `model`: the parameters
    /// then say how the model was trained.
    pub fn refuse_idle(&self, joint: &Joint) -> Result<(), BuildError> {
        if self.model.is_some() {
            return Ok(());
        }
        let scheme = self.update_name();
        if self.steps != update::STEPS && scheme != "n-step" {
            let why = format!("has no effect: `update` is `{scheme}`, not `n-step`");
            return Err(BuildError::of("steps", why));
        }
        if joint.promotion.is_some() && joint.stages.is_none() {
            let why = "has no effect: without `stages` there is nothing to inherit from";
            return Err(BuildError::of("promotion", why));
        }
        Ok(())
    }

    /// Returns true if optimistic initialisation is the default. The m weights of a position then
    /// begin with V0/m each. V0 is above every score, so positions that were not tried look best.
    ///
    /// H. Guei, L.-P. Chen and I-C. Wu, "Optimistic temporal difference learning for 2048" (2021),
    /// and H. Guei, "On reinforcement learning for the game of 2048" (2023).
    ///
    /// Up to 2 x 3 cells the default network is one table of the whole board. It does not
    /// generalise: with zero weights, a greedy policy never tries a position that it has not seen,
    /// and stays far below the optimum.
    fn is_optimistic(&self, board: &Geometry) -> bool {
        self.network.is_none() && self.model.is_none() && is_whole_board(board)
    }

    /// Returns V0, the value of every position before training. The default for n cells is 2 n 2^n:
    /// 128 on 2 x 2 and 768 on 2 x 3 cells, where optimal play of 2048 scores 67 and 480, and less
    /// in 1024 and Threes. A larger V0 takes longer to unlearn.
    pub fn initial_value(&self, board: &Geometry) -> f32 {
        self.optimism.unwrap_or_else(|| {
            if self.is_optimistic(board) {
                ((2 * board.cells()) << board.cells()) as f32
            } else {
                0.0
            }
        })
    }

    /// Returns the default meta learning rate of TC, for a game that may have no board. With 1 on
    /// an optimistic network, a few bad outcomes in a row push the estimate of a position below
    /// its value, and the position is not tried again.
    pub fn default_beta(&self, board: Option<&Geometry>) -> f32 {
        if board.is_some_and(|board| self.is_optimistic(board)) { 0.3 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimism_is_the_default_on_the_smallest_boards_only() {
        let with_network = Shared { network: Some("01".to_owned()), ..Shared::default() };
        for ((rows, cols), value, beta) in
            [((2, 2), 128.0, 0.3), ((3, 2), 768.0, 0.3), ((2, 4), 0.0, 1.0), ((3, 3), 0.0, 1.0)]
        {
            let board = Geometry { rows, cols, values: vec![0; 16], ..Geometry::default() };
            let defaults =
                |shared: &Shared| (shared.initial_value(&board), shared.default_beta(Some(&board)));
            let without_optimism = Shared { optimism: Some(0.0), ..Shared::default() };
            assert_eq!(defaults(&Shared::default()), (value, beta));
            assert_eq!(defaults(&without_optimism), (0.0, beta));
            assert_eq!(defaults(&with_network), (0.0, 1.0));
        }
    }
}
