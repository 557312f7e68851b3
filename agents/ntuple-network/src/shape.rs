//! A network on the board of a game, without its weights.

use crate::definition::Network;
use crate::lookup::Lookup;
use crate::promotion::{Inheritance, Promotion};
use crate::stages::Stages;
use crate::value_function::ValueFunction;
use runner_core::Host;
use runner_core::geometry::Geometry;

/// The list of stages of a network without stages, for messages.
pub const ONE_STAGE: &str = "one stage";

/// A network without its weights.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    pub network: &'a Network,
    pub learns: ValueFunction,
    pub lookup: &'a Lookup,
    pub inheritance: Inheritance,
    pub board: &'a Geometry,
    /// Resolved spec of the game.
    pub game: &'a str,
    /// The threads for work on all weights.
    pub host: &'a dyn Host,
}

impl Shape<'_> {
    /// Returns the name of the weight at a place, for messages.
    pub fn name(&self, place: usize) -> String {
        let (stage, in_stage) = (place / self.lookup.per_stage(), place % self.lookup.per_stage());
        let (action, in_action) = (in_stage / self.per_action(), in_stage % self.per_action());
        let ranges = self.lookup.ranges();
        let table_of_place = ranges.iter().position(|range| range.contains(&in_action));
        let number = table_of_place.expect("a place of the network");
        let table = self.network.text().split(' ').nth(number).expect("a word for each table");
        let kind = if number < self.network.tuples().len() { "tuple" } else { "feature" };
        let in_table = in_action - ranges[number].start;
        let mut name = format!("weight {in_table} of the {kind} `{table}`");
        if self.network.actions() > 1 {
            name += &format!(" for action {action}");
        }
        if self.lookup.stages() > 1 {
            name += &format!(" in stage {stage}");
        }
        name
    }

    /// Returns the number of weights of an action in a stage.
    pub fn per_action(&self) -> usize {
        self.lookup.per_stage() / self.network.actions()
    }

    /// Returns the list of stages as text, [`ONE_STAGE`] if there is one.
    pub fn stages(&self) -> &str {
        self.network.stages().map_or(ONE_STAGE, Stages::text)
    }

    /// Returns the number of stages in a model's list, if they are the first ones of this network.
    pub fn leading_stages(&self, list: &str) -> Option<usize> {
        let list = if list == ONE_STAGE { "" } else { list };
        match self.network.stages() {
            Some(stages) => stages.leading(list),
            None => list.is_empty().then_some(1),
        }
    }

    pub fn promotion(&self) -> Option<Promotion> {
        Promotion::new(self.inheritance, self.lookup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Game;

    #[test]
    fn a_weight_is_named_by_its_index_in_the_table_of_its_tuple() {
        let game = game_threes::Threes::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let network = &Network::read("012 empty 0145+next 3!", board).unwrap();
        let lookup = &Lookup::new(network, board).unwrap();
        let host = &runner_core::SingleThread;
        let (learns, inheritance) = (ValueFunction::Afterstates, Inheritance::None);
        let shape = Shape { network, learns, lookup, inheritance, board, game: "threes", host };
        assert_eq!(lookup.ranges()[1].start, 1 << 12);
        assert_eq!(shape.name((1 << 12) - 1), "weight 4095 of the tuple `012`");
        assert_eq!(shape.name(1 << 12), "weight 0 of the tuple `0145+next`");
        assert_eq!(shape.name(lookup.weights() - 18), "weight 15 of the tuple `3!`");
        assert_eq!(shape.name(lookup.weights() - 1), "weight 16 of the feature `empty`");
        let network = &network.clone().with_actions(4);
        let lookup = &Lookup::new(network, board).unwrap();
        let shape = Shape { network, learns: ValueFunction::Actions, lookup, ..shape };
        assert_eq!(shape.name(0), "weight 0 of the tuple `012` for action 0");
        let last = "weight 16 of the feature `empty` for action 3";
        assert_eq!(shape.name(lookup.weights() - 1), last);
        let stages = Some(Stages::read("1536", board).unwrap());
        let network = &network.clone().with_stages(stages);
        let lookup = &Lookup::new(network, board).unwrap();
        let shape = Shape { network, lookup, ..shape };
        assert_eq!(shape.name(0), "weight 0 of the tuple `012` for action 0 in stage 0");
        let last = format!("{last} in stage 1");
        assert_eq!(shape.name(lookup.weights() - 1), last);
    }
}
