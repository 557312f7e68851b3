//! Collects the values of all afterstates during a solve and sorts them.

use crate::error::Abort;
use crate::job::Job;
use crate::key::{Key, key};
use crate::memory::{Reservation, try_with_capacity};
use crate::values::{AfterstateValues, ValueKey};
use runner_board::SymmetryGroup;
use runner_core::{Afterstate, Game, locked, unpoisoned};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of key ranges; each is locked and sorted on its own.
const RANGES: usize = 256;

/// The values collected so far.
pub struct ValueCollector<'a, 't, K, G> {
    job: &'t Job<'a, G>,
    symmetries: Option<SymmetryGroup>,
    /// True if the game's images of some afterstate are not those of the board's
    /// geometry: the afterstate carries more than its cells.
    has_other_images: AtomicBool,
    ranges: Ranges<'a, K>,
}

impl<'a, 't, K: ValueKey, G: Game> ValueCollector<'a, 't, K, G> {
    /// Returns an empty collector for keys that are distributed like the sample.
    pub fn new(job: &'t Job<'a, G>, sample: Vec<K>) -> Result<Self, Abort> {
        let geometry = &job.bellman.game.description().geometry;
        Ok(Self {
            job,
            symmetries: geometry.as_ref().map(SymmetryGroup::new),
            has_other_images: AtomicBool::new(false),
            ranges: Ranges::new(sample, job)?,
        })
    }

    /// Adds values; may be called from several threads.
    pub fn add(&self, entries: impl Iterator<Item = (K, f64)>) -> Result<(), Abort> {
        let entries: Vec<_> = entries.map(|(key, value)| (key, value as f32)).collect();
        if !entries.iter().all(|&(key, _)| self.is_least_image(key)) {
            self.has_other_images.store(true, Ordering::Relaxed);
        }
        self.ranges.add(entries)
    }

    /// Returns true if the geometry gives the same images of an afterstate as the game,
    /// and this is the least of them.
    fn is_least_image(&self, key: K) -> bool {
        let Some(symmetries) = &self.symmetries else { return true };
        let bits = key.bits();
        (1..symmetries.count()).all(|k| {
            let image = symmetries.transform(bits, k);
            bits <= image && image == self.image(bits, k)
        })
    }

    /// Returns the game's image of an afterstate under a symmetry other than 0, the identity.
    fn image(&self, bits: u128, symmetry: usize) -> u128 {
        let afterstate = Afterstate::from_bits(bits);
        self.job.bellman.game.transform_afterstate(afterstate, symmetry).bits()
    }

    pub fn finish(self) -> Result<AfterstateValues, Abort> {
        let job = self.job;
        let canonical = !self.has_other_images.load(Ordering::Relaxed);
        let ranges = if canonical { self.ranges } else { self.with_images()? };
        Ok(K::values(canonical, ranges.sort(job)?))
    }

    /// Replaces every entry by one entry per image.
    fn with_images(self) -> Result<Ranges<'a, K>, Abort> {
        let all = Ranges::new(self.ranges.bounds.clone(), self.job)?;
        let count = self.symmetries.as_ref().map_or(1, SymmetryGroup::count);
        self.job.pool.map_parts(usize::MAX, |part| {
            for range in self.ranges.of_part(part, self.job) {
                let entries = std::mem::take(&mut locked(range).entries);
                for chunk in entries.chunks(1 << 12) {
                    let mut images = Vec::with_capacity(chunk.len() * count);
                    for &(least, value) in chunk {
                        images.push((least, value));
                        for k in 1..count {
                            images.push((key(self.image(least.bits(), k))?, value));
                        }
                    }
                    all.add(images)?;
                }
            }
            Ok(())
        })?;
        Ok(all)
    }
}

/// Entries by ranges of keys.
struct Ranges<'m, K> {
    /// The least key of every range but the first.
    bounds: Vec<K>,
    ranges: Vec<Mutex<Range<'m, K>>>,
}

struct Range<'m, K> {
    entries: Vec<(K, f32)>,
    reservation: Reservation<'m>,
}

impl<K: Key> Range<'_, K> {
    fn extend(&mut self, entries: &[(K, f32)]) -> Result<(), Abort> {
        let needed = self.entries.len() + entries.len();
        if needed > self.entries.capacity() {
            // Growing by an eighth, not by half, because memory is the limit here.
            let capacity = needed + needed / 8;
            self.reservation.resize(capacity * size_of::<(K, f32)>())?;
            self.entries.reserve_exact(capacity - self.entries.len());
        }
        self.entries.extend_from_slice(entries);
        Ok(())
    }
}

impl<'m, K: Key> Ranges<'m, K> {
    fn new<G>(mut sample: Vec<K>, job: &Job<'m, G>) -> Result<Self, Abort> {
        sample.sort_unstable();
        sample.dedup();
        let step = sample.len().div_ceil(RANGES).max(1);
        let bounds: Vec<K> = sample.into_iter().step_by(step).skip(1).collect();
        let range = |_| {
            let reservation = job.memory.reserve(0)?;
            Ok(Mutex::new(Range { entries: Vec::new(), reservation }))
        };
        let ranges = (0..=bounds.len()).map(range).collect::<Result<_, Abort>>()?;
        Ok(Self { bounds, ranges })
    }

    fn add(&self, mut entries: Vec<(K, f32)>) -> Result<(), Abort> {
        entries.sort_unstable_by_key(|&(key, _)| key);
        let mut rest = &entries[..];
        for (number, range) in self.ranges.iter().enumerate() {
            let end = match self.bounds.get(number) {
                Some(&bound) => rest.partition_point(|&(key, _)| key < bound),
                None => rest.len(),
            };
            let (here, later) = rest.split_at(end);
            if !here.is_empty() {
                locked(range).extend(here)?;
            }
            rest = later;
        }
        Ok(())
    }

    /// Returns the ranges that one task of a pool processes.
    fn of_part<G>(
        &self,
        part: usize,
        job: &Job<'_, G>,
    ) -> impl Iterator<Item = &Mutex<Range<'m, K>>> {
        self.ranges.iter().skip(part).step_by(job.pool.parts)
    }

    /// Returns all entries in ascending order, each key once.
    fn sort<G: Game>(self, job: &Job<'_, G>) -> Result<Vec<Vec<(K, f32)>>, Abort> {
        job.pool.map_parts(usize::MAX, |part| {
            for range in self.of_part(part, job) {
                let entries = &mut locked(range).entries;
                // A stable sort is fast on the sorted runs that `add` appends.
                entries.sort_by_key(|&(key, _)| key);
                entries.dedup_by_key(|&mut (key, _)| key);
            }
            Ok(())
        })?;
        let mut sorted = try_with_capacity(self.ranges.len())?;
        sorted.extend(self.ranges.into_iter().map(|range| unpoisoned(range.into_inner()).entries));
        Ok(sorted)
    }
}
