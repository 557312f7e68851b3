//! The options of `runner model`.

use clap::{Args, Subcommand};
use runner_spec::Spec;
use std::path::PathBuf;

/// Look at models, average and convert them
#[derive(Debug, Clone, Subcommand)]
pub enum ModelCommand {
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
        game: Option<Spec>,
        /// The learner, where the model does not name it
        #[arg(long, value_name = "SPEC")]
        agent: Option<Spec>,
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
