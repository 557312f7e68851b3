//! Collects the values of all afterstates during a solve, and packs them.

use crate::error::Abort;
use crate::file::PackedValues;
use crate::job::Job;
use crate::key::{Key, key};
use crate::memory::{Reservation, try_with_capacity};
use runner_board::SymmetryGroup;
use runner_core::{Afterstate, Game, locked, unpoisoned};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of entries whose images one task computes at a time.
const CHUNK: usize = 1 << 12;

/// The values collected so far.
pub struct ValueCollector<'a, 't, K, G> {
    job: &'t Job<'a, G>,
    symmetries: Option<SymmetryGroup>,
    /// True if the game's images of some afterstate are not those of the board's
    /// geometry: the afterstate carries more than its cells.
    has_other_images: AtomicBool,
    entries: Mutex<Vec<(K, f32)>>,
    reservation: Reservation<'a>,
}

impl<'a, 't, K: Key, G: Game> ValueCollector<'a, 't, K, G> {
    /// Returns an empty collector for this number of values.
    pub fn new(job: &'t Job<'a, G>, count: usize) -> Result<Self, Abort> {
        let geometry = &job.bellman.game.description().geometry;
        Ok(Self {
            job,
            symmetries: geometry.as_ref().map(SymmetryGroup::new),
            has_other_images: AtomicBool::new(false),
            reservation: job.memory.reserve(count * size_of::<(K, f32)>())?,
            entries: Mutex::new(try_with_capacity(count)?),
        })
    }

    /// Adds values; may be called from several threads.
    pub fn add(&self, entries: impl Iterator<Item = (K, f64)>) {
        let entries: Vec<_> = entries.map(|(key, value)| (key, value as f32)).collect();
        if !entries.iter().all(|&(key, _)| self.is_least_image(key)) {
            self.has_other_images.store(true, Ordering::Relaxed);
        }
        locked(&self.entries).extend(entries);
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

    pub fn finish(mut self) -> Result<PackedValues, Abort> {
        let canonical = !*self.has_other_images.get_mut();
        let mut entries = std::mem::take(unpoisoned(self.entries.get_mut()));
        if !canonical {
            entries = self.with_images(&entries)?;
        }
        entries.sort_unstable_by_key(|&(key, _)| key);
        entries.dedup_by_key(|&mut (key, _)| key);
        // The packed values, where differences of more than four bytes are rare.
        let _reservation = self.job.memory.reserve(entries.len() * (size_of::<f32>() + 4))?;
        let all = entries.iter().map(|&(key, value)| (key.bits(), value));
        Ok(PackedValues::pack(canonical, all))
    }

    /// Returns one entry per image of every entry.
    fn with_images(&mut self, entries: &[(K, f32)]) -> Result<Vec<(K, f32)>, Abort> {
        let count = self.symmetries.as_ref().map_or(1, SymmetryGroup::count);
        let all = entries.len() * count;
        self.reservation.resize((entries.len() + all) * size_of::<(K, f32)>())?;
        let images = Mutex::new(try_with_capacity(all)?);
        let parts = self.job.pool.parts;
        self.job.pool.map_parts(all, |part| {
            for chunk in entries.chunks(CHUNK).skip(part).step_by(parts) {
                let mut own = chunk.to_vec();
                for &(least, value) in chunk {
                    for k in 1..count {
                        own.push((key(self.image(least.bits(), k))?, value));
                    }
                }
                locked(&images).extend(own);
            }
            Ok(())
        })?;
        Ok(unpoisoned(images.into_inner()))
    }
}
