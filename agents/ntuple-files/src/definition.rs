//! What defines a network on a board: parameters, or else a model.

use crate::open::Model;
use agent_ntuple_network::{Inheritance, Network, Stages, USUAL_ALPHABET, default_text};
use runner_core::BuildError;
use runner_core::geometry::Geometry;
use runner_files::container::ReadAt;

/// The parts that parameters define. The others are those of a model, or the defaults without one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Definition<'a> {
    pub network: Option<&'a str>,
    pub alphabet: Option<usize>,
    pub stages: Option<&'a str>,
    pub inheritance: Option<Inheritance>,
}

impl Definition<'_> {
    /// Returns the network and its inheritance, for a board of this game.
    pub fn read<S: ReadAt>(
        self,
        model: Option<&Model<S>>,
        board: &Geometry,
        game: &str,
    ) -> Result<(Network, Inheritance), BuildError> {
        let of_model = |error| BuildError::of("model", error);
        // The model's network may not even parse on another board.
        model.map_or(Ok(()), |model| model.check_game(game)).map_err(of_model)?;
        let network = match (self.network, model) {
            (Some(text), _) => text.to_owned(),
            (None, Some(model)) => model.network().map_err(of_model)?,
            (None, None) => default_text(board),
        };
        let alphabet = match (self.alphabet, model) {
            (Some(ranks), _) => ranks,
            (None, Some(model)) => model.alphabet().map_err(of_model)?,
            (None, None) => USUAL_ALPHABET,
        };
        let stages = match (self.stages, model) {
            (Some(text), _) => Some(text.to_owned()),
            (None, model) => model.and_then(Model::stages),
        };
        let inheritance = match (self.inheritance, model) {
            (Some(inheritance), _) => inheritance,
            (None, Some(model)) => model.inheritance().map_err(of_model)?,
            (None, None) => Inheritance::Weights,
        };
        let stages = stages.map(|text| Stages::read(&text, board)).transpose()?;
        let network = Network::read(&network, board)?.with_alphabet(alphabet, board)?;
        Ok((network.with_stages(stages), inheritance))
    }
}
