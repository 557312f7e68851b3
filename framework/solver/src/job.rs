//! Options and result of a solve, and the state that its steps share.

use crate::bellman::Bellman;
use crate::error::{Abort, SolveError};
use crate::file::PackedValues;
use crate::memory::MemoryBudget;
use crate::pool::ThreadPool;
use runner_core::{Action, Control, Game, Host, Outcome, State};
use std::sync::atomic::AtomicU64;

/// What to compute besides the value of the game.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolveOptions {
    /// State whose value and best action are wanted. It is a root of the enumeration
    /// beside the start states.
    pub state: Option<State>,
    /// Keep the value of every afterstate, for play.
    pub keep_afterstates: bool,
}

pub struct SolveResources<'a> {
    pub host: &'a dyn Host,
    /// Memory limit in bytes.
    pub memory: u64,
    /// Receives progress, up to thousands of times a second, and may stop the solve.
    pub report: &'a (dyn Fn(SolveProgress) -> Control + Sync),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SolveProgress {
    /// Reachable states are being enumerated.
    Enumerating {
        /// Number of states found so far.
        states: u64,
        /// Layer that is being expanded, in a game with layers.
        layer: Option<u64>,
    },
    /// All states are found; backward induction is computing their values.
    Evaluating { done: u64, total: u64 },
    /// All states are found; value iteration is sweeping over them.
    Iterating {
        sweeps: u64,
        /// Largest change of a value in the current sweep so far.
        change: f64,
    },
}

#[derive(Debug)]
pub struct Solution {
    /// Number of reachable states, counting each symmetry class once.
    pub states: u64,
    /// Expected score of optimal play from the start; `None` if the game does not list
    /// its start states.
    pub value: Option<f64>,
    /// Value of the state in [`SolveOptions::state`].
    pub state_value: Option<StateValue>,
    /// Value of every afterstate, if [`SolveOptions::keep_afterstates`] is set.
    pub afterstate_values: Option<PackedValues>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StateValue {
    /// Expected further score of optimal play.
    pub value: f64,
    /// First of the best actions; `None` if the state is terminal.
    pub best_action: Option<Action>,
}

pub(crate) struct Job<'a, G> {
    pub bellman: Bellman<'a, G>,
    pub pool: ThreadPool<'a>,
    pub memory: &'a MemoryBudget,
    pub options: &'a SolveOptions,
    starts: Option<Vec<Outcome>>,
    pub has_layers: bool,
    /// Number of states found so far, for messages.
    pub found: AtomicU64,
    /// Layer that is being expanded, for messages.
    pub layer: AtomicU64,
    report: &'a (dyn Fn(SolveProgress) -> Control + Sync),
}

impl<'a, G: Game> Job<'a, G> {
    /// Returns a job, or [`SolveError::NoStarts`] if there is no state to begin from.
    pub fn new(
        game: &'a G,
        options: &'a SolveOptions,
        resources: &SolveResources<'a>,
        memory: &'a MemoryBudget,
    ) -> Result<Self, SolveError> {
        let starts = game.starts();
        let first = starts.iter().flatten().map(|start| start.state).next();
        let Some(first) = first.or(options.state) else {
            return Err(SolveError::NoStarts);
        };
        Ok(Self {
            bellman: Bellman::new(game),
            pool: ThreadPool::new(resources.host),
            memory,
            options,
            starts,
            has_layers: game.layer(first).is_some(),
            found: AtomicU64::new(0),
            layer: AtomicU64::new(0),
            report: resources.report,
        })
    }

    /// Returns the states that the enumeration begins from, in canonical form.
    pub fn roots(&self) -> impl Iterator<Item = State> + '_ {
        let starts = self.starts.iter().flatten().map(|start| start.state);
        starts.chain(self.options.state).map(|state| self.bellman.canonical(state))
    }

    pub fn report(&self, progress: SolveProgress) -> Result<(), Abort> {
        match (self.report)(progress) {
            Control::Continue => Ok(()),
            Control::Stop => Err(Abort::Failed(SolveError::Interrupted)),
        }
    }

    pub fn game_value(&self, root_values: &[f64]) -> Option<f64> {
        let starts = self.starts.as_ref()?.iter().zip(root_values);
        Some(starts.fold(0.0, |sum, (start, value)| {
            sum + start.probability * (self.bellman.chance_reward(None, start.state) + value)
        }))
    }
}
