//! The parameters and their meaning.

use crate::weighting::{GameWeight, MoveWeight};
use agent_neural::{Encoder, Layer, Network, PositionNetwork};
use runner_core::geometry::Geometry;
use runner_core::{BuildError, Parameter};
use serde::{Deserialize, Serialize};

/// The parameters of `policy-net`. Those of the document have its names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Games of an epoch.
    pub batch_size: usize,
    /// Epochs in which a batch is used.
    pub forget_interval: usize,
    /// Learning rate of Adam.
    pub lr: f32,
    /// Source of the game weight j.
    pub game_penalty_type: String,
    /// Source of the move weight k; `None` for 1.
    pub move_penalty_type: Option<String>,
    /// Adds as many games with uniformly random moves to each batch.
    pub random_games: bool,
    /// Share of moves that are uniformly random.
    pub random_frac: Option<f64>,
    /// Units of the first hidden layer; `None` selects the model's, or 200.
    #[serde(rename = "neuronCountJ")]
    pub neuron_count_j: Option<usize>,
    /// Units of the second hidden layer; `None` selects the model's, or 100.
    #[serde(rename = "neuronCountK")]
    pub neuron_count_k: Option<usize>,
    /// Encoding of the board; `None` selects the model's, or `one-hot`.
    pub input: Option<String>,
    /// Function of the hidden units; `None` selects the model's, or `relu`.
    pub activation: Option<String>,
    /// Moves of a training game; `None` for whole games.
    pub max_moves: Option<u32>,
    /// Steps of the optimizer in each epoch.
    pub steps: usize,
    /// Model file to play with.
    pub model: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            batch_size: 256,
            forget_interval: 4,
            lr: 0.003,
            game_penalty_type: "scores".to_owned(),
            move_penalty_type: None,
            random_games: false,
            random_frac: None,
            neuron_count_j: None,
            neuron_count_k: None,
            input: None,
            activation: None,
            max_moves: None,
            steps: 4,
            model: None,
        }
    }
}

/// The parameters of a training, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Games of an epoch.
    pub batch_size: usize,
    /// Epochs in which a batch is used.
    pub forget_interval: usize,
    /// Learning rate of Adam.
    pub lr: f32,
    /// Source of the game weight j.
    pub game_weight: GameWeight,
    /// Source of the move weight k.
    pub move_weight: MoveWeight,
    /// Adds as many games with uniformly random moves to each batch.
    pub random_games: bool,
    /// Share of moves that are uniformly random.
    pub random_frac: f64,
    /// Maximum number of moves of a game.
    pub max_moves: u32,
    /// Steps of the optimizer in each epoch.
    pub steps: usize,
}

/// Encoding of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The values of the tiles.
    Values,
    /// The ranks of the tiles: in 2048 their binary logarithms.
    Ranks,
    /// An input for each rank of each cell.
    OneHot,
}

const ENCODINGS: [(&str, Encoding); 3] =
    [("one-hot", Encoding::OneHot), ("ranks", Encoding::Ranks), ("values", Encoding::Values)];
const ACTIVATIONS: [(&str, bool); 2] = [("relu", true), ("none", false)];
const GAME_WEIGHTS: [(&str, GameWeight); 4] = [
    ("scores", GameWeight::Scores),
    ("max", GameWeight::Max),
    ("log2_max", GameWeight::Log2Max),
    ("tile_sums", GameWeight::TileSums),
];
const MOVE_WEIGHTS: [(&str, MoveWeight); 3] = [
    ("nonzero", MoveWeight::Nonzero),
    ("linear_move_num", MoveWeight::Linear),
    ("exponential_move_num", MoveWeight::Exponential),
];

const MAX_UNITS: usize = 4096;
const MAX_BATCH: usize = 100_000;

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Encoding of the board.
    pub encoding: Encoding,
    /// Units of the hidden layers.
    pub hidden: [usize; 2],
    /// True if negative sums of hidden units become 0.
    pub relu: bool,
}

impl Shape {
    /// Returns the shape as text, such as `ranks 16-200-100-4 relu`.
    fn text(&self, board: &Geometry, actions: usize) -> String {
        let name = |encoding| name_of(&ENCODINGS, encoding);
        let inputs = match self.encoding {
            Encoding::Values | Encoding::Ranks => board.cells(),
            Encoding::OneHot => board.cells() * board.values.len(),
        };
        let [j, k] = self.hidden;
        let activation = name_of(&ACTIVATIONS, self.relu);
        format!("{} {inputs}-{j}-{k}-{actions} {activation}", name(self.encoding))
    }

    /// Reads the text of a shape; the numbers of inputs and outputs are compared later.
    pub fn read(text: &str) -> Option<Self> {
        let [encoding, units, activation] = text.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let meaning = |names: &[(&str, Encoding)], name| {
            names.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
        };
        let (_, relu) = ACTIVATIONS.into_iter().find(|(name, _)| *name == activation)?;
        let units: Vec<usize> = units.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [_, j, k, _] = units[..] else { return None };
        let is_possible = |units: usize| (1..=MAX_UNITS).contains(&units);
        let hidden =
            Some([j, k]).filter(|hidden| hidden.iter().all(|&units| is_possible(units)))?;
        Some(Self { encoding: meaning(&ENCODINGS, encoding)?, hidden, relu })
    }

