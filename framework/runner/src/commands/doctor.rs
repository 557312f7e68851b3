//! `runner plugins doctor`: everything that plugins do, tried.

use crate::cli::Common;
use crate::failure::Failure;
use runner_plugin::Registry;

pub(super) fn run(_: &Registry, _: &Common, _: &[String]) -> Result<(), Failure> {
    Ok(())
}
