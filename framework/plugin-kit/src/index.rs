//! Indexes of plugins: files of RON that list libraries and crates with their checksums. A plugin of an
//! index is added to the folder of the user's own plugins, from which the program loads libraries.
//!
//! The checksum of an entry proves that a file is the one that the author of the index has seen. It
//! does not prove that its code is harmless.

mod build;
mod checksum;
mod describe;
mod entry;
mod folder;

pub use describe::describe;
pub use entry::{Entry, Index};
pub use folder::{PluginFolder, State};

use runner_play::failure::Failure;
use runner_plugin::Problem;

fn failure(problem: Problem) -> Failure {
    Failure::Failed { message: problem.message, detail: problem.detail }
}
