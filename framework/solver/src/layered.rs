//! Games whose chance raises a layer: up through the layers to find all states
//! (`ascent`), down again to value them (`descent`).
//!
//! Keys belong to parts by their hash, and a part to one task at a time: no table
//! is ever shared while it grows.

mod ascent;
mod descent;

use crate::Stop;
use crate::key::Key;
use crate::memory::{Memory, Share, room};
use crate::solve::{Solution, Task};
use crate::table::Set;
use crate::worths::Listed;
use ascent::Ascent;
use descent::Descent;
use runner_core::{Afterstate, Game, State};

/// Solves a game of layers.
pub fn solve<K: Listed, G: Game>(task: &Task<'_, G>) -> Result<Solution, Stop> {
    let (layers, leap) = Ascent::<K, G>::new(task)?.climb()?;
    Descent::new(task, layers, leap)?.run()
}

/// The keys of one part.
struct List<'m, K> {
    keys: Vec<K>,
    _share: Share<'m>,
}

impl<'m, K: Key> List<'m, K> {
    fn of(table: &Set<'m, K>, memory: &'m Memory) -> Result<Self, Stop> {
        let share = memory.take(table.len() * size_of::<K>())?;
        let mut keys = room(table.len())?;
        keys.extend(table.keys());
        Ok(Self { keys, _share: share })
    }
}

/// All that is found in a layer, part by part.
struct Layer<'m, K> {
    number: u64,
    states: Vec<List<'m, K>>,
    afterstates: Vec<List<'m, K>>,
}

fn count<K>(lists: &[List<'_, K>]) -> usize {
    lists.iter().map(|list| list.keys.len()).sum()
}

fn afterstate<K: Key>(key: K) -> Afterstate {
    Afterstate::from_bits(key.bits())
}

fn key<K: Key>(bits: u128) -> Result<K, Stop> {
    K::of(bits).ok_or(Stop::TooWide)
}

fn layer_of<G: Game>(task: &Task<'_, G>, state: State) -> Result<u64, Stop> {
    task.rules.game.layer(state).ok_or_else(|| {
        let state = task.rules.game.write(state);
        Stop::fault(format!("the game has layers, and gives none for `{state}`"))
    })
}
