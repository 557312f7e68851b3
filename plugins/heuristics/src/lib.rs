//! Values of boards that people thought out, as a plugin.
#![deny(unsafe_code)]

use agent_heuristics::{Alpha, Beta, Rows, Smooth, SnakeExp, SnakePaths};

runner_plugin::export_plugin! {
    values: [Rows, Alpha, Beta, SnakePaths, SnakeExp, Smooth],
}
