//! The mean of the weights over the last part of a training, which replaces them when the
//! training ends.
//!
//! A step size that stays large keeps the weights moving around their best values. Their mean
//! is closer to these than the last of them. It is taken over a number of moments at equal
//! distances. A weight that was first touched after the first moment counts before with its
//! value at that time, not with zero.

use agent_ntuple_network::memory::Region;
use agent_ntuple_network::{Initial, Record, Weight, touched};
use std::io;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};

const MOMENTS: u32 = 64;

/// The running mean of the weights of a network.
pub struct Average {
    /// Share of the training, at its end, over which weights are averaged: above 0, below 1.
    share: f64,
    /// The mean of each weight so far; all bits zero if there is none.
    mean: Region<Weight>,
    /// The number of the next moment. A training that is resumed has missed the earlier ones.
    next: AtomicU32,
    included: AtomicU32,
    /// True while a thread adds the weights of a moment to the mean.
    is_busy: AtomicBool,
}

/// The mean of a training, and the value of its weights before.
#[derive(Clone, Copy)]
pub struct Averaging<'a> {
    pub average: &'a Average,
    pub initial: Initial,
}

impl Average {
    pub fn new(share: f64, weights: usize) -> io::Result<Self> {
        let (next, included) = (AtomicU32::new(0), AtomicU32::new(0));
        Ok(Self { share, mean: Region::new(weights)?, next, included, is_busy: false.into() })
    }

    /// Forgets the mean.
    pub fn reset(&self) {
        self.mean.iter().filter(|mean| !mean.is_untouched()).for_each(|mean| mean.set(0.0));
        self.next.store(0, Relaxed);
        self.included.store(0, Relaxed);
    }
}

impl Averaging<'_> {
    /// Includes the current weights in the mean if the next moment has come. `done` is the share
    /// of the training that is done. Of several threads one does it, and the others continue.
    pub fn update<M>(&self, records: &[Record<M>], done: f64) {
        let Average { share, mean, next, included, is_busy } = self.average;
        let since = (done - (1.0 - share)) / share;
        let due =
            if since < 0.0 { 0 } else { 1 + (since.min(1.0) * f64::from(MOMENTS - 1)) as u32 };
        let is_past = || next.load(Relaxed) >= due;
        if is_past() || is_busy.swap(true, Acquire) {
            return;
        }
        // Another thread may have done this moment since the first look.
        if !is_past() {
            next.store(due, Relaxed);
            let part = 1.0 / (included.fetch_add(1, Relaxed) + 1) as f32;
            for (place, (record, mean)) in records.iter().zip(mean.iter()).enumerate() {
                let (value, old) = (record.weight.get(), mean.get());
                if !mean.is_untouched() {
                    mean.set(touched(old + (value - old) * part));
                } else if value.to_bits() != self.initial.at(place).to_bits() {
                    // Memory of weights that nothing has touched stays unused.
                    mean.set(touched(value));
                }
            }
        }
        is_busy.store(false, Release);
    }

    pub fn finish<M>(&self, records: &[Record<M>]) {
        for (record, mean) in records.iter().zip(self.average.mean.iter()) {
            if !mean.is_untouched() {
                record.weight.set(mean.get());
            }
        }
        self.average.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_the_last_part_and_begins_when_a_weight_is_touched() {
        let records: Vec<Record<()>> = (0..3).map(|_| Record::default()).collect();
        let average = &Average::new(0.5, 3).unwrap();
        let averaging = Averaging { average, initial: Initial::of_all(0.0) };
        // The first weight grows from 0 to 1000, the second one is touched at three quarters,
        // the third never.
        for step in 1..=1000 {
            let done = f64::from(step) / 1000.0;
            records[0].weight.touch(step as f32);
            if step >= 750 {
                records[1].weight.touch(step as f32);
            }
            averaging.update(&records, done);
        }
        assert_eq!(average.included.load(Relaxed), MOMENTS);
        averaging.finish(&records);
        let [first, second, third] = [0, 1, 2].map(|k| records[k].weight.get());
        assert!((first - 750.0).abs() < 10.0, "{first}");
        // Half of the moments at about 754, the others from there on to 1000.
        assert!((second - 815.0).abs() < 15.0, "{second}");
        assert!(third == 0.0 && records[2].weight.is_untouched());
        assert!(average.mean.iter().all(Weight::is_untouched) && average.next.load(Relaxed) == 0);
    }

    #[test]
    fn a_resumed_training_counts_each_later_moment_once() {
        let (record, average) = (Record::<()>::default(), &Average::new(1.0, 1).unwrap());
        let averaging = Averaging { average, initial: Initial::of_all(0.0) };
        // From the middle of the training on.
        for step in 500..=1000 {
            record.weight.touch(step as f32);
            averaging.update(std::slice::from_ref(&record), f64::from(step) / 1000.0);
        }
        assert_eq!(average.included.load(Relaxed), MOMENTS / 2 + 1);
        averaging.finish(std::slice::from_ref(&record));
        let mean = record.weight.get();
        assert!((mean - 750.0).abs() < 10.0, "{mean}");
    }
}
