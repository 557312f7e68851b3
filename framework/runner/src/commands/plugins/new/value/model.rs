//! The model file: the container format that `runner model` reads, with a checksum for
//! every block. A file that is damaged, or is of another game or size, is refused and
//! changes nothing.

use crate::__Type__;
use crate::state::TrainingState;
use runner_core::{Fault, Plugin, Spec, TrainingProgress};
use runner_files::container::{self, Container, Header};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// The section of the entries.
const ENTRIES: &str = "entries";

pub fn save(table: &__Type__, path: &Path) -> Result<(), Fault> {
    let (done, started) = {
        let state = table.state();
        (state.done.clone(), state.started)
    };
    let header = Header {
        kind: "model".into(),
        game: table.game.clone(),
        spec: Spec::resolved(__Type__::NAME, &table.config).map_err(Fault::new)?.to_string(),
        ..Header::default()
    };
    let header = header
        .with("network", network(table))
        .with("moves", done.moves)
        .with("episodes", done.episodes)
        .with("started", started)
        .with("seconds", done.elapsed.as_secs_f64())
        .section(ENTRIES, 4 * table.entries.len() as u64);
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        container::write(&mut file, &header, |out| {
            let mut entries = table.entries.iter();
            entries.try_for_each(|entry| out.write_all(&entry.load(Relaxed).to_le_bytes()))
        })?;
        file.flush()
    };
    write().map_err(|error| fault(path, error))
}

/// Sets the entries to the means of the files' entries, and the totals to their sums.
pub fn load(table: &__Type__, files: &[&Path]) -> Result<(), Fault> {
    let (mut sums, mut state) = (vec![0.0; table.entries.len()], TrainingState::default());
    for path in files {
        let container = Container::open(path).map_err(Fault::new)?;
        let header = container.header();
        let found = (header.game.as_str(), header.fact("network").unwrap_or("something else"));
        let wanted = (table.game.as_str(), network(table));
        if found != (wanted.0, &wanted.1) {
            let what = |(game, network): (&str, &str)| format!("{network} for {game}");
            let (found, wanted) = (what(found), what((wanted.0, &wanted.1)));
            return Err(fault(path, format!("expected {wanted}, found {found}")));
        }
        state.done = sum(&state.done, header, path)?;
        state.started += number(header, "started", path)? as u64;
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
    *table.state() = state;
    Ok(())
}

/// Describes the table. Models with the same game and description are compatible.
fn network(table: &__Type__) -> String {
    format!("{} of 2^{} entries", __Type__::NAME, table.config.size)
}

fn sum(done: &TrainingProgress, header: &Header, path: &Path) -> Result<TrainingProgress, Fault> {
    let seconds = Duration::try_from_secs_f64(number(header, "seconds", path)?);
    Ok(TrainingProgress {
        moves: done.moves + number(header, "moves", path)? as u64,
        episodes: done.episodes + number(header, "episodes", path)? as u64,
        elapsed: done.elapsed + seconds.map_err(|error| fault(path, error))?,
        ..TrainingProgress::default()
    })
}

fn number(header: &Header, fact: &str, path: &Path) -> Result<f64, Fault> {
    let found = header.fact(fact).and_then(|text| text.parse::<f64>().ok());
    let found = found.filter(|number| (0.0..1e18).contains(number));
    found.ok_or_else(|| fault(path, format!("the header has no valid `{fact}`")))
}

fn fault(path: &Path, what: impl Display) -> Fault {
    Fault::new(format!("{}: {what}", path.display()))
}
