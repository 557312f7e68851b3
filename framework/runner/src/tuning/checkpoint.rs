//! A tuning that can be gone on with: what is tuned, and all that the search knows.

use super::axis::Axis;
use super::cma_es::CmaEs;
use crate::failure::Failure;
use ron::ser::PrettyConfig;
use runner_core::{Random, Seed, Spec};
use runner_files::{FileError, replace, sealed};
use runner_spec::read_document;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The form of the file; another number is another form.
const FORMAT: u32 = 2;

/// A tuning between two generations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    format: u32,
    /// The game's spec, defaults included.
    pub game: Spec,
    /// The agent's, as it was before.
    pub agent: Spec,
    /// What is tuned of it.
    pub axes: Vec<Axis>,
    /// How many games each candidate plays.
    pub games: u64,
    /// The size of the first steps.
    pub step: f64,
    /// Where all chance comes from.
    pub seed: Seed,
    /// How many games were played.
    pub played: u64,
    /// How long it took.
    pub seconds: f64,
    /// The search.
    pub search: CmaEs,
}

impl Checkpoint {
    /// Before the first generation.
    pub fn new(
        (game, agent): (&Spec, &Spec),
        axes: Vec<Axis>,
        games: u64,
        step: f64,
        population: Option<usize>,
        seed: Seed,
    ) -> Self {
        let population = population.unwrap_or_else(|| CmaEs::default_population(axes.len()));
        let search = CmaEs::new(vec![0.0; axes.len()], step, population);
        let (game, agent) = (game.clone(), agent.clone());
        Self {
            format: FORMAT,
            game,
            agent,
            axes,
            games,
            step,
            seed,
            played: 0,
            seconds: 0.0,
            search,
        }
    }

    /// Reads it from its file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file = std::fs::read(path).map_err(FileError::at("read", path))?;
        let refuse = |why: String| {
            Failure::failed(format!("{} is no whole checkpoint of a tuning: {why}", path.display()))
        };
        let text = sealed::open(&file).map_err(|broken| refuse(broken.to_string()))?;
        let read: Self = read_document(text).map_err(|error| refuse(error.to_string()))?;
        if read.format != FORMAT {
            return Err(refuse(format!("its format is {}, and {FORMAT} is known", read.format)));
        }
        read.axes.iter().try_for_each(Axis::check).map_err(refuse)?;
        if !read.search.is_sound(read.axes.len()) || read.games == 0 {
            return Err(refuse("its numbers do not fit together".into()));
        }
        Ok(read)
    }

    /// Writes it in place of the last.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let pretty = PrettyConfig::new().depth_limit(2);
        let text = ron::ser::to_string_pretty(self, pretty).map_err(Failure::failed)?;
        Ok(replace(path, |file| file.write_all(sealed::seal(&text).as_bytes()))?)
    }

    /// The chance of the next generation: its candidates, after the seed of its games.
    /// It follows from the number of the generation, so that there is nothing to keep.
    pub fn chance(&self) -> (Seed, Random) {
        let mut random = Random::stream(self.seed, self.search.generation());
        (Seed(random.word()), random)
    }

    /// The seed of games that no generation plays.
    pub fn fresh(&self) -> Seed {
        Seed(Random::stream(self.seed, u64::MAX).word())
    }

    /// The values at a point of the search, in the order of the axes.
    pub fn values(&self, point: &[f64]) -> Vec<f64> {
        self.axes.iter().zip(point).map(|(axis, &x)| axis.value(x)).collect()
    }

    /// The agent with these values.
    pub fn agent_with(&self, values: &[f64]) -> Result<Spec, Failure> {
        let mut agent = self.agent.clone();
        for (axis, &value) in self.axes.iter().zip(values) {
            agent = agent.with(&axis.path, &axis.text(value))?;
        }
        Ok(agent)
    }
}
