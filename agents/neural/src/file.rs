//! Networks in files: parameters in the safetensors format, and the container of a model with
//! its training.

use crate::adam::Adam;
use crate::network::{Network, Parameters};
use runner_core::Fault;
use runner_files::container::{self, Header};
use runner_files::{Container, FileError, Problem};
use runner_learning::History;
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::str::FromStr;

const WEIGHTS: &str = "weights";
/// The sections of the moments of Adam, in the same format.
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
    /// Writes a model in a format. Refuses a network whose training has diverged.
    pub fn write(&self, path: &Path, format: &str) -> Result<(), Fault> {
        refuse_diverged(self.network, self.parameters)?;
        match format {
            TENSORS => self.write_tensors(path),
            _ => self.write_checkpoint(path),
        }
    }

    fn write_checkpoint(&self, path: &Path) -> Result<(), Fault> {
        let Self { identity, history, adam, .. } = self;
        let own = [
            (WEIGHTS, tensors(self.network, self.parameters, None)?),
            (MEANS, tensors(self.network, &adam.means, None)?),
            (SQUARES, tensors(self.network, &adam.squares, None)?),
            history.section(),
        ];
        let header = Header {
            kind: identity.kind.to_owned(),
            game: identity.game.clone(),
            spec: self.spec.to_owned(),
            ..Header::default()
        };
        let header = header
            .with("network", &identity.network)
            .with("format", CHECKPOINT)
            .with("holds", COMPLETE)
            .with("weights", self.parameters.len())
            .with("steps", adam.steps);
        let mut header = history.in_header(header);
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

    fn write_tensors(&self, path: &Path) -> Result<(), Fault> {
        let about = format!("{} for {}, {}", self.spec, self.identity.game, self.identity.network);
        let bytes = tensors(self.network, self.parameters, Some(about))?;
        runner_files::write(path, &bytes).map_err(Fault::new)
    }
}

/// The name of the format with everything that further training needs.
pub const CHECKPOINT: &str = "checkpoint";
/// The name of the format for other programs.
pub const TENSORS: &str = "safetensors";

#[derive(Debug)]
pub struct Model {
    container: Container,
}

impl Model {
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
        let problem = Problem::Damaged(format!("section `{section}`: {why}"));
        Fault::new(self.container.error(problem))
    }

    pub fn parameters(&self, network: &Network, section: &str) -> Result<Parameters, Fault> {
        let bytes = self.section(section)?;
        read_tensors(network, &bytes).map_err(|why| self.damaged(section, why))
    }

    pub fn weights(&self, network: &Network) -> Result<Parameters, Fault> {
        self.parameters(network, WEIGHTS)
    }

    pub fn adam(&self, network: &Network) -> Result<Adam, Fault> {
        Ok(Adam {
            steps: self.number("steps")?,
            means: self.parameters(network, MEANS)?,
            squares: self.parameters(network, SQUARES)?,
        })
    }

    pub fn history(&self) -> Result<History, Fault> {
        History::read(&self.container).map_err(Fault::new)
    }
}

/// Refuses parameters that are not finite: a file that cannot be loaded must not replace one
/// that can.
fn refuse_diverged(network: &Network, parameters: &[f32]) -> Result<(), Fault> {
    for (layer, _, matrix, bias) in network.tensors(parameters) {
        if let Some(x) = matrix.iter().chain(bias).find(|x| !x.is_finite()) {
            return Err(Fault::new(format!(
                "nothing is saved, because training has diverged: a parameter of layer {layer} \
                 is {x}"
            )));
        }
    }
    Ok(())
}

fn names(layer: usize) -> [String; 2] {
    [format!("layer{layer}.weight"), format!("layer{layer}.bias")]
}

/// Returns numbers with the layout of a network's parameters in the safetensors format: for
/// each layer a matrix [inputs, outputs] and a bias.
pub fn tensors(
    network: &Network,
    numbers: &[f32],
    about: Option<String>,
) -> Result<Vec<u8>, Fault> {
    let bytes = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut all: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
    for (layer, shape, matrix, bias) in network.tensors(numbers) {
        let [weight, constant] = names(layer);
        all.push((weight, shape.to_vec(), bytes(matrix)));
        all.push((constant, vec![shape[1]], bytes(bias)));
    }
    let view = |shape: &Vec<usize>, bytes| TensorView::new(Dtype::F32, shape.clone(), bytes);
    let views: Result<Vec<_>, _> =
        all.iter().map(|(name, shape, bytes)| Ok((name, view(shape, bytes)?))).collect();
    let metadata = about.map(|about| HashMap::from([("about".to_owned(), about)]));
    views
        .and_then(|views| safetensors::serialize(views, metadata))
        .map_err(|error: SafeTensorError| Fault::new(error))
}

/// Reads what [`tensors`] wrote, or returns why that is not possible.
pub fn read_tensors(network: &Network, bytes: &[u8]) -> Result<Parameters, String> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let empty = vec![0.0; network.parameters()];
    let mut numbers = Parameters::with_capacity(empty.len());
    for (layer, shape, ..) in network.tensors(&empty) {
        for (name, shape) in names(layer).into_iter().zip([&shape[..], &shape[1..]]) {
            let tensor = file.tensor(&name).map_err(|error| error.to_string())?;
            if tensor.shape() != shape || tensor.dtype() != Dtype::F32 {
                let (found, kind) = (tensor.shape(), tensor.dtype());
                return Err(format!(
                    "`{name}` is {found:?} of {kind:?}, needed is {shape:?} of F32"
                ));
            }
            let read = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
            numbers.extend(tensor.data().as_chunks::<4>().0.iter().map(read));
            if let Some(x) = numbers.iter().find(|x| !x.is_finite()) {
                return Err(format!("`{name}` holds {x}, not a finite number"));
            }
        }
    }
    Ok(numbers)
}
