//! Learners that are built from a configuration for a game, and models as bytes.

use super::bare_learner::{moves, session};
use agent_ntuple::TcNtuple;
use game_2048::Game2048;
use runner_core::{
    Afterstate, BuildContext, BuildError, Description, Fault, Game, GamePlugin, Host, Learner,
    Parameters, Random, Seed, SingleThread, Spec, Successors, TrainingSession, Value, ValuePlugin,
};
use runner_files::Container;
use runner_files::container::{self, Header};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// A game and its resolved spec.
pub struct Fixture<G> {
    pub game: G,
    pub spec: String,
}

/// Reads the configuration of a learner from its parameters.
pub fn config<C: Parameters>(parameters: &str) -> C {
    format!("learner({parameters})").parse::<Spec>().unwrap().read().unwrap()
}

/// Returns 2048 on a board of this size.
pub fn setting(rows: usize, cols: usize) -> Fixture<Game2048> {
    Fixture::of(game_2048::Config { rows, cols, ..Default::default() })
}

impl<G: GamePlugin> Fixture<G> {
    pub fn of(config: G::Config) -> Self {
        let spec = Spec::resolved(G::NAME, &config).unwrap().to_string();
        Self { game: G::alone(config).unwrap(), spec }
    }
}

impl<G: Game> Fixture<G> {
    /// Builds a learner, or a player where the configuration names a model. Its values are the
    /// sums of weights: the game does not say that no reward is negative.
    pub fn build<V: ValuePlugin>(&self, config: V::Config) -> Result<V, BuildError> {
        let host: Arc<dyn Host> = Arc::new(SingleThread);
        let described = self.game.description().clone();
        let game = &Description { rewards_never_negative: false, ..described };
        V::new(config, &BuildContext { game, game_spec: &self.spec, host: &host })
    }

    /// Builds a learner from the parameters of its spec. The error begins with the parameter that
    /// is wrong.
    pub fn read<V: ValuePlugin>(&self, parameters: &str) -> Result<V, String> {
        let spec: Spec = format!("{}({parameters})", V::NAME).parse().unwrap();
        let config = spec.read().map_err(|error| error.message)?;
        self.build(config).map_err(|BuildError { parameter, message, .. }| {
            format!("parameter `{}`: {message}", parameter.unwrap_or_default())
        })
    }

    pub fn learner(&self, network: &str) -> TcNtuple {
        self.read(&format!("network: \"{network}\"")).unwrap()
    }

    /// Builds a player with the network of a file.
    pub fn player(&self, file: &Path) -> Result<TcNtuple, BuildError> {
        self.build(config(&format!("model: {file:?}")))
    }

    pub fn trained(&self, network: &str, seed: u64) -> TcNtuple {
        let learner = self.learner(network);
        self.train(&learner, seed);
        learner
    }

    /// Trains for 20,000 moves.
    pub fn train(&self, learner: &impl Learner, seed: u64) {
        self.try_train(learner, seed).unwrap();
    }

    /// Trains for 20,000 moves, or fails.
    pub fn try_train(&self, learner: &impl Learner, seed: u64) -> Result<(), Fault> {
        let (plan, seed) = (moves(20_000), Seed(seed));
        let session = TrainingSession { plan, seed, ..session(plan) };
        learner.train(&self.game, &session).map(drop)
    }

    pub fn positions(&self) -> Vec<Afterstate> {
        positions(&self.game)
    }

    pub fn values(&self, value: &impl Value) -> Vec<f32> {
        values(value, &self.positions())
    }
}

/// Returns at least 500 afterstates of random games.
pub fn positions(game: &impl Game) -> Vec<Afterstate> {
    let (mut random, mut found) = (Random::stream(Seed(9), 0), Vec::new());
    let (mut state, mut successors) = (game.start(random.word()), Successors::new());
    while found.len() < 500 {
        game.successors(state, &mut successors);
        found.extend(successors.iter().map(|successor| successor.afterstate));
        state = if successors.is_empty() {
            game.start(random.word())
        } else {
            let chosen = random.below(successors.len() as u32) as usize;
            game.spawn(successors[chosen].afterstate, random.word())
        };
    }
    found
}

pub fn values(value: &impl Value, positions: &[Afterstate]) -> Vec<f32> {
    let mut values = vec![0.0; positions.len()];
    value.evaluate(positions, &mut values);
    values
}

/// Fails unless a call was refused with a message that has these parts.
#[track_caller]
pub fn refused<T>(result: Result<T, Fault>, parts: &[&str]) {
    let Err(Fault(message)) = result else { panic!("it is not refused: {parts:?}") };
    for part in parts {
        assert!(message.contains(part), "{part:?} is wanted in {message:?}");
    }
}

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
