//! Enumerates all reachable states, layer by layer.
//!
//! A key belongs to a part by its hash, and a part to one task at a time, so no table is
//! shared while it grows.
//!
//! The distinct afterstates of a layer are collected before their chance outcomes are generated, so
//! that each outcome is generated once per afterstate and not once per action that leads there.

use crate::bellman::BATCH;
use crate::buffers::KeyBuffers;
use crate::error::Abort;
use crate::job::{Job, SolveProgress};
use crate::key::{Key, key};
use crate::layer::{KeyList, Layer, count, layer_of};
use crate::memory::Reservation;
use crate::table::Set;
use runner_core::{Afterstate, Game, State, locked, unpoisoned};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, RwLock, RwLockReadGuard};

/// Number of positions that are expanded before their successors are inserted into the
/// tables. It bounds the memory of the buffers.
const ROUND: usize = 1 << 16;

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    unpoisoned(lock.read())
}

type Sets<'m, K> = Vec<Mutex<Set<'m, K>>>;

pub struct Enumeration<'a, 't, K, G> {
    job: &'t Job<'a, G>,
    /// Layers that are found but not yet expanded.
    pending: BTreeMap<u64, Sets<'a, K>>,
    layers: Vec<Layer<'a, K>>,
    /// Largest difference between the layers of a state and of its chance outcomes.
    max_step: u64,
    /// The keys that each task generates in a round.
    buffers: Vec<RwLock<KeyBuffers<K>>>,
    /// Number of keys per part of the last layer: the estimate for the next.
    expected_keys: usize,
    reservation: Reservation<'a>,
}

impl<'a, 't, K: Key, G: Game> Enumeration<'a, 't, K, G> {
    pub fn new(job: &'t Job<'a, G>) -> Result<Self, Abort> {
        let mut buffers: Vec<_> =
            (0..job.pool.parts).map(|_| RwLock::new(KeyBuffers::new(&job.pool))).collect();
        let root_buffer = unpoisoned(buffers[0].get_mut());
        for root in job.roots() {
            root_buffer.push(layer_of(job, root)?, key(root.bits())?);
        }
        let mut enumeration = Self {
            job,
            pending: BTreeMap::new(),
            layers: Vec::new(),
            max_step: 0,
            buffers,
            expected_keys: 0,
            reservation: job.memory.reserve(0)?,
        };
        enumeration.insert_states(usize::MAX)?;
        Ok(enumeration)
    }

