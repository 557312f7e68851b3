//! Games whose chance raises a layer: up through the layers to find all states,
//! down again to value them.
//!
//! Going up, the afterstates of a layer are collected first, each once, and then
//! what chance makes of them: every state of the layers above is found as seldom
//! as can be. Going down, a layer needs the values of those above it only as far
//! as chance ever leaped.
//!
//! Keys belong to parts by their hash, and a part to one task at a time: no table
//! is ever shared while it grows.

use crate::Stop;
use crate::buckets::{Buckets, part};
use crate::harvest::Harvest;
use crate::key::Key;
use crate::memory::{Memory, Share, room};
use crate::rules::BATCH;
use crate::solve::{Answer, Progress, Solution, Task};
use crate::table::{Map, Set};
use crate::worths::Listed;
use runner_core::{Afterstate, Game, State};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// So many positions are expanded, and then brought to their tables: the buffers
/// between never hold more than what comes of these.
const ROUND: usize = 1 << 16;
/// One of so many afterstates says where the others lie.
const SAMPLE: usize = 1000;

/// Solves a game of layers.
pub fn solve<K: Listed, G: Game>(task: &Task<'_, G>) -> Result<Solution, Stop> {
    let mut ascent = Ascent::<K, G>::new(task)?;
    while ascent.climb()? {}
    let Ascent { layers, leap, .. } = ascent;
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

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn afterstate<K: Key>(key: K) -> Afterstate {
    Afterstate::from_bits(key.bits())
}

fn key<K: Key>(bits: u128) -> Result<K, Stop> {
    K::of(bits).ok_or(Stop::TooWide)
}

/// A set of keys for each part.
type Sets<'m, K> = Vec<Mutex<Set<'m, K>>>;

/// The way up.
struct Ascent<'a, 't, K, G> {
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
    fn new(task: &'t Task<'a, G>) -> Result<Self, Stop> {
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

    /// Expands the lowest layer that is not yet; says whether there was one.
    fn climb(&mut self) -> Result<bool, Stop> {
        let Some((number, sets)) = self.ahead.pop_first() else { return Ok(false) };
        self.task.layer.store(number, Ordering::Relaxed);
        let states = self.lists(sets)?;
        self.usual = count(&states) / states.len();
        let afterstates = self.afterstates(&states)?;
        self.expand(number, &afterstates)?;
        self.layers.push(Layer { number, states, afterstates });
        Ok(true)
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

fn layer_of<G: Game>(task: &Task<'_, G>, state: State) -> Result<u64, Stop> {
    task.rules.game.layer(state).ok_or_else(|| {
        let state = task.rules.game.write(state);
        Stop::fault(format!("the game has layers, and gives none for `{state}`"))
    })
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

/// The values of a layer, a map for each part.
struct Values<'m, K> {
    number: u64,
    maps: Vec<Map<'m, K, f64>>,
}

fn find<K: Key>(maps: &[Map<'_, K, f64>], key: K) -> Option<f64> {
    maps[part(key, maps.len())].get(key)
}

/// The way down.
struct Descent<'a, 't, K, G> {
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
    fn new(task: &'t Task<'a, G>, layers: Vec<Layer<'a, K>>, leap: u64) -> Result<Self, Stop> {
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

    fn run(mut self) -> Result<Solution, Stop> {
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
