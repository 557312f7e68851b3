//! A tuning between two generations, and its file: a line that says what is tuned, and a line for
//! each generation that is over.

use super::axis::Axis;
use super::cma_es::CmaEs;
use runner_core::{Random, Seed, Spec};
use runner_files::{LineFile, LockedLines};
use runner_play::failure::Failure;
use runner_play::inputs::Inputs;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::Range;
use std::path::Path;

/// The parameters that are tuned, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Spec of the game, defaults included.
    #[serde(deserialize_with = "spec")]
    pub game: Spec,
    /// Spec of the agent before the tuning.
    #[serde(deserialize_with = "spec")]
    pub agent: Spec,
    /// The plugins and files that the results depend on.
    pub inputs: Inputs,
    pub axes: Vec<Axis>,
    pub games: u64,
    pub step: f64,
    pub seed: Seed,
}

/// Reads a spec that is a string.
fn spec<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Spec, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// A generation that is over.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationLine {
    /// Number of the generation, from 0 on.
    pub generation: u64,
    /// Mean score of each candidate, in the order in which they were drawn; `None` if it was
    /// refused.
    pub means: Vec<Option<f64>>,
    /// Time on the clock since the first generation began, in seconds.
    pub seconds: f64,
}

/// A tuning between two generations. It follows from the definition and the generations that are
/// over.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub definition: Definition,
    /// Number of games that candidates have played.
    pub played: u64,
    /// Time on the clock, in seconds.
    pub seconds: f64,
    pub search: CmaEs,
}

impl State {
    /// Returns the state before the first generation.
    pub fn new(definition: Definition) -> Self {
        let search = CmaEs::new(vec![0.0; definition.axes.len()], definition.step);
        Self { definition, played: 0, seconds: 0.0, search }
    }

    /// Returns the seed of the next generation's games, and the points of its candidates. Both
    /// follow from the number of the generation.
    pub fn next(&self) -> (Seed, Vec<Vec<f64>>) {
        let mut random = Random::stream(self.definition.seed, self.search.generation());
        (Seed(random.word()), self.search.sample(&mut random))
    }

    /// Updates the search with the result of a generation.
    pub fn advance(&mut self, line: &GenerationLine) {
        let (_, points) = self.next();
        let mut ranked: Vec<_> = line.means.iter().zip(points).collect();
        let mean = |mean: &Option<f64>| mean.unwrap_or(f64::NEG_INFINITY);
        ranked.sort_by(|(a, _), (b, _)| mean(b).total_cmp(&mean(a)));
        let points: Vec<_> = ranked.into_iter().map(|(_, point)| point).collect();
        self.search.update(&points);
        self.played += line.means.iter().flatten().count() as u64 * self.definition.games;
        self.seconds = line.seconds;
    }

    /// Returns the seed of the evaluation at the end, whose games no generation plays.
    pub fn evaluation_seed(&self) -> Seed {
        Seed(Random::stream(self.definition.seed, u64::MAX).word())
    }

    /// Returns the values at a point of the search, one for each axis.
    pub fn values(&self, point: &[f64]) -> Vec<f64> {
        self.definition.axes.iter().zip(point).map(|(axis, &x)| axis.value(x)).collect()
    }

    pub fn agent_with(&self, values: &[f64]) -> Result<Spec, Failure> {
        let mut agent = self.definition.agent.clone();
        for (axis, &value) in self.definition.axes.iter().zip(values) {
            agent = agent.with(&axis.path, axis.written(value))?;
        }
        Ok(agent)
    }
}

/// The locked file of a tuning, which is read but not changed.
pub struct TuningFile {
    lines: LockedLines,
    /// The place of the generations in the file.
    generations: Range<usize>,
}

impl TuningFile {
    /// Locks a file, which need not exist.
    pub fn lock(path: &Path) -> Result<Self, Failure> {
        Ok(Self { lines: LockedLines::lock(path)?, generations: 0..0 })
    }

    /// Restores the tuning from the file; `None` if the run was killed before it wrote what is
    /// tuned.
    pub fn resume(&mut self, path: &Path) -> Result<Option<State>, Failure> {
        let lines = &self.lines.lines;
        let refuse = |why: String| {
            Failure::failed(format!("{} is not a tuning file: {why}", path.display()))
        };
        let mut first = lines.objects::<Definition>();
        let definition = match first.next() {
            Some(Ok((_, definition))) => definition,
            Some(Err(error)) => return Err(refuse(error.to_string())),
            None => return Ok(None),
        };
        definition.axes.iter().try_for_each(Axis::check).map_err(refuse)?;
        let has_step = definition.step > 0.0 && definition.step.is_finite();
        if definition.axes.is_empty() || definition.games == 0 || !has_step {
            return Err(refuse("its numbers are inconsistent".into()));
        }
        let mut state = State::new(definition);
        let mut generations = first.followed_by::<GenerationLine>();
        for line in &mut generations {
            let (number, line) = line?;
            let next = state.search.generation();
            if line.generation != next {
                let why = format!("it is generation {} in the place of {next}", line.generation);
                return Err(lines.refuse(number, why).into());
            }
            if line.means.len() != state.search.population() {
                let (found, population) = (line.means.len(), state.search.population());
                let why = format!("it has {found} means of {population} candidates");
                return Err(lines.refuse(number, why).into());
            }
            state.advance(&line);
        }
        self.generations = generations.range();
        Ok(Some(state))
    }

    /// Writes what is tuned, and opens the file for more generations.
    pub fn begin(self, definition: &Definition) -> Result<LineFile, Failure> {
        Ok(self.lines.begin_with(definition, self.generations)?)
    }
}