    pub fn network(&self, board: &Geometry, actions: usize) -> PositionNetwork {
        let encoder = Encoder::new(board, [board.rows, board.cols]);
        let [j, k] = self.hidden;
        let first = match self.encoding {
            Encoding::OneHot => encoder.layer(j, self.relu),
            Encoding::Values | Encoding::Ranks => Layer::dense(board.cells(), j, self.relu),
        };
        let layers = vec![first, Layer::dense(j, k, self.relu), Layer::dense(k, actions, false)];
        let numbers = match self.encoding {
            Encoding::OneHot => Vec::new(),
            Encoding::Ranks => (0..board.values.len()).map(|rank| rank as f32).collect(),
            Encoding::Values => board.values.iter().map(|&value| value as f32).collect(),
        };
        let (network, text) = (Network::new(layers), self.text(board, actions));
        PositionNetwork { network, text, encoder, numbers }
    }
}

impl Config {
    /// Returns the parameters of a training, or the parameter that is wrong.
    pub fn options(&self) -> Result<Options, BuildError> {
        let random_frac = self.random_frac.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&random_frac) {
            return Err(BuildError::of("random_frac", format!("{random_frac} is not from 0 to 1")));
        }
        if !(self.lr > 0.0 && self.lr <= 1.0) {
            let message = format!("{} is not above 0 and at most 1", self.lr);
            return Err(BuildError::of("lr", message));
        }
        let move_weight = match &self.move_penalty_type {
            None => MoveWeight::One,
            Some(name) => choice("move_penalty_type", name, &MOVE_WEIGHTS)?,
        };
        let max_moves = match self.max_moves {
            None => u32::MAX,
            Some(moves) => in_range("max_moves", moves as usize, 1_000_000)? as u32,
        };
        Ok(Options {
            batch_size: in_range("batch_size", self.batch_size, MAX_BATCH)?,
            forget_interval: in_range("forget_interval", self.forget_interval, 1000)?,
            lr: self.lr,
            game_weight: choice("game_penalty_type", &self.game_penalty_type, &GAME_WEIGHTS)?,
            move_weight,
            random_games: self.random_games,
            random_frac,
            max_moves,
            steps: in_range("steps", self.steps, 1000)?,
        })
    }

    /// Returns the shape of the network: what is not given is that of the model.
    pub fn shape(&self, model: Option<Shape>) -> Result<Shape, BuildError> {
        let default = Shape { encoding: Encoding::OneHot, hidden: [200, 100], relu: true };
        let known = model.unwrap_or(default);
        let units = |name, given: Option<usize>, known| match given {
            Some(units) => in_range(name, units, MAX_UNITS),
            None => Ok(known),
        };
        Ok(Shape {
            encoding: match &self.input {
                Some(name) => choice("input", name, &ENCODINGS)?,
                None => known.encoding,
            },
            hidden: [
                units("neuronCountJ", self.neuron_count_j, known.hidden[0])?,
                units("neuronCountK", self.neuron_count_k, known.hidden[1])?,
            ],
            relu: match &self.activation {
                Some(name) => choice("activation", name, &ACTIVATIONS)?,
                None => known.relu,
            },
        })
    }

    /// Returns the parameters with their help.
    pub fn parameters() -> Vec<Parameter> {
        let parameter = Parameter::new;
        vec![
            parameter("batch_size", "1 to 100000", "256", "Games of an epoch"),
            parameter(
                "forget_interval",
                "1 to 1000",
                "4",
                "Epochs in which a batch of games is used",
            ),
            parameter("lr", "above 0, at most 1", "0.003", "Learning rate of Adam"),
            parameter(
                "game_penalty_type",
                "\"scores\", \"max\", \"log2_max\" or \"tile_sums\"",
                "\"scores\"",
                "Measure of a game: it is good if it is above the median, and its weight j is the \
                 distance from the median, as a share of that of the best or the worst game",
            ),
            parameter(
                "move_penalty_type",
                "None, \"nonzero\", \"linear_move_num\" or \"exponential_move_num\"",
                "None: 1",
                "Weight k of a move: the share of occupied cells, its number x as a share of the \
                 game's moves, or 1 - exp(-3x)",
            ),
            parameter(
                "random_games",
                "true or false",
                "false",
                "Add as many games with uniformly random moves to each batch",
            ),
            parameter("random_frac", "0 to 1", "None: 0", "Share of moves that are random"),
            parameter(
                "neuronCountJ",
                "1 to 4096",
                "200, or the model's",
                "Units of the first hidden layer",
            ),
            parameter(
                "neuronCountK",
                "1 to 4096",
                "100, or the model's",
                "Units of the second hidden layer",
            ),
            parameter(
                "input",
                "\"one-hot\", \"ranks\" or \"values\"",
                "\"one-hot\", or the model's",
                "Inputs: one for each rank of each cell, or one for each cell, which is its rank \
                 or its value",
            ),
            parameter(
                "activation",
                "\"relu\" or \"none\"",
                "\"relu\", or the model's",
                "Function of the hidden units",
            ),
            parameter(
                "max_moves",
                "1 to 1000000",
                "None: whole games",
                "Moves after which a training game ends",
            ),
            parameter("steps", "1 to 1000", "4", "Steps of the optimizer in each epoch"),
            parameter(
                "model",
                "a file",
                "None",
                "Model to play with; a learner with a model does not train",
            ),
        ]
    }
}

fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], meaning: T) -> &'static str {
    names.iter().find(|(_, known)| *known == meaning).expect("every meaning has a name").0
}

fn choice<T: Copy>(parameter: &str, given: &str, names: &[(&str, T)]) -> Result<T, BuildError> {
    let named = names.iter().find(|(name, _)| *name == given);
    named.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| format!("{name:?}")).collect();
        BuildError::of(parameter, format!("{given:?} is not one of {}", names.join(", ")))
    })
}

fn in_range(parameter: &str, given: usize, most: usize) -> Result<usize, BuildError> {
    match (1..=most).contains(&given) {
        true => Ok(given),
        false => Err(BuildError::of(parameter, format!("{given} is not from 1 to {most}"))),
    }
}
