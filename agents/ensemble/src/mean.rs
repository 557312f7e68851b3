//! `mean`: the weighted mean of several values of any kind. Networks that were trained
//! separately have independent errors, which partly cancel out in their mean.
//!
//! ```text
//! mean(values: [tc-ntuple(model: "a.model"), tc-ntuple(model: "b.model")])
//! mean(values: [tc-ntuple(model: "a.model"), td-ntuple(model: "c.model")], weights: [3, 1])
//! ```
//!
//! `runner model average` merges networks of equal shape into one, which plays identically and
//! as fast as a single one. `mean` is for networks of different shapes and for other values.

use crate::{BATCH, build};
use runner_core::{
    Afterstate, BuildContext, BuildError, Game, MAX_ACTIONS, Plugin, Spec, State, Successors,
    Value, ValuePlugin, ValueScale, parameters,
};
use std::sync::Arc;

parameters! {
    /// The parameters of [`Mean`].
    pub struct Config {
        /// Values to average; at least one
        pub values: Vec<Spec> = Vec::new(), list(value());
        /// Weight of each value; None weights all equally
        pub weights: Option<Vec<f32>> = None,
            any::<Vec<f32>>().form("a list of numbers above 0, one for each value");
    }
}

pub struct Mean {
    /// Each value with its share; the shares sum to 1.
    values: Vec<(Arc<dyn Value>, f32)>,
    scale: ValueScale,
}

impl Value for Mean {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let mut buffer = [0.0; BATCH];
        for (afterstates, out) in afterstates.chunks(BATCH).zip(values.chunks_mut(BATCH)) {
            let buffer = &mut buffer[..afterstates.len()];
            out.fill(0.0);
            for (value, share) in &self.values {
                value.evaluate(afterstates, buffer);
                out.iter_mut().zip(&*buffer).for_each(|(out, value)| *out += share * value);
            }
        }
    }

    fn scale(&self) -> ValueScale {
        self.scale
    }

    fn estimates_actions(&self) -> bool {
        self.values.iter().any(|(value, _)| value.estimates_actions())
    }

    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        action_values: &mut [f32],
    ) {
        let mut buffer = [0.0; MAX_ACTIONS];
        let buffer = &mut buffer[..action_values.len()];
        action_values.fill(0.0);
        for (value, share) in &self.values {
            value.action_values(game, state, successors, buffer);
            action_values.iter_mut().zip(&*buffer).for_each(|(out, value)| *out += share * value);
        }
    }
}

impl Plugin for Mean {
    const NAME: &'static str = "mean";
    const ABOUT: &'static str = "the weighted mean of several values";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for Mean {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let count = config.values.len();
        if count == 0 {
            return Err(BuildError::of(
                "values",
                "at least one value is needed, as in `mean(values: [tc-ntuple(model: \"a.model\"), \
                 td-ntuple(model: \"b.model\")])`",
            ));
        }
        let shares = shares(config.weights.unwrap_or_else(|| vec![1.0; count]), count)?;
        let values = build(&config.values, context)?;
        let values: Vec<_> = values.into_iter().zip(shares).collect();
        Ok(Self { scale: scale(&values)?, values })
    }
}

/// Returns the scale on which a value is averaged. The scale of a policy,
/// which estimates actions and has priors, is that of probabilities.
fn averaged_scale(value: &dyn Value) -> ValueScale {
    if value.estimates_actions() && value.has_priors() {
        ValueScale::Rating { min: 0.0, max: 1.0 }
    } else {
        value.scale()
    }
}

/// Returns the scale of the mean, or refuses values whose scales differ in kind.
fn scale(values: &[(Arc<dyn Value>, f32)]) -> Result<ValueScale, BuildError> {
    let (mut points, mut bounds) = (0, (0.0, 0.0));
    for (value, share) in values {
        match averaged_scale(&**value) {
            ValueScale::Points => points += 1,
            ValueScale::Rating { min: least, max: most } => {
                bounds = (bounds.0 + share * least, bounds.1 + share * most);
            }
        }
    }
    match points {
        0 => Ok(ValueScale::Rating { min: bounds.0, max: bounds.1 }),
        all if all == values.len() => Ok(ValueScale::Points),
        _ => Err(BuildError::of(
            "values",
            "values in points cannot be averaged with ratings or probabilities",
        )),
    }
}

