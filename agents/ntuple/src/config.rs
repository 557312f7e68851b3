//! The parameters of the players that learn, and what is built from them.

use crate::credit::{Backward, Credit, Delayed, Forward, MeanReturn, NStep, default_horizon};
use crate::learned::Learns;
use crate::network::Network;
use crate::rule::Rule;
use crate::schedule::Written;
use runner_core::board::Geometry;
use runner_core::{BuildError, Parameter};
use serde::{Deserialize, Serialize};

/// What all rules have in common.
pub struct Common {
    pub network: Option<String>,
    pub alphabet: Option<usize>,
    pub learns: String,
    pub update: String,
    pub lambda: f32,
    pub horizon: Option<usize>,
    pub steps: usize,
    pub optimism: Option<f32>,
    pub model: Option<String>,
}

/// A configuration with the common parameters, and those of one rule.
macro_rules! configuration {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// The tuples; without it, those for the board or of the model.
            pub network: Option<String>,
            /// How many ranks are told apart in a cell; without it, 16, or as the model.
            pub alphabet: Option<usize>,
            /// What is learned: afterstates, states or actions.
            pub learns: String,
            $($(#[$field_doc])* pub $field: $kind,)*
            /// Which estimates answer for which errors.
            pub update: String,
            /// By which an error counts less for each step back.
            pub lambda: f32,
            /// How many steps back an error counts; without it, as long as it counts
            /// a tenth.
            pub horizon: Option<usize>,
            /// The steps of `n-step`.
            pub steps: usize,
            /// What every position is thought to be worth at first; without it, nothing,
            /// or what the board needs.
            pub optimism: Option<f32>,
            /// The file of weights to play with.
            pub model: Option<String>,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    network: None,
                    alphabet: None,
                    learns: Learns::Afterstates.name().to_owned(),
                    $($field: $default,)*
                    update: "forward".to_owned(),
                    lambda: 0.0,
                    horizon: None,
                    steps: 3,
                    optimism: None,
                    model: None,
                }
            }
        }

        impl $name {
            /// What it has in common with the others.
            pub(crate) fn common(&self) -> Common {
                Common {
                    network: self.network.clone(),
                    alphabet: self.alphabet,
                    learns: self.learns.clone(),
                    update: self.update.clone(),
                    lambda: self.lambda,
                    horizon: self.horizon,
                    steps: self.steps,
                    optimism: self.optimism,
                    model: self.model.clone(),
                }
            }
        }
    };
}

configuration! {
    /// The parameters of `tc-ntuple`.
    TcConfig {
        /// The meta step size; without it, 1, or what the board needs.
        beta: Option<Written> = None,
        /// The error that an online update with λ above 0 adds to the sums of an earlier
        /// step: `error` or `decayed-error`.
        accumulate: String = "error".to_owned(),
        /// The share of the training that is plain TD first.
        warm_up: f64 = 0.0,
        /// The step size of that part.
        warm_up_alpha: f32 = 0.1,
        /// Whether the sums of errors are kept as two floats.
        wide: bool = false,
    }
}

configuration! {
    /// The parameters of `td-ntuple`.
    TdConfig {
        /// The step size.
        alpha: Written = Written::Constant(0.1),
    }
}

configuration! {
    /// The parameters of `autostep-ntuple`.
    AutostepConfig {
        /// The meta step size.
        mu: f32 = 0.1,
        /// How fast the normaliser of step sizes forgets.
        tau: f32 = 0.0001,
        /// The step size of weights that were never updated, which share it.
        initial: f32 = 1.0,
    }
}

/// The ways of learning from a game, for messages.
const UPDATES: &str = "`forward`, `delayed`, `n-step`, `mean-return` or `backward`";

/// What can be learned, for messages.
const LEARNS: &str = "`afterstates`, `states` or `actions`";

/// The longest horizon.
const MAX_HORIZON: usize = 64;

impl Common {
    /// The way of learning from a game that these parameters say.
    pub fn credit<R: Rule>(&self) -> Result<Box<dyn Credit<R>>, BuildError> {
        let refuse = |parameter: &str, message: String| Err(BuildError::of(parameter, message));
        let lambda = self.lambda;
        if !(0.0..1.0).contains(&lambda) {
            return refuse("lambda", "a number from 0 up to but not including 1 is allowed".into());
        }
        let horizon = self.horizon.unwrap_or_else(|| default_horizon(lambda));
        if horizon > MAX_HORIZON {
            return refuse("horizon", format!("0 to {MAX_HORIZON} steps are allowed"));
        }
        if !(1..=MAX_HORIZON).contains(&self.steps) {
            return refuse("steps", format!("1 to {MAX_HORIZON} are allowed"));
        }
        let traced = matches!(self.update.as_str(), "forward" | "delayed");
        if lambda != 0.0 && !traced {
            let message = format!("`lambda` is for `forward` and `delayed`, not `{}`", self.update);
            return refuse("lambda", message);
        }
        Ok(match self.update.as_str() {
            "forward" => Box::new(Forward { lambda, horizon }),
            "delayed" => Box::new(Delayed { lambda, horizon }),
            "n-step" => Box::new(NStep { steps: self.steps }),
            "mean-return" => Box::new(MeanReturn),
            "backward" => Box::new(Backward),
            other => return refuse("update", format!("there is no `{other}`; it is {UPDATES}")),
        })
    }

    /// What is learned.
    pub fn learns(&self) -> Result<Learns, BuildError> {
        Learns::named(&self.learns).ok_or_else(|| {
            let message = format!("`{}` cannot be learned; {LEARNS} can", self.learns);
            BuildError::of("learns", message)
        })
    }

