//! The file of a tuning: what is tuned, and the state of the search.

use super::axis::Axis;
use super::cma_es::CmaEs;
use ron::ser::PrettyConfig;
use runner_core::{Random, Seed, Spec};
use runner_files::{replace, sealed};
use runner_play::failure::Failure;
use runner_play::inputs::Inputs;
use runner_spec::read_document;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// A tuning between two generations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// Spec of the game, defaults included.
    pub game: Spec,
    /// Spec of the agent before the tuning.
    pub agent: Spec,
    /// The plugins and files that the results depend on.
    #[serde(default)]
    pub inputs: Inputs,
    pub axes: Vec<Axis>,
    pub games: u64,
    pub step: f64,
    pub seed: Seed,
    /// Number of games that candidates have played.
    pub played: u64,
    /// Time on the clock, in seconds.
    pub seconds: f64,
    pub search: CmaEs,
}

impl Checkpoint {
    /// Returns the state before the first generation.
    pub fn new(
        (game, agent): (&Spec, &Spec),
        axes: Vec<Axis>,
        games: u64,
        step: f64,
        seed: Seed,
    ) -> Self {
        let search = CmaEs::new(vec![0.0; axes.len()], step);
        let (game, agent) = (game.clone(), agent.clone());
        let inputs = Inputs::default();
        Self { game, agent, inputs, axes, games, step, seed, played: 0, seconds: 0.0, search }
    }

    /// Reads a file, and checks that it is complete and consistent.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file = runner_files::read(path)?;
        let refuse = |why: String| {
            Failure::failed(format!("{} is no valid tuning checkpoint: {why}", path.display()))
        };
        let text = sealed::open(&file).map_err(|broken| refuse(broken.to_string()))?;
        let read: Self = read_document(text).map_err(|error| refuse(error.to_string()))?;
        read.axes.iter().try_for_each(Axis::check).map_err(refuse)?;
        if !read.search.is_sound(read.axes.len()) || read.games == 0 {
            return Err(refuse("its numbers are inconsistent".into()));
        }
        Ok(read)
    }

    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let pretty = PrettyConfig::new().depth_limit(2);
        let text = ron::ser::to_string_pretty(self, pretty).map_err(Failure::failed)?;
        Ok(replace(path, |file| file.write_all(sealed::seal(&text).as_bytes()))?)
    }

    /// Returns the seed of the next generation's games, and the stream that its candidates
    /// are drawn from. Both follow from the number of the generation, so the file holds no
    /// state of a generator.
    pub fn chance(&self) -> (Seed, Random) {
        let mut random = Random::stream(self.seed, self.search.generation());
        (Seed(random.word()), random)
    }

    /// Returns the seed of the evaluation at the end, whose games no generation plays.
    pub fn evaluation_seed(&self) -> Seed {
        Seed(Random::stream(self.seed, u64::MAX).word())
    }

    /// Returns the values at a point of the search, one for each axis.
    pub fn values(&self, point: &[f64]) -> Vec<f64> {
        self.axes.iter().zip(point).map(|(axis, &x)| axis.value(x)).collect()
    }

    pub fn agent_with(&self, values: &[f64]) -> Result<Spec, Failure> {
        let mut agent = self.agent.clone();
        for (axis, &value) in self.axes.iter().zip(values) {
            agent = agent.with(&axis.path, axis.written(value))?;
        }
        Ok(agent)
    }
}
