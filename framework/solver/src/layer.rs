//! The positions of one layer.

use crate::error::Abort;
use crate::job::Job;
use crate::key::Key;
use crate::memory::{MemoryBudget, Reservation, try_with_capacity};
use crate::table::Set;
use runner_core::{Game, State};

pub struct KeyList<'m, K> {
    pub keys: Vec<K>,
    _reservation: Reservation<'m>,
}

impl<'m, K: Key> KeyList<'m, K> {
    pub fn of(set: &Set<'m, K>, memory: &'m MemoryBudget) -> Result<Self, Abort> {
        let reservation = memory.reserve(set.len() * size_of::<K>())?;
        let mut keys = try_with_capacity(set.len())?;
        keys.extend(set.keys());
        Ok(Self { keys, _reservation: reservation })
    }
}

/// All positions of a layer, by part.
pub struct Layer<'m, K> {
    /// Number of the layer.
    pub number: u64,
    pub states: Vec<KeyList<'m, K>>,
    /// The afterstates of these states.
    pub afterstates: Vec<KeyList<'m, K>>,
}

pub fn count<K>(lists: &[KeyList<'_, K>]) -> usize {
    lists.iter().map(|list| list.keys.len()).sum()
}

/// Returns the layer of a state, or an error if the game gives none.
pub fn layer_of<G: Game>(job: &Job<'_, G>, state: State) -> Result<u64, Abort> {
    job.bellman.game.layer(state).ok_or_else(|| {
        let state = job.bellman.game.write(state);
        Abort::fault(format!("the game has layers, but gives none for the state `{state}`"))
    })
}
