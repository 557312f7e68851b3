//! The command line, as it is typed. What it means is found in
//! [`setting`](crate::setting).

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use runner_spec::quantity::{bytes, count, duration};
use std::path::PathBuf;
use std::time::Duration;

/// Plays, trains, compares and shows players of 2048-like games.
///
/// `runner --game 2048 --agent greedy` plays a thousand games and prints the
/// scores. Games and agents are plugins: `runner plugins list` names them.
#[derive(Debug, Parser)]
#[command(name = "runner", version)]
#[command(arg_required_else_help = true, max_term_width = 80)]
pub struct Cli {
    /// What to do; without a command, `run`.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The flags of `run`, which may be given without its name.
    #[command(flatten)]
    pub run: Run,
    /// What every command takes.
    #[command(flatten)]
    pub common: Common,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// A plugin library or a folder of them; may be given several times
    #[arg(long, value_name = "PATH", global = true)]
    pub plugin_path: Vec<PathBuf>,
    /// Say all that is known about a failure
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

/// What there is to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Let a player play, after learning if it has to, and print the scores
    Run(Run),
    /// Let a learner learn, and keep its model and its curve
    Train(Train),
    /// Play many games and print the scores with their intervals
    Eval(Eval),
    /// Find better numbers for the parameters of a player
    ///
    /// By CMA-ES: each generation draws candidates around the best guess so far, lets
    /// each of them play the same games, and learns from their ranks where to draw next.
    /// At the end the best guess and the start play fresh games, and the first is
    /// written to --out, to be played with --agent "$(cat FILE)".
    Tune(Tune),
    /// Find the exact value of a small game, and the table that plays it
    Solve(Solve),
    /// Ask a player what it thinks of a position
    Think(Think),
    /// Count all sequences of moves and chance events from a position
    Perft(Perft),
    /// Look at recorded games
    #[command(subcommand)]
    Replay(Replay),
    /// Look at models, average and convert them
    #[command(subcommand)]
    Model(Model),
    /// See, check and begin plugins
    #[command(subcommand)]
    Plugins(Plugins),
    /// Measure speeds on this machine
    Bench(Bench),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Who plays what.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct Contest {
    /// The game: a name, or a name with parameters like '2048(rows: 3, cols: 4)'
    #[arg(long, value_name = "SPEC")]
    pub game: Option<String>,
    /// The player: an agent, or a value to be played greedily
    #[arg(long, value_name = "SPEC")]
    pub agent: Option<String>,
    /// Number of games, like 1000 or 1.5k [default: 1000]
    #[arg(long, value_name = "N", value_parser = count)]
    pub games: Option<u64>,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// The seed from which all chance comes [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// End each game after this many moves
    #[arg(long, value_name = "N", value_parser = count)]
    pub move_limit: Option<u64>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Write the games to a file, for `runner replay`
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// A RON file with these settings; flags win over it
    #[arg(long, value_name = "FILE.ron")]
    pub config: Option<PathBuf>,
}

/// `runner run`.
#[derive(Debug, Clone, Args)]
pub struct Run {
    /// Who plays what.
    #[command(flatten)]
    pub contest: Contest,
    /// How long a player without a model learns first
    #[arg(long = "for", value_name = "TIME", value_parser = duration, default_value = "45s")]
    pub learn: Duration,
}

/// `runner train`.
#[derive(Debug, Clone, Args)]
pub struct Train {
    /// The game; with --resume, that of the model
    #[arg(long, value_name = "SPEC")]
    pub game: Option<String>,
    /// The learner; with --resume, that of the model
    #[arg(long, value_name = "SPEC")]
    pub agent: Option<String>,
    /// Train for this time, like 60s or 2h [default: 10m, if nothing else is said]
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Train for so many moves, like 20M
    #[arg(long, value_name = "N", value_parser = count)]
    pub moves: Option<u64>,
    /// Train for so many games
    #[arg(long, value_name = "N", value_parser = count)]
    pub episodes: Option<u64>,
    /// The file of the model [default: GAME-AGENT.model in this folder]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Go on with the model; of several seeds, train each to the budget in all
    #[arg(long)]
    pub resume: bool,
    /// Begin anew where there is a model already
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// The seed from which all chance comes [default: 1, or that of the model]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Train so many times, with this seed and those that follow [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub seeds: Option<u64>,
    /// Save the model so often [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = pause)]
    pub checkpoint: Option<Duration>,
    /// Let it play without learning every so many moves, and at the end
    #[arg(long, value_name = "MOVES", value_parser = positive)]
    pub evaluate: Option<u64>,
    /// So many games each time [default: 1000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub evaluate_games: Option<u64>,
    /// An agent that plays with the learner as its value; may be given several times
    #[arg(long, value_name = "SPEC")]
    pub evaluate_with: Vec<String>,
    /// The file of the curve, drawn as SVG beside it [default: MODEL.curve.jsonl]
    #[arg(long, value_name = "FILE")]
    pub curve: Option<PathBuf>,
    /// A RON file with these settings; flags win over it
    #[arg(long, value_name = "FILE.ron")]
    pub config: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `runner model`.
#[derive(Debug, Clone, Subcommand)]
pub enum Model {
    /// Tell what models say about themselves
    Info {
        /// The models
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Hold every byte against its checksum
    Verify {
        /// The models
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Write the mean of several models of one shape
    Average {
        /// The file to write
        out: PathBuf,
        /// The models
        #[arg(required = true, num_args = 2..)]
        files: Vec<PathBuf>,
        /// How it is written.
        #[command(flatten)]
        output: ModelOutput,
    },
    /// Write a model in another form
    Convert {
        /// The model
        from: PathBuf,
        /// The file to write
        to: PathBuf,
        /// The game, where the model does not name it
        #[arg(long, value_name = "SPEC")]
        game: Option<String>,
        /// The learner, where the model does not name it
        #[arg(long, value_name = "SPEC")]
        agent: Option<String>,
        /// How it is written.
        #[command(flatten)]
        output: ModelOutput,
    },
}

/// How a model is written.
#[derive(Debug, Clone, Args)]
pub struct ModelOutput {
    /// The form [default: the one named as the file's name ends, or the full one]
    #[arg(long, value_name = "NAME")]
    pub form: Option<String>,
    /// Replace a file that is there already
    #[arg(long)]
    pub force: bool,
}

/// `runner eval`.
#[derive(Debug, Clone, Args)]
pub struct Eval {
    /// Who plays what.
    #[command(flatten)]
    pub contest: Contest,
    /// Begin no game after this time, like 60s or 5m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// End each game after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub game_time: Option<Duration>,
}

/// `runner tune`.
#[derive(Debug, Clone, Args)]
pub struct Tune {
    /// The game; with --resume, that of the checkpoint
    #[arg(long, value_name = "SPEC")]
    pub game: Option<String>,
    /// The player; with --resume, that of the checkpoint
    #[arg(long, value_name = "SPEC")]
    pub agent: Option<String>,
    /// A number to tune, by its path, like value.empty or value.empty=270:0..2000:log:
    /// where it begins, what bounds it (one may be left out), and whether ratios count
    /// and not differences; may be given several times
    #[arg(long, value_name = "PATH[=START][:LOW..HIGH][:log]")]
    pub parameter: Vec<String>,
    /// The file to write the tuned agent to; FILE.checkpoint lies beside it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// So many generations in all [default: 50]
    #[arg(long, value_name = "N", value_parser = count)]
    pub generations: Option<u64>,
    /// Begin no generation that goes beyond so many games in all
    #[arg(long, value_name = "N", value_parser = positive)]
    pub budget: Option<u64>,
    /// Begin no generation after this time, like 60s or 2h
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Games of each candidate [default: 200]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub games: Option<u64>,
    /// Candidates of a generation [default: 4 + 3 ln(parameters)]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=10_000))]
    pub population: Option<u64>,
    /// The first steps, as a share of the distance of the bounds, or of the start from
    /// 0, or of a factor of ten by ratios [default: 0.3]
    #[arg(long, value_name = "X", value_parser = step)]
    pub step: Option<f64>,
    /// Fresh games of the start and of what came out, at the end [default: 1000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub evaluate_games: Option<u64>,
    /// Go on from the checkpoint
    #[arg(long)]
    pub resume: bool,
    /// Begin anew where there is a tuning already
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// The seed from which all chance comes [default: 1, or that of the checkpoint]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A RON file with these settings; flags win over it
    #[arg(long, value_name = "FILE.ron")]
    pub config: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `runner solve`.
#[derive(Debug, Clone, Args)]
pub struct Solve {
    /// The game
    #[arg(long, value_name = "SPEC")]
    pub game: String,
    /// A position, as text, whose value and best action are wanted besides
    #[arg(long, value_name = "TEXT")]
    pub state: Option<String>,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Take no more memory than this, like 4G [default: most of what is free]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// Write the table of the best play, for `exact(model: "FILE")`
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `runner think`.
#[derive(Debug, Clone, Args)]
pub struct Think {
    /// The game
    #[arg(long, value_name = "SPEC")]
    pub game: String,
    /// The player: an agent, or a value to be played greedily
    #[arg(long, value_name = "SPEC")]
    pub agent: String,
    /// The position, as text
    #[arg(long, value_name = "TEXT")]
    pub state: String,
    /// The seed from which all chance comes
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `runner perft`.
#[derive(Debug, Clone, Args)]
pub struct Perft {
    /// The game
    #[arg(long, value_name = "SPEC")]
    pub game: String,
    /// Length of the sequences
    #[arg(long, value_name = "N")]
    pub depth: u32,
    /// The position, as text
    #[arg(long, value_name = "TEXT")]
    pub state: String,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `runner replay`.
#[derive(Debug, Clone, Subcommand)]
pub enum Replay {
    /// Hold every move of every game against the rules
    Verify {
        /// The file of games
        file: PathBuf,
    },
    /// Print games move by move
    Show {
        /// The file of games
        file: PathBuf,
        /// Only the game with this number
        #[arg(long, value_name = "N")]
        number: Option<u64>,
    },
}

/// `runner plugins`.
#[derive(Debug, Clone, Subcommand)]
pub enum Plugins {
    /// Name all plugins and where they come from
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Say what is wrong with plugins, after trying all that they do
    Doctor {
        /// Only these plugins; without a name, all
        names: Vec<String>,
    },
    /// Write a crate for a plugin of your own
    New {
        /// What it shall be
        kind: Template,
        /// Its name: lower-case letters, digits and hyphens
        name: String,
        /// The folder to write it to [default: the name]
        #[arg(long, value_name = "FOLDER")]
        path: Option<PathBuf>,
        /// The sources of the framework to build against
        #[arg(long, value_name = "FOLDER")]
        framework: Option<PathBuf>,
    },
}

/// What `runner plugins new` can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// The rules of a game.
    Game,
    /// An estimate of positions that learns.
    Value,
    /// A player.
    Agent,
}

/// `runner bench`.
#[derive(Debug, Clone, Args)]
pub struct Bench {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Time for each measurement, like 300ms
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "500ms")]
    pub time: Duration,
}

/// A number of threads that a machine could have.
fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=1024) => Ok(n),
        _ => Err("from 1 to 1024 are allowed".into()),
    }
}

/// A size of steps.
fn step(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(step) if step > 0.0 && step <= 1e6 => Ok(step),
        _ => Err("a number greater than 0 is needed".into()),
    }
}

/// A count that is not 0.
pub fn positive(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("at least 1 is needed".into()),
        n => Ok(n),
    }
}

/// A time that is not 0.
pub fn pause(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("more than no time is needed".into()),
        time => Ok(time),
    }
}
