//! `runner model list`: the models that the main job has saved.

use runner_console::output::{Align, Report, Table, print_report};
use runner_files::paths_in;
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::models::{self, Learned};
use runner_play::registry::Registry;
use runner_spec::quantity::{counted, memory};
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct SavedModel {
    file: String,
    bytes: u64,
    game: String,
    agent: String,
    /// Training moves, if the model states them.
    moves: Option<u64>,
    /// Training time, if the model states it.
    seconds: Option<f64>,
    /// Game, learner and training for people.
    #[serde(skip)]
    about: String,
}

pub fn list(json: bool, registry: &Registry) -> Result<(), Failure> {
    let folder = models::folder()?;
    let mut files = paths_in(&folder)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "model"));
    let models: Vec<_> = files.iter().map(|file| SavedModel::read(file, registry)).collect();
    let bytes = models.iter().map(|model| model.bytes).sum();
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    for SavedModel { file, bytes, about, .. } in &models {
        table.row([file, &*memory(*bytes), about]);
    }
    let mut report = Report::default();
    report.field("folder", &folder).field("bytes", bytes).field("models", &models);
    report.table(table).section().whole_line(match models.len() as u64 {
        0 => format!("no models in {}", folder.display()),
        count => format!("{}, {}, in {}", counted(count, "model"), memory(bytes), folder.display()),
    });
    Ok(print_report(&report, json)?)
}

impl SavedModel {
    /// Reads what a model states. One that cannot be read states nothing.
    fn read(path: &Path, registry: &Registry) -> Self {
        let header = models::header(path).ok().flatten().unwrap_or_default();
        let learned = models::facts(path, registry).ok().and_then(|facts| Learned::of(&facts));
        let mut about = match (header.game.parse(), header.spec.parse()) {
            (Ok(game), Ok(spec)) => {
                format!("{} on {}", brief::player(&spec, registry), brief::game(&game, registry))
            }
            _ => "?".into(),
        };
        if let Some(learned) = learned {
            about += &format!(", {learned}");
        }
        Self {
            file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            bytes: path.metadata().map_or(0, |metadata| metadata.len()),
            game: header.game,
            agent: header.spec,
            moves: learned.map(|learned| learned.moves),
            seconds: learned.map(|learned| learned.elapsed.as_secs_f64()),
            about,
        }
    }
}
