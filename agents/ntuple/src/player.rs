//! Models that only evaluate. All players of the process with the same model share its network.

use crate::network_cache::NetworkCache;
use agent_ntuple_files::{History, Model, Purpose, State};
use agent_ntuple_network::memory::Region;
use agent_ntuple_network::{
    Folded, Folding, Initial, Lookup, Network, Places, Record, Shape, fold,
};
use runner_core::BuildError;
use runner_files::FileId;
use runner_spec::quantity::memory;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The key of a network in the cache: players with equal keys share a network.
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
    pub initial_weight: f32,
    pub history: History,
}

static NETWORKS: NetworkCache<PlayedKey, PlayedModel> = NetworkCache::new();

impl PlayedModel {
    /// Returns the network of a model from the cache, or loads it. `initial_weight` is the value of
    /// every weight before training.
    pub fn get_or_load(
        key: PlayedKey,
        model: &Model,
        shape: &Shape<'_>,
        initial_weight: f32,
    ) -> Result<Arc<Self>, BuildError> {
        NETWORKS.get_or_load(key, || Self::load(model, shape, initial_weight))
    }

    /// Loads the network of a model. If it has redundant tuples, their weights are added to those
    /// of the tuples that contain them.
    fn load(model: &Model, shape: &Shape<'_>, initial_weight: f32) -> Result<Self, BuildError> {
        // Checked before memory is reserved for the weights.
        model.check(shape, Purpose::Evaluation).map_err(model_error)?;
        let folding = Folding::new(shape.network, shape.board);
        refuse_above_free_memory(model, shape, folding.as_ref())?;
        let lookup = shape.lookup;
        let count = lookup.weights();
        let records = Region::<Record<()>>::new(count).map_err(|error| no_memory(count, error))?;
        let places = Places::new(&records, lookup);
        let take = |place: usize, value: f32| places[place].weight.set(value);
        // Memory that nothing has used yet stays unused.
        let untouched = |places: Range<usize>, initial: Initial| {
            if initial.value() != 0.0 {
                places.for_each(|place| take(place, initial.at(place)));
            }
        };
        model.read(shape, &State::<()>::Ignored, &take, &untouched).map_err(model_error)?;
        let mut history = model.history().map_err(model_error)?;
        let Some(folding) = folding else {
            let (network, lookup) = (shape.network.clone(), lookup.clone());
            return Ok(Self { network, lookup, records, initial_weight, history });
        };
        history.is_folded = true;
        let Folded { network, lookup, records, initial } =
            fold(shape, folding, &records, initial_weight)?;
        Ok(Self { network, lookup, records, initial_weight: initial, history })
    }
}

/// Returns an error if the free memory cannot hold the network and, if it will be folded, the
/// folded network beside it.
fn refuse_above_free_memory(
    model: &Model,
    shape: &Shape<'_>,
    folding: Option<&Folding>,
) -> Result<(), BuildError> {
    let mut weights = shape.lookup.weights() as u64;
    if let Some(folding) = folding {
        let folded = Lookup::new(&folding.network, shape.board)?;
        weights += folded.weights() as u64;
    }
    let needed = weights * size_of::<Record<()>>() as u64;
    let free = shape.host.memory();
    if needed <= free {
        return Ok(());
    }
    Err(model_error(model.unsuitable(format!(
        "needs {} of memory for its network, and {} may be used; free some, or play a smaller model",
        memory(needed),
        memory(free)
    ))))
}

pub fn no_memory(weights: usize, error: io::Error) -> BuildError {
    BuildError::of("network", format!("no memory for {weights} weights: {error}"))
}

pub fn model_error(error: impl std::fmt::Display) -> BuildError {
    BuildError::of("model", error)
}
