//! The parameters that all learners share, and their help.

use crate::optimism;
use crate::rule::Rule;
use crate::starts::{MultiStage, Restarts};
use crate::update::{self, UpdateOptions, UpdateScheme};
use agent_endgame::Tables;
use agent_ntuple_network::{Inheritance, ValueFunction};
use runner_core::geometry::Geometry;
use runner_core::{BuildContext, BuildError, Exploration, Spec};

/// The parameters that all learners share.
pub struct Common {
    pub network: Option<String>,
    pub alphabet: Option<usize>,
    pub stages: Option<String>,
    pub promotion: Option<Inheritance>,
    pub learns: ValueFunction,
    pub update: String,
    pub lambda: f32,
    pub horizon: Option<usize>,
    pub steps: usize,
    pub discount: f32,
    pub explore: Exploration,
    pub optimism: Option<f32>,
    pub restarts: Option<Spec>,
    pub endings: Option<String>,
    pub average: f64,
    pub multi_stage: Option<MultiStage>,
    pub model: Option<String>,
    pub fold: bool,
}

/// What the help of the shared parameters says for one learner.
pub struct Help {
    pub network: &'static str,
    pub update: &'static str,
    pub lambda: &'static str,
    pub optimism: &'static str,
    pub restarts: String,
}

impl Default for Help {
    fn default() -> Self {
        Self {
            network: "by the board; `4x6` on 4 x 4 cells",
            update: "`forward`",
            lambda: "0",
            optimism: "0; with the default network 128 on 2 x 2 cells, 768 on 2 x 3",
            restarts: Restarts::allowed(),
        }
    }
}

