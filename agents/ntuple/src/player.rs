//! Models that are played. All learners of the process that play a model share its network.

use crate::shared::SharedNetworks;
use agent_ntuple_files::{Contents, History, Model, Purpose, load_new};
use agent_ntuple_network::memory::Region;
use agent_ntuple_network::{
    Folded, Folding, Initial, Lookup, Network, Places, Record, Shape, fold,
};
use runner_core::BuildError;
use runner_files::FileId;
use runner_spec::quantity::memory;
use std::io;
use std::sync::Arc;

/// The identity of a network: players with equal keys share it.
#[derive(Clone, PartialEq)]
pub struct PlayedKey {
    pub file: FileId,
    pub game: String,
    /// The spec of the learner without its model.
    pub learner: String,
}

/// The network of a model, without what training needs.
pub struct PlayedModel {
    pub network: Network,
    pub lookup: Lookup,
    pub records: Region<Record<()>>,
    /// Value of every weight before training.
    pub initial: f32,
    pub history: History,
}

static IN_USE: SharedNetworks<PlayedKey, PlayedModel> = SharedNetworks::new();

impl PlayedModel {
    /// Returns the network of a model, which is loaded if nothing plays it now. `initial` is the value
    /// of every weight before training.
    pub fn shared(
        key: PlayedKey,
        model: &Model,
        shape: &Shape<'_>,
        initial: f32,
    ) -> Result<Arc<Self>, BuildError> {
        IN_USE.get_or_load(key, || Self::load(model, shape, initial))
    }

    /// Loads the network of a model, and folds its redundant tuples if it has any.
    fn load(model: &Model, shape: &Shape<'_>, initial: f32) -> Result<Self, BuildError> {
        // Checked before memory is reserved for the weights.
        model.check(shape, Purpose::Evaluation).map_err(of_model)?;
        let lookup = shape.lookup;
        refuse_above_free_memory(model, shape)?;
        let count = lookup.weights();
        let records = Region::new(count).map_err(|error| no_memory(count, error))?;
        let contents = Contents {
            shape: *shape,
            spec: "",
            records: Places::new(&records, lookup),
            learns: false,
            initial: Initial::new(initial, shape.inheritance, lookup),
        };
        let mut history = load_new(&contents, model).map_err(of_model)?;
        if let Some(folded) = fold(shape, &records, initial)? {
            history.is_folded = true;
            let Folded { network, lookup, records, initial } = folded;
            return Ok(Self { network, lookup, records, initial, history });
        }
        let (network, lookup) = (shape.network.clone(), lookup.clone());
        Ok(Self { network, lookup, records, initial, history })
    }
}

/// Refuses a network that the free memory cannot hold. While it is folded, both networks are in memory.
fn refuse_above_free_memory(model: &Model, shape: &Shape<'_>) -> Result<(), BuildError> {
    let mut weights = shape.lookup.weights() as u64;
    if let Some(folding) = Folding::new(shape.network, shape.board) {
        let folded = Lookup::new(folding.network(), shape.board)?;
        weights += folded.weights() as u64;
    }
    let needed = weights * size_of::<Record<()>>() as u64;
    let free = shape.host.memory();
    if needed <= free {
        return Ok(());
    }
    Err(of_model(model.unsuitable(format!(
        "needs {} of memory for its network, and {} may be used; free some, or play a smaller model",
        memory(needed),
        memory(free)
    ))))
}

pub fn no_memory(weights: usize, error: io::Error) -> BuildError {
    BuildError::of("network", format!("no memory for {weights} weights: {error}"))
}

pub fn of_model(error: impl std::fmt::Display) -> BuildError {
    BuildError::of("model", error)
}
