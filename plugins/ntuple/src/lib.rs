//! The n-tuple learners as a plugin library.
#![deny(unsafe_code)]

use agent_ntuple::{AutostepNtuple, MsTd, TcNtuple, TdNtuple, Trained};

runner_plugin::export_plugin! {
    values: [Trained],
    learners: [AutostepNtuple, MsTd, TcNtuple, TdNtuple],
}
