//! The definition of a network on one board: its tuples and features, and the actions and stages.

use crate::feature::Feature;
use crate::stages::Stages;
use crate::text;
use crate::tuple::{ALPHABET, Tuple};
use runner_core::BuildError;
use runner_core::geometry::Geometry;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    tuples: Vec<Tuple>,
    features: Vec<Feature>,
    text: String,
    /// Number of actions with separate tables, or 1 if all actions share them.
    actions: usize,
    stages: Option<Stages>,
}

impl Network {
    /// Parses a network for a board. A network is one or more of these, separated by spaces:
    ///
    /// - a preset: `4x6`, `8x6`, `17x4`;
    /// - shapes, joined by `-`: `42-33` is a row of four above a row of two, and two rows of
    ///   three, at every position that no symmetry maps to an earlier one;
    /// - a tuple: cells as hexadecimal digits on boards of at most 16 cells (`012345`), or as
    ///   numbers in parentheses on any board (`(0,1,5,6)`).
    ///
    /// The suffix `+NAME` adds an extra field of the game to a tuple's index (the announced
    /// tile of Threes: `0123+next`). The suffix `!` makes a tuple fixed: it is read at its own
    /// cells only.
    ///
    /// Features of the whole board have tables of their own, which a position reads once:
    ///
    /// - `large:2048`: the numbers of 2048, 4096 and each larger tile, of each up to 4;
    /// - `empty`: the number of empty cells;
    /// - `distinct`: the number of different tiles;
    /// - `pairs`: the number of adjacent pairs that merge when they are pushed together;
    /// - `neighbours`: the number of adjacent pairs of which one tile is twice the other.
    pub fn read(text: &str, board: &Geometry) -> Result<Self, BuildError> {
        let (tuples, features) = text::read(text, board)?;
        let text = text::write(&tuples, &features, board);
        Ok(Self { text, tuples, features, actions: 1, stages: None })
    }

    pub fn with_actions(self, actions: usize) -> Self {
        Self { actions, ..self }
    }

    /// Returns the network with separate tables for each of these stages, if there are any.
    pub fn with_stages(self, stages: Option<Stages>) -> Self {
        Self { stages, ..self }
    }

    pub(crate) fn with_tuples(self, tuples: Vec<Tuple>, board: &Geometry) -> Self {
        Self { text: text::write(&tuples, &self.features, board), tuples, ..self }
    }

    pub fn tuples(&self) -> &[Tuple] {
        &self.tuples
    }

    /// Returns the features, which follow the tuples in all lists of tables.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Returns the number of actions with separate tables, or 1 if all actions share them.
    pub fn actions(&self) -> usize {
        self.actions
    }

    pub fn stages(&self) -> Option<&Stages> {
        self.stages.as_ref()
    }

    pub fn stage_count(&self) -> usize {
        self.stages.as_ref().map_or(1, Stages::count)
    }

    pub(crate) fn table_size(tuple: &Tuple, board: &Geometry) -> u64 {
        let bits = tuple.extra_fields.iter().map(|&field| board.extra_fields[field].bits);
        (ALPHABET as u64).pow(tuple.cells.len() as u32) << bits.sum::<u32>()
    }

    /// Returns the number of weights of all tables, for one action and stage.
    pub(crate) fn weights_per_action(&self, board: &Geometry) -> u64 {
        let tuples = self.tuples.iter().map(|tuple| Self::table_size(tuple, board));
        let features = self.features.iter().map(|feature| feature.table_size(board));
        tuples.chain(features).sum()
    }

    /// Returns the tuples and features as text, which is equal for equal networks.
    pub fn text(&self) -> &str {
        &self.text
    }
}
