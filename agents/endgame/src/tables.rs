//! Several tables, in order of preference.

use runner_core::{Afterstate, BuildContext, BuildError, Fact, State, Successor};
use runner_endgame::{Answer, Table, place};

/// The allowed texts of the parameter `tables`, in words.
pub const FORM: &str = "names of built tables, as in `L3-512 442-512`, or files; separated by spaces; \
                        the first that knows a position answers";

/// Tables in order of preference.
#[derive(Debug)]
pub struct Tables(Vec<(String, Table)>);

impl Tables {
    /// Opens the tables that a parameter names, of the game that is played.
    pub fn open(
        parameter: &str,
        names: &str,
        context: &BuildContext<'_>,
    ) -> Result<Self, BuildError> {
        let wrong = |error: &dyn std::fmt::Display| BuildError::of(parameter, error.to_string());
        if names.trim().is_empty() {
            return Err(wrong(&format!(
                "a table is needed, as in `{parameter}: \"L3-512\"`; `runner endgame build L3-512` \
                     makes it"
            )));
        }
        let spec = context.game_spec.parse().map_err(|error| wrong(&error))?;
        let game = context.host.game(&spec)?;
        let open = |name: &str| {
            let path = place::path(spec.name(), name);
            if !path.exists() && !name.contains('.') {
                return Err(wrong(&format!(
                    "there is no table `{name}`; `runner endgame build {name}` makes it"
                )));
            }
            let table = Table::open(&path, context.game_spec, &*game).map_err(|e| wrong(&e))?;
            Ok((name.to_owned(), table))
        };
        names.split_whitespace().map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the answer of the first table that knows a position, and its place in the order.
    #[inline]
    pub fn probe(&self, afterstate: Afterstate) -> Option<(usize, Answer)> {
        let tables = self.0.iter().enumerate();
        tables.into_iter().find_map(|(place, (_, table))| Some((place, table.probe(afterstate)?)))
    }

    /// Returns the probabilities after a move, of the tables that know it, with their places.
    pub fn values(&self, before: State, next: &Successor) -> impl Iterator<Item = (usize, f32)> {
        let tables = self.0.iter().enumerate();
        tables.filter_map(move |(place, (_, table))| Some((place, table.value(before, next)?)))
    }

    /// Returns the position after the goal of an answer, and the rewards until then.
    pub fn after_goal(
        &self,
        afterstate: Afterstate,
        (place, answer): (usize, Answer),
    ) -> (Afterstate, f32) {
        self.0[place].1.after_goal(afterstate, answer)
    }

    /// Returns the facts of an answer, for people to read.
    pub fn facts(&self, place: usize, probability: f32) -> [(String, Fact); 2] {
        let goal = self.0[place].1.pattern().goal;
        let rounded = (f64::from(probability) * 1e6).round() / 1e6;
        [
            ("endgame table".to_owned(), self.0[place].0.as_str().into()),
            (format!("probability of {goal}"), rounded.into()),
        ]
    }
}
