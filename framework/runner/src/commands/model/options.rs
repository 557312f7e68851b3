//! The options of `runner model`.

use crate::options::PlayerOptions;
use clap::{Args, Subcommand};
use runner_spec::Spec;
use std::path::PathBuf;

/// Describe, verify, average, fold and convert models
#[derive(Debug, Clone, Subcommand)]
pub enum ModelCommand {
    /// Print game, learner, training and size of models
    Info {
        /// Model files, or `trained`: the networks that come with the program
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        reader: ModelReader,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Read whole models and check all checksums
    Verify {
        /// Model files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        reader: ModelReader,
    },
    /// Write the mean of several models with equal networks
    Average {
        /// Output file
        out: PathBuf,
        /// Model files, two or more
        #[arg(required = true, num_args = 2..)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        reader: ModelReader,
        #[command(flatten)]
        output: ModelOutput,
    },
    /// Write a model for play, with the weights of tuples that lie within larger ones added to
    /// these
    ///
    /// The values are equal up to rounding, with fewer lookups. Training cannot continue from
    /// the output.
    Fold {
        /// Model file
        from: PathBuf,
        /// Output file
        to: PathBuf,
        #[command(flatten)]
        reader: ModelReader,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Write a model in another format
    Convert {
        /// Model file
        from: PathBuf,
        /// Output file
        to: PathBuf,
        #[command(flatten)]
        reader: ModelReader,
        #[command(flatten)]
        output: ModelOutput,
    },
}

/// The learner that reads a model.
#[derive(Debug, Clone, Default, Args)]
pub struct ModelReader {
    /// Game of the model [default: the one that the file names]
    #[arg(long, value_name = "SPEC")]
    pub game: Option<Spec>,
    /// Learner that reads the model [default: the one that the file names]
    #[arg(long, value_name = "SPEC")]
    pub agent: Option<Spec>,
}

impl ModelReader {
    pub fn players(&self) -> PlayerOptions {
        PlayerOptions { game: self.game.clone(), agent: self.agent.clone() }
    }
}

/// How a model is written.
#[derive(Debug, Clone, Args)]
pub struct ModelOutput {
    /// Format of the output file; n-tuple networks have checkpoint, player, tiny, micro and w; an
    /// unknown name lists those of any learner [default: by the file's extension, or the complete
    /// one]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
}
