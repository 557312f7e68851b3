//! `runner model average` and `runner model convert`.

use super::options::{ModelOutput, ModelReader};
use super::reader;
use crate::context::Context;
use runner_core::Learner;
use runner_files::{FileError, Outputs};
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_play::models;
use runner_spec::quantity::grouped;
use std::io::Write;
use std::path::Path;

/// Writes a model, or the mean of several, in the format of the options.
pub fn convert(
    from: &[&Path],
    to: &Path,
    options: &ModelReader,
    output: &ModelOutput,
    context: &Context,
) -> Result<(), Failure> {
    let registry = context.registry();
    let setting = reader::of_models(from, options, registry)?;
    let learner = reader::learner(&setting)?;
    let format = models::format(learner, output.format.as_deref(), to)?;
    let outputs = Outputs::default().writes("the model", to);
    context.check_outputs(InputFiles::default().and(from), outputs, output.force)?;
    // A learner's own error would not say that a file does not exist.
    for file in from {
        std::fs::metadata(file).map_err(FileError::at("read", file))?;
    }
    learner.load(from)?;
    models::save(learner, to, &format)?;
    let bytes = std::fs::metadata(to).map_err(FileError::at("read", to))?.len();
    let line = format!("{}: format `{format}`, {} bytes", to.display(), grouped(bytes));
    writeln!(std::io::stdout(), "{line}").map_err(|error| but_written(error, to))
}

/// Returns the failure of a command that has written its model and cannot print its report.
pub fn but_written(error: std::io::Error, to: &Path) -> Failure {
    Failure::from(error).of(&format!("{} is written", to.display()))
}
