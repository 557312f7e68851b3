//! `pure-monte-carlo`: the action whose random playouts score best, for any game.
//!
//! ```text
//! pure-monte-carlo(playouts: 100)
//! pure-monte-carlo(playouts: 100, mean: 0.5, min: 0.5)
//! ```
//!
//! The playouts of an action begin with it and continue with uniformly random actions to the
//! end of the game. The value of the action is their mean score, or a mixture of the mean,
//! the lowest and the highest. The algorithm and its variants come from an answer to *What is the
//! optimal algorithm for the game 2048?* (Stack Overflow, 2014).

mod config;
mod sample;

pub use config::PlayoutConfig;

use runner_core::{
    Action, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Description, Fault, Game, Host,
    Plugin, Random, Seed, TimeLimit, Turn, best_action,
};
use sample::{BATCH, PlayoutSample};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

#[derive(Clone)]
pub struct PureMonteCarlo {
    config: PlayoutConfig,
    host: Arc<dyn Host>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The action to take; `None` if there is no legal one.
    pub best: Option<Action>,
    pub action_values: Vec<(Action, f32)>,
    pub playouts: u64,
    pub moves: u64,
}

/// The playouts that begin with the same fixed actions.
struct Candidate {
    /// The index of the first action among the legal ones.
    first: usize,
    /// The fixed actions after the first.
    further: Vec<Action>,
    sample: PlayoutSample,
}

impl PureMonteCarlo {
    /// Creates an agent for a game, or returns the parameter that is wrong. Decisions on several
    /// threads use those of the host.
    pub fn with_config(
        config: PlayoutConfig,
        game: &Description,
        host: Arc<dyn Host>,
    ) -> Result<Self, BuildError> {
        config.check_for(game)?;
        Ok(Self { config, host })
    }

    /// Plays the playouts of a position.
    pub fn decide<G: Game>(&self, game: &G, turn: &Turn<'_>) -> Decision {
        let began = Instant::now();
        let PlayoutConfig { mean, min, max, moves, .. } = self.config;
        let time = self.config.time.as_ref().map(TimeLimit::get);
        let lists = lists_of_actions(game.description().actions.len(), moves - 1);
        let mut candidates = Vec::new();
        for first in 0..turn.successors.len() {
            for list in &lists {
                let (further, sample) = (list.clone(), PlayoutSample::default());
                candidates.push(Candidate { first, further, sample });
            }
        }
        let mut seed = Random::from_word(turn.random);
        self.play(game, turn, &mut candidates, Seed(seed.word()));
        while time.is_some_and(|time| began.elapsed() < time) && !candidates.is_empty() {
            self.play(game, turn, &mut candidates, Seed(seed.word()));
        }
        let mut action_values = Vec::new();
        for (first, successor) in turn.successors.iter().enumerate() {
            let own = candidates.iter().filter(|candidate| candidate.first == first);
            let values = own.map(|candidate| candidate.sample.value([mean, min, max]));
            let value = values.fold(f64::MIN, f64::max) as f32;
            if !value.is_finite() {
                let action = game.description().action_name(successor.action);
                let state = game.write(turn.state);
                Fault::new(format!("the playouts of `{action}` score {value} in {state}")).raise();
            }
            action_values.push((successor.action, value));
        }
        Decision {
            best: best_action(action_values.iter().copied()),
            action_values,
            playouts: candidates.iter().map(|candidate| candidate.sample.playouts).sum(),
            moves: candidates.iter().map(|candidate| candidate.sample.moves).sum(),
        }
    }

    /// Plays the playouts of each candidate. The result does not depend on the number
    /// of threads.
    fn play<G: Game>(&self, game: &G, turn: &Turn<'_>, candidates: &mut [Candidate], seed: Seed) {
        let playouts = self.config.playouts;
        let batches = playouts.div_ceil(BATCH as u64) as usize;
        let one = |batch: usize| {
            let candidate = &candidates[batch / batches];
            let done = (batch % batches * BATCH) as u64;
            let count = (playouts - done).min(BATCH as u64) as usize;
            let random = Random::stream(seed, batch as u64);
            let first = &turn.successors[candidate.first];
            sample::play(game, first, &candidate.further, count, random)
        };
        let count = batches * candidates.len();
        let samples: Vec<PlayoutSample> = match self.config.threads {
            1 => (0..count).map(one).collect(),
            threads => on_threads(&*self.host, threads, count, one),
        };
        for (batch, sample) in samples.iter().enumerate() {
            candidates[batch / batches].sample.add(sample);
        }
    }
}

/// Returns the results of `count` tasks, in their order, which `threads` threads share.
fn on_threads<T: Send + Sync>(
    host: &dyn Host,
    threads: usize,
    count: usize,
    task: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let results: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    host.for_each(threads.min(count), &|_| {
        while let number = next.fetch_add(1, Relaxed)
            && number < count
        {
            results[number].get_or_init(|| task(number));
        }
    });
    results.into_iter().map(|result| result.into_inner().expect("every task was run")).collect()
}

fn lists_of_actions(actions: usize, length: u32) -> Vec<Vec<Action>> {
    (0..length).fold(vec![vec![]], |lists, _| {
        let longer = |list: Vec<Action>| {
            (0..actions).map(move |action| [&list[..], &[Action(action as u8)]].concat())
        };
        lists.into_iter().flat_map(longer).collect()
    })
}

impl Agent for PureMonteCarlo {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        match &**turn.successors {
            [only] => Some(only.action),
            _ => self.decide(game, turn).best,
        }
    }

    fn threads(&self) -> usize {
        self.config.threads
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let Decision { best, action_values, playouts, moves } = self.decide(game, turn);
        let facts =
            vec![("playouts".to_owned(), playouts.into()), ("moves".to_owned(), moves.into())];
        Analysis { choice: best, action_values, facts }
    }
}

impl Plugin for PureMonteCarlo {
    const NAME: &'static str = "pure-monte-carlo";
    const ABOUT: &'static str = "the action whose random playouts score best";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = PlayoutConfig;
}

impl AgentPlugin for PureMonteCarlo {
    fn new(config: PlayoutConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        Self::with_config(config, context.game, context.host.clone())
    }
}
