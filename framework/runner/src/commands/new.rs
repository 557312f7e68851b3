//! `runner plugins new`: a crate for a plugin of one's own, that builds, holds
//! the laws, loads and plays as it is written.

use crate::cli::Template;
use crate::failure::Failure;
use std::path::Path;

pub(super) fn run(_: Template, _: &str, _: Option<&Path>, _: Option<&Path>) -> Result<(), Failure> {
    Ok(())
}
