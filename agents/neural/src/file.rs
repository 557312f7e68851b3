//! The container of a network with its training.

use crate::network::{Network, Parameters};
use crate::optimizer::Adam;
use runner_core::Fault;
use runner_files::container::{self, Header};
use runner_files::{Container, ContainerProblem, FileError};
use runner_learning::History;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::str::FromStr;

const WEIGHTS: &str = "weights";
/// The sections of the moments of Adam.
const MEANS: &str = "adam means";
const SQUARES: &str = "adam squares";
/// The fact `holds` of a model from which a training resumes.
const COMPLETE: &str = "weights and learning state";

/// What identifies a model: a file with other properties is refused.
#[derive(Clone, Debug)]
pub struct Identity {
    pub kind: &'static str,
    /// Resolved spec of the game.
    pub game: String,
    pub network: String,
}

#[derive(Clone, Debug)]
pub struct Contents<'a> {
    pub identity: &'a Identity,
    /// Resolved spec of the learner.
    pub spec: &'a str,
    pub network: &'a Network,
    pub parameters: &'a [f32],
    pub history: &'a History,
    pub adam: &'a Adam,
    pub facts: Vec<(&'static str, String)>,
    pub sections: Vec<(&'static str, Vec<u8>)>,
}

impl Contents<'_> {
    /// Writes a checkpoint. Refuses a network whose training has diverged.
    pub fn write(&self, path: &Path) -> Result<(), Fault> {
        let Self { identity, history, adam, .. } = self;
        for numbers in [self.parameters, &adam.means, &adam.squares] {
            refuse_diverged(self.network, numbers)?;
        }
        let own = [
            (WEIGHTS, bytes(self.parameters)),
            (MEANS, bytes(&adam.means)),
            (SQUARES, bytes(&adam.squares)),
            history.section(),
        ];
        let mut header = Header {
            kind: identity.kind.to_owned(),
            game: identity.game.clone(),
            spec: self.spec.to_owned(),
            ..Header::default()
        }
        .with("network", &identity.network)
        .with("format", CHECKPOINT)
        .with("holds", COMPLETE)
        .with("weights", self.parameters.len())
        .with("steps", adam.steps);
        header = history.in_header(header);
        for (name, fact) in &self.facts {
            header = header.with(name, fact);
        }
        for (name, bytes) in own.iter().chain(&self.sections) {
            header = header.section(name, bytes.len() as u64);
        }
        let file = runner_files::create(path).map_err(Fault::new)?;
        let write = || {
            let mut out = BufWriter::new(file);
            container::write(&mut out, &header, |out| {
                own.iter().chain(&self.sections).try_for_each(|(_, bytes)| out.write_all(bytes))
            })?;
            out.flush()
        };
        write().map_err(|error| Fault::new(FileError::at("write", path)(error)))
    }
}

/// The name of the format with everything that further training needs.
pub const CHECKPOINT: &str = "checkpoint";

#[derive(Debug)]
pub struct NeuralModel {
    container: Container,
}

impl NeuralModel {
    pub fn open(path: &Path, kind: &str) -> Result<Self, Fault> {
        let model = Self { container: Container::open(path).map_err(Fault::new)? };
        model.compare("kind", &model.container.header().kind, kind)?;
        Ok(model)
    }

    pub fn check(&self, identity: &Identity) -> Result<(), Fault> {
        self.compare("game", &self.container.header().game, &identity.game)?;
        self.compare("network", self.fact("network"), &identity.network)
    }

    fn compare(&self, property: &str, found: &str, needed: &str) -> Result<(), Fault> {
        if found == needed {
            return Ok(());
        }
        let message = format!("does not fit: its {property} is `{found}`, needed is `{needed}`");
        Err(Fault::new(self.container.unsuitable(message)))
    }

    pub fn fact(&self, name: &str) -> &str {
        self.container.header().fact(name).unwrap_or_default()
    }

    pub fn number<T: FromStr>(&self, name: &str) -> Result<T, Fault> {
        let text = self.fact(name);
        let message = || format!("has `{text}` for `{name}`, which is no number");
        text.parse().map_err(|_| Fault::new(self.container.unsuitable(message())))
    }

    /// Returns a fact that is a number of steps or cycles.
    pub fn count(&self, name: &str) -> Result<u64, Fault> {
        runner_learning::count(&self.container, name).map_err(Fault::new)
    }

    /// Returns a fact that is a finite number of at least 0.
    pub fn finite(&self, name: &str) -> Result<f64, Fault> {
        match self.number(name)? {
            number if f64::is_finite(number) && number >= 0.0 => Ok(number),
            other => {
                Err(Fault::new(self.container.unsuitable(format!("has {other} for `{name}`"))))
            }
        }
    }

    pub fn section(&self, name: &str) -> Result<Vec<u8>, Fault> {
        self.container.read_section(name).map_err(Fault::new)
    }

    /// Returns the error of a section whose content is impossible.
    pub fn damaged(&self, section: &str, why: impl std::fmt::Display) -> Fault {
        let problem = ContainerProblem::Damaged(format!("section `{section}`: {why}"));
        Fault::new(self.container.error(problem))
    }

    pub fn parameters(&self, network: &Network, section: &str) -> Result<Parameters, Fault> {
        let bytes = self.section(section)?;
        parameters(network, &bytes).map_err(|why| self.damaged(section, why))
    }

    pub fn weights(&self, network: &Network) -> Result<Parameters, Fault> {
        self.parameters(network, WEIGHTS)
    }

    pub fn adam(&self, network: &Network) -> Result<Adam, Fault> {
        Ok(Adam {
            steps: self.count("steps")?,
            means: self.parameters(network, MEANS)?,
            squares: self.parameters(network, SQUARES)?,
        })
    }

    pub fn history(&self) -> Result<History, Fault> {
        History::read(&self.container).map_err(Fault::new)
    }
}

/// Refuses parameters, or moments of their gradient, that are not finite: a file that cannot be
/// loaded must not replace one that can.
fn refuse_diverged(network: &Network, parameters: &[f32]) -> Result<(), Fault> {
    for (layer, _, matrix, bias) in network.tensors(parameters) {
        if let Some(x) = matrix.iter().chain(bias).find(|x| !x.is_finite()) {
            return Err(Fault::new(format!(
                "nothing is saved, because training has diverged: a number of layer {layer} is {x}"
            )));
        }
    }
    Ok(())
}

/// Returns the section of parameters: each as f32, in their order in memory.
pub fn bytes(parameters: &[f32]) -> Vec<u8> {
    parameters.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Reads what [`bytes`] wrote, or returns why that is not possible.
pub fn parameters(network: &Network, bytes: &[u8]) -> Result<Parameters, String> {
    let needed = 4 * network.parameters();
    if bytes.len() != needed {
        return Err(format!("{} bytes of parameters, and {needed} are needed", bytes.len()));
    }
    let numbers: Parameters =
        bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    match numbers.iter().position(|x| !x.is_finite()) {
        None => Ok(numbers),
        Some(place) => Err(format!("parameter {place} is {}, not a finite number", numbers[place])),
    }
}
