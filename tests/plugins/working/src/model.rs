//! The table as a file, in two formats.

use crate::state::{Episode, TrainingState};
use crate::table::Table;
use runner_core::{Afterstate, Fault, Plugin, Random, Seed, Spec, State, TrainingProgress};
use runner_files::container::{self, Container, Header};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A container with the table and the training state.
pub const FULL: &str = "model";
/// The format of another program: the entries as text.
pub const TEXT: &str = "text";

const EPISODE: usize = 8 * 8;

pub fn save(table: &Table, path: &Path, format: &str) -> Result<(), Fault> {
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        let values = table.entries.iter().map(|entry| f32::from_bits(entry.load(Relaxed)));
        match format {
            TEXT => values.into_iter().try_for_each(|value| writeln!(file, "{value}"))?,
            _ => {
                let training = table.training();
                let header = header(table, &training).map_err(std::io::Error::other)?;
                container::write(&mut file, &header, |out| {
                    values.into_iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
                    training
                        .episode
                        .as_ref()
                        .map_or(Ok(()), |episode| out.write_all(&episode_bytes(episode)))
                })?;
            }
        }
        file.flush()
    };
    write().map_err(|error| fault(path, error))
}

fn header(table: &Table, training: &TrainingState) -> Result<Header, Fault> {
    let header = Header {
        kind: "model".into(),
        game: table.game.clone(),
        spec: Spec::resolved(Table::NAME, &table.config).map_err(Fault::new)?.to_string(),
        ..Header::default()
    };
    Ok(header
        .with("network", network(table))
        .with("seed", training.seed)
        .with("moves", training.total.moves)
        .with("episodes", training.total.episodes)
        .with("seconds", training.total.elapsed.as_secs_f64())
        .section("entries", 4 * table.entries.len() as u64)
        .section("episode", if training.episode.is_some() { EPISODE as u64 } else { 0 }))
}

fn network(table: &Table) -> String {
    format!("2^{} entries", table.config.size)
}

pub fn load(table: &Table, files: &[&Path]) -> Result<(), Fault> {
    let (mut sums, mut training) = (vec![0.0f64; table.entries.len()], TrainingState::default());
    for path in files {
        let is_container = Container::is_container(path).map_err(|error| fault(path, error))?;
        let values = if is_container { full(table, path, &mut training)? } else { text(path)? };
        if values.len() != sums.len() {
            let message = format!("has {} entries, and {} are needed", values.len(), sums.len());
            return Err(fault(path, message));
        }
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += f64::from(value));
    }
    for (entry, sum) in table.entries.iter().zip(sums) {
        entry.store(((sum / files.len() as f64) as f32).to_bits(), Relaxed);
    }
    *table.training() = training;
    Ok(())
}

fn text(path: &Path) -> Result<Vec<f32>, Fault> {
    let text = fs::read_to_string(path).map_err(|error| fault(path, error))?;
    text.lines()
        .map(|line| line.parse().map_err(|_| fault(path, format!("`{line}` is no number"))))
        .collect()
}

/// Reads a container and returns its entries. Its progress is added to `training`, whose
/// current game becomes that of the file.
fn full(table: &Table, path: &Path, training: &mut TrainingState) -> Result<Vec<f32>, Fault> {
    let container = Container::open(path).map_err(Fault::new)?;
    let header = container.header();
    let found = (header.game.as_str(), header.fact("network").unwrap_or("nothing"));
    if found != (&table.game, &network(table)) {
        let (game, network) = (&table.game, network(table));
        let message =
            format!("is of {} with {}, and {game} with {network} is needed", found.0, found.1);
        return Err(fault(path, message));
    }
    let number = |name: &str| {
        let number = header.fact(name).and_then(|text| text.parse::<f64>().ok());
        number.ok_or_else(|| fault(path, format!("does not state its {name}")))
    };
    let seconds = Duration::try_from_secs_f64(number("seconds")?);
    training.seed = number("seed")? as u64;
    let episodes = number("episodes")? as u64;
    training.total = TrainingProgress {
        moves: training.total.moves + number("moves")? as u64,
        episodes: training.total.episodes + episodes,
        elapsed: training.total.elapsed + seconds.map_err(|error| fault(path, error))?,
        ..training.total.clone()
    };
    let episode = container.read_section("episode").map_err(Fault::new)?;
    training.episode =
        episode.first_chunk().map(|bytes| read_episode(bytes, training.seed, episodes));
    let bytes = container.read_section("entries").map_err(Fault::new)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
}

fn episode_bytes(episode: &Episode) -> [u8; EPISODE] {
    let (afterstate, chance_reward) = episode.last.unwrap_or((Afterstate::default(), f32::NAN));
    let words = [
        episode.drawn,
        episode.state.lo,
        episode.state.hi,
        episode.score.to_bits(),
        afterstate.lo,
        afterstate.hi,
        chance_reward.to_bits().into(),
        0,
    ];
    let mut bytes = [0; EPISODE];
    bytes.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(to, n)| *to = n.to_le_bytes());
    bytes
}

fn read_episode(bytes: &[u8; EPISODE], seed: u64, number: u64) -> Episode {
    let word = |i: usize| u64::from_le_bytes(bytes.as_chunks::<8>().0[i]);
    let mut random = Random::training_stream(Seed(seed), number);
    (0..word(0)).for_each(|_| {
        random.word();
    });
    let chance_reward = f32::from_bits(word(6) as u32);
    Episode {
        random,
        drawn: word(0),
        state: State::new(word(1), word(2)),
        score: f64::from_bits(word(3)),
        last: (!chance_reward.is_nan()).then(|| (Afterstate::new(word(4), word(5)), chance_reward)),
    }
}

fn fault(path: &Path, what: impl Display) -> Fault {
    Fault::new(format!("{}: {what}", path.display()))
}