fn shares(weights: Vec<f32>, values: usize) -> Result<Vec<f32>, BuildError> {
    let refuse = |message| Err(BuildError::of("weights", message));
    if weights.len() != values {
        return refuse(format!("{} weights are given for {values} values", weights.len()));
    }
    if let Some(wrong) = weights.iter().find(|&&weight| !(weight > 0.0 && weight.is_finite())) {
        return refuse(format!("{wrong} is not a number above 0"));
    }
    let sum: f64 = weights.iter().copied().map(f64::from).sum();
    Ok(weights.into_iter().map(|weight| (f64::from(weight) / sum) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::{Constant, build, refused};
    use game_2048::Game2048;

    fn values(mean: &Mean, count: u64) -> Vec<f32> {
        let afterstates: Vec<_> = (0..count).map(|k| Afterstate::from_bits(k.into())).collect();
        let mut values = vec![f32::NAN; afterstates.len()];
        mean.evaluate(&afterstates, &mut values);
        values
    }

    #[test]
    fn batches_of_any_size_are_averaged() {
        let mean: Mean = build("mean(values: [zero, one, two, three])").unwrap();
        for count in [0, 1, 255, 256, 257, 1000] {
            let expected: Vec<f32> = (0..count).map(|k| 1.5 + k as f32).collect();
            assert_eq!(values(&mean, count), expected);
        }
    }

    /// A value of actions: ten times the number of the action.
    struct Tens;

    impl Value for Tens {
        fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
            unreachable!("it estimates actions");
        }

        fn estimates_actions(&self) -> bool {
            true
        }

        fn action_values(
            &self,
            _: &dyn Game,
            _: State,
            successors: &Successors,
            values: &mut [f32],
        ) {
            for (value, successor) in values.iter_mut().zip(successors.iter()) {
                *value = 10.0 * f32::from(successor.action.0);
            }
        }
    }

    #[test]
    fn values_of_actions_can_be_averaged() {
        let game = Game2048::new(Default::default()).unwrap();
        let state = game.parse("2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0").unwrap();
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let constant: Arc<dyn Value> = Arc::new(Constant(1.0));
        let mean = Mean {
            scale: ValueScale::Points,
            values: vec![(constant, 0.25), (Arc::new(Tens), 0.75)],
        };
        assert!(mean.estimates_actions());
        let mut values = vec![f32::NAN; successors.len()];
        mean.action_values(&game, state, &successors, &mut values);
        for (value, s) in values.into_iter().zip(successors.iter()) {
            let estimate = s.reward + (1.0 + s.afterstate.lo as f32);
            let expected = 0.25 * estimate + 0.75 * (10.0 * f32::from(s.action.0));
            assert_eq!(value, expected, "{:?}", s.action);
        }
    }

    /// A policy whose values of states are in points, as those of `alpha-zero` are.
    struct Policy;

    impl Value for Policy {
        fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
            unreachable!("it estimates actions");
        }

        fn estimates_actions(&self) -> bool {
            true
        }

        fn has_priors(&self) -> bool {
            true
        }
    }

    #[test]
    fn probabilities_are_averaged_with_each_other_and_not_with_points() {
        let constant: Arc<dyn Value> = Arc::new(Constant(1.0));
        let refused = scale(&[(constant, 0.5), (Arc::new(Policy), 0.5)]).unwrap_err();
        assert!(refused.message.contains("probabilities"), "{refused}");
        // A search adds no rewards to probabilities.
        let policies: [(Arc<dyn Value>, f32); 2] =
            [(Arc::new(Policy), 0.5), (Arc::new(Policy), 0.5)];
        assert_eq!(scale(&policies), Ok(ValueScale::Rating { min: 0.0, max: 1.0 }));
    }

    #[test]
    fn weights_are_relative() {
        let mean: Mean = build("mean(values: [one, three], weights: [1, 3])").unwrap();
        assert_eq!(values(&mean, 2), [2.5, 3.5]);
        let alone: Mean = build("mean(values: [two], weights: [1e30])").unwrap();
        assert_eq!(values(&alone, 1), [2.0]);
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let refused = refused::<Mean>;
        refused("mean", "values", "at least one value");
        refused("mean(values: [])", "values", "at least one value");
        refused("mean(values: [one, four])", "values", "no value `four`");
        refused(
            "mean(values: [one, two], weights: [1])",
            "weights",
            "1 weights are given for 2 values",
        );
        for wrong in ["0", "-1", "inf", "NaN"] {
            let spec = format!("mean(values: [one, two], weights: [1, {wrong}])");
            refused(&spec, "weights", "above 0");
        }
    }
}
