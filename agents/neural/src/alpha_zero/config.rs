//! The parameters and their meaning.

use agent_mcts::{FirstPlay, Rule, Scale, SearchOptions, Selection, tree::Tree};
use runner_core::{parameters, words};

parameters! {
    /// The parameters of `alpha-zero`.
    pub struct AlphaZeroConfig {
        /// Simulations for a move
        pub simulations: u64 = 50, range(1..=1_000_000u64);
        /// Training games that are played at the same time; the network evaluates their leaves
        /// together
        pub simulators: usize = 32, range(1..=10_000);
        /// Unit of exploration: the standard deviation of a position's returns, or the average
        /// result of the current network
        pub scale: Unit = Unit::Deviation;
        /// Value of an action without visits: the mean return of the position, or 0
        pub first_play: Unvisited = Unvisited::Parent;
        /// Games of a training cycle, and of the evaluation of its network
        pub games: usize = 32, range(1..=100_000);
        /// Samples that the network is trained with in a cycle
        pub samples: usize = 20_000, range(1..=100_000_000);
        /// Learning rate of Adam
        pub learning_rate: f32 = 0.001, above(0.0).up_to(1.0);
        /// Channels of the two convolutions
        pub channels: Option<usize> = None, range(1..=MAX_UNITS).unset("64, or the model's");
        /// Units of the hidden layers
        pub hidden: Option<usize> = None, range(1..=MAX_UNITS).unset("128, or the model's");
        /// Model to play with; a learner with a model does not train
        pub model: Option<String> = None, file();
    }
}

words! {
    #[derive(Copy)]
    pub enum Unit {
        Deviation = "deviation",
        Average = "average",
    }
}

words! {
    #[derive(Copy)]
    pub enum Unvisited {
        Parent = "parent",
        Zero = "zero",
    }
}

/// Samples of a step of the optimizer.
pub const BATCH: usize = 256;

/// Recent positions that samples are drawn from.
pub const REPLAY: usize = 200_000;

const MAX_UNITS: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub channels: usize,
    pub hidden: usize,
}

impl Size {
    /// Reads what [`text`](Self::text) writes.
    pub fn read(text: &str) -> Option<Self> {
        let (channels, hidden) = text.split_once(' ')?;
        let channels = channels.strip_prefix("channels:")?.parse().ok()?;
        let hidden = hidden.strip_prefix("hidden:")?.parse().ok()?;
        let is_possible = [channels, hidden].iter().all(|units| (1..=MAX_UNITS).contains(units));
        is_possible.then_some(Self { channels, hidden })
    }

    /// Returns the size as text: `channels:64 hidden:128`.
    pub fn text(&self) -> String {
        format!("channels:{} hidden:{}", self.channels, self.hidden)
    }
}

impl AlphaZeroConfig {
    pub(crate) fn steps(&self) -> usize {
        self.samples.div_ceil(BATCH)
    }

    /// Returns the size of the network: what is not given is that of the model.
    pub(crate) fn size(&self, model: Option<Size>) -> Size {
        let known = model.unwrap_or(Size { channels: 64, hidden: 128 });
        Size {
            channels: self.channels.unwrap_or(known.channels),
            hidden: self.hidden.unwrap_or(known.hidden),
        }
    }

    /// Returns the options of a search by a network whose average result is known. It evaluates
    /// `batch` leaves at a time.
    pub(crate) fn search(&self, average: f64, actions: usize, batch: usize) -> SearchOptions {
        let (scale, exploration) = match self.scale {
            Unit::Deviation => (Scale::Deviation, 1.0),
            // Values are in points: one unit of the ratio is the average.
            Unit::Average => (Scale::Points, average),
        };
        let first_play = match self.first_play {
            Unvisited::Parent => FirstPlay::Parent,
            Unvisited::Zero => FirstPlay::Zero,
        };
        SearchOptions {
            selection: Selection { rule: Rule::Puct, exploration, first_play, scale },
            batch,
            // A search keeps half of it for a tree that moves its root; these trees do not.
            memory: 2 * (self.simulations as usize + 2) * Tree::min_bytes(actions),
            ..SearchOptions::by_value(self.simulations)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_mcts::Growth;

    /// The network's value of a position does not change, so one evaluation is enough.
    #[test]
    fn search_evaluates_each_position_once() {
        let search = AlphaZeroConfig::default().search(100.0, 4, 32);
        assert_eq!(search.growth, Growth::After(1));
        assert_eq!((search.budget.simulations, search.batch), (Some(50), 32));
    }
}
