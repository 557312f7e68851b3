//! The learners: each file has a rule, the memory of that rule, and the plugin that offers it.
//!
//! To add one: a file here with its lines below, and its plugin's name in `plugins/ntuple`.

pub mod autostep;
pub mod ms_td;
pub mod tc;
pub mod td;

pub use autostep::{AutostepConfig, AutostepNtuple};
pub use ms_td::{MsTd, MsTdConfig};
pub use tc::{TcConfig, TcNtuple};
pub use td::{TdConfig, TdNtuple};