/// Declares the parameters of a learner: those that all learners share, and its own.
macro_rules! learner_options {
    // A learner that trains all stages together.
    (
        $(#[$doc:meta])*
        $name:ident, $help:expr, { $($own:tt)* }
    ) => {
        $crate::options::learner_options! {
            @fields $(#[$doc])* $name, $help, lambda None, { } {
                /// Tiles with which a position enters each stage; a stage has its own weights
                pub stages: Option<String> = None,
                    text(
                        "a condition for each stage after the first (`16384 16384+8192`, \
                         `2x4096 3x4096@8192`), or `2^4`; before them `downgrade@4096` reads the \
                         tiles above 4096 as the smallest ones in the same order",
                    )
                    .unset("one stage, or those of the model");
                /// Values that a weight inherits from the previous stage when it is first read
                pub promotion: Option<agent_ntuple_network::Inheritance> = None,
                    any::<agent_ntuple_network::Inheritance>()
                        .unset("`weights`, or that of the model");
                /// Domain of the value function; `actions` is Q-learning
                pub learns: agent_ntuple_network::ValueFunction =
                    agent_ntuple_network::ValueFunction::Afterstates;
                $($own)*
            } {
                /// Share of the training, at its end, over which the weights are averaged
                pub average: f64 = 0.0, range(0.0..1.0);
            }
        }

        impl $name {
            pub(crate) fn common(&self) -> $crate::options::Common {
                $crate::options::Common {
                    stages: self.stages.clone(),
                    promotion: self.promotion,
                    learns: self.learns,
                    average: self.average,
                    ..self.shared()
                }
            }
        }
    };
    // Parameters before, among and after the shared ones.
    (
        @fields $(#[$doc:meta])*
        $name:ident, $help:expr, lambda $lambda:expr,
        { $($first:tt)* } { $($middle:tt)* } { $($last:tt)* }
    ) => {
        runner_core::parameters! {
            $(#[$doc])*
            pub struct $name {
                $($first)*
                /// Tuples of cells and features of the board that index the weight tables; by
                /// default tuples also read the game's extra fields, such as the announced tile
                /// of Threes
                pub network: Option<String> = None,
                    text(
                        "presets (`4x6`, `5x6`, `6x6`, `7x6`, `8x6`, `17x4`), shapes (`42-33`), \
                         tuples of cells (`012345`) and features (`large:2048`, `empty`, \
                         `distinct`, `pairs`, `neighbours`), separated by spaces",
                    )
                    .unset($help.network);
                /// Number of ranks that a cell distinguishes, the empty cell included
                pub alphabet: Option<usize> = None,
                    any::<usize>()
                        .form("2 to 16, or to the game's number of ranks if that is larger")
                        .unset("16, or that of the model");
                $($middle)*
                /// Update scheme: which earlier steps an error updates, and when
                pub update: Option<String> = None,
                    words($crate::update::NAMES.iter().map(|name| format!("{name:?}"))).unset($help.update);
                /// Trace decay λ
                pub lambda: Option<f32> = $lambda, range(0.0..1.0).unset($help.lambda);
                /// Number of earlier steps that an error updates
                pub horizon: Option<usize> = None,
                    range(0..=$crate::update::MAX_HORIZON)
                        .unit("steps")
                        .unset("the steps k with λ^k ≥ 0.1");
                /// Number of steps of `n-step`
                pub steps: usize = $crate::options::STEPS,
                    range(1..=$crate::update::MAX_HORIZON).unit("steps");
                /// Discount γ of all that follows a move
                pub discount: f32 = 1.0, above(0.0).up_to(1.0);
                /// Policy of training games; errors follow the actions that were taken
                pub explore: runner_core::Exploration = runner_core::Exploration::Greedy,
                    other(
                        "`greedy`, `epsilon(P)` with a probability, or `softmax(T)` with a \
                         temperature in points",
                    );
                /// Initial value of every position
                pub optimism: Option<f32> = None,
                    range(0.0..=f64::from(f32::MAX)).form("0 or more points").unset($help.optimism);
                /// First positions of training games: those of the rules (`none`), the middle of
                /// the last game if it was long, or the first positions of each stage in turn
                pub restarts: Option<runner_core::Spec> = None,
                    other($help.restarts).unset("`none`");
                /// Tables of endings that training does not play: where one answers, the target is
                /// its probability times the value after the goal, and the game continues there
                pub endings: Option<String> = None, file().form(agent_endgame::FORM);
                $($last)*
                /// Model to evaluate with; disables training
                pub model: Option<String> = None, file();
                /// Add the weights of tuples that lie within larger ones to these when `model` is
                /// loaded: equal values with fewer lookups
                pub fold: bool = true;
            }
        }

        impl $name {
            fn shared(&self) -> $crate::options::Common {
                $crate::options::Common {
                    network: self.network.clone(),
                    alphabet: self.alphabet,
                    update: self.update.clone().unwrap_or_else(|| "forward".to_owned()),
                    lambda: self.lambda.unwrap_or(0.0),
                    horizon: self.horizon,
                    steps: self.steps,
                    discount: self.discount,
                    explore: self.explore,
                    optimism: self.optimism,
                    restarts: self.restarts.clone(),
                    endings: self.endings.clone(),
                    model: self.model.clone(),
                    fold: self.fold,
                    stages: None,
                    promotion: None,
                    learns: agent_ntuple_network::ValueFunction::Afterstates,
                    average: 0.0,
                    multi_stage: None,
                }
            }
        }
    };
}

pub(crate) use learner_options;

pub const STEPS: usize = 3;

impl Common {
    pub fn update_scheme<R: Rule>(&self) -> Result<Box<dyn UpdateScheme<R>>, BuildError> {
        let Self { lambda, horizon, steps, .. } = *self;
        update::build(&self.update, &UpdateOptions { lambda, horizon, steps })
    }

    /// Refuses parameters that have no effect beside the others. Those of a training may stand
    /// beside a model, which then was trained with them; default values may always be given.
    pub fn refuse_idle(&self) -> Result<(), BuildError> {
        if self.model.is_some() {
            return Ok(());
        }
        let update = &self.update;
        let idle = |parameter: &str, why: String| {
            Err(BuildError::of(parameter, format!("has no effect: {why}")))
        };
        if self.steps != STEPS && update != "n-step" {
            return idle("steps", format!("`update` is `{update}`, not `n-step`"));
        }
        if self.horizon.is_some() && self.lambda == 0.0 {
            return idle("horizon", "`lambda` is 0, so an error updates one step".to_owned());
        }
        if self.horizon.is_some() && update == "backward" {
            return idle("horizon", "`backward` updates every step of the game".to_owned());
        }
        if self.promotion.is_some() && self.stages.is_none() {
            return idle(
                "promotion",
                "without `stages` there is nothing to inherit from".to_owned(),
            );
        }
        match self.fold {
            true => Ok(()),
            false => idle("fold", "without `model` nothing is folded".to_owned()),
        }
    }

    pub fn discount(&self) -> Result<f32, BuildError> {
        self.refuse_beside_others("discount", self.discount != 1.0)?;
        Ok(self.discount)
    }

    pub fn exploration(&self) -> Result<Exploration, BuildError> {
        self.refuse_beside_others("explore", self.explore != Exploration::Greedy)?;
        Ok(self.explore)
    }

    /// Opens the tables of endings for a training.
    pub fn ending_tables(&self, context: &BuildContext<'_>) -> Result<Option<Tables>, BuildError> {
        self.refuse_beside_others("endings", self.endings.is_some())?;
        if self.endings.is_some() && self.discount != 1.0 {
            let why = "needs `discount: 1`: tables do not say how many moves an ending takes";
            return Err(BuildError::of("endings", why));
        }
        match (&self.endings, &self.model) {
            (Some(names), None) => Tables::open("endings", names, context).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns an error if a parameter is set that only training of afterstates knows.
    fn refuse_beside_others(&self, parameter: &str, is_set: bool) -> Result<(), BuildError> {
        match is_set && self.learns != ValueFunction::Afterstates {
            false => Ok(()),
            true => Err(BuildError::of(parameter, "needs `learns: \"afterstates\"`")),
        }
    }

    pub fn is_default_network(&self) -> bool {
        self.network.is_none() && self.model.is_none()
    }

    pub fn initial_value(&self, board: &Geometry) -> f32 {
        optimism::initial_value(self.optimism, self.is_default_network(), board)
    }
}

#[cfg(test)]
mod tests {
    use crate::TdConfig;
    use crate::learners::td::Td;

    #[test]
    fn every_update_scheme_is_built_by_its_name() {
        for (update, kept) in
            [("forward", 4), ("delayed", 4), ("n-step", 3), ("mean-return", 1), ("backward", 1)]
        {
            let lambda = Some(if kept == 4 { 0.5 } else { 0.0 });
            let update = Some(update.to_owned());
            let config = TdConfig { update, lambda, ..TdConfig::default() };
            assert_eq!(config.common().update_scheme::<Td>().unwrap().kept_steps(), kept);
        }
    }
}
