//! The way up: all states are found.
//!
//! The afterstates of a layer are collected first, each once, and then what chance
//! makes of them: every state of the layers above is found as seldom as can be.

use super::{Layer, List, afterstate, count, key, layer_of};
use crate::Stop;
use crate::buckets::Buckets;
use crate::memory::Share;
use crate::rules::BATCH;
use crate::solve::{Progress, Task};
use crate::table::Set;
use crate::worths::Listed;
use runner_core::{Afterstate, Game, State};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// So many positions are expanded, and then brought to their tables: the buffers
/// between never hold more than what comes of these.
const ROUND: usize = 1 << 16;

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A set of keys for each part.
type Sets<'m, K> = Vec<Mutex<Set<'m, K>>>;

/// The way up.
pub struct Ascent<'a, 't, K, G> {
    task: &'t Task<'a, G>,
    /// Layers that are found and not yet expanded.
    ahead: BTreeMap<u64, Sets<'a, K>>,
    /// Layers that are.
    layers: Vec<Layer<'a, K>>,
    /// The largest step from layer to layer.
    leap: u64,
    /// What each task of a round has made.
    buckets: Vec<RwLock<Buckets<K>>>,
    /// How many keys a part of the last layer had: the next has about as many.
    usual: usize,
    share: Share<'a>,
}

impl<'a, 't, K: Listed, G: Game> Ascent<'a, 't, K, G> {
    /// The layers of the roots.
    pub fn new(task: &'t Task<'a, G>) -> Result<Self, Stop> {
        let mut buckets: Vec<_> =
            (0..task.crew.parts).map(|_| RwLock::new(Buckets::new(&task.crew))).collect();
        let of_roots = buckets[0].get_mut().unwrap_or_else(PoisonError::into_inner);
        for root in task.roots() {
            of_roots.push(layer_of(task, root)?, key(root.bits())?);
        }
        let mut ascent = Self {
            task,
            ahead: BTreeMap::new(),
            layers: Vec::new(),
            leap: 0,
            buckets,
            usual: 0,
            share: task.memory.take(0)?,
        };
        ascent.bring_to_layers(usize::MAX)?;
        Ok(ascent)
    }

