//! The tiles that enter a board after a move.

/// A tile that can enter, on a uniformly random empty cell.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Entry {
    pub rank: u8,
    pub probability: f64,
}

/// The tiles that can enter, one of which is drawn with 32 random bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    list: Vec<Entry>,
    /// The largest random number that draws each entry. The last entry has no bound. For the
    /// probabilities 0.75 and 0.25 the only bound is `0xc000_0000`.
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
        let mut bounds = Vec::new();
        let mut sum = 0.0;
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
        // The smaller bounds are counted, because a search would branch on a random number.
        let index = self.bounds.iter().map(|&bound| usize::from(random > bound)).sum::<usize>();
        self.list[index].rank
    }
}
