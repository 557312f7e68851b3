//! The mean of several values, of any kind: networks that were trained apart err
//! apart, and their mean errs less.
//!
//! ```text
//! mean(values: [tc-ntuple(model: "a.model"), tc-ntuple(model: "b.model")])
//! mean(values: [tc-ntuple(model: "a.model"), td-ntuple(model: "c.model")], weights: [3, 1])
//! ```
//!
//! Networks of one shape can also become one by `runner model average`, which plays
//! the same and as fast as each of them; this is for those of different shapes, and
//! for values that are no networks.
#![forbid(unsafe_code)]

use runner_core::{
    Afterstate, BuildContext, BuildError, Game, MAX_ACTIONS, Parameter, Plugin, Spec, State,
    Successors, Value, ValuePlugin, ValueScale,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The values.
    pub values: Vec<Spec>,
    /// How much each counts; without it, all count the same.
    pub weights: Option<Vec<f32>>,
}

/// The mean of several values.
pub struct Mean {
    /// Each with its share; the shares add up to 1.
    values: Vec<(Arc<dyn Value>, f32)>,
    scale: ValueScale,
}

/// So many afterstates are asked for at once.
const AT_ONCE: usize = 256;

impl Value for Mean {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let mut buffer = [0.0; AT_ONCE];
        for (afterstates, out) in afterstates.chunks(AT_ONCE).zip(values.chunks_mut(AT_ONCE)) {
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
        worths: &mut [f32],
    ) {
        let mut buffer = [0.0; MAX_ACTIONS];
        let buffer = &mut buffer[..worths.len()];
        worths.fill(0.0);
        for (value, share) in &self.values {
            value.action_values(game, state, successors, buffer);
            worths.iter_mut().zip(&*buffer).for_each(|(out, worth)| *out += share * worth);
        }
    }
}

impl Plugin for Mean {
    const NAME: &'static str = "mean";
    const ABOUT: &'static str = "the mean of several values";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new(
                "values",
                "a list, as in `[tc-ntuple(model: \"a.model\"), td-ntuple(model: \"b.model\")]`",
                "[]",
                "the values; one at least is needed",
            ),
            Parameter::new(
                "weights",
                "a list of numbers above 0, one for each value",
                "None",
                "how much each counts; by default all count the same",
            ),
        ]
    }
}

impl ValuePlugin for Mean {
    fn new(config: Config, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let count = config.values.len();
        if count == 0 {
            return Err(BuildError::of(
                "values",
                "one value at least is needed, as in `mean(values: [tc-ntuple(model: \"a.model\"), \
                 td-ntuple(model: \"b.model\")])`",
            ));
        }
        let shares = shares(config.weights.unwrap_or_else(|| vec![1.0; count]), count)?;
        let build =
            |spec: &Spec| site.host.value(spec).map_err(|error| BuildError::of("values", error));
        let values = config.values.iter().map(build).collect::<Result<Vec<_>, _>>()?;
        let values: Vec<_> = values.into_iter().zip(shares).collect();
        Ok(Self { scale: scale(&values)?, values })
    }
}

/// What the mean of such values means, with the share of each.
fn scale(values: &[(Arc<dyn Value>, f32)]) -> Result<ValueScale, BuildError> {
    let (mut points, mut bounds) = (0, (0.0, 0.0));
    for (value, share) in values {
        match value.scale() {
            ValueScale::Points => points += 1,
            ValueScale::Rating { min: least, max: most } => {
                bounds = (bounds.0 + share * least, bounds.1 + share * most);
            }
        }
    }
    match points {
        0 => Ok(ValueScale::Rating { min: bounds.0, max: bounds.1 }),
        all if all == values.len() => Ok(ValueScale::Points),
        _ => Err(BuildError::of("values", "values in points and ratings have no mean")),
    }
}