    /// Empty sets, each with room for so many keys.
    fn sets(&self, keys: usize) -> Result<Sets<'a, K>, Stop> {
        let set = |_| Ok(Mutex::new(Set::new(keys, self.task.memory)?));
        (0..self.task.crew.parts).map(set).collect()
    }

    /// Expands layer after layer; returns them, and the largest step between two.
    pub fn climb(mut self) -> Result<(Vec<Layer<'a, K>>, u64), Stop> {
        while let Some((number, sets)) = self.ahead.pop_first() {
            self.task.layer.store(number, Ordering::Relaxed);
            let states = self.lists(sets)?;
            self.usual = count(&states) / states.len();
            let afterstates = self.afterstates(&states)?;
            self.expand(number, &afterstates)?;
            self.layers.push(Layer { number, states, afterstates });
        }
        Ok((self.layers, self.leap))
    }

    fn tell(&self) -> Result<(), Stop> {
        let states = self.task.found.load(Ordering::Relaxed);
        let layer = Some(self.task.layer.load(Ordering::Relaxed));
        self.task.tell(Progress::Found { states, layer })
    }

    /// The keys of sets, which are no longer needed.
    fn lists(&self, sets: Sets<'a, K>) -> Result<Vec<List<'a, K>>, Stop> {
        let count = sets.iter().map(|set| lock(set).len()).sum();
        let memory = self.task.memory;
        self.task.crew.gather(count, |part| {
            // Each goes when it is listed, so that few keys are there twice.
            let set = std::mem::replace(&mut *lock(&sets[part]), Set::new(0, memory)?);
            List::of(&set, memory)
        })
    }

    /// All afterstates of some states.
    fn afterstates(&mut self, states: &[List<'a, K>]) -> Result<Vec<List<'a, K>>, Stop> {
        let sets = self.sets(self.usual)?;
        let rules = &self.task.rules;
        self.rounds(
            states,
            |keys, buckets| {
                let mut lists = rules.lists();
                for batch in keys.chunks(BATCH) {
                    for after in rules.afterstates(batch, &mut lists) {
                        buckets.push(0, key(after.bits())?);
                    }
                }
                Ok(())
            },
            |ascent, brought| {
                ascent.task.crew.gather(brought, |part| {
                    let mut set = lock(&sets[part]);
                    for buckets in &ascent.buckets {
                        for &key in read(buckets).of(0, part) {
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

    /// All states that follow some afterstates, brought to their layers.
    fn expand(&mut self, number: u64, afterstates: &[List<'a, K>]) -> Result<(), Stop> {
        let task = self.task;
        self.rounds(
            afterstates,
            |keys, buckets| {
                let mut lists = task.rules.lists();
                for batch in keys.chunks(BATCH) {
                    let (states, ends) = task.rules.states(batch, &mut lists);
                    for (i, next) in states.iter().enumerate() {
                        let layer = layer_of(task, *next)?;
                        if layer <= number {
                            let from = batch[ends.partition_point(|&end| end <= i)];
                            return Err(not_raised(task, afterstate(from), *next, number, layer));
                        }
                        buckets.push(layer, key(next.bits())?);
                    }
                }
                Ok(())
            },
            |ascent, brought| {
                let highest = ascent.bring_to_layers(brought)?;
                ascent.leap = highest.map_or(0, |highest| highest - number).max(ascent.leap);
                Ok(())
            },
        )
    }

    /// Lets tasks fill their buckets from the keys of their parts, and empties the
    /// buckets before they grow too large.
    fn rounds(
        &mut self,
        lists: &[List<'a, K>],
        fill: impl Fn(&[K], &mut Buckets<K>) -> Result<(), Stop> + Sync,
        mut empty: impl FnMut(&mut Self, usize) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let size = ROUND / lists.len();
        let longest = lists.iter().map(|list| list.keys.len()).max().unwrap_or(0);
        for start in (0..longest).step_by(size) {
            let slice = |part: usize| {
                let keys = &lists[part].keys;
                &keys[start.min(keys.len())..(start + size).min(keys.len())]
            };
            let positions = (0..lists.len()).map(|part| slice(part).len()).sum();
            self.task.crew.gather(positions, |part| {
                let mut buckets =
                    self.buckets[part].write().unwrap_or_else(PoisonError::into_inner);
                buckets.clear();
                fill(slice(part), &mut buckets)
            })?;
            let bytes = self.buckets.iter().map(|buckets| read(buckets).bytes()).sum();
            self.share.resize(bytes)?;
            empty(self, positions)?;
            self.tell()?;
        }
        Ok(())
    }

    /// Empties the buckets into the layers; returns the highest of these.
    fn bring_to_layers(&mut self, positions: usize) -> Result<Option<u64>, Stop> {
        let mut layers: Vec<u64> =
            self.buckets.iter().flat_map(|b| read(b).layers().collect::<Vec<_>>()).collect();
        layers.sort_unstable();
        layers.dedup();
        for &layer in &layers {
            if !self.ahead.contains_key(&layer) {
                let sets = self.sets(self.usual)?;
                self.ahead.insert(layer, sets);
            }
        }
        self.task.crew.gather(positions, |part| {
            for layer in &layers {
                let mut set = lock(&self.ahead[layer][part]);
                let before = set.len();
                let brought = self.buckets.iter().try_for_each(|buckets| {
                    let buckets = read(buckets);
                    let mut keys = buckets.of(*layer, part).iter();
                    keys.try_for_each(|&key| set.insert(key, ()).map(|_| ()))
                });
                // What was found counts even if the rest found no room.
                self.task.found.fetch_add((set.len() - before) as u64, Ordering::Relaxed);
                brought?;
            }
            Ok(())
        })?;
        Ok(layers.last().copied())
    }
}

#[cold]
fn not_raised<G: Game>(
    task: &Task<'_, G>,
    from: Afterstate,
    to: State,
    below: u64,
    above: u64,
) -> Stop {
    let game = task.rules.game;
    let (from, to) = (game.write_afterstate(from), game.write(to));
    Stop::fault(format!(
        "the game's layers do not rise: a state of layer {below} becomes `{from}`, and chance \
         makes of that `{to}` in layer {above}"
    ))
}
