//! A host that builds the games that are wrapped in the tests.

use game_2048::Game2048;
use game_threes::Threes;
use runner_core::{BuildError, Game, GameContext, GamePlugin, Host, Plugin, SingleThread, Spec};
use std::sync::Arc;

pub struct Games;

impl Host for Games {
    fn threads(&self) -> usize {
        SingleThread.threads()
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        SingleThread.for_each(n, task);
    }

    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        match spec.name() {
            "2048" => build::<Game2048>(spec),
            "threes" => build::<Threes>(spec),
            "evil" => build::<game_evil::Evil>(spec),
            name => Err(BuildError::new(format!("there is no game `{name}`"))),
        }
    }
}

fn build<G: GamePlugin>(spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
    let config: <G as Plugin>::Config = spec.read().map_err(BuildError::new)?;
    let host: Arc<dyn Host> = Arc::new(Games);
    Ok(Arc::new(G::new(config, &GameContext { host: &host })?))
}

pub fn game(spec: &str) -> Arc<dyn Game> {
    Games.game(&spec.parse().unwrap()).unwrap()
}
