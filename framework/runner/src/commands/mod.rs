//! What the program can be told to do, one file a command.

mod bench;
mod completions;
mod doctor;
mod eval;
mod model;
mod new;
mod perft;
mod plugins;
mod replay;
mod run;
mod solve;
mod think;
mod train;
mod tune;

use crate::Linked;
use crate::cli::{Cli, Command, Contest, Model, Plugins};
use crate::failure::Failure;
use crate::setting::{registry, tell_problems};

/// Does what was typed.
pub fn run(cli: Cli, linked: Linked) -> Result<(), Failure> {
    let Cli { command, run, common } = cli;
    if command.is_some() && run.contest != Contest::default() {
        return Err(Failure::usage("the flags of a command stand behind its name"));
    }
    let command = command.unwrap_or(Command::Run(run));
    // What needs no plugin does not load any.
    match &command {
        Command::Completions { shell } => return completions::run(*shell),
        Command::Plugins(Plugins::New { kind, name, path, framework }) => {
            return new::run(*kind, name, path.as_deref(), framework.as_deref());
        }
        _ => {}
    }
    let registry = || registry(&common, linked.plugins);
    // What may need none loads them when it does.
    match &command {
        Command::Model(Model::Info { files, json }) => return model::info(files, *json, registry),
        Command::Model(Model::Verify { files }) => return model::verify(files, registry),
        _ => {}
    }
    let registry = registry();
    match &command {
        Command::Plugins(Plugins::List { json }) => {
            return plugins::list(&registry, &common, *json);
        }
        Command::Plugins(Plugins::Doctor { names }) => {
            return doctor::run(&registry, &common, names);
        }
        _ => tell_problems(&registry, &common),
    }
    match &command {
        Command::Run(run) => run::run(run, &registry),
        Command::Train(train) => train::run(train, &registry),
        Command::Eval(eval) => eval::run(eval, &registry),
        Command::Tune(tune) => tune::run(tune, &registry),
        Command::Model(model) => model::write(model, &registry),
        Command::Solve(solve) => solve::run(solve, &registry),
        Command::Think(think) => think::run(think, &registry),
        Command::Perft(perft) => perft::run(perft, &registry),
        Command::Replay(replay) => replay::run(replay, &registry),
        Command::Bench(bench) => bench::run(bench, &registry, linked.workloads),
        Command::Plugins(_) | Command::Completions { .. } => Ok(()),
    }
}
