//! `endgame`: a value that is exact about endings. Where a table knows the probability P that best
//! play makes one more large tile, the value is P v, with the wrapped value v of the position after
//! that.
//!
//! ```text
//! expectimax(depth: 3, value: endgame(tables: "L3-512", value: tc-ntuple(model: "a.model")))
//! ```

use crate::tables::{FORM, Tables};
use runner_core::{
    Afterstate, BuildContext, BuildError, Facts, Plugin, Spec, Value, ValuePlugin, ValueScale,
    parameters,
};
use std::sync::Arc;

parameters! {
    /// The parameters of [`Endgame`].
    pub struct Config {
        /// Tables of the endings
        pub tables: String = String::new(), file().form(FORM).unset("required");
        /// Value of the positions that no table knows, and of those after the goal
        pub value: Option<Spec> = None, value().unset("required");
    }
}

const BATCH: usize = 256;

/// A value that asks tables of endings.
pub struct Endgame<V = Arc<dyn Value>> {
    tables: Tables,
    value: V,
    scale: ValueScale,
}

impl<V: Value> Endgame<V> {
    fn new(tables: Tables, value: V) -> Self {
        let scale = value.scale();
        Self { tables, value, scale }
    }
}

impl<V: Value> Value for Endgame<V> {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let worst = self.scale.terminal_value();
        let weight = self.scale.reward_weight();
        for (afterstates, values) in afterstates.chunks(BATCH).zip(values.chunks_mut(BATCH)) {
            let mut asked = [Afterstate::default(); BATCH];
            let asked = &mut asked[..afterstates.len()];
            // By the place of a position that a table knows: probability and rewards of its goal.
            let mut answers = [(0u16, 0.0, 0.0); BATCH];
            let mut count = 0;
            for (place, (asked, &afterstate)) in asked.iter_mut().zip(afterstates).enumerate() {
                *asked = afterstate;
                if let Some(found) = self.tables.probe(afterstate) {
                    let points;
                    (*asked, points) = self.tables.after_goal(afterstate, found);
                    answers[count] = (place as u16, found.1.value, weight * points);
                    count += 1;
                }
            }
            self.value.evaluate(asked, values);
            for &(place, probability, points) in &answers[..count] {
                let value = &mut values[usize::from(place)];
                *value = worst + (*value + points - worst) * probability;
            }
        }
    }

    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.value.exact_values(afterstates, values);
    }

    fn scale(&self) -> ValueScale {
        self.scale
    }

    fn facts(&self, afterstate: Afterstate) -> Facts {
        let answer = self.tables.probe(afterstate);
        answer.into_iter().flat_map(|(at, found)| self.tables.facts(at, found.value)).collect()
    }
}

impl Plugin for Endgame {
    const NAME: &'static str = "endgame";
    const ABOUT: &'static str = "exact probabilities of endings, with any value for the rest";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for Endgame {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(value) = &config.value else {
            let message = "a value is needed, as in `endgame(tables: \"L3-512\", value: rows)`";
            return Err(BuildError::of("value", message));
        };
        let value = context.afterstate_value("value", value)?;
        Ok(Self::new(Tables::open("tables", &config.tables, context)?, value))
    }
}
