//! Tests a learner: its training budget, its model files, and its parameter `model`.

use runner_core::{
    Control, Fault, Game, Learner, Seed, State, Successors, TrainingBudget, TrainingProgress,
    TrainingSession, Value, catch,
};
use runner_play::calls::Calls;
use runner_play::failure::attributed;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::threads::Services;
use runner_play::watched::WatchedGame;
use runner_plugin::{DynValue, PluginInfo};
use runner_spec::Spec;
use runner_spec::quantity::grouped;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Number of moves of the first training.
const MOVES: u64 = 20_000;
/// A training may exceed its budget by this many moves, the batches of its threads.
const EXCESS: u64 = 50_000;
/// Time of the second training.
const TIME: Duration = Duration::from_millis(200);
/// The second training must end after this time.
const MAX_TIME: Duration = Duration::from_secs(10);
/// Number of positions whose values are compared.
const POSITIONS: u64 = 64;

/// A learner and the game that it is tested on.
pub struct Test<'a> {
    pub plugin: &'a PluginInfo,
    pub spec: &'a Spec,
    pub game: &'a LoadedGame,
    pub services: &'a Services,
    pub registry: &'a Registry,
    pub calls: &'a Calls,
    pub subject: &'a str,
}

impl Test<'_> {
    /// Returns a summary, or the first defect.
    pub fn run(&self) -> Result<String, String> {
        self.find().map_err(|Fault(message)| attributed(&message, &[&self.game.label]))
    }

    fn find(&self) -> Result<String, Fault> {
        let rules = WatchedGame::new(&*self.game.rules, self.subject, self.calls);
        let positions = catch(|| runner_laws::positions_of_games(&rules, POSITIONS))?;
        let folder = tempfile::tempdir().map_err(Fault::new)?;
        let model = folder.path().join("test.model");
        let learner = self.build(self.spec)?;
        let untrained = self.values(&learner, &positions)?;
        let progress = self.train(&learner)?;
        let trained = self.values(&learner, &positions)?;
        if let Some(value) = trained.iter().find(|value| value.is_nan()) {
            return Err(Fault::new(format!("a value is {value} after training")));
        }
        self.save(&learner, folder.path(), &model)?;
        // Two networks at once can be too much for the memory.
        drop(learner);
        let loaded = self.build(self.spec)?;
        self.call("load", || loaded.load(&[&model]))?;
        if self.values(&loaded, &positions)? != trained {
            return Err(Fault::new("load: other values than when the model was saved"));
        }
        let restored = catch(|| loaded.progress())?;
        if restored.moves != progress.moves {
            return Err(Fault::new(format!(
                "load: {} moves of training are restored of {}",
                grouped(restored.moves),
                grouped(progress.moves)
            )));
        }
        drop(loaded);
        if untrained != trained {
            self.play_model(&model, &positions, &trained)?;
        }
        self.load_damaged(&model)?;
        Ok(format!("trained {} moves, saved and loaded", grouped(progress.moves)))
    }

    fn build(&self, spec: &Spec) -> Result<DynValue, Fault> {
        let Self { registry, game, services, .. } = *self;
        let built = self.watch("constructor", || registry.value(spec, game, &services.share()));
        built.map(|(value, _)| value).map_err(Fault::new)
    }

    /// Trains by moves, then by time. Returns the progress.
    fn train(&self, learner: &DynValue) -> Result<TrainingProgress, Fault> {
        let rules = &*self.game.rules;
        let train = |budget: TrainingBudget| {
            let session = TrainingSession {
                budget,
                plan: budget,
                seed: Seed(1),
                ..TrainingSession::new(self.services, &|_| Control::Continue)
            };
            self.call("train", || learner.train(rules, &session))
        };
        let by_moves = TrainingBudget { moves: Some(MOVES), ..TrainingBudget::default() };
        let done = train(by_moves)?;
        if !(MOVES..=MOVES + EXCESS).contains(&done.moves) {
            return Err(Fault::new(format!(
                "train: made {} moves with a budget of {}",
                grouped(done.moves),
                grouped(MOVES)
            )));
        }
        let by_time = TrainingBudget { time: Some(TIME), ..TrainingBudget::default() };
        let began = std::time::Instant::now();
        let more = train(by_time)?;
        if began.elapsed() > MAX_TIME {
            return Err(Fault::new(format!("train: took {:?} of {TIME:?}", began.elapsed())));
        }
        if more.moves <= done.moves {
            return Err(Fault::new("train: made no move in a second call"));
        }
        Ok(more)
    }

    /// Saves every format that can hold the network, and the first one as the model.
    fn save(&self, learner: &DynValue, folder: &Path, model: &Path) -> Result<(), Fault> {
        let formats = catch(|| learner.formats())?;
        if formats.is_empty() {
            return Err(Fault::new("formats: there is none"));
        }
        for (i, format) in formats.iter().enumerate().rev() {
            let other = folder.join(format!("test.{i}"));
            let path = if i == 0 { model } else { &other };
            let saved = self.watch("save", || catch(|| learner.save(path, &format.name)));
            match saved.map_err(|panic| Fault::new(format!("save: panics: {panic}")))? {
                Ok(()) => {}
                // A format beside the first may not be able to hold this network.
                Err(_) if i > 0 && !path.exists() => continue,
                Err(refusal) => return Err(Fault::new(format!("save: {refusal}"))),
            }
            let size = fs::metadata(path).map_or(0, |file| file.len());
            if size == 0 {
                return Err(Fault::new(format!("save: the format `{}` is empty", format.name)));
            }
            if i > 0 {
                runner_files::remove(path).map_err(Fault::new)?;
            }
        }
        Ok(())
    }

    /// Tests the parameter `model`, if the plugin has it.
    fn play_model(&self, model: &Path, positions: &[State], trained: &[f32]) -> Result<(), Fault> {
        let parameters = &self.plugin.parameters;
        if !parameters.iter().any(|parameter| parameter.name == "model") {
            return Ok(());
        }
        let spec = self.spec.with("model", &*model.to_string_lossy()).map_err(Fault::new)?;
        let player = self.build(&spec)?;
        if self.values(&player, positions)? != trained {
            return Err(Fault::new("the parameter `model` has no effect, or another model's"));
        }
        Ok(())
    }

    /// Tests that a truncated model is refused.
    fn load_damaged(&self, model: &Path) -> Result<(), Fault> {
        let file = runner_files::append(model).map_err(Fault::new)?;
        let size = file.metadata().map_err(Fault::new)?.len();
        file.set_len(size / 2).map_err(Fault::new)?;
        let learner = self.build(self.spec)?;
        match self.watch("load", || catch(|| learner.load(&[model]))) {
            Ok(Err(_)) => Ok(()),
            Ok(Ok(())) => Err(Fault::new("load: half of a model file is accepted")),
            Err(Fault(panic)) => Err(Fault::new(format!("load: panics on half a file: {panic}"))),
        }
    }

    fn values(&self, value: &DynValue, positions: &[State]) -> Result<Vec<f32>, Fault> {
        let rules = &*self.game.rules;
        catch(|| {
            let mut successors = Successors::new();
            let mut values = Vec::new();
            for &state in positions {
                rules.successors(state, &mut successors);
                let mut of_actions = vec![0.0; successors.len()];
                if !of_actions.is_empty() {
                    value.action_values(rules, state, &successors, &mut of_actions);
                }
                values.extend(of_actions);
            }
            values
        })
    }

    /// Makes a call that returns a fault, under watch.
    fn call<T>(
        &self,
        name: &'static str,
        call: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let result = self.watch(name, || catch(call).flatten());
        result.map_err(|Fault(message)| Fault(format!("{name}: {message}")))
    }

    fn watch<T>(&self, call: &'static str, task: impl FnOnce() -> T) -> T {
        self.calls.make(self.subject, call, task)
    }
}
