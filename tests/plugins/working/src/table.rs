//! The table and its parameters.

use crate::state::TrainingState;
use runner_core::{Afterstate, locked, parameters};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

parameters! {
    pub struct Config {
        /// Learning rate
        pub alpha: f32 = 0.1, above(0.0).up_to(1.0);
        /// Binary logarithm of the number of entries
        pub size: u32 = 12, range(4..=24);
        /// Model to play
        pub model: Option<String> = None, file();
    }
}

pub struct Table {
    pub(crate) config: Config,
    pub(crate) game: String,
    /// The bits of each value, an `f32`.
    pub(crate) entries: Box<[AtomicU32]>,
    pub(crate) training: Mutex<TrainingState>,
}

impl Table {
    fn entry(&self, afterstate: Afterstate) -> &AtomicU32 {
        let mixed = afterstate.lo.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ afterstate.hi.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        &self.entries[(mixed >> (64 - self.config.size)) as usize]
    }

    pub(crate) fn value(&self, afterstate: Afterstate) -> f32 {
        f32::from_bits(self.entry(afterstate).load(Relaxed))
    }

    pub(crate) fn learn(&self, afterstate: Afterstate, target: f32) {
        let value = self.value(afterstate);
        let learned = value + self.config.alpha * (target - value);
        self.entry(afterstate).store(learned.to_bits(), Relaxed);
    }

    pub(crate) fn training(&self) -> MutexGuard<'_, TrainingState> {
        locked(&self.training)
    }
}
