//! `endgame`: a value that is exact about endings. Where a table knows the probability P that best
//! play makes one more large tile, the value is P v, with the wrapped value v of the position after
//! that. `runner endgame build` makes a table.
//!
//! ```text
//! expectimax(depth: 3, value: endgame(tables: "L3-512", value: tc-ntuple(model: "a.model")))
//! ```

use runner_core::{
    Afterstate, BuildContext, BuildError, Facts, Plugin, Spec, Value, ValuePlugin, ValueScale,
    parameters,
};
use runner_files::table_files;
use runner_solver::endgame::{Answer, EndgameTable};
use std::fmt::Display;
use std::sync::Arc;

parameters! {
    /// The parameters of [`Endgame`].
    pub struct EndgameConfig {
        /// Tables of the endings
        pub tables: String = String::new(),
            file()
                .form(
                    "names of built tables, as in `L3-512 442-512`, or files; separated by spaces; the \
                     first that knows a position answers",
                )
                .unset("required");
        /// Value of the positions that no table knows, and of those after the goal
        pub value: Option<Spec> = None, value().unset("required");
    }
}

const BATCH: usize = 256;

/// A value that asks tables of endings.
pub struct Endgame<V = Arc<dyn Value>> {
    /// Tables with their names, in order of preference.
    tables: Vec<(String, EndgameTable)>,
    value: V,
    scale: ValueScale,
}

impl<V: Value> Endgame<V> {
    /// Returns the first table that knows a position, with its name and its answer.
    #[inline]
    fn probe(&self, afterstate: Afterstate) -> Option<(&str, &EndgameTable, Answer)> {
        let mut tables = self.tables.iter();
        tables.find_map(|(name, table)| Some((name.as_str(), table, table.probe(afterstate)?)))
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
                if let Some((_, table, answer)) = self.probe(afterstate) {
                    let points;
                    (*asked, points) = table.after_goal(afterstate, answer);
                    answers[count] = (place as u16, answer.value, weight * points);
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
        let Some((name, table, answer)) = self.probe(afterstate) else { return Facts::new() };
        let rounded = (f64::from(answer.value) * 1e6).round() / 1e6;
        vec![
            ("endgame table".to_owned(), name.into()),
            (format!("probability of {}", table.pattern().goal), rounded.into()),
        ]
    }
}

impl Plugin for Endgame {
    const NAME: &'static str = "endgame";
    const ABOUT: &'static str = "exact probabilities of endings, with any value for the rest";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = EndgameConfig;
}

impl ValuePlugin for Endgame {
    fn new(config: EndgameConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(value) = &config.value else {
            let message = "a value is needed, as in `endgame(tables: \"L3-512\", value: rows)`";
            return Err(BuildError::of("value", message));
        };
        let value = context.afterstate_value("value", value)?;
        let tables = open(&config.tables, context)?;
        Ok(Self { tables, scale: value.scale(), value })
    }
}

/// Opens the tables with these names, of the game that is played.
fn open(
    names: &str,
    context: &BuildContext<'_>,
) -> Result<Vec<(String, EndgameTable)>, BuildError> {
    let wrong = |error: &dyn Display| BuildError::of("tables", error.to_string());
    if names.trim().is_empty() {
        return Err(wrong(
            &"a table is needed, as in `tables: \"L3-512\"`; `runner endgame build L3-512` makes it",
        ));
    }
    let spec = context.game_spec.parse().map_err(|error| wrong(&error))?;
    let game = context.host.game(&spec)?;
    let open = |name: &str| {
        let path = table_files::path(spec.name(), name);
        if !path.exists() && !name.contains('.') {
            return Err(wrong(&format!(
                "there is no table `{name}`; `runner endgame build {name}` makes it"
            )));
        }
        let table = EndgameTable::open(&path, context.game_spec, &*game).map_err(|e| wrong(&e))?;
        Ok((name.to_owned(), table))
    };
    names.split_whitespace().map(open).collect()
}

#[cfg(test)]
mod tests;
