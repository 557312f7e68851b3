//! The commands of the program, one file each. To add one, add its file, its module, and a line of
//! the list below. The help lists the commands in the order of this list.

pub mod analyse;
pub mod compare;
pub mod completions;
pub mod conform;
pub mod eval;
pub mod experiment;
pub mod guide;
pub mod main_job;
pub mod model;
pub mod perft;
pub mod play;
pub mod plot;
pub mod plugins;
pub mod replay;
pub mod serve;
pub mod solve;
pub mod think;
pub mod tournament;
pub mod train;
pub mod tune;
pub mod watch;

use crate::context::{Context, Execute};
use clap::Subcommand;
use runner_play::failure::Failure;

macro_rules! commands {
    ($($heading:literal { $($(#[$meta:meta])* $name:ident($options:ty),)* })*) => {
        /// The commands. Each describes itself in its own file.
        #[derive(Debug, Subcommand)]
        pub enum RunnerCommand {
            $($($(#[$meta])* $name($options),)*)*
        }

        /// The headings of the help, with the number of commands below each.
        pub const HEADINGS: &[(&str, usize)] = &[
            $(($heading, [$(stringify!($name)),*].len()),)*
        ];

        impl Execute for RunnerCommand {
            fn execute(self, context: &Context) -> Result<(), Failure> {
                match self {
                    $($(Self::$name(command) => command.execute(context),)*)*
                }
            }
        }
    };
}

commands! {
    "Commands" {
        Train(train::TrainOptions),
        Eval(eval::EvalOptions),
        Tournament(tournament::TournamentOptions),
        Compare(compare::CompareOptions),
        Watch(watch::WatchOptions),
        Serve(serve::ServeOptions),
        Play(play::PlayOptions),
        Think(think::ThinkOptions),
        Solve(solve::SolveCommand),
        #[command(subcommand)]
        Plugins(plugins::PluginsCommand),
        #[command(subcommand)]
        Model(model::ModelCommand),
    }
    "Studies" {
        Experiment(experiment::ExperimentOptions),
        Tune(tune::TuneOptions),
        #[command(subcommand)]
        Plot(plot::PlotCommand),
    }
    "Games and positions" {
        Analyse(analyse::AnalyseOptions),
        #[command(subcommand)]
        Replay(replay::ReplayCommand),
        Perft(perft::PerftOptions),
        Conform(conform::ConformOptions),
    }
    "Help and shell" {
        Guide(guide::GuideOptions),
        Completions(completions::CompletionsOptions),
        Man(completions::ManOptions),
    }
}
