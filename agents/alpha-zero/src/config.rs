//! The parameters and their meaning.

use agent_mcts::{Chance, Choice, FirstPlay, Rule, Scale, SearchOptions, Selection, tree::Tree};
use runner_core::{BuildError, Parameter};
use serde::{Deserialize, Serialize};

/// The parameters of `alpha-zero`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Simulations for a move.
    pub simulations: u64,
    /// Games that are played at the same time.
    pub simulators: usize,
    /// Weight of exploration.
    pub exploration: f64,
    /// Unit of exploration.
    pub scale: String,
    /// Urgency of an action without visits.
    pub first_play: String,
    /// Games of a training cycle, and of the evaluation of its network.
    pub games: usize,
    /// Samples that the network is trained with in a cycle.
    pub samples: usize,
    /// Samples of a step of the optimizer.
    pub batch: usize,
    /// Number of positions that are kept.
    pub replay: usize,
    /// Learning rate of Adam.
    pub learning_rate: f32,
    /// True if a new network must beat the old one.
    pub gate: bool,
    /// Channels of the convolutions; `None` selects the model's, or 64.
    pub channels: Option<usize>,
    /// Units of the hidden layers; `None` selects the model's, or 128.
    pub hidden: Option<usize>,
    /// Number of residual layers; `None` selects the model's, or 1.
    pub residual_layers: Option<usize>,
    /// Model file to play with.
    pub model: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            simulations: 50,
            simulators: 32,
            exploration: 1.0,
            scale: "deviation".to_owned(),
            first_play: "parent".to_owned(),
            games: 32,
            samples: 20_000,
            batch: 256,
            replay: 200_000,
            learning_rate: 0.001,
            gate: true,
            channels: None,
            hidden: None,
            residual_layers: None,
            model: None,
        }
    }
}

/// The unit of exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The standard deviation of the returns of a position.
    Deviation,
    /// The average result of the current network.
    Average,
}

/// The parameters of a training, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Simulations for a move.
    pub simulations: u64,
    /// Games that are played at the same time.
    pub simulators: usize,
    /// Games of a cycle.
    pub games: usize,
    /// Steps of the optimizer in a cycle.
    pub steps: usize,
    /// Samples of a step.
    pub batch: usize,
    /// Number of positions that are kept.
    pub replay: usize,
    /// Learning rate of Adam.
    pub learning_rate: f32,
    /// True if a new network must beat the old one.
    pub gate: bool,
    exploration: f64,
    unit: Unit,
    first_play: FirstPlay,
}

impl Options {
    /// Returns the options of a search by a network whose average result is known. It evaluates
    /// `batch` leaves at a time.
    pub fn search(&self, average: f64, actions: usize, batch: usize) -> SearchOptions {
        let (scale, exploration) = match self.unit {
            Unit::Deviation => (Scale::Deviation, self.exploration),
            // Values are in points: one unit of the ratio is the average.
            Unit::Average => (Scale::Points, self.exploration * average),
        };
        let first_play = self.first_play;
        SearchOptions {
            selection: Selection { rule: Rule::Puct, exploration, first_play, scale },
            chance: Chance::Closed { widening: None },
            choice: Choice::Visits,
            mix: 0.0,
            batch,
            keep: false,
            memory: (self.simulations as usize + 2) * Tree::min_bytes(actions),
            ..SearchOptions::by_value(self.simulations)
        }
    }
}

/// The size of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Channels of the convolutions.
    pub channels: usize,
    /// Units of the hidden layers.
    pub hidden: usize,
    /// Number of residual layers.
    pub residual_layers: usize,
}

const MAX_UNITS: usize = 4096;
const MAX_LAYERS: usize = 64;

impl Size {
    /// Reads the size from the text of a network.
    pub fn read(text: &str) -> Option<Self> {
        let mut number = text.split(' ').map(|word| {
            let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
            digits.parse::<usize>().ok()
        });
        let mut number = || number.next().flatten();
        let size = Self { channels: number()?, hidden: number()?, residual_layers: number()? };
        let units = 1..=MAX_UNITS;
        let is_possible = units.contains(&size.channels)
            && units.contains(&size.hidden)
            && size.residual_layers <= MAX_LAYERS;
        is_possible.then_some(size)
    }

    /// Returns the size as text: `channels:64 hidden:128 residual:1`.
    pub fn text(&self) -> String {
        let Self { channels, hidden, residual_layers } = self;
        format!("channels:{channels} hidden:{hidden} residual:{residual_layers}")
    }
}

