//! The n-tuple learners as a plugin library.
#![deny(unsafe_code)]

use agent_ntuple::{AutostepNtuple, MsTd, TcNtuple, TdNtuple};

runner_plugin::export_plugin! { learners: [AutostepNtuple, MsTd, TcNtuple, TdNtuple] }
