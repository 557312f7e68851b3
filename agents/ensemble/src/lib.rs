//! `mean`: the mean of several values of any kind. Networks that were trained separately have
//! independent errors, which partly cancel out in their mean.
//!
//! ```text
//! mean(values: [tc-ntuple(model: "a.model"), td-ntuple(model: "b.model")])
//! ```
//!
//! `runner model average` merges networks of equal shape into one, which plays identically and
//! as fast as a single one. `mean` is for networks of different shapes and for other values.
#![forbid(unsafe_code)]

use runner_core::{
    Afterstate, BuildContext, BuildError, Game, MAX_ACTIONS, Plugin, Spec, State, Successors,
    Value, ValuePlugin, ValueScale, parameters,
};
use std::sync::Arc;

/// Number of afterstates that are evaluated at a time.
const BATCH: usize = 256;

parameters! {
    /// The parameters of [`Mean`].
    pub struct Config {
        /// Values to average; at least one
        pub values: Vec<Spec> = Vec::new(), list(value());
    }
}

pub struct Mean {
    values: Vec<Arc<dyn Value>>,
    /// The weight of each value: 1 divided by their number.
    share: f32,
    scale: ValueScale,
}

impl Mean {
    fn of(values: Vec<Arc<dyn Value>>) -> Result<Self, BuildError> {
        let share = 1.0 / values.len() as f32;
        Ok(Self { scale: scale(&values, share)?, share, values })
    }
}

impl Value for Mean {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let mut buffer = [0.0; BATCH];
        for (afterstates, out) in afterstates.chunks(BATCH).zip(values.chunks_mut(BATCH)) {
            let buffer = &mut buffer[..afterstates.len()];
            out.fill(0.0);
            for value in &self.values {
                value.evaluate(afterstates, buffer);
                out.iter_mut().zip(&*buffer).for_each(|(out, value)| *out += self.share * value);
            }
        }
    }

    fn scale(&self) -> ValueScale {
        self.scale
    }

    fn estimates_actions(&self) -> bool {
        self.values.iter().any(|value| value.estimates_actions())
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
        for value in &self.values {
            value.action_values(game, state, successors, buffer);
            action_values.iter_mut().zip(&*buffer).for_each(|(out, x)| *out += self.share * x);
        }
    }
}

impl Plugin for Mean {
    const NAME: &'static str = "mean";
    const ABOUT: &'static str = "the mean of several values";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for Mean {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        if config.values.is_empty() {
            return Err(BuildError::of(
                "values",
                "at least one value is needed, as in `mean(values: [tc-ntuple(model: \"a.model\"), \
                 td-ntuple(model: \"b.model\")])`",
            ));
        }
        let build = |spec| context.host.value(spec).map_err(|e| BuildError::of("values", e));
        Self::of(config.values.iter().map(build).collect::<Result<_, _>>()?)
    }
}

/// Returns the scale of the mean, or refuses values whose scales differ in kind.
fn scale(values: &[Arc<dyn Value>], share: f32) -> Result<ValueScale, BuildError> {
    let (mut points, mut least, mut most) = (0, 0.0, 0.0);
    for value in values {
        // A policy is averaged by its probabilities, whatever its values of states are.
        let is_policy = value.estimates_actions() && value.has_priors();
        let of_policy = ValueScale::Rating { min: 0.0, max: 1.0 };
        let scale = if is_policy { of_policy } else { value.scale() };
        match scale {
            ValueScale::Points => points += 1,
            ValueScale::Rating { min, max } => {
                (least, most) = (least + share * min, most + share * max);
            }
        }
    }
    match points {
        0 => Ok(ValueScale::Rating { min: least, max: most }),
        all if all == values.len() => Ok(ValueScale::Points),
        _ => Err(BuildError::of(
            "values",
            "values in points cannot be averaged with ratings or probabilities",
        )),
    }
}

#[cfg(test)]
mod tests;
