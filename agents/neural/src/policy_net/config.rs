//! The parameters and their meaning.

use super::weighting::{GameWeight, MoveWeight};
use crate::{Encoder, Layer, Network, PositionNetwork};
use runner_core::geometry::Geometry;
use runner_core::{parameters, words};

parameters! {
    /// The parameters of `policy-net`. Those of "Playing 2048 with AI, part 2" have its
    /// names.
    #[allow(non_snake_case)]
    pub struct PolicyNetConfig {
        /// Games of an epoch
        pub batch_size: usize = 256, range(1..=100_000);
        /// Epochs in which a batch of games is used
        pub forget_interval: usize = 4, range(1..=1000);
        /// Learning rate of Adam
        pub lr: f32 = 0.003, above(0.0).up_to(1.0);
        /// Measure of a game: it is good if it is above the median, and its weight j is the
        /// distance from the median, as a share of that of the best or the worst game
        pub game_penalty_type: GameWeight = GameWeight::Scores;
        /// Weight k of a move: the share of occupied cells, its number x as a share of the game's
        /// moves, or 1 - exp(-3x)
        pub move_penalty_type: Option<MoveWeight> = None,
            any::<MoveWeight>().unset("None: 1");
        /// Add as many games with uniformly random moves to each batch
        pub random_games: bool = false;
        /// Share of moves that are random
        pub random_frac: Option<f64> = None, range(0.0..=1.0).unset("None: 0");
        /// Units of the first hidden layer
        pub neuronCountJ: Option<usize> = None, range(1..=MAX_UNITS).unset("200, or the model's");
        /// Units of the second hidden layer
        pub neuronCountK: Option<usize> = None, range(1..=MAX_UNITS).unset("100, or the model's");
        /// Inputs: one for each rank of each cell, or one for each cell, which is its value
        pub input: Option<Encoding> = None,
            any::<Encoding>().unset("`\"one-hot\"`, or the model's");
        /// Function of the hidden units
        pub activation: Option<Activation> = None,
            any::<Activation>().unset("`\"relu\"`, or the model's");
        /// Moves after which a training game ends
        pub max_moves: Option<u32> = None, range(1..=1_000_000u32).unset("None: whole games");
        /// Steps of the optimizer in each epoch
        pub steps: usize = 4, range(1..=1000);
        /// Model to play with; a learner with a model does not train
        pub model: Option<String> = None, file();
    }
}

words! {
    #[derive(Copy)]
    pub enum Encoding {
        OneHot = "one-hot",
        Values = "values",
    }
}

words! {
    #[derive(Copy)]
    pub enum Activation {
        /// Negative sums become 0.
        Relu = "relu",
        /// The sum itself.
        None = "none",
    }
}

const MAX_UNITS: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub encoding: Encoding,
    pub hidden: [usize; 2],
    pub activation: Activation,
}

impl Shape {
    /// Returns the shape as text, such as `values 16-200-100-4 relu`.
    fn text(&self, board: &Geometry, actions: usize) -> String {
        let inputs = match self.encoding {
            Encoding::Values => board.cells(),
            Encoding::OneHot => board.cells() * board.values.len(),
        };
        let ([j, k], encoding) = (self.hidden, self.encoding.name());
        format!("{encoding} {inputs}-{j}-{k}-{actions} {}", self.activation.name())
    }

    /// Reads the text of a shape; the numbers of inputs and outputs are compared later.
    pub fn read(text: &str) -> Option<Self> {
        let [encoding, units, activation] = text.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let encoding = Encoding::named(encoding)?;
        let activation = Activation::named(activation)?;
        let units: Vec<usize> = units.split('-').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [_, j, k, _] = units[..] else { return None };
        let is_possible = [j, k].iter().all(|units| (1..=MAX_UNITS).contains(units));
        is_possible.then_some(Self { encoding, hidden: [j, k], activation })
    }

    pub fn network(&self, board: &Geometry, actions: usize) -> PositionNetwork {
        let encoder = Encoder::new(board, [board.rows, board.cols]);
        let ([j, k], relu) = (self.hidden, self.activation == Activation::Relu);
        let first = match self.encoding {
            Encoding::OneHot => encoder.layer(j, relu),
            Encoding::Values => Layer::dense(board.cells(), j, relu),
        };
        let layers = vec![first, Layer::dense(j, k, relu), Layer::dense(k, actions, false)];
        let numbers = match self.encoding {
            Encoding::OneHot => Vec::new(),
            Encoding::Values => board.values.iter().map(|&value| value as f32).collect(),
        };
        let (network, text) = (Network::new(layers), self.text(board, actions));
        PositionNetwork { network, text, encoder, numbers }
    }
}

impl PolicyNetConfig {
    /// Returns the shape of the network: what is not given is that of the model.
    pub(crate) fn shape(&self, model: Option<Shape>) -> Shape {
        let (encoding, activation) = (Encoding::OneHot, Activation::Relu);
        let known = model.unwrap_or(Shape { encoding, hidden: [200, 100], activation });
        let [j, k] = known.hidden;
        Shape {
            encoding: self.input.unwrap_or(known.encoding),
            hidden: [self.neuronCountJ.unwrap_or(j), self.neuronCountK.unwrap_or(k)],
            activation: self.activation.unwrap_or(known.activation),
        }
    }
}
