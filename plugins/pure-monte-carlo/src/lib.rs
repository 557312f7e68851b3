//! Pure Monte Carlo as a plugin.
#![deny(unsafe_code)]

use agent_pure_monte_carlo::PureMonteCarlo;

runner_plugin::export_plugin! { agents: [PureMonteCarlo] }
