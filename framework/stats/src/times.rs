//! The times of moves, in a histogram that is small enough to be kept for every game.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;
use std::time::Duration;

/// Buckets into which each doubling of the time is divided, as a power of two. A bucket is at
/// most 12.5% wide.
const STEPS: u32 = 3;

/// How many moves took how long. Serialised, it is a list of pairs: a bucket, and its number of
/// moves.
///
/// ```
/// # use runner_stats::MoveTimes;
/// # use std::time::Duration;
/// let mut times = MoveTimes::default();
/// (1..=1000).for_each(|micros| times.add(Duration::from_micros(micros)));
/// let p99 = times.quantile(0.99).unwrap();
/// assert!((p99 / 990e-6 - 1.0).abs() < 0.05);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes(BTreeMap<u16, u64>);

impl MoveTimes {
    pub fn add(&mut self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        *self.0.entry(bucket(nanos)).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        for (&bucket, &moves) in &other.0 {
            let sum = self.0.entry(bucket).or_default();
            *sum = sum.saturating_add(moves);
        }
    }

    pub fn moves(&self) -> u64 {
        self.0.values().fold(0, |sum: u64, &moves| sum.saturating_add(moves))
    }

    /// Returns a quantile in seconds, interpolated within its bucket; `None` without a move.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = q * self.moves() as f64;
        let mut below = 0.0;
        for (&bucket, &moves) in &self.0 {
            let moves = moves as f64;
            if below + moves >= rank {
                let [from, to] = [bucket, bucket + 1].map(start);
                return Some((from + (to - from) * (rank - below) / moves) / 1e9);
            }
            below += moves;
        }
        None
    }
}

/// Returns the bucket of a number of nanoseconds: its exponent, and its bits after the first.
fn bucket(nanos: u64) -> u16 {
    // Numbers of fewer bits have a bucket each.
    let exponent = nanos.max(1).ilog2().saturating_sub(STEPS);
    ((u64::from(exponent) << STEPS) + (nanos >> exponent)) as u16
}

/// Returns the smallest number of nanoseconds of a bucket.
fn start(bucket: u16) -> f64 {
    let exponent = (bucket >> STEPS).saturating_sub(1);
    f64::from(bucket - (exponent << STEPS)) * f64::from(exponent).exp2()
}

impl Serialize for MoveTimes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl<'de> Deserialize<'de> for MoveTimes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs: Vec<(u16, u64)> = Vec::deserialize(deserializer)?;
        let count = pairs.len();
        let times = Self(pairs.into_iter().collect());
        if times.0.len() == count && times.0.keys().all(|&key| key <= bucket(u64::MAX)) {
            Ok(times)
        } else {
            Err(de::Error::custom("no histogram of times"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_adjacent_and_at_most_an_eighth_wide() {
        let mut last = 0;
        for nanos in 0..100_000 {
            let bucket = bucket(nanos);
            assert!(bucket == last || bucket == last + 1, "{nanos}");
            let [from, to] = [bucket, bucket + 1].map(start);
            assert!((from..to).contains(&(nanos as f64)), "{nanos}: {from} to {to}");
            assert!(to - from <= (from / 8.0).max(1.0), "{nanos}: {from} to {to}");
            last = bucket;
        }
        assert!(start(bucket(u64::MAX)) > 1e19 && bucket(u64::MAX) < 1000);
    }

    #[test]
    fn quantiles_are_those_of_all_moves_in_any_order() {
        let time = |index: u64| Duration::from_nanos(40 + (index * index) % 999_983);
        let mut sorted: Vec<_> = (0..20_000).map(|i| time(i).as_secs_f64()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut parts = vec![MoveTimes::default(); 7];
        (0..20_000).rev().for_each(|i| parts[i as usize % 7].add(time(i)));
        let mut all = MoveTimes::default();
        parts.iter().for_each(|part| all.merge(part));
        assert_eq!(all.moves(), 20_000);
        for q in [0.01, 0.5, 0.9, 0.99, 1.0] {
            let (exact, found) = (crate::quantile(&sorted, q), all.quantile(q).unwrap());
            assert!((found / exact - 1.0).abs() < 0.07, "{q}: {found} for {exact}");
        }
        assert_eq!(MoveTimes::default().quantile(0.99), None);
    }
}