    /// What every position of a board is thought to be worth at first.
    pub fn optimism(&self, board: &Geometry) -> Result<f32, BuildError> {
        match self.optimism {
            None => Ok(self.board_optimism(board).unwrap_or(0.0)),
            Some(optimism) if optimism.is_finite() && optimism >= 0.0 => Ok(optimism),
            Some(_) => Err(BuildError::of("optimism", "a number from 0 on is allowed")),
        }
    }

    /// The optimism that a board needs if its usual network learns.
    pub fn board_optimism(&self, board: &Geometry) -> Option<f32> {
        let usual = self.network.is_none() && self.model.is_none();
        usual.then(|| Network::default_optimism(board)).flatten()
    }

    /// The parameters in words, with those of a rule after the network's.
    pub fn parameters(rule: Vec<Parameter>) -> Vec<Parameter> {
        let mut all = vec![Parameter::new(
            "network",
            "a preset (`4x6` to `8x6`, `17x4`), shapes (`42-33`), or tuples of cells",
            "None",
            "which cells it looks at; by default four 6-tuples where they fit",
        )];
        all.extend([
            Parameter::new(
                "alphabet",
                "2 to 16, or to the ranks of the game",
                "None",
                "how many ranks a cell is told apart by; 16, or as the model",
            ),
            Parameter::new("learns", LEARNS, "\"afterstates\"", "what the estimates are of"),
        ]);
        all.extend(rule);
        all.extend([
            Parameter::new("update", UPDATES, "\"forward\"", "which estimates answer for an error"),
            Parameter::new("lambda", "0 to 1", "0.0", "how much an error counts for steps before"),
            Parameter::new("horizon", "0 to 64", "None", "how many steps before; by lambda"),
            Parameter::new("steps", "1 to 64", "3", "the steps of `n-step`"),
            Parameter::new(
                "optimism",
                "0 or more",
                "None",
                "what a position is worth at first; 0, or by the board",
            ),
            Parameter::new("model", "a file", "None", "the model to play with, without learning"),
        ]);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Td;

    #[track_caller]
    fn refuses(config: TdConfig, parameter: &str, message: &str) {
        let error = config.common().credit::<Td>().err().expect("it makes no sense");
        assert_eq!(
            (error.parameter.as_deref(), error.message.as_str()),
            (Some(parameter), message)
        );
    }

    #[test]
    fn ways_of_learning_that_make_no_sense_are_refused() {
        let whole = TdConfig::default;
        let lambda = "a number from 0 up to but not including 1 is allowed";
        for wrong in [1.0, -0.1, f32::NAN] {
            refuses(TdConfig { lambda: wrong, ..whole() }, "lambda", lambda);
        }
        let horizon = Some(65);
        refuses(TdConfig { horizon, ..whole() }, "horizon", "0 to 64 steps are allowed");
        for steps in [0, 65] {
            refuses(TdConfig { steps, ..whole() }, "steps", "1 to 64 are allowed");
        }
        let update = "sideways".to_owned();
        let message = "there is no `sideways`; it is `forward`, `delayed`, `n-step`, \
                       `mean-return` or `backward`";
        refuses(TdConfig { update, ..whole() }, "update", message);
        for update in ["n-step", "mean-return", "backward"] {
            let message = format!("`lambda` is for `forward` and `delayed`, not `{update}`");
            let update = update.to_owned();
            refuses(TdConfig { update, lambda: 0.5, ..whole() }, "lambda", &message);
        }
    }

    #[test]
    fn all_ways_of_learning_can_be_asked_for() {
        for (update, horizon) in
            [("forward", 4), ("delayed", 4), ("n-step", 3), ("mean-return", 1), ("backward", 1)]
        {
            let lambda = if horizon == 4 { 0.5 } else { 0.0 };
            let config = TdConfig { update: update.to_owned(), lambda, ..TdConfig::default() };
            assert_eq!(config.common().credit::<Td>().unwrap().horizon(), horizon);
        }
    }

    fn board(rows: usize, cols: usize) -> Geometry {
        Geometry {
            rows,
            cols,
            values: vec![0; 16],
            symmetries: vec![],
            extra_fields: vec![],
            merges: vec![],
        }
    }

    #[test]
    fn optimism_is_a_number_from_0_on() {
        let of =
            |optimism| TdConfig { optimism, ..TdConfig::default() }.common().optimism(&board(4, 4));
        assert_eq!(of(Some(320_000.0)), Ok(320_000.0));
        for wrong in [-1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(of(Some(wrong)).unwrap_err().message, "a number from 0 on is allowed");
        }
    }

    #[test]
    fn players_of_the_smallest_boards_are_optimists_unless_told_otherwise() {
        let plain = TdConfig::default;
        for ((rows, cols), optimism) in [((2, 2), 128.0), ((3, 2), 768.0), ((3, 3), 0.0)] {
            let of = |config: TdConfig| config.common().optimism(&board(rows, cols));
            assert_eq!(of(plain()), Ok(optimism));
            assert_eq!(of(TdConfig { optimism: Some(0.0), ..plain() }), Ok(0.0));
            // Who chooses the tuples chooses what they think; a model has learned it.
            assert_eq!(of(TdConfig { network: Some("01".to_owned()), ..plain() }), Ok(0.0));
            assert_eq!(of(TdConfig { model: Some("a.model".to_owned()), ..plain() }), Ok(0.0));
        }
    }
}
