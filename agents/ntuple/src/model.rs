//! Networks as files.
//!
//! A model is a [`runner_files::container`]: its header names game, network and
//! what was learned, the section `weights` has a float for every weight, tuple
//! by tuple in the order of [`Lookup`](crate::network::Lookup); `memory`, if it is
//! there, what the rule remembers of each.

use crate::learner::NtupleNetwork;
use crate::rule::{Memory, Rule};
use crate::trainer::Life;
use runner_core::Fault;
use runner_files::container::{self, Header};
use runner_files::{Container, ContainerError, FileError};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

/// The forms in which a network can be saved.
pub const FORMS: [(&str, &str); 2] = [
    ("checkpoint", "everything that is needed to go on learning"),
    ("player", "the weights alone: to play with"),
];

/// What kind of file it is.
const KIND: &str = "n-tuple network";

/// How the weights of a tuple are ordered.
const ORDER: &str = "low and high halves of cells";

/// Numbers are converted so many at a time.
const CHUNK: usize = 1 << 14;

/// The network of a model.
pub fn network_of(file: &Path) -> Result<String, Fault> {
    let container = Container::open(file).map_err(Fault::new)?;
    let header = container.header();
    match header.fact("network") {
        Some(network) if header.kind == KIND => Ok(network.to_owned()),
        _ => Err(Fault::new(container.unsuitable(format!("is no {KIND}, but: {}", header.kind)))),
    }
}

/// Writes a network in one of its forms.
pub fn save<R: Rule>(network: &NtupleNetwork<R>, path: &Path, form: &str) -> Result<(), Fault> {
    let memory = match form {
        "checkpoint" => network.memory.as_deref(),
        "player" => None,
        other => return Err(Fault::new(format!("a network has no form `{other}`"))),
    };
    let words = R::Memory::WORDS;
    let count = network.weights.len() as u64;
    let mut header = describe(network).section("weights", 4 * count);
    if memory.is_some() && words > 0 {
        header = header.with("memory", R::MEMORY).section("memory", 4 * count * words as u64);
    }
    let write = || {
        let file = File::create(path)?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        container::write(&mut file, &header, |out| {
            write_words(out, network.weights.iter().map(|weight| weight.get().to_bits()))?;
            let memory = memory.unwrap_or(&[]);
            write_words(out, memory.iter().flat_map(|m| (0..words).map(|k| m.word(k))))
        })?;
        file.flush()
    };
    write().map_err(|error| Fault::new(FileError::at("write", path)(error)))
}

/// What a model says about itself.
fn describe<R: Rule>(network: &NtupleNetwork<R>) -> Header {
    let life = network.life();
    let progress = life.progress();
    Header {
        kind: KIND.to_owned(),
        game: network.game.clone(),
        spec: network.spec.clone(),
        ..Header::default()
    }
    .with("network", network.network.text())
    .with("weights", network.weights.len())
    .with("order", ORDER)
    .with("initial", network.initial)
    .with("moves", progress.moves)
    .with("episodes", progress.episodes)
    .with("seconds", progress.elapsed.as_secs_f64())
    .with("next game", life.next_game())
    .with("seed", network.seed())
    .with("mean", progress.mean)
}

fn write_words(out: &mut impl Write, words: impl Iterator<Item = u32>) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 * CHUNK);
    for word in words {
        bytes.extend(word.to_le_bytes());
        if bytes.len() == 4 * CHUNK {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    out.write_all(&bytes)
}

/// Takes over models of this network, or the mean of several. What the rule
/// remembers is that of the first.
pub fn load<R: Rule>(network: &NtupleNetwork<R>, files: &[&Path]) -> Result<(), Fault> {
    let share = 1.0 / files.len() as f32;
    // All are looked at before any is taken.
    let mut containers = Vec::new();
    for file in files {
        containers.push(open(network, file)?);
    }
    for (k, container) in containers.iter().enumerate() {
        read_words(container, "weights", |at, word| {
            let (weight, value) = (&network.weights[at], f32::from_bits(word));
            weight.set(match (files.len(), k) {
                (1, _) => value,
                (_, 0) => value * share,
                _ => weight.get() + value * share,
            });
        })
        .map_err(Fault::new)?;
    }
    let first = &containers[0];
    if let (Some(memory), Ok(_)) = (&network.memory, first.find("memory")) {
        let words = R::Memory::WORDS;
        read_words(first, "memory", |at, word| memory[at / words].set_word(at % words, word))
            .map_err(Fault::new)?;
    }
    if let [only] = containers.as_slice() {
        *network.life() = life_of(only)?;
    }
    Ok(())
}

/// Opens a model, and sees to it that it is one of this network and whole.
fn open<R: Rule>(network: &NtupleNetwork<R>, file: &Path) -> Result<Container, Fault> {
    let container = Container::open(file).map_err(Fault::new)?;
    let header = container.header();
    let fact = |name| header.fact(name).unwrap_or("nothing");
    let refuse = |what: &str, theirs: &str, ours: &str| {
        Err(Fault::new(container.unsuitable(format!(
            "does not fit: its {what} is `{theirs}`, and what is asked for is `{ours}`"
        ))))
    };
    if header.kind != KIND {
        return refuse("kind", &header.kind, KIND);
    }
    if header.game != network.game {
        return refuse("game", &header.game, &network.game);
    }
    if fact("network") != network.network.text() {
        return refuse("network", fact("network"), network.network.text());
    }
    if fact("order") != ORDER {
        return refuse("order of weights", fact("order"), ORDER);
    }
    if network.memory.is_some() && header.fact("memory").is_some_and(|memory| memory != R::MEMORY) {
        return refuse("memory of errors", fact("memory"), R::MEMORY);
    }
    let count = network.weights.len() as u64;
    let expected = [("weights", 4 * count), ("memory", 4 * count * R::Memory::WORDS as u64)];
    for (name, bytes) in expected {
        match container.find(name) {
            Ok((_, found)) if found != bytes && (name == "weights" || network.memory.is_some()) => {
                let sizes = (found.to_string(), bytes.to_string());
                return refuse(&format!("size of `{name}`"), &sizes.0, &sizes.1);
            }
            Err(error) if name == "weights" => return Err(Fault::new(error)),
            _ => {}
        }
    }
    container.verify().map_err(Fault::new)?;
    Ok(container)
}

fn read_words(
    container: &Container,
    section: &str,
    mut take: impl FnMut(usize, u32),
) -> Result<(), ContainerError> {
    let (section, _) = container.find(section)?;
    container.read_blocks(section, |place, block| {
        let first = place as usize / 4;
        for (k, bytes) in block.as_chunks::<4>().0.iter().enumerate() {
            take(first + k, u32::from_le_bytes(*bytes));
        }
        Ok(())
    })
}

/// What a model's learner has lived through.
fn life_of(container: &Container) -> Result<Life, Fault> {
    fn fact<T: std::str::FromStr>(container: &Container, name: &str) -> Result<T, Fault> {
        let text = container.header().fact(name).unwrap_or_default();
        text.parse().map_err(|_| {
            Fault::new(container.unsuitable(format!("does not say `{name}` as a number: `{text}`")))
        })
    }
    let seconds: f64 = fact(container, "seconds")?;
    let elapsed = Duration::try_from_secs_f64(seconds).map_err(|error| {
        Fault::new(container.unsuitable(format!("has a wrong number of seconds: {error}")))
    })?;
    let [moves, episodes, next] =
        [fact(container, "moves")?, fact(container, "episodes")?, fact(container, "next game")?];
    Ok(Life::told(moves, episodes, elapsed, next))
}
