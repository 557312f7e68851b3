//! The tiles that enter a board.

/// A tile that can enter on a uniformly random empty cell.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Entry {
    pub rank: u8,
    /// The probability that this tile of the list enters.
    pub probability: f64,
}

/// The tiles that can enter, one of which is drawn with 32 random bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    list: Vec<Entry>,
    /// Entry i is drawn by the random numbers above `bounds[i - 1]` (from 0 for the
    /// first) up to and including `bounds[i]` (to the end for the last).
    bounds: Vec<u32>,
}

impl Entries {
    /// Creates the list. The probabilities must sum to 1.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(list: Vec<Entry>) -> Self {
        assert!(!list.is_empty(), "no tile can enter");
        let (mut sum, mut bounds) = (0.0, Vec::new());
        for entry in &list[..list.len() - 1] {
            sum += entry.probability;
            bounds.push((sum * (1u64 << 32) as f64) as u32);
        }
        Self { list, bounds }
    }

    pub fn list(&self) -> &[Entry] {
        &self.list
    }

    /// Returns the rank of a random entry.
    #[inline(always)]
    pub fn draw(&self, random: u32) -> u8 {
        // The bounds are counted: a search would branch on a random number.
        let passed = self.bounds.iter().map(|&bound| usize::from(random > bound)).sum::<usize>();
        self.list[passed].rank
    }
}
