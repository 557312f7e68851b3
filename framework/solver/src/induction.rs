//! Computes the values of all states from the highest layer down.
//!
//! Only the layers that a chance outcome of the current layer can reach stay in memory.

use crate::bellman::BATCH;
use crate::buffers::part_of;
use crate::collector::ValueCollector;
use crate::error::Abort;
use crate::job::{Job, Solution, SolveProgress, StateValue};
use crate::key::{Key, key};
use crate::layer::{KeyList, Layer, count, layer_of};
use crate::table::Map;
use runner_core::{Afterstate, Game, State};
use std::collections::VecDeque;

/// The values of the states of a layer, one map per part.
struct LayerValues<'m, K> {
    number: u64,
    maps: Vec<Map<'m, K, f64>>,
}

fn find<K: Key>(maps: &[Map<'_, K, f64>], key: K) -> Option<f64> {
    maps[part_of(key, maps.len())].get(key)
}

pub struct Induction<'a, 't, K, G> {
    job: &'t Job<'a, G>,
    /// Layers that have no values yet.
    layers: Vec<Layer<'a, K>>,
    max_step: u64,
    /// The layers above the current one, the lowest first.
    above: VecDeque<LayerValues<'a, K>>,
    /// Layer and key of each root.
    roots: Vec<(u64, K)>,
    /// The values of the roots, NaN at first.
    root_values: Vec<f64>,
    state_value: Option<StateValue>,
    collector: Option<ValueCollector<'a, 't, K, G>>,
}

impl<'a, 't, K: Key, G: Game> Induction<'a, 't, K, G> {
    pub fn new(
        job: &'t Job<'a, G>,
        layers: Vec<Layer<'a, K>>,
        max_step: u64,
    ) -> Result<Self, Abort> {
        let mut roots = Vec::new();
        for root in job.roots() {
            roots.push((layer_of(job, root)?, key(root.bits())?));
        }
        let collector = job.options.keep_afterstates.then(|| {
            ValueCollector::new(job, layers.iter().map(|layer| count(&layer.afterstates)).sum())
        });
        Ok(Self {
            job,
            layers,
            max_step,
            above: VecDeque::new(),
            root_values: vec![f64::NAN; roots.len()],
            roots,
            state_value: None,
            collector: collector.transpose()?,
        })
    }

    pub fn run(mut self) -> Result<Solution, Abort> {
        let total = self.layers.iter().map(|layer| count(&layer.states) as u64).sum();
        let mut done = 0;
        while let Some(layer) = self.layers.pop() {
            done += count(&layer.states) as u64;
            self.evaluate(layer)?;
            self.job.report(SolveProgress::Evaluating { done, total })?;
        }
        self.above.clear();
        Ok(Solution {
            states: done,
            value: self.job.game_value(&self.root_values),
            state_value: self.state_value,
            afterstate_values: self.collector.map(ValueCollector::finish).transpose()?,
        })
    }

    /// Computes the values of the highest layer that has none yet.
    fn evaluate(&mut self, layer: Layer<'a, K>) -> Result<(), Abort> {
        let Layer { number, states, afterstates } = layer;
        let max_step = self.max_step;
        self.above.retain(|above| above.number - number <= max_step);
        let after_values = self.afterstate_values(&afterstates)?;
        drop(afterstates);
        let maps = self.state_values(&states, &after_values)?;
        for (&(layer, key), root_value) in self.roots.iter().zip(&mut self.root_values) {
            if layer == number {
                *root_value = find(&maps, key).ok_or_else(Abort::inconsistent_game)?;
            }
        }
        let asked = self.job.options.state;
        if let Some(state) = asked.filter(|&s| self.job.bellman.game.layer(s) == Some(number)) {
            let after = |after: Afterstate| lookup(&after_values, after);
            self.state_value = Some(self.job.bellman.state_value(state, after)?);
        }
        self.above.push_front(LayerValues { number, maps });
        Ok(())
    }

    fn afterstate_values(
        &self,
        afterstates: &[KeyList<'a, K>],
    ) -> Result<Vec<Map<'a, K, f64>>, Abort> {
        let Self { job, above, collector, .. } = self;
        job.pool.map_parts(count(afterstates), |part| {
            let keys = &afterstates[part].keys;
            let mut map = Map::new(keys.len(), job.memory)?;
            let mut scratch = job.bellman.scratch();
            let state_value = |next: State| {
                let layer = layer_of(job, next)?;
                let values = above.iter().find(|values| values.number == layer);
                let next = key(next.bits())?;
                let value = values.and_then(|values| find(&values.maps, next));
                value.ok_or_else(Abort::inconsistent_game)
            };
            for batch in keys.chunks(BATCH) {
                let store = |key, value| map.insert(key, value);
                job.bellman.afterstate_values(batch, &mut scratch, state_value, store)?;
            }
            if let Some(collector) = collector {
                collector.add(map.entries());
            }
            Ok(map)
        })
    }

    fn state_values(
        &self,
        states: &[KeyList<'a, K>],
        after_values: &[Map<'a, K, f64>],
    ) -> Result<Vec<Map<'a, K, f64>>, Abort> {
        let job = self.job;
        job.pool.map_parts(count(states), |part| {
            let keys = &states[part].keys;
            let mut map = Map::new(keys.len(), job.memory)?;
            let mut scratch = job.bellman.scratch();
            let after = |after: Afterstate| lookup(after_values, after);
            for batch in keys.chunks(BATCH) {
                let store = |key, value| map.insert(key, value);
                job.bellman.state_values(batch, &mut scratch, after, store)?;
            }
            Ok(map)
        })
    }
}

fn lookup<K: Key>(maps: &[Map<'_, K, f64>], after: Afterstate) -> Result<f64, Abort> {
    find(maps, key(after.bits())?).ok_or_else(Abort::inconsistent_game)
}
