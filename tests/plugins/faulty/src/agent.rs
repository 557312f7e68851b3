//! A player that goes wrong.

use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Fault, Game, Host, ParameterValue,
    Plugin, State, Turn, parameters,
};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The call that panics, or another fault. `Endless` calls never return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    Nowhere,
    New,
    EndlessNew,
    NewTask,
    Copy,
    Begin,
    Act,
    End,
    /// It chooses an action that is not legal.
    Illegal,
    Task,
    /// A task that it gives to the program's threads raises a fault.
    TaskFault,
    Stop,
    /// It does not depend on the random bits of the turn alone.
    Own,
    /// It plays by the number of its earlier games.
    Memory,
    Endless,
    /// It calls itself until its stack is full.
    Overflow,
}

/// Number of decisions of all clones.
static DECISIONS: AtomicUsize = AtomicUsize::new(0);

impl ParameterValue for At {}

parameters! {
    #[derive(Copy)]
    pub struct Config {
        /// Where it goes wrong
        pub at: At = At::Nowhere, variants::<At>();
        /// One of this many decisions goes wrong
        pub once_in: u64 = 32, range(1u64..);
    }
}

#[allow(unconditional_recursion)]
fn overflow(depth: u64) -> u64 {
    black_box(overflow(depth + 1)) + depth
}

/// Takes the first action.
pub struct FaultyAgent {
    config: Config,
    games: usize,
    host: Arc<dyn Host>,
}

impl Clone for FaultyAgent {
    fn clone(&self) -> Self {
        assert!(self.config.at != At::Copy, "copying the agent went wrong");
        Self { config: self.config, games: 0, host: self.host.clone() }
    }
}

impl Agent for FaultyAgent {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let first = turn.successors[0].action;
        let last = turn.successors[turn.successors.len() - 1].action;
        match self.config.at {
            At::Stop => return None,
            At::Own if DECISIONS.fetch_add(1, Relaxed).is_multiple_of(7) => return Some(last),
            At::Memory if self.games > 2 => return Some(last),
            At::Endless => crate::never_return(),
            At::Overflow => assert!(overflow(0) > 0),
            _ => {}
        }
        if !turn.random.is_multiple_of(self.config.once_in) {
            return Some(first);
        }
        match self.config.at {
            At::Act => panic!("the decision went wrong"),
            At::Illegal => return Some(Action(63)),
            At::Task => self.host.for_each(4, &|i| assert!(i != 2, "task {i} went wrong")),
            At::TaskFault => self.host.for_each(4, &|i| {
                if i == 2 {
                    Fault::new(format!("task {i} found a fault")).raise();
                }
            }),
            _ => {}
        }
        Some(first)
    }

    fn begin<G: Game>(&mut self, _: &G, _: State) {
        self.games += 1;
        assert!(self.config.at != At::Begin, "the beginning went wrong");
    }

    fn end<G: Game>(&mut self, _: &G, _: State) {
        assert!(self.config.at != At::End, "the end went wrong");
    }
}

impl Plugin for FaultyAgent {
    const NAME: &'static str = "faulty-agent";
    const ABOUT: &'static str = "a player that goes wrong";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for FaultyAgent {
    fn new(config: Config, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        assert!(config.at != At::New, "building the agent went wrong");
        if config.at == At::EndlessNew {
            crate::never_return();
        }
        if config.once_in == 0 {
            return Err(BuildError::of("once_in", "at least 1 is needed"));
        }
        if config.at == At::NewTask {
            site.host.for_each(4, &|i| assert!(i != 2, "task {i} of the constructor went wrong"));
        }
        Ok(Self { config, games: 0, host: site.host.clone() })
    }
}
