//! The program `runner`: the runner's library and every plugin of this repository.

use std::process::ExitCode;

fn main() -> ExitCode {
    runner::main(runner::Linked {
        plugins: runner_plugins::plugins(),
        workloads: runner_plugins::workloads,
    })
}
