//! The parameters that all learners share, and their help.

use crate::optimism;
use crate::rule::Rule;
use crate::starts::{MultiStage, Restarts};
use crate::update::{self, MAX_HORIZON, UpdateOptions, UpdateScheme};
use agent_ntuple_network::{Inheritance, ValueFunction};
use runner_core::geometry::Geometry;
use runner_core::{BuildError, Parameter, Spec};

/// The parameters that all learners share.
pub struct Common {
    pub network: Option<String>,
    pub alphabet: Option<usize>,
    pub stages: Option<String>,
    pub promotion: Option<String>,
    pub learns: String,
    pub update: String,
    pub lambda: f32,
    pub horizon: Option<usize>,
    pub steps: usize,
    pub optimism: Option<f32>,
    pub restarts: Option<Spec>,
    pub average: f64,
    pub multi_stage: Option<MultiStage>,
    pub model: Option<String>,
    pub fold: bool,
}

/// Defines the parameters of a learner: those that all learners share, and its own.
/// (`serde(flatten)` cannot be combined with `deny_unknown_fields`.)
macro_rules! learner_options {
    // A learner that trains all stages together.
    (
        $(#[$doc:meta])*
        $name:ident { $($own:tt)* }
    ) => {
        $crate::options::learner_options! {
            shared
            $(#[$doc])*
            $name {
                /// Inheritance of weights from the previous stage; `None` selects the model's, or
                /// `weights`.
                promotion: Option<String> = None,
                /// Domain of the value function: `afterstates`, `states` or `actions`.
                learns: String = agent_ntuple_network::ValueFunction::Afterstates.name().to_owned(),
                $($own)*
                /// Share of the training, at its end, over which the weights are averaged.
                average: f64 = 0.0,
            }
        }

        impl $name {
            /// Returns the parameters that all learners share.
            pub(crate) fn common(&self) -> $crate::options::Common {
                $crate::options::Common {
                    promotion: self.promotion.clone(),
                    learns: self.learns.clone(),
                    average: self.average,
                    ..self.shared()
                }
            }
        }
    };
    // A learner with its own rule of stages, inheritance and averages.
    (
        shared
        $(#[$doc:meta])*
        $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty = $default:expr,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// The tuples; `None` selects the model's, or the default for the board.
            pub network: Option<String>,
            /// Number of ranks per cell; `None` selects the model's, or 16.
            pub alphabet: Option<usize>,
            /// Conditions of the stages; `None` selects the model's, or one stage.
            pub stages: Option<String>,
            $($(#[$field_doc])* pub $field: $kind,)*
            /// Update scheme; `None` selects the default of the learner.
            pub update: Option<String>,
            /// Trace decay λ, 0 to below 1; `None` selects the default of the learner.
            pub lambda: Option<f32>,
            /// Number of earlier steps that an error updates; `None` selects the steps whose
            /// share λ^k is at least 0.1.
            pub horizon: Option<usize>,
            /// Number of steps of `n-step`.
            pub steps: usize,
            /// Value of every position before training; `None` selects 0, or the board's
            /// default.
            pub optimism: Option<f32>,
            /// Where training games begin; `None` selects the start of the game.
            pub restarts: Option<runner_core::Spec>,
            /// Model file to evaluate with.
            pub model: Option<String>,
            /// True to fold redundant tuples of the model.
            pub fold: bool,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    network: None,
                    alphabet: None,
                    stages: None,
                    $($field: $default,)*
                    update: None,
                    lambda: None,
                    horizon: None,
                    steps: $crate::options::STEPS,
                    optimism: None,
                    restarts: None,
                    model: None,
                    fold: true,
                }
            }
        }

        impl $name {
            /// Returns the parameters that this learner shares with all others.
            fn shared(&self) -> $crate::options::Common {
                $crate::options::Common {
                    network: self.network.clone(),
                    alphabet: self.alphabet,
                    stages: self.stages.clone(),
                    update: self.update.clone().unwrap_or_else(|| "forward".to_owned()),
                    lambda: self.lambda.unwrap_or(0.0),
                    horizon: self.horizon,
                    steps: self.steps,
                    optimism: self.optimism,
                    restarts: self.restarts.clone(),
                    model: self.model.clone(),
                    fold: self.fold,
                    promotion: None,
                    learns: agent_ntuple_network::ValueFunction::Afterstates.name().to_owned(),
                    average: 0.0,
                    multi_stage: None,
                }
            }
        }
    };
}

pub(crate) use learner_options;

/// Default number of steps of `n-step`.
pub const STEPS: usize = 3;

/// The allowed values of a step size, for help.
pub const STEP_SIZE: &str = "above 0, up to 1; or a schedule: (from: 1.0, to: 0.1) falls exponentially, \
                             [(0.0, 1.0), (0.5, 0.1)] gives each value from a share of the training on";

/// The allowed values of `learns`, for messages and help.
const LEARNS: &str = "`afterstates`, `states` or `actions`";

impl Common {
    pub fn update_scheme<R: Rule>(&self) -> Result<Box<dyn UpdateScheme<R>>, BuildError> {
        let Self { lambda, horizon, steps, .. } = *self;
        let options = UpdateOptions { lambda, horizon, steps };
        options.check()?;
        update::build(&self.update, &options)
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

    pub fn value_function(&self) -> Result<ValueFunction, BuildError> {
        ValueFunction::named(&self.learns).ok_or_else(|| {
            let message = format!("unknown: `{}`; expected {LEARNS}", self.learns);
            BuildError::of("learns", message)
        })
    }

    /// Returns the share of the training over which weights are averaged.
    pub fn average(&self) -> Result<f64, BuildError> {
        match (0.0..1.0).contains(&self.average) {
            true => Ok(self.average),
            false => {
                let message = format!("{} is not a share from 0 to below 1", self.average);
                Err(BuildError::of("average", message))
            }
        }
    }

    /// Returns true if neither a network nor a model is named.
    pub fn is_default_network(&self) -> bool {
        self.network.is_none() && self.model.is_none()
    }

    /// Returns the value of every position before training.
    pub fn initial_value(&self, board: &Geometry) -> Result<f32, BuildError> {
        optimism::initial_value(self.optimism, self.is_default_network(), board)
    }

    /// Returns the help of all parameters, with those of a rule after the network's.
    pub fn parameters(rule: Vec<Parameter>) -> Vec<Parameter> {
        let mut all = vec![
            Parameter::new(
                "network",
                "presets (`4x6`, `5x6`, `6x6`, `7x6`, `8x6`, `17x4`), shapes (`42-33`), tuples of \
                 cells (`012345`) and features (`large:2048`, `empty`, `distinct`, `pairs`, \
                 `neighbours`), separated by spaces",
                "by the board; `4x6` on 4 x 4 cells",
                "Tuples of cells and features of the board that index the weight tables; by default \
                 tuples also read the game's extra fields, such as the announced tile of Threes",
            ),
            Parameter::new(
                "alphabet",
                "2 to 16, or to the game's number of ranks if that is larger",
                "16, or that of the model",
                "Number of ranks that a cell distinguishes, the empty cell included",
            ),
            Parameter::new(
                "stages",
                "a condition for each stage after the first (`16384 16384+8192`, \
                 `2x4096 3x4096@8192`), or `2^4`; before them `downgrade@4096` reads the tiles \
                 above 4096 as the smallest ones in the same order",
                "one stage, or those of the model",
                "Tiles with which a position enters each stage; a stage has its own weights",
            ),
            Parameter::new(
                "promotion",
                Inheritance::NAMES,
                "`weights`, or that of the model",
                "Values that a weight inherits from the previous stage when it is first read",
            ),
            Parameter::new(
                "learns",
                LEARNS,
                "\"afterstates\"",
                "Domain of the value function; `actions` is Q-learning",
            ),
        ];
        all.extend(rule);
        let steps = format!("1 to {MAX_HORIZON} steps");
        all.extend([
            Parameter::new(
                "update",
                &update::names(),
                "\"forward\"",
                "Update scheme: which earlier steps an error updates, and when",
            ),
            Parameter::new("lambda", "0 to below 1", "0.0", "Trace decay λ"),
            Parameter::new(
                "horizon",
                &format!("0 to {MAX_HORIZON} steps"),
                "the steps k with λ^k ≥ 0.1",
                "Number of earlier steps that an error updates",
            ),
            Parameter::new("steps", &steps, &STEPS.to_string(), "Number of steps of `n-step`"),
            Parameter::new(
                "optimism",
                "0 or more points",
                "0; with the default network 128 on 2 x 2 cells, 768 on 2 x 3",
                "Initial value of every position",
            ),
            Parameter::new(
                "model",
                "a file in quotes",
                "None",
                "Model to evaluate with; disables training",
            ),
            Parameter::new(
                "fold",
                "true or false",
                "true",
                "Add the weights of tuples that lie within larger ones to these when `model` is \
                 loaded: equal values with fewer lookups",
            ),
            Parameter::new(
                "restarts",
                &Restarts::allowed(),
                "`none`",
                "First positions of training games: those of the rules (`none`), the middle of \
                 the last game if it was long, or the first positions of each stage in turn",
            ),
            Parameter::new(
                "average",
                "0 to below 1",
                "0.0",
                "Share of the training, at its end, over which the weights are averaged",
            ),
        ]);
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::TdConfig;
    use crate::learners::td::Td;
    use runner_core::BuildError;

    fn refused(config: TdConfig) -> BuildError {
        config.common().update_scheme::<Td>().err().expect("it is wrong")
    }

    #[test]
    fn wrong_update_schemes_and_options_are_refused() {
        let default = TdConfig::default;
        let parameter = |config| refused(config).parameter.unwrap();
        assert_eq!(parameter(TdConfig { lambda: Some(1.0), ..default() }), "lambda");
        assert_eq!(parameter(TdConfig { horizon: Some(65), ..default() }), "horizon");
        assert_eq!(parameter(TdConfig { steps: 0, ..default() }), "steps");
        let error = refused(TdConfig { update: Some("sideways".to_owned()), ..default() });
        assert_eq!(error.parameter.as_deref(), Some("update"));
        assert!(error.message.contains("`mean-return` or `backward`"), "{error}");
        for update in ["n-step", "mean-return"] {
            let update = Some(update.to_owned());
            assert_eq!(parameter(TdConfig { update, lambda: Some(0.5), ..default() }), "lambda");
        }
        // Only schemes with a bounded trace need a horizon for their lambda.
        for update in ["forward", "delayed"] {
            let update = Some(update.to_owned());
            let config = TdConfig { update, lambda: Some(0.99), ..default() };
            assert_eq!(parameter(config.clone()), "horizon");
            let config = TdConfig { horizon: Some(64), ..config };
            assert!(config.common().update_scheme::<Td>().is_ok());
        }
        let update = Some("backward".to_owned());
        let config = TdConfig { update, lambda: Some(0.99), ..default() };
        assert!(config.common().update_scheme::<Td>().is_ok());
    }

    #[test]
    fn parameters_without_effect_are_refused_unless_they_are_defaults() {
        let default = TdConfig::default;
        let update = |name: &str| Some(name.to_owned());
        let model = Some("a.model".to_owned());
        for (config, parameter) in [
            (TdConfig { steps: 5, ..default() }, "steps"),
            (
                TdConfig { steps: 5, update: update("delayed"), lambda: Some(0.5), ..default() },
                "steps",
            ),
            (TdConfig { horizon: Some(3), ..default() }, "horizon"),
            (TdConfig { horizon: Some(3), update: update("n-step"), ..default() }, "horizon"),
            (
                TdConfig {
                    horizon: Some(3),
                    update: update("backward"),
                    lambda: Some(0.5),
                    ..default()
                },
                "horizon",
            ),
            (TdConfig { fold: false, ..default() }, "fold"),
            (TdConfig { promotion: Some("none".to_owned()), ..default() }, "promotion"),
        ] {
            let error = config.common().refuse_idle().unwrap_err();
            assert_eq!(error.parameter.as_deref(), Some(parameter));
            assert!(error.message.contains("no effect"), "{error}");
            // They say how the model was trained.
            let config = TdConfig { model: model.clone(), ..config };
            assert_eq!(config.common().refuse_idle(), Ok(()));
        }
        for config in [
            default(),
            TdConfig { steps: 3, ..default() },
            TdConfig { steps: 5, update: update("n-step"), ..default() },
            TdConfig { horizon: Some(3), lambda: Some(0.5), ..default() },
        ] {
            assert_eq!(config.common().refuse_idle(), Ok(()));
        }
    }

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
