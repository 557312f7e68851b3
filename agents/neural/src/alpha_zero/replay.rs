//! The recent positions, each with the policy of its search and the value of its game.

use runner_core::State;
use std::collections::VecDeque;

#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub state: State,
    /// The share of visits of each action.
    pub policy: Vec<f32>,
    /// The return after the position, in points.
    pub target: f32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    samples: VecDeque<Sample>,
}

impl Replay {
    /// Adds the positions of a game, and removes the oldest ones beyond the capacity.
    pub fn add(&mut self, samples: Vec<Sample>, capacity: usize) {
        self.samples.extend(samples);
        let surplus = self.samples.len().saturating_sub(capacity);
        self.samples.drain(..surplus);
    }

    pub fn len(&self) -> usize {
        self.samples.len()
    }

    pub fn get(&self, place: usize) -> &Sample {
        &self.samples[place]
    }

    /// Returns the bytes of a file: for each position its bits, its return and its policy.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for Sample { state, policy, target } in &self.samples {
            bytes.extend(state.bits().to_le_bytes());
            bytes.extend(target.to_le_bytes());
            policy.iter().for_each(|p| bytes.extend(p.to_le_bytes()));
        }
        bytes
    }

    /// Reads the bytes of a file; `None` if they are not those of a game with this number of
    /// actions.
    pub fn read(bytes: &[u8], actions: usize) -> Option<Self> {
        let sample = |bytes: &[u8]| {
            let (state, rest) = bytes.split_first_chunk()?;
            let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
            let numbers: Vec<f32> = rest.as_chunks().0.iter().map(number).collect();
            let (target, policy) = numbers.split_first()?;
            let state = State::from_bits(u128::from_le_bytes(*state));
            let is_possible = numbers.iter().all(|x| x.is_finite());
            is_possible.then(|| Sample { state, policy: policy.to_vec(), target: *target })
        };
        let size = 16 + 4 * (1 + actions);
        let samples: Option<_> = bytes.chunks(size).map(sample).collect();
        bytes.len().is_multiple_of(size).then_some(Self { samples: samples? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_recent_positions_are_kept_and_read_as_they_were_written() {
        let sample = |n: u64| Sample {
            state: State::new(n, 2 * n),
            policy: vec![0.25; 3],
            target: n as f32,
        };
        let mut replay = Replay::default();
        replay.add((0..5).map(sample).collect(), 4);
        replay.add(vec![sample(5)], 4);
        assert_eq!((replay.len(), replay.get(0)), (4, &sample(2)));
        let bytes = replay.write();
        assert_eq!(Replay::read(&bytes, 3).as_ref(), Some(&replay));
        assert_eq!(Replay::read(&bytes[1..], 3), None);
        assert_eq!(Replay::read(&bytes, 4), None);
    }
}
