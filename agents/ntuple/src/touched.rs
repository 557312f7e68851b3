//! The share of the weights that training has touched, estimated from a sample: a whole network
//! is too large to be counted during a training.

use agent_ntuple_network::{Initial, Weight};
use runner_core::{Control, Random, Seed, TrainingProgress, locked};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const NAME: &str = "share of touched weights";

/// Number of weights in the sample; the standard error of a share is below 0.008.
const SAMPLE: usize = 4096;

/// Time between two counts. A count takes less than a millisecond of one thread.
const INTERVAL: Duration = Duration::from_secs(1);

/// Adds the share of touched weights to the progress of a training.
pub struct Touched<'a> {
    weights: &'a [Weight],
    initial: Initial,
    last: Mutex<(Instant, f64)>,
}

impl<'a> Touched<'a> {
    pub fn new(weights: &'a [Weight], initial: Initial) -> Self {
        let last = Mutex::new((Instant::now(), share(weights, initial)));
        Self { weights, initial, last }
    }

    /// Returns a report of progress with the share. The weights are counted if the last count
    /// is old.
    pub fn report(
        &self,
        report: impl Fn(&TrainingProgress) -> Control,
    ) -> impl Fn(&TrainingProgress) -> Control {
        move |now| {
            let mut last = locked(&self.last);
            if last.0.elapsed() >= INTERVAL {
                *last = (Instant::now(), share(self.weights, self.initial));
            }
            report(&with_share(now.clone(), last.1))
        }
    }

    pub fn at_end(&self, now: TrainingProgress) -> TrainingProgress {
        with_share(now, share(self.weights, self.initial))
    }
}

fn with_share(mut now: TrainingProgress, share: f64) -> TrainingProgress {
    now.series.push((NAME.to_owned(), share));
    now
}

/// Returns the share of a random sample of the weights that differ from their initial values.
fn share(weights: &[Weight], initial: Initial) -> f64 {
    // The same sample in every count, so that the share never falls.
    let mut random = Random::stream(Seed(0), 0);
    let place = |_| ((u128::from(random.word()) * weights.len() as u128) >> 64) as usize;
    let is_touched =
        |place: &usize| weights[*place].get().to_bits() != initial.at(*place).to_bits();
    (0..SAMPLE).map(place).filter(is_touched).count() as f64 / SAMPLE as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::memory::Region;

    #[test]
    fn share_is_that_of_all_weights_within_the_error_of_the_sample() {
        let weights: Region<Weight> = Region::new(1 << 18).unwrap();
        let initial = Initial::of_all(3.5);
        weights.iter().for_each(|weight| weight.set(3.5));
        assert_eq!(share(&weights, initial), 0.0);
        // Whole tables, as a network is touched.
        weights[..1 << 16].iter().for_each(|weight| weight.touch(1.0));
        assert!((share(&weights, initial) - 0.25).abs() < 0.03);
        weights.iter().for_each(|weight| weight.touch(0.0));
        assert_eq!(share(&weights, initial), 1.0);
    }

    #[test]
    fn reports_end_with_the_share() {
        let weights: Region<Weight> = Region::new(16).unwrap();
        let touched = Touched::new(&weights, Initial::of_all(0.0));
        let report = touched.report(|now| {
            assert_eq!(now.series.last(), Some(&(NAME.to_owned(), 0.0)));
            assert_eq!(now.series.len(), 2);
            Control::Stop
        });
        let series = vec![("restarts".to_owned(), 3.0)];
        let now = TrainingProgress { series, ..TrainingProgress::default() };
        assert_eq!(report(&now), Control::Stop);
    }
}
