//! The learners with neural networks as a plugin library.
#![deny(unsafe_code)]

use agent_neural::alpha_zero::AlphaZero;
use agent_neural::policy_net::PolicyNet;

runner_plugin::export_plugin! { learners: [AlphaZero, PolicyNet] }