impl Config {
    /// Returns the parameters of a training, or the parameter that is wrong.
    pub fn options(&self) -> Result<Options, BuildError> {
        if !(self.exploration >= 0.0 && self.exploration.is_finite()) {
            let message = format!("{} is not a number from 0 on", self.exploration);
            return Err(BuildError::of("exploration", message));
        }
        if !(self.learning_rate > 0.0 && self.learning_rate <= 1.0) {
            let message = format!("{} is not above 0 and at most 1", self.learning_rate);
            return Err(BuildError::of("learning_rate", message));
        }
        let units = [("deviation", Unit::Deviation), ("average", Unit::Average)];
        let first_plays =
            [("parent", FirstPlay::Parent { reduction: 0.0 }), ("zero", FirstPlay::Zero)];
        let batch = in_range("batch", self.batch, 1, 100_000)?;
        let samples = in_range("samples", self.samples, 1, 100_000_000)?;
        Ok(Options {
            simulations: in_range("simulations", self.simulations as usize, 1, 1_000_000)? as u64,
            simulators: in_range("simulators", self.simulators, 1, 10_000)?,
            games: in_range("games", self.games, 1, 100_000)?,
            steps: samples.div_ceil(batch),
            batch,
            replay: in_range("replay", self.replay, 1, 100_000_000)?,
            learning_rate: self.learning_rate,
            gate: self.gate,
            exploration: self.exploration,
            unit: choice("scale", &self.scale, &units)?,
            first_play: choice("first_play", &self.first_play, &first_plays)?,
        })
    }

    /// Returns the size of the network: what is not given is that of the model.
    pub fn size(&self, model: Option<Size>) -> Result<Size, BuildError> {
        let known = model.unwrap_or(Size { channels: 64, hidden: 128, residual_layers: 1 });
        let number = |name, given: Option<usize>, least, most, known| match given {
            Some(given) => in_range(name, given, least, most),
            None => Ok(known),
        };
        Ok(Size {
            channels: number("channels", self.channels, 1, MAX_UNITS, known.channels)?,
            hidden: number("hidden", self.hidden, 1, MAX_UNITS, known.hidden)?,
            residual_layers: number(
                "residual_layers",
                self.residual_layers,
                0,
                MAX_LAYERS,
                known.residual_layers,
            )?,
        })
    }

    /// Returns the parameters with their help.
    pub fn parameters() -> Vec<Parameter> {
        let parameter = Parameter::new;
        vec![
            parameter("simulations", "1 to 1000000", "50", "Simulations for a move"),
            parameter(
                "simulators",
                "1 to 10000",
                "32",
                "Training games that are played at the same time; the network evaluates their \
                 leaves together",
            ),
            parameter(
                "exploration",
                "0 and more",
                "1",
                "Weight of exploration, in units of `scale`",
            ),
            parameter(
                "scale",
                "\"deviation\" or \"average\"",
                "\"deviation\"",
                "Unit of exploration: the standard deviation of a position's returns, or the \
                 average result of the current network",
            ),
            parameter(
                "first_play",
                "\"parent\" or \"zero\"",
                "\"parent\"",
                "Value of an action without visits: the mean return of the position, or 0",
            ),
            parameter(
                "games",
                "1 to 100000",
                "32",
                "Games of a training cycle, and of the evaluation of its network",
            ),
            parameter(
                "samples",
                "1 to 100000000",
                "20000",
                "Samples that the network is trained with in a cycle",
            ),
            parameter("batch", "1 to 100000", "256", "Samples of a step of the optimizer"),
            parameter(
                "replay",
                "1 to 100000000",
                "200000",
                "Number of recent positions that samples are drawn from",
            ),
            parameter("learning_rate", "above 0, at most 1", "0.001", "Learning rate of Adam"),
            parameter(
                "gate",
                "true or false",
                "true",
                "A new network replaces the old one only if the median of its games is higher",
            ),
            parameter(
                "channels",
                "1 to 4096",
                "64, or the model's",
                "Channels of the two convolutions",
            ),
            parameter("hidden", "1 to 4096", "128, or the model's", "Units of the hidden layers"),
            parameter(
                "residual_layers",
                "0 to 64",
                "1, or the model's",
                "Number of residual layers, of two hidden layers each",
            ),
            parameter(
                "model",
                "a file",
                "None",
                "Model to play with; a learner with a model does not train",
            ),
        ]
    }
}

fn choice<T: Copy>(parameter: &str, given: &str, names: &[(&str, T)]) -> Result<T, BuildError> {
    let named = names.iter().find(|(name, _)| *name == given);
    named.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| format!("{name:?}")).collect();
        BuildError::of(parameter, format!("{given:?} is not one of {}", names.join(", ")))
    })
}

fn in_range(parameter: &str, given: usize, least: usize, most: usize) -> Result<usize, BuildError> {
    match (least..=most).contains(&given) {
        true => Ok(given),
        false => Err(BuildError::of(parameter, format!("{given} is not from {least} to {most}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The network's value of a position does not change, so one evaluation is enough.
    #[test]
    fn search_evaluates_each_position_once() {
        let search = Config::default().options().unwrap().search(100.0, 4, 32);
        assert_eq!((search.playouts, search.expand_after), (0, 1));
        assert_eq!((search.budget.simulations, search.batch), (Some(50), 32));
    }
}
