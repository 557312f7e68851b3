//! The numbers of the games of a cell that are still to be played.

use std::collections::VecDeque;
use std::ops::Range;

/// Numbers of the games that no worker has taken, ascending.
#[derive(Debug, Default)]
pub struct Missing {
    ranges: VecDeque<Range<u64>>,
    /// Sum of the lengths of `ranges`.
    left: u64,
}

impl Missing {
    /// Returns the numbers without those of the games that are `over`, which must be ascending.
    pub fn new(numbers: Range<u64>, over: impl IntoIterator<Item = u64>) -> Self {
        let mut missing = Self::default();
        let mut from = numbers.start;
        let over = over.into_iter().take_while(|&number| number < numbers.end);
        for number in over.chain([numbers.end]) {
            if from < number {
                missing.ranges.push_back(from..number);
                missing.left += number - from;
            }
            from = number + 1;
        }
        missing
    }

    /// Returns the number of games that are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Returns the number of the next game.
    pub fn next(&self) -> Option<u64> {
        self.ranges.front().map(|range| range.start)
    }

    /// Takes the next games, at most this many. Fewer are taken before a number that is left out.
    pub fn take(&mut self, most: u64) -> Option<Range<u64>> {
        let first = self.ranges.front_mut()?;
        let taken = first.start..first.end.min(first.start.saturating_add(most));
        first.start = taken.end;
        if first.is_empty() {
            self.ranges.pop_front();
        }
        self.left -= taken.end - taken.start;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_missing_games_are_taken_each_once() {
        let mut missing = Missing::new(0..12, [0, 3, 4, 9, 12, 15]);
        assert_eq!((missing.left(), missing.next()), (8, Some(1)));
        let taken: Vec<_> = std::iter::from_fn(|| missing.take(2)).flatten().collect();
        assert_eq!(taken, [1, 2, 5, 6, 7, 8, 10, 11]);
        assert_eq!((missing.left(), missing.next()), (0, None));
    }
}
