//! A table of afterstates' values that learns by temporal differences, TD(0):
//! it works for any game, and learns those with few positions well.
//!
//! Each afterstate falls on one entry of the table. Two that fall on the same
//! share it: a larger table makes that rarer.
//!
//! The player always takes what looks best, so the entries begin high: what was
//! never tried looks good, is tried, and is then known for what it is.

mod life;
mod model;
mod training;

use life::Life;
use runner_core::{
    Afterstate, BuildError, Fault, ModelFormat, Game, Learner, LearnerPlugin, Parameter, Plugin, TrainingProgress,
    TrainingSession, BuildContext, Value, ValuePlugin,
};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The parameters: what may stand in parentheses after the name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub alpha: f32,
    pub size: u32,
    pub start: f32,
    /// The file of a model that is to be played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self { alpha: 0.1, size: 20, start: 1000.0, model: None }
    }
}

/// The table. All threads that train and play share it: an entry is an atomic
/// number, so there is no lock and no data race.
pub struct __Type__ {
    config: Config,
    /// The game that it is built for: no model of another is loaded.
    game: String,
    life: Mutex<Life>,
    /// The bits of each value, an `f32`.
    entries: Box<[AtomicU32]>,
}

impl __Type__ {
    /// The entry of an afterstate. Its 128 bits are mixed, so that positions that
    /// are alike do not fall together.
    fn entry(&self, afterstate: Afterstate) -> &AtomicU32 {
        let mixed = afterstate.lo.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ afterstate.hi.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        &self.entries[(mixed >> (64 - self.config.size)) as usize]
    }

    fn value(&self, afterstate: Afterstate) -> f32 {
        f32::from_bits(self.entry(afterstate).load(Relaxed))
    }

    /// What it has played so far. A thread that panicked while it held this left
    /// nothing half done.
    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the value of an afterstate towards a target. If two threads do so at
    /// once, one of the two steps is lost; the next takes its place.
    fn learn(&self, afterstate: Afterstate, target: f32) {
        let entry = self.entry(afterstate);
        let value = f32::from_bits(entry.load(Relaxed));
        let error = target - value;
        entry.store((value + self.config.alpha * error).to_bits(), Relaxed);
    }
}

impl Value for __Type__ {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.value(afterstate);
        }
    }
}

impl Learner for __Type__ {
    fn train<G: Game>(&self, game: &G, session: &TrainingSession<'_>) -> Result<TrainingProgress, Fault> {
        training::train(self, game, session)
    }

    fn progress(&self) -> TrainingProgress {
        self.life().progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        vec![ModelFormat::new("model", "the whole table, to play and to go on learning")]
    }

    fn save(&self, path: &Path, _form: &str) -> Result<(), Fault> {
        model::save(self, path)
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        model::load(self, files)
    }
}

impl Plugin for __Type__ {
    const NAME: &'static str = "__name__";
    const ABOUT: &'static str = "a table of values that learns by TD(0)";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new("alpha", "above 0, to 1", "0.1", "the learning rate"),
            Parameter::new("size", "10 to 28", "20", "the table has 2^size entries"),
            Parameter::new("start", "a number", "1000", "what each entry is before it learns"),
            Parameter::new("model", "a file", "None", "the model to play, of a training"),
        ]
    }
}

impl ValuePlugin for __Type__ {
    fn new(config: Config, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Config { alpha, size, start, .. } = config;
        if !(alpha > 0.0 && alpha <= 1.0) {
            let message = format!("an alpha of {alpha} is not possible; above 0, to 1 is");
            return Err(BuildError::of("alpha", message));
        }
        if !(10..=28).contains(&size) {
            let message = format!("a size of {size} is not possible; 10 to 28 is");
            return Err(BuildError::of("size", message));
        }
        if !start.is_finite() {
            return Err(BuildError::of("start", format!("{start} is not possible; a number is")));
        }
        let entries = (0..1usize << size).map(|_| AtomicU32::new(start.to_bits())).collect();
        let (game, life) = (site.game_spec.to_owned(), Mutex::default());
        let table = Self { config, game, life, entries };
        if let Some(model) = &table.config.model {
            table.load(&[Path::new(model)]).map_err(|fault| BuildError::of("model", fault))?;
        }
        Ok(table)
    }
}

impl LearnerPlugin for __Type__ {}

runner_plugin::export_plugin! { learners: [__Type__] }