    fn sets(&self, capacity: usize) -> Result<Sets<'a, K>, Abort> {
        let set = |_| Ok(Mutex::new(Set::new(capacity, self.job.memory)?));
        (0..self.job.pool.parts).map(set).collect()
    }

    /// Expands all layers; returns them and the largest step from a layer to another.
    pub fn run(mut self) -> Result<(Vec<Layer<'a, K>>, u64), Abort> {
        while let Some((number, sets)) = self.pending.pop_first() {
            self.job.layer.store(number, Ordering::Relaxed);
            let states = self.lists(sets)?;
            self.expected_keys = count(&states) / states.len();
            let afterstates = self.afterstates(&states)?;
            self.expand(number, &afterstates)?;
            self.layers.push(Layer { number, states, afterstates });
        }
        Ok((self.layers, self.max_step))
    }

    fn report(&self) -> Result<(), Abort> {
        let states = self.job.found.load(Ordering::Relaxed);
        let layer = Some(self.job.layer.load(Ordering::Relaxed));
        self.job.report(SolveProgress::Enumerating { states, layer })
    }

    fn lists(&self, sets: Sets<'a, K>) -> Result<Vec<KeyList<'a, K>>, Abort> {
        let count = sets.iter().map(|set| locked(set).len()).sum();
        let memory = self.job.memory;
        self.job.pool.map_parts(count, |part| {
            // Each set is dropped once it is copied, so that few keys are in memory twice.
            let set = std::mem::replace(&mut *locked(&sets[part]), Set::new(0, memory)?);
            KeyList::of(&set, memory)
        })
    }

    /// Returns the distinct afterstates of all actions in these states.
    fn afterstates(&mut self, states: &[KeyList<'a, K>]) -> Result<Vec<KeyList<'a, K>>, Abort> {
        let sets = self.sets(self.expected_keys)?;
        let bellman = &self.job.bellman;
        self.in_rounds(
            states,
            |keys, buffers| {
                let mut scratch = bellman.scratch();
                for batch in keys.chunks(BATCH) {
                    for after in bellman.afterstates(batch, &mut scratch) {
                        buffers.push(0, key(after.bits())?);
                    }
                }
                Ok(())
            },
            |enumeration, positions| {
                enumeration.job.pool.map_parts(positions, |part| {
                    let mut set = locked(&sets[part]);
                    for buffers in &enumeration.buffers {
                        for &key in read(buffers).keys(0, part) {
                            set.insert(key, ())?;
                        }
                    }
                    Ok(())
                })?;
                Ok(())
            },
        )?;
        self.lists(sets)
    }

    /// Adds the chance outcomes of these afterstates to the pending layers.
    fn expand(&mut self, number: u64, afterstates: &[KeyList<'a, K>]) -> Result<(), Abort> {
        let job = self.job;
        self.in_rounds(
            afterstates,
            |keys, buffers| {
                let mut scratch = job.bellman.scratch();
                for batch in keys.chunks(BATCH) {
                    let (states, ends) = job.bellman.states(batch, &mut scratch);
                    for (i, next) in states.iter().enumerate() {
                        let layer = layer_of(job, *next)?;
                        if layer <= number {
                            let from = batch[ends.partition_point(|&end| end <= i)];
                            let from = Afterstate::from_bits(from.bits());
                            return Err(not_raised(job, from, *next, number, layer));
                        }
                        buffers.push(layer, key(next.bits())?);
                    }
                }
                Ok(())
            },
            |enumeration, positions| {
                let highest = enumeration.insert_states(positions)?;
                let step = highest.map_or(0, |highest| highest - number);
                enumeration.max_step = step.max(enumeration.max_step);
                Ok(())
            },
        )
    }

    /// Calls `fill` for the keys of each part, and `drain` each time that the buffers hold
    /// the successors of about [`ROUND`] positions.
    fn in_rounds(
        &mut self,
        lists: &[KeyList<'a, K>],
        fill: impl Fn(&[K], &mut KeyBuffers<K>) -> Result<(), Abort> + Sync,
        mut drain: impl FnMut(&mut Self, usize) -> Result<(), Abort>,
    ) -> Result<(), Abort> {
        let size = ROUND / lists.len();
        let longest = lists.iter().map(|list| list.keys.len()).max().unwrap_or(0);
        for start in (0..longest).step_by(size) {
            let slice = |part: usize| {
                let keys = &lists[part].keys;
                &keys[start.min(keys.len())..(start + size).min(keys.len())]
            };
            let positions = (0..lists.len()).map(|part| slice(part).len()).sum();
            self.job.pool.map_parts(positions, |part| {
                let mut buffers = unpoisoned(self.buffers[part].write());
                buffers.clear();
                fill(slice(part), &mut buffers)
            })?;
            let bytes = self.buffers.iter().map(|buffers| read(buffers).bytes()).sum();
            self.reservation.resize(bytes)?;
            drain(self, positions)?;
            self.report()?;
        }
        Ok(())
    }

    /// Inserts the keys of all buffers into the pending layers; returns the highest of
    /// these layers.
    fn insert_states(&mut self, positions: usize) -> Result<Option<u64>, Abort> {
        let mut layers: Vec<u64> =
            self.buffers.iter().flat_map(|b| read(b).layers().collect::<Vec<_>>()).collect();
        layers.sort_unstable();
        layers.dedup();
        for &layer in &layers {
            if !self.pending.contains_key(&layer) {
                let sets = self.sets(self.expected_keys)?;
                self.pending.insert(layer, sets);
            }
        }
        self.job.pool.map_parts(positions, |part| {
            for layer in &layers {
                let mut set = locked(&self.pending[layer][part]);
                let before = set.len();
                let inserted = self.buffers.iter().try_for_each(|buffers| {
                    let buffers = read(buffers);
                    let mut keys = buffers.keys(*layer, part).iter();
                    keys.try_for_each(|&key| set.insert(key, ()))
                });
                // States count as found even if memory ran out for the rest.
                self.job.found.fetch_add((set.len() - before) as u64, Ordering::Relaxed);
                inserted?;
            }
            Ok(())
        })?;
        Ok(layers.last().copied())
    }
}

#[cold]
fn not_raised<G: Game>(
    job: &Job<'_, G>,
    from: Afterstate,
    to: State,
    from_layer: u64,
    to_layer: u64,
) -> Abort {
    let game = job.bellman.game;
    let (from, to) = (game.write_afterstate(from), game.write(to));
    Abort::fault(format!(
        "the game's layers do not rise: the afterstate `{from}` of a state in layer \
         {from_layer} has the chance outcome `{to}` in layer {to_layer}"
    ))
}