/// The weights, divided by their sum.
fn shares(weights: Vec<f32>, values: usize) -> Result<Vec<f32>, BuildError> {
    let refuse = |message| Err(BuildError::of("weights", message));
    if weights.len() != values {
        return refuse(format!("there are {} for {values} values", weights.len()));
    }
    if let Some(wrong) = weights.iter().find(|&&weight| !(weight > 0.0 && weight.is_finite())) {
        return refuse(format!("{wrong} is none: numbers above 0 are allowed"));
    }
    let sum: f64 = weights.iter().copied().map(f64::from).sum();
    Ok(weights.into_iter().map(|weight| (f64::from(weight) / sum) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_core::Host;

    /// A value that says the same of every position, plus its low word.
    struct Constant(f32);

    impl Value for Constant {
        fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
            for (value, afterstate) in values.iter_mut().zip(afterstates) {
                *value = self.0 + afterstate.lo as f32;
            }
        }
    }

    /// Builds `one`, `two` and so on.
    struct Constants;

    impl Host for Constants {
        fn threads(&self) -> usize {
            1
        }

        fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
            (0..n).for_each(task);
        }

        fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
            let known = ["zero", "one", "two", "three"];
            match known.iter().position(|&name| name == spec.name()) {
                Some(value) => Ok(Arc::new(Constant(value as f32))),
                None => Err(BuildError::new(format!("there is no value `{spec}`"))),
            }
        }
    }

    fn build(spec: &str) -> Result<Mean, BuildError> {
        let host: Arc<dyn Host> = Arc::new(Constants);
        let game = Game2048::new(Default::default()).unwrap();
        let spec: Spec = spec.parse().unwrap();
        Mean::new(
            spec.read().unwrap(),
            &BuildContext { game: game.description(), game_spec: "2048", host: &host },
        )
    }

    fn values(mean: &Mean, count: u64) -> Vec<f32> {
        let afterstates: Vec<_> = (0..count).map(|k| Afterstate::from_bits(k.into())).collect();
        let mut values = vec![f32::NAN; afterstates.len()];
        mean.evaluate(&afterstates, &mut values);
        values
    }

    #[test]
    fn it_is_the_mean_of_however_many_positions() {
        let mean = build("mean(values: [zero, one, two, three])").unwrap();
        for count in [0, 1, 255, 256, 257, 1000] {
            let expected: Vec<f32> = (0..count).map(|k| 1.5 + k as f32).collect();
            assert_eq!(values(&mean, count), expected);
        }
    }

    /// An action is worth 10 times its number.
    struct Tens;

    impl Value for Tens {
        fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
            unreachable!("it weighs actions");
        }

        fn estimates_actions(&self) -> bool {
            true
        }

        fn action_values(
            &self,
            _: &dyn Game,
            _: State,
            successors: &Successors,
            worths: &mut [f32],
        ) {
            for (worth, successor) in worths.iter_mut().zip(successors.iter()) {
                *worth = 10.0 * f32::from(successor.action.0);
            }
        }
    }

    #[test]
    fn what_weighs_actions_can_be_among_the_values() {
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
        let mut worths = vec![f32::NAN; successors.len()];
        mean.action_values(&game, state, &successors, &mut worths);
        for (worth, s) in worths.into_iter().zip(successors.iter()) {
            let estimate = s.reward + (1.0 + s.afterstate.lo as f32);
            let expected = 0.25 * estimate + 0.75 * (10.0 * f32::from(s.action.0));
            assert_eq!(worth, expected, "{:?}", s.action);
        }
    }

    #[test]
    fn weights_count_by_their_share_of_all() {
        let mean = build("mean(values: [one, three], weights: [1, 3])").unwrap();
        assert_eq!(values(&mean, 2), [2.5, 3.5]);
        let alone = build("mean(values: [two], weights: [1e30])").unwrap();
        assert_eq!(values(&alone, 1), [2.0]);
    }

    #[test]
    fn what_makes_no_mean_is_refused_with_its_parameter() {
        let refused = |spec: &str, parameter: &str, part: &str| {
            let error = build(spec).err().expect(spec);
            assert_eq!(error.parameter.as_deref(), Some(parameter), "{error}");
            assert!(error.message.contains(part), "{error}");
        };
        refused("mean", "values", "one value at least");
        refused("mean(values: [])", "values", "one value at least");
        refused("mean(values: [one, four])", "values", "no value `four`");
        refused("mean(values: [one, two], weights: [1])", "weights", "1 for 2 values");
        for wrong in ["0", "-1", "inf", "NaN"] {
            let spec = format!("mean(values: [one, two], weights: [1, {wrong}])");
            refused(&spec, "weights", "above 0");
        }
    }
}
