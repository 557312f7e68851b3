//! The program `runner`: the runner's library and every plugin of this repository.

mod processor;

use std::process::ExitCode;

fn main() -> ExitCode {
    processor::use_newer_program();
    let (value, headers) = runner_plugins::TRAINED;
    runner::main(runner::Linked {
        plugins: runner_plugins::plugins(),
        example_game: runner_plugins::EXAMPLE_GAME,
        small_game: runner_plugins::SMALL_GAME,
        strong_agent: runner_plugins::strong_agent,
        levels: runner_plugins::levels,
        chances: runner_plugins::CHANCES,
        trained: runner::TrainedNetworks { value, headers },
        borrowing_games: runner_plugins::BORROWING_GAMES,
        example_agent: runner_plugins::EXAMPLE_AGENT,
    })
}
