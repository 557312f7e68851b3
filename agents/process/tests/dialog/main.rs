//! Games played by programs, which are short shell scripts here: those that follow the protocol,
//! and those that break it in every way.
#![cfg(unix)]

mod faults;
mod games;
mod processes;

use agent_process::{Config, Process};
use game_2048::{Config as Rules, Game2048};
use runner_core::{
    Agent, AgentPlugin, BuildContext, BuildError, Episode, Fault, Game, Host, Random, Seed,
    SingleThread, catch, play,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The branches of a script that answer `hello` and `begin`.
const READY: &str = r#"
    *'"type":"hello"'*) echo '{"type":"ready","protocol":1}';;
    *'"type":"begin"'*) echo '{"type":"ready"}';;"#;

/// The branch of a script that takes the first legal action.
const FIRST: &str = r#"
    *'"type":"turn"'*) index=${line#*'"index":'}; echo "{\"action\":${index%%,*}}";;"#;

fn script(branches: &[&str]) -> String {
    format!("while read -r line; do case $line in {}\nesac; done", branches.concat())
}

fn game() -> Game2048 {
    Game2048::new(Rules { rows: 2, cols: 3, ..Rules::default() }).unwrap()
}

fn build(config: Config) -> Result<Process, BuildError> {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let game = game();
    let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
    Process::new(config, &context)
}

fn agent_with_limits(script: &str, time: u32, start: u32) -> Process {
    build(Config {
        command: ["/bin/sh", "-c", script].map(String::from).to_vec(),
        time: format!("{time}ms").parse().unwrap(),
        start: format!("{start}ms").parse().unwrap(),
    })
    .unwrap()
}

fn agent(script: &str) -> Process {
    agent_with_limits(script, 20_000, 20_000)
}

fn play_game(agent: &mut impl Agent, number: u64) -> Result<Episode, Fault> {
    let mut random = Random::stream(Seed(1), number);
    catch(|| play(&game(), agent, &mut random, &AtomicBool::new(false)))
}
