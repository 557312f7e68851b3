//! The model file: the container format that `runner model` reads, with a checksum for
//! every block. A file that is damaged, or is of another game or size, is refused and
//! changes nothing.

use crate::__Type__;
use crate::training::TrainingState;
use runner_core::{Fault, Plugin, Spec};
use runner_files::container::{self, Container, Header};
use runner_learning::History;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// The section of the entries.
const ENTRIES: &str = "entries";

pub fn save(table: &__Type__, state: &TrainingState, path: &Path) -> Result<(), Fault> {
    let player = Header {
        kind: "model".into(),
        game: table.game.clone(),
        spec: Spec::resolved(__Type__::NAME, &table.config).map_err(Fault::new)?.to_string(),
        ..Header::default()
    };
    let (recent, games) = state.history.section();
    let header = state
        .history
        .in_header(player.with("network", network(table)))
        .section(ENTRIES, 4 * table.entries.len() as u64)
        .section(recent, games.len() as u64);
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        container::write(&mut file, &header, |out| {
            let mut entries = table.entries.iter();
            entries.try_for_each(|entry| out.write_all(&entry.load(Relaxed).to_le_bytes()))?;
            out.write_all(&games)
        })?;
        file.flush()
    };
    write().map_err(|error| fault(path, error))
}

/// Sets the entries to the means of the files' entries, and returns the training behind them.
pub fn load(table: &__Type__, files: &[&Path]) -> Result<TrainingState, Fault> {
    let (mut sums, mut all) = (vec![0.0; table.entries.len()], None);
    for path in files {
        let container = Container::open(path).map_err(Fault::new)?;
        let header = container.header();
        let (game, network) = (&table.game, network(table));
        let found = header.fact("network").unwrap_or("something else");
        if header.game != *game || found != network {
            let found = format!("{found} for {}", header.game);
            return Err(fault(path, format!("expected {network} for {game}, found {found}")));
        }
        let history = History::read(&container).map_err(Fault::new)?;
        all = Some(all.map_or(history.clone(), |all: History| all.joined(&history)));
        let bytes = container.read_section(ENTRIES).map_err(Fault::new)?;
        let (entries, rest) = bytes.as_chunks::<4>();
        if entries.len() != sums.len() || !rest.is_empty() {
            return Err(fault(path, "the number of entries differs from the header"));
        }
        for (sum, &bytes) in sums.iter_mut().zip(entries) {
            let value = f32::from_le_bytes(bytes);
            if !value.is_finite() {
                return Err(fault(path, format!("an entry is not finite: {value}")));
            }
            *sum += f64::from(value);
        }
    }
    for (entry, sum) in table.entries.iter().zip(sums) {
        entry.store(((sum / files.len() as f64) as f32).to_bits(), Relaxed);
    }
    Ok(TrainingState::restored(all.unwrap_or_default()))
}

/// Describes the table. Models with the same game and description are compatible.
fn network(table: &__Type__) -> String {
    format!("{} of 2^{} entries", __Type__::NAME, table.config.size)
}

fn fault(path: &Path, what: impl Display) -> Fault {
    Fault::new(format!("{}: {what}", path.display()))
}
