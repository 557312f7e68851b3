//! The program's services, and training sessions.

use super::agent::AgentTable;
use super::cross::{Answer, answer, argument, as_text, from_text, longer, to_text};
use super::data::{List, Slice};
use super::game::GameTable;
use super::interface::*;
use super::object::SharedTable;
use super::value::ValueTable;
use runner_core::{BuildError, Spec, Start, TrainingBudget, TrainingProgress};
use serde::{Deserialize, Serialize};

/// The services of the program, as [`Host`](runner_core::Host) describes them. All threads may
/// use them at once.
macro_rules! host_interface {
    ($make:ident $arguments:tt) => {
        $make! { $arguments
            fn threads(&self) -> usize;
            fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync));
            fn memory(&self) -> u64;
            fn value(&self, spec: &Spec) -> Result<BuiltFor<ValueTable>, BuildError>;
            fn agent(&self, spec: &Spec) -> Result<BuiltAgent, BuildError>;
            fn game(&self, spec: &Spec) -> Result<Object<GameTable>, BuildError>;
        }
    };
}

host_interface! { interface_table [
    /// The functions of the program.
    HostTable {}
] }

impl SharedTable for HostTable {}

/// A value or an agent, which the receiver owns.
#[repr(C)]
pub struct BuiltFor<T: 'static> {
    pub object: Object<T>,
    /// The address of the game that it was built for.
    pub bound: usize,
}

answer!([T: Table] BuiltFor<T> as BuiltFor<T>: |built| built, |form| form);

/// An agent that the program built for a plugin.
#[repr(C, u8)]
pub enum BuiltAgent {
    Agent(BuiltFor<AgentTable>),
    /// The greedy policy of this value.
    Greedy(BuiltFor<ValueTable>),
}

answer!([] BuiltAgent as BuiltAgent: |built| built, |form| form);

/// A function with its context. Any thread may call it, and it contains its own panics.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Task {
    pub context: This,
    pub run: unsafe extern "C" fn(This, usize),
}

/// What a training session says before the training begins.
#[derive(Serialize, Deserialize)]
pub struct Terms {
    pub budget: TrainingBudget,
    pub plan: TrainingBudget,
    pub seed: u64,
    /// How many positions of each label are kept; none if they are not wanted.
    pub capacity: Option<usize>,
}

as_text! { Terms }

/// A training session, for the length of the training.
macro_rules! session_interface {
    ($make:ident $arguments:tt) => {
        $make! { $arguments
            fn terms(&self) -> Terms;
            fn starts(&self) -> &[Start];
            fn stops(&self, progress: &TrainingProgress) -> bool;
            fn keep(&self, label: &str, starts: &[Start]);
        }
    };
}

session_interface! { interface_table [
    /// The functions of a training session.
    SessionTable {}
] }

/// A training session with the threads to train on, lent for the length of a call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LentSession {
    pub session: Object<SessionTable>,
    pub host: Object<HostTable>,
}
