//! `runner model fold`: writes a model without the tuples that lie within larger ones.

use super::convert::but_written;
use super::options::ModelReader;
use super::reader;
use crate::context::Context;
use runner_console::output::{Report, print_report};
use runner_files::{FileError, Outputs};
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_play::models;
use runner_play::registry::Registry;
use runner_spec::quantity::grouped;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Name of the format of models for play.
const PLAYER_FORMAT: &str = "player";

/// A model in the report.
#[derive(Serialize)]
struct Model {
    file: PathBuf,
    /// Its network, if the header names it.
    network: Option<String>,
    bytes: u64,
}

pub fn fold(
    from: &Path,
    to: &Path,
    options: &ModelReader,
    force: bool,
    json: bool,
    context: &Context,
) -> Result<(), Failure> {
    let registry = context.registry();
    let setting = reader::of_models(&[from], options, registry)?;
    let before = Model::read(from, registry)?;
    let outputs = Outputs::default().writes("the model", to);
    context.check_outputs(InputFiles::default().and([from]), outputs, force)?;
    // A learner folds a model that is a parameter of its spec, because it only plays with it.
    let player = setting.player.spec.with("model", &*from.to_string_lossy())?;
    let setting = setting.with_player(registry, &player)?;
    // An error after the model is written leaves no file.
    models::save_with(reader::learner(&setting)?, to, PLAYER_FORMAT, |written| {
        let network = Model::read(written, registry)?.network;
        if network != before.network {
            return Ok(());
        }
        let name = network.map_or(String::new(), |network| format!(" `{network}`"));
        Err(Failure::failed(format!(
            "{}: there is nothing to fold: no tuple of its network{name} lies within another one",
            from.display()
        )))
    })?;
    let after = Model::read(to, registry)?;
    let mut report = Report::default();
    report.field("from", &before).field("to", &after).whole_line(format!(
        "{}: network `{}`, {} bytes instead of {}",
        to.display(),
        after.network.as_deref().unwrap_or("?"),
        grouped(after.bytes),
        grouped(before.bytes)
    ));
    print_report(&report, json).map_err(|error| but_written(error, to))
}

impl Model {
    fn read(file: &Path, registry: &Registry) -> Result<Self, Failure> {
        let facts = models::facts(file, registry)?;
        let network = facts.into_iter().find(|(name, _)| name == models::NETWORK);
        let bytes = std::fs::metadata(file).map_err(FileError::at("read", file))?.len();
        Ok(Self { file: file.to_owned(), network: network.map(|(_, network)| network), bytes })
    }
}
