//! The mean of the weights over the last part of a training, which replaces them when the
//! training ends.
//!
//! If the step size stays large, the weights keep moving around their best values, and their mean
//! is closer to the best values than their last values are. The mean is taken at 64 moments at
//! equal distances. If a weight is first touched after some moments, the first value that is
//! included counts for these moments too.

use agent_ntuple_network::memory::Region;
use agent_ntuple_network::{Initial, Record, Weight, touched};
use std::io;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};

/// Number of moments at which the weights are included in the mean: number 1 at the beginning of
/// the averaged part of the training, number 64 at the end of the training.
const MOMENTS: u32 = 64;

/// The running mean of the weights of a network.
pub struct Average {
    /// The value of each weight before the training.
    initial: Initial,
    /// Share of the training, at its end, over which weights are averaged: above 0, below 1.
    share: f64,
    /// The mean of each weight so far; all bits zero if there is none.
    mean: Region<Weight>,
    /// The number of the last moment that was included, or 0.
    last_moment: AtomicU32,
    /// Number of moments in the mean: fewer than `last_moment` if a resumed training has missed
    /// some.
    included: AtomicU32,
    /// True while a thread includes the weights in the mean.
    is_busy: AtomicBool,
}

impl Average {
    pub fn new(share: f64, weights: usize, initial: Initial) -> io::Result<Self> {
        let (last_moment, included) = (AtomicU32::new(0), AtomicU32::new(0));
        let (mean, is_busy) = (Region::new(weights)?, AtomicBool::new(false));
        Ok(Self { initial, share, mean, last_moment, included, is_busy })
    }

    pub fn reset(&self) {
        self.mean.iter().filter(|mean| !mean.is_untouched()).for_each(|mean| mean.set(0.0));
        self.last_moment.store(0, Relaxed);
        self.included.store(0, Relaxed);
    }

    /// Returns the number of the last moment that has come when the share `done` of the training is
    /// done: 1 to [`MOMENTS`], or 0 before the first.
    fn moment_at(&self, done: f64) -> u32 {
        let since = (done - (1.0 - self.share)) / self.share;
        if since < 0.0 { 0 } else { 1 + (since.min(1.0) * f64::from(MOMENTS - 1)) as u32 }
    }

    /// Includes the current weights in the mean if the next moment has come. `done` is the share
    /// of the training that is done. If another thread includes them now, this one does nothing.
    pub fn include_if_due<M>(&self, records: &[Record<M>], done: f64) {
        let moment = self.moment_at(done);
        let is_included = || self.last_moment.load(Relaxed) >= moment;
        if is_included() || self.is_busy.swap(true, Acquire) {
            return;
        }
        // Another thread may have included this moment between the two operations above.
        if !is_included() {
            self.last_moment.store(moment, Relaxed);
            let share = 1.0 / (self.included.fetch_add(1, Relaxed) + 1) as f32;
            for (place, (record, mean)) in records.iter().zip(self.mean.iter()).enumerate() {
                let (value, old) = (record.weight.get(), mean.get());
                if !mean.is_untouched() {
                    mean.set(touched(old + (value - old) * share));
                } else if value.to_bits() != self.initial.at(place).to_bits() {
                    // The mean of an untouched weight is not written, so its memory stays unused.
                    mean.set(touched(value));
                }
            }
        }
        self.is_busy.store(false, Release);
    }

    /// Replaces the weights by their means, and forgets the means.
    pub fn finish<M>(&self, records: &[Record<M>]) {
        for (record, mean) in records.iter().zip(self.mean.iter()) {
            if !mean.is_untouched() {
                record.weight.set(mean.get());
            }
        }
        self.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::{Inheritance, Lookup, Network};
    use runner_core::Game;

    /// Returns the mean of weights that begin at zero, over this share of a training.
    fn average(share: f64, weights: usize) -> Average {
        let game = game_2048::Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let lookup = Lookup::new(&Network::read("0", board).unwrap(), board).unwrap();
        Average::new(share, weights, Initial::new(0.0, Inheritance::None, &lookup)).unwrap()
    }

    #[test]
    fn the_mean_is_over_the_last_part_and_begins_when_a_weight_is_touched() {
        let records: Vec<Record<()>> = (0..3).map(|_| Record::default()).collect();
        let average = average(0.5, 3);
        // The first weight grows from 0 to 1000, the second one is touched at three quarters,
        // the third never.
        for step in 1..=1000 {
            let done = f64::from(step) / 1000.0;
            records[0].weight.touch(step as f32);
            if step >= 750 {
                records[1].weight.touch(step as f32);
            }
            average.include_if_due(&records, done);
        }
        assert_eq!(average.included.load(Relaxed), MOMENTS);
        average.finish(&records);
        let [first, second, third] = [0, 1, 2].map(|k| records[k].weight.get());
        assert!((first - 750.0).abs() < 10.0, "{first}");
        // About 754 for the first half of the moments, then 754 to 1000.
        assert!((second - 815.0).abs() < 15.0, "{second}");
        assert!(third == 0.0 && records[2].weight.is_untouched());
        assert!(average.mean.iter().all(Weight::is_untouched));
        assert_eq!(average.last_moment.load(Relaxed), 0);
    }

    #[test]
    fn a_resumed_training_counts_each_later_moment_once() {
        let (record, average) = (Record::<()>::default(), average(1.0, 1));
        // The training is resumed in its middle.
        for step in 500..=1000 {
            record.weight.touch(step as f32);
            let done = f64::from(step) / 1000.0;
            average.include_if_due(std::slice::from_ref(&record), done);
        }
        assert_eq!(average.included.load(Relaxed), MOMENTS / 2 + 1);
        average.finish(std::slice::from_ref(&record));
        let mean = record.weight.get();
        assert!((mean - 750.0).abs() < 10.0, "{mean}");
    }
}
