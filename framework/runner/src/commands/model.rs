//! `runner model`: describes, verifies, averages, folds and converts models.

mod convert;
pub(super) mod describe;
mod fold;
mod options;
mod reader;

pub use options::ModelCommand;

use crate::context::{Context, Execute};
use runner_play::failure::Failure;
use std::path::{Path, PathBuf};

impl Execute for ModelCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            // These need only the learner of the model, so problems of other plugins are not
            // reported.
            Self::Info { files, reader, json } => match files.as_slice() {
                [name] if is_trained(name, context) => {
                    let headers = (context.linked.trained.headers)();
                    describe::print_headers(&vec![name.clone(); headers.len()], &headers, json)
                }
                _ => describe::info(&files, &reader, json, context.silent_registry()),
            },
            Self::Verify { files, reader } => {
                describe::verify(&files, &reader, context.silent_registry())
            }
            Self::Average { out, files, reader, output } => {
                let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
                convert::convert(&files, &out, &reader, &output, context)
            }
            Self::Fold { from, to, reader, force, json } => {
                fold::fold(&from, &to, &reader, force, json, context)
            }
            Self::Convert { from, to, reader, output } => {
                convert::convert(&[&from], &to, &reader, &output, context)
            }
        }
    }
}

/// Returns true if the name is that of the networks that come with the program, and no file has it.
fn is_trained(name: &Path, context: &Context) -> bool {
    name == Path::new(context.linked.trained.value) && !name.exists()
}
