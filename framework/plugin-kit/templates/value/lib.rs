//! A table of afterstate values that learns by TD(0). It works for any game, and learns
//! games with few positions well.
//!
//! A hash maps each afterstate to an entry of the table. Afterstates with the same entry
//! share its value; they are rarer in a larger table.
//!
//! The entries start above every true value. The greedy policy therefore tries each action
//! until its value has fallen below that of a better one (optimistic initialisation).

mod model;
mod training;

use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Game, Learner, LearnerPlugin, ModelFormat, Plugin,
    TrainingProgress, TrainingSession, Value, ValuePlugin, parameters,
};
use runner_learning::TrainingCell;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use training::TrainingState;

parameters! {
    /// The parameters of a spec.
    pub struct Config {
        /// Learning rate
        pub alpha: f32 = 0.001, above(0.0).up_to(1.0);
        /// Binary logarithm of the number of entries
        pub size: u32 = 20, range(10..=28);
        /// Value of an entry before training
        pub start: f32 = 1000.0, range(-1e9..=1e9);
        /// Model to play
        pub model: Option<String> = None, file();
    }
}

/// The table. All threads share it: entries are atomic, so there are no locks and no data
/// races.
pub struct __Type__ {
    config: Config,
    /// Spec of the game. Models of other games are refused.
    game: String,
    state: TrainingCell<TrainingState>,
    /// Bits of the values, which are `f32`.
    entries: Box<[AtomicU32]>,
}

impl __Type__ {
    /// Returns the entry of an afterstate. Its 128 bits are mixed, so that similar
    /// positions have different entries.
    fn entry(&self, afterstate: Afterstate) -> &AtomicU32 {
        let mixed = afterstate.lo.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ afterstate.hi.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        &self.entries[(mixed >> (64 - self.config.size)) as usize]
    }

    fn value(&self, afterstate: Afterstate) -> f32 {
        f32::from_bits(self.entry(afterstate).load(Relaxed))
    }

    /// Moves the value of an afterstate towards a target. Of two simultaneous updates, one
    /// is lost, which slows learning by a negligible amount.
    fn update(&self, afterstate: Afterstate, target: f32) {
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
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        self.state.with(|state| training::train(self, game, session, state))?
    }

    fn progress(&self) -> TrainingProgress {
        self.state.progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        vec![ModelFormat::new("model", "the whole table, to play or to continue training")]
    }

    fn save(&self, path: &Path, _format: &str) -> Result<(), Fault> {
        self.state.with(|state| model::save(self, state, path))?
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        self.state.with(|state| {
            *state = model::load(self, files)?;
            Ok(())
        })?
    }
}

impl Plugin for __Type__ {
    const NAME: &'static str = "__name__";
    const ABOUT: &'static str = "table of afterstate values that learns by TD(0)";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for __Type__ {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Config { size, start, .. } = config;
        let entries = (0..1usize << size).map(|_| AtomicU32::new(start.to_bits())).collect();
        let game = context.game_spec.to_owned();
        let state = TrainingCell::new(TrainingState::default());
        let table = Self { config, game, state, entries };
        if let Some(model) = &table.config.model {
            table.load(&[Path::new(model)]).map_err(|fault| BuildError::of("model", fault))?;
        }
        Ok(table)
    }
}

impl LearnerPlugin for __Type__ {}

runner_plugin::export_plugin! { learners: [__Type__] }
