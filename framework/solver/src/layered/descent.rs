//! The way down: all states get their values, from those of the layers above, of
//! which only those are kept that chance can still leap to.

use super::{Layer, List, count, key, layer_of};
use crate::Stop;
use crate::buckets::part;
use crate::harvest::Harvest;
use crate::key::Key;
use crate::rules::BATCH;
use crate::solve::{Answer, Progress, Solution, Task};
use crate::table::Map;
use crate::worths::Listed;
use runner_core::{Afterstate, Game, State};
use std::collections::{BTreeMap, VecDeque};

/// One of so many afterstates says where the others lie.
const SAMPLE: usize = 1000;

/// The values of a layer, a map for each part.
struct Values<'m, K> {
    number: u64,
    maps: Vec<Map<'m, K, f64>>,
}

fn find<K: Key>(maps: &[Map<'_, K, f64>], key: K) -> Option<f64> {
    maps[part(key, maps.len())].get(key)
}

/// The way down.
pub struct Descent<'a, 't, K, G> {
    task: &'t Task<'a, G>,
    layers: Vec<Layer<'a, K>>,
    leap: u64,
    /// Of the layers above the one that is next, the lowest first.
    above: VecDeque<Values<'a, K>>,
    /// The layer, number and key of every root.
    roots: BTreeMap<u64, Vec<(usize, K)>>,
    root_values: Vec<f64>,
    answer: Option<Answer>,
    harvest: Option<Harvest<'a, 't, K, G>>,
}

impl<'a, 't, K: Listed, G: Game> Descent<'a, 't, K, G> {
    /// Nothing is valued yet.
    pub fn new(task: &'t Task<'a, G>, layers: Vec<Layer<'a, K>>, leap: u64) -> Result<Self, Stop> {
        let mut roots: BTreeMap<u64, Vec<(usize, K)>> = BTreeMap::new();
        let mut root_values = Vec::new();
        for (number, root) in task.roots().enumerate() {
            roots.entry(layer_of(task, root)?).or_default().push((number, key(root.bits())?));
            root_values.push(f64::NAN);
        }
        let harvest = task.question.worths.then(|| {
            let lists = layers.iter().flat_map(|layer| &layer.afterstates);
            let keys = lists.flat_map(|list| &list.keys).step_by(SAMPLE).copied();
            Harvest::new(task, keys.collect())
        });
        Ok(Self {
            task,
            layers,
            leap,
            above: VecDeque::new(),
            roots,
            root_values,
            answer: None,
            harvest: harvest.transpose()?,
        })
    }

    /// Values layer after layer.
    pub fn run(mut self) -> Result<Solution, Stop> {
        let all = self.layers.iter().map(|layer| count(&layer.states) as u64).sum();
        let mut states = 0;
        while let Some(layer) = self.layers.pop() {
            states += count(&layer.states) as u64;
            self.value(layer)?;
            self.task.tell(Progress::Valued { states, all })?;
        }
        self.above.clear();
        Ok(Solution {
            states,
            value: self.task.value_of_starts(&self.root_values),
            answer: self.answer,
            worths: self.harvest.map(Harvest::worths).transpose()?,
        })
    }

    /// Finds the values of the highest layer that has none yet.
    fn value(&mut self, layer: Layer<'a, K>) -> Result<(), Stop> {
        let Layer { number, states, afterstates } = layer;
        let leap = self.leap;
        self.above.retain(|above| above.number - number <= leap);
        let worths = self.worths(&afterstates)?;
        drop(afterstates);
        let maps = self.values(&states, &worths)?;
        for &(root, key) in self.roots.get(&number).into_iter().flatten() {
            self.root_values[root] = find(&maps, key).ok_or_else(lost)?;
        }
        let asked = self.task.question.state;
        if let Some(state) = asked.filter(|&s| self.task.rules.game.layer(s) == Some(number)) {
            let worth = |after: Afterstate| find(&worths, key(after.bits())?).ok_or_else(lost);
            let (value, action) = self.task.rules.best(state, worth)?;
            self.answer = Some(Answer { value, action });
        }
        self.above.push_front(Values { number, maps });
        Ok(())
    }

    /// What the afterstates of a layer are worth.
    fn worths(&self, afterstates: &[List<'a, K>]) -> Result<Vec<Map<'a, K, f64>>, Stop> {
        let Self { task, above, harvest, .. } = self;
        task.crew.gather(count(afterstates), |part| {
            let keys = &afterstates[part].keys;
            let mut map = Map::new(keys.len(), task.memory)?;
            let mut lists = task.rules.lists();
            let value = |next: State| {
                let layer = layer_of(task, next)?;
                let values = above.iter().find(|values| values.number == layer);
                let next = key(next.bits())?;
                values.and_then(|values| find(&values.maps, next)).ok_or_else(lost)
            };
            for batch in keys.chunks(BATCH) {
                let worth = |key, worth| map.insert(key, worth).map(|_| ());
                task.rules.worths(batch, &mut lists, value, worth)?;
            }
            if let Some(harvest) = harvest {
                harvest.bring(map.entries())?;
            }
            Ok(map)
        })
    }

    /// What the states of a layer are worth.
    fn values(
        &self,
        states: &[List<'a, K>],
        worths: &[Map<'a, K, f64>],
    ) -> Result<Vec<Map<'a, K, f64>>, Stop> {
        let task = self.task;
        task.crew.gather(count(states), |part| {
            let keys = &states[part].keys;
            let mut map = Map::new(keys.len(), task.memory)?;
            let mut lists = task.rules.lists();
            let worth = |after: Afterstate| find(worths, key(after.bits())?).ok_or_else(lost);
            for batch in keys.chunks(BATCH) {
                let value = |key, value| map.insert(key, value).map(|_| ());
                task.rules.values(batch, &mut lists, worth, value)?;
            }
            Ok(map)
        })
    }
}

#[cold]
fn lost() -> Stop {
    Stop::fault("the game does not say the same each time: a position is new on the way back")
}
