//! Learners that are built from a configuration for a game, and models as bytes.

use agent_ntuple::{TcConfig, TcNtuple};
use game_2048::{Config, Game2048};
use runner_core::{
    Afterstate, BuildContext, BuildError, Control, Game, Host, Learner, Random, Seed, SingleThread,
    Spec, Successors, TrainingBudget, TrainingSession, Value, ValuePlugin,
};
use runner_files::Container;
use runner_files::container::{self, Header};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// A game and its resolved spec.
pub struct Setting<G> {
    pub game: G,
    pub spec: String,
}

/// Returns 2048 on a board of this size.
pub fn game_2048(rows: usize, cols: usize) -> Setting<Game2048> {
    let config = Config { rows, cols, ..Config::default() };
    let spec = Spec::resolved("2048", &config).unwrap().to_string();
    Setting { game: Game2048::new(config).unwrap(), spec }
}

impl<G: Game> Setting<G> {
    /// Builds a learner, or a player where the configuration names a model.
    pub fn build<V: ValuePlugin>(&self, config: V::Config) -> Result<V, BuildError> {
        let host: Arc<dyn Host> = Arc::new(SingleThread);
        V::new(
            config,
            &BuildContext { game: self.game.description(), game_spec: &self.spec, host: &host },
        )
    }

    /// Builds a learner with this network.
    pub fn learner(&self, network: &str) -> TcNtuple {
        self.build(TcConfig { network: Some(network.to_owned()), ..TcConfig::default() }).unwrap()
    }

    /// Builds a player with the network of a file.
    pub fn player(&self, file: &Path) -> Result<TcNtuple, BuildError> {
        let model = Some(file.to_str().unwrap().to_owned());
        self.build(TcConfig { model, ..TcConfig::default() })
    }

    /// Builds a learner with this network and trains it.
    pub fn trained(&self, network: &str, seed: u64) -> TcNtuple {
        let learner = self.learner(network);
        self.train(&learner, seed);
        learner
    }

    /// Trains for 20,000 moves.
    pub fn train(&self, learner: &impl Learner, seed: u64) {
        let budget = TrainingBudget { moves: Some(20_000), ..TrainingBudget::default() };
        let report = |_: &_| Control::Continue;
        let (seed, host) = (Seed(seed), &SingleThread);
        let session =
            TrainingSession { budget, plan: budget, seed, ..TrainingSession::new(host, &report) };
        learner.train(&self.game, &session).unwrap();
    }

    /// Returns afterstates of random games.
    pub fn positions(&self) -> Vec<Afterstate> {
        let (mut random, mut found) = (Random::stream(Seed(9), 0), Vec::new());
        let (mut state, mut successors) = (self.game.start(random.word()), Successors::new());
        while found.len() < 500 {
            self.game.successors(state, &mut successors);
            found.extend(successors.iter().map(|successor| successor.afterstate));
            state = match successors.is_empty() {
                true => self.game.start(random.word()),
                false => {
                    let chosen = random.below(successors.len() as u32) as usize;
                    self.game.spawn(successors[chosen].afterstate, random.word())
                }
            };
        }
        found
    }

    /// Returns the values of these positions.
    pub fn values(&self, value: &impl Value) -> Vec<f32> {
        let positions = self.positions();
        let mut values = vec![0.0; positions.len()];
        value.evaluate(&positions, &mut values);
        values
    }
}

/// Returns a model in a format, as bytes.
pub fn saved(learner: &impl Learner, format: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model");
    learner.save(&file, format).unwrap();
    fs::read(file).unwrap()
}

/// Returns a model with a changed header or changed sections, and the right checksums.
pub fn forged(model: &[u8], change: impl FnOnce(&mut Header, &mut Vec<Vec<u8>>)) -> Vec<u8> {
    let container = Container::new(model, "model").unwrap();
    let mut header = container.header().clone();
    let read = |section: &container::Section| container.read_section(&section.name).unwrap();
    let mut sections: Vec<_> = header.sections.iter().map(read).collect();
    change(&mut header, &mut sections);
    for (section, bytes) in header.sections.iter_mut().zip(&sections) {
        section.bytes = bytes.len() as u64;
    }
    let mut forged = Vec::new();
    let fill = |out: &mut container::Writer<_>| sections.iter().try_for_each(|s| out.write_all(s));
    container::write(&mut forged, &header, fill).unwrap();
    forged
}
