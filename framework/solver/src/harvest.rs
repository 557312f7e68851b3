//! What is kept of a solve for the player: the worth of every afterstate, which is
//! brought into order as it comes.

use crate::Stop;
use crate::key::Key;
use crate::memory::{Share, room};
use crate::solve::Task;
use crate::worths::{Listed, Worths};
use runner_core::board::SymmetryGroup;
use runner_core::{Afterstate, Game};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Into how many ranges of keys it is cut, each of which is sorted for itself.
const RANGES: usize = 256;

/// What has come so far, and whether the board alone tells the images of all of it.
pub struct Harvest<'a, 't, K, G> {
    task: &'t Task<'a, G>,
    images: Option<SymmetryGroup>,
    /// Whether some afterstate's images are not those of the board's geometry: it
    /// carries more than its cells.
    has_own_images: AtomicBool,
    ranges: Ranges<'a, K>,
}

impl<'a, 't, K: Listed, G: Game> Harvest<'a, 't, K, G> {
    /// Nothing yet, of keys that are spread as those of a sample are.
    pub fn new(task: &'t Task<'a, G>, sample: Vec<K>) -> Result<Self, Stop> {
        let geometry = &task.rules.game.description().geometry;
        Ok(Self {
            task,
            images: geometry.as_ref().map(SymmetryGroup::new),
            has_own_images: AtomicBool::new(false),
            ranges: Ranges::new(sample, task)?,
        })
    }

    /// Takes what a task brings.
    pub fn bring(&self, entries: impl Iterator<Item = (K, f64)>) -> Result<(), Stop> {
        let entries: Vec<_> = entries.map(|(key, worth)| (key, worth as f32)).collect();
        if !entries.iter().all(|&(key, _)| self.is_told_by_the_board(key)) {
            self.has_own_images.store(true, Ordering::Relaxed);
        }
        self.ranges.take(entries)
    }

    /// Whether the geometry knows all images of an afterstate, and that this is the
    /// one that stands for them.
    fn is_told_by_the_board(&self, key: K) -> bool {
        let Some(images) = &self.images else { return true };
        let bits = key.bits();
        (1..images.count()).all(|k| {
            let image = images.transform(bits, k);
            bits <= image && image == self.image(bits, k)
        })
    }

    fn image(&self, bits: u128, symmetry: usize) -> u128 {
        let afterstate = Afterstate::from_bits(bits);
        self.task.rules.game.transform_afterstate(afterstate, symmetry).bits()
    }

    /// All of it, in order.
    pub fn worths(self) -> Result<Worths, Stop> {
        let task = self.task;
        let canonical = !self.has_own_images.load(Ordering::Relaxed);
        let ranges = if canonical { self.ranges } else { self.with_images()? };
        Ok(K::worths(canonical, ranges.sorted(task)?))
    }

    /// With every entry its images, each of which then stands for itself.
    fn with_images(self) -> Result<Ranges<'a, K>, Stop> {
        let all = Ranges::new(self.ranges.bounds.clone(), self.task)?;
        let count = self.images.as_ref().map_or(1, SymmetryGroup::count);
        self.task.crew.gather(usize::MAX, |part| {
            for range in self.ranges.of(part, self.task) {
                let entries = std::mem::take(&mut unpoisoned(range.lock()).entries);
                for chunk in entries.chunks(1 << 12) {
                    let mut shown = Vec::with_capacity(chunk.len() * count);
                    for &(key, worth) in chunk {
                        for k in 0..count {
                            let image = K::of(self.image_or_itself(key.bits(), k));
                            shown.push((image.ok_or(Stop::TooWide)?, worth));
                        }
                    }
                    all.take(shown)?;
                }
            }
            Ok(())
        })?;
        Ok(all)
    }

    fn image_or_itself(&self, bits: u128, symmetry: usize) -> u128 {
        if symmetry == 0 { bits } else { self.image(bits, symmetry) }
    }
}

/// Entries, sorted by ranges.
struct Ranges<'m, K> {
    /// The least key of every range but the first.
    bounds: Vec<K>,
    ranges: Vec<Mutex<Range<'m, K>>>,
}

struct Range<'m, K> {
    entries: Vec<(K, f32)>,
    share: Share<'m>,
}

fn unpoisoned<T>(result: Result<T, PoisonError<T>>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}

impl<K: Key> Range<'_, K> {
    fn extend(&mut self, entries: &[(K, f32)]) -> Result<(), Stop> {
        let needed = self.entries.len() + entries.len();
        if needed > self.entries.capacity() {
            // By an eighth: there is no memory to be generous with.
            let roomy = needed + needed / 8;
            self.share.resize(roomy * size_of::<(K, f32)>())?;
            self.entries.reserve_exact(roomy - self.entries.len());
        }
        self.entries.extend_from_slice(entries);
        Ok(())
    }
}

impl<'m, K: Key> Ranges<'m, K> {
    fn new<G>(mut sample: Vec<K>, task: &Task<'m, G>) -> Result<Self, Stop> {
        sample.sort_unstable();
        sample.dedup();
        let step = sample.len().div_ceil(RANGES).max(1);
        let bounds: Vec<K> = sample.into_iter().step_by(step).skip(1).collect();
        let range = |_| Ok(Mutex::new(Range { entries: Vec::new(), share: task.memory.take(0)? }));
        let ranges = (0..=bounds.len()).map(range).collect::<Result<_, Stop>>()?;
        Ok(Self { bounds, ranges })
    }

    /// Sorts entries into their ranges.
    fn take(&self, mut entries: Vec<(K, f32)>) -> Result<(), Stop> {
        entries.sort_unstable_by_key(|&(key, _)| key);
        let mut rest = &entries[..];
        for (number, range) in self.ranges.iter().enumerate() {
            let end = match self.bounds.get(number) {
                Some(&bound) => rest.partition_point(|&(key, _)| key < bound),
                None => rest.len(),
            };
            let (here, later) = rest.split_at(end);
            if !here.is_empty() {
                unpoisoned(range.lock()).extend(here)?;
            }
            rest = later;
        }
        Ok(())
    }

    /// The ranges that belong to one task.
    fn of<G>(&self, part: usize, task: &Task<'_, G>) -> impl Iterator<Item = &Mutex<Range<'m, K>>> {
        self.ranges.iter().skip(part).step_by(task.crew.parts)
    }

    /// All of it in order, each key once.
    fn sorted<G: Game>(self, task: &Task<'_, G>) -> Result<Vec<Vec<(K, f32)>>, Stop> {
        task.crew.gather(usize::MAX, |part| {
            for range in self.of(part, task) {
                let entries = &mut unpoisoned(range.lock()).entries;
                // They came in sorted runs, of which a stable sort makes use.
                entries.sort_by_key(|&(key, _)| key);
                entries.dedup_by_key(|&mut (key, _)| key);
            }
            Ok(())
        })?;
        let mut sorted = room(self.ranges.len())?;
        sorted.extend(self.ranges.into_iter().map(|range| unpoisoned(range.into_inner()).entries));
        Ok(sorted)
    }
}
