//! The learners: each file has a rule, the memory of that rule, and the plugin that offers it.
//!
//! To add one: a file here with its lines below, and its plugin's name in `plugins/ntuple`.

mod autostep;
pub mod ms_td;
pub mod tc;
mod td;

pub use autostep::{Autostep, AutostepConfig, AutostepMemory};
pub use ms_td::MsTdConfig;
pub use tc::{Tc, TcConfig};
pub use td::{Td, TdConfig};

use crate::learner::Ntuple;

/// `td-ntuple`: an n-tuple network that learns by temporal differences.
pub type TdNtuple = Ntuple<Td>;
/// `tc-ntuple`: an n-tuple network that learns by temporal coherence.
pub type TcNtuple = Ntuple<Tc>;
/// `autostep-ntuple`: an n-tuple network that learns by Autostep.
pub type AutostepNtuple = Ntuple<Autostep>;
/// `ms-td`: an n-tuple network whose stages learn one after the other.
pub type MsTd = Ntuple<ms_td::StageByStage>;
