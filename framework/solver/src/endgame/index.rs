//! A number for every content of the free cells with a given sum: no two contents of a layer share
//! one, and each number is a content.
//!
//! The free cells are cut into two halves. The contents of a half are ordered by their sums; a
//! content of the layer with sum s is numbered by the sum of its first half, then by the place of
//! the first half among those with this sum, then by the place of the second half among those with
//! the sum that is left.

use super::bits::{LOW, holders};

/// Contents of one half of the free cells, as codes of four bits for each cell.
#[derive(Debug)]
struct Half {
    /// By code: its sum in the upper bits, its place among the codes with this sum in the lower
    /// ones; [`NO_CODE`] if a rank has no size.
    places: Vec<u32>,
    /// Number of bits of a place.
    place_bits: u32,
    /// The codes, ordered by sum and place.
    codes: Vec<u32>,
    /// By sum: where its codes begin.
    begin: Vec<u32>,
    /// The lowest bit of each cell in a code.
    cells: Code,
}

const NO_CODE: u32 = u32::MAX;

/// Greatest sum of a half. The first numbers of layers take memory of its square: 1 GiB here.
const MAX_SUM: u32 = 1 << 13;

impl Half {
    /// Returns `None` if the sums are too great, or a sum and a place do not fit into 32 bits.
    fn new(cells: usize, units: &[u32]) -> Option<Self> {
        let mut codes = vec![(0u32, 0u32)];
        for cell in 0..cells {
            codes = (codes.iter())
                .flat_map(|&(code, sum)| {
                    let more = units.iter().copied().enumerate();
                    more.map(move |(rank, unit)| (code | (rank as u32) << (4 * cell), sum + unit))
                })
                .collect();
        }
        codes.sort_unstable_by_key(|&(code, sum)| (sum, code));
        let greatest = codes.last().map_or(0, |&(_, sum)| sum);
        if greatest > MAX_SUM {
            return None;
        }
        let mut begin = vec![0; greatest as usize + 2];
        codes.iter().for_each(|&(_, sum)| begin[sum as usize + 1] += 1);
        let largest: u32 = begin.iter().copied().max()?;
        (1..begin.len()).for_each(|sum| begin[sum] += begin[sum - 1]);
        let place_bits = u32::BITS - largest.leading_zeros();
        // The greatest sum with a place of ones would be `NO_CODE`.
        if u64::from(greatest + 1) << place_bits > u64::from(u32::MAX) {
            return None;
        }
        let mut places = vec![NO_CODE; 1 << (4 * cells)];
        for (at, &(code, sum)) in codes.iter().enumerate() {
            places[code as usize] = sum << place_bits | (at as u32 - begin[sum as usize]);
        }
        let codes = codes.into_iter().map(|(code, _)| code).collect();
        let cells = LOW & ((1 << (4 * cells)) - 1);
        Some(Self { places, place_bits, codes, begin, cells })
    }

    /// Returns the sum of a code and its place among the codes with this sum.
    #[inline(always)]
    fn place(&self, code: Code) -> Option<(u32, u32)> {
        let entry = self.places[code as usize];
        let place = entry & ((1 << self.place_bits) - 1);
        (entry != NO_CODE).then_some((entry >> self.place_bits, place))
    }

    fn greatest(&self) -> u32 {
        self.begin.len() as u32 - 2
    }

    #[inline(always)]
    fn count(&self, sum: u32) -> u32 {
        match self.begin.get(sum as usize..sum as usize + 2) {
            Some(&[begin, end]) => end - begin,
            _ => 0,
        }
    }
}

/// The numbers of all contents of the free cells.
#[derive(Debug)]
pub struct Index {
    halves: [Half; 2],
    /// Bits of the code of the first half.
    bits: u32,
    /// By the sum of a layer: its numbers.
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    /// The number of contents.
    count: u64,
    /// By the sum of the first half: the first number.
    begin: Vec<u64>,
}

/// The content of the free cells, as a code of four bits for each cell.
pub type Code = u64;

impl Index {
    /// Numbers the contents of `cells` free cells. `units` are the sizes of the ranks; that of rank
    /// 0 is
    /// 0. Returns `None` if the sizes are too large for this number of cells.
    pub fn new(cells: usize, units: &[u32]) -> Option<Self> {
        let first = cells.div_ceil(2);
        let largest = units.iter().copied().max()?;
        let halves = [Half::new(first, units)?, Half::new(cells - first, units)?];
        let layers = (0..=cells as u32 * largest)
            .map(|sum| {
                let mut count = 0;
                let begin = (0..=halves[0].greatest().min(sum))
                    .map(|part| {
                        let begin = count;
                        count += u64::from(halves[0].count(part))
                            * u64::from(halves[1].count(sum - part));
                        begin
                    })
                    .collect();
                Layer { count, begin }
            })
            .collect();
        Some(Self { halves, bits: 4 * first as u32, layers })
    }

    pub fn greatest(&self) -> u32 {
        self.layers.len() as u32 - 1
    }

    /// Returns how many contents have a sum.
    pub fn count(&self, sum: u32) -> u64 {
        self.layers.get(sum as usize).map_or(0, |layer| layer.count)
    }

    /// Returns the sum of a content and its number, if all of its ranks have a size.
    #[inline(always)]
    pub fn number(&self, code: Code) -> Option<(u32, u64)> {
        let [first, second] = &self.halves;
        let (part, row) = first.place(code & ((1 << self.bits) - 1))?;
        let (rest, place) = second.place(code >> self.bits)?;
        let sum = part + rest;
        let layer = self.layers.get(sum as usize)?;
        let before = u64::from(row) * u64::from(second.count(rest));
        Some((sum, layer.begin[part as usize] + before + u64::from(place)))
    }

    pub fn cursor(&self, sum: u32) -> Cursor<'_> {
        let entered = Entered::default();
        Cursor { index: self, sum, part: 0, place: 0, begin: 0, end: 0, high: 0, entered }
    }
}

/// Finds contents by their numbers; numbers that ascend cost little.
#[derive(Debug)]
pub struct Cursor<'a> {
    index: &'a Index,
    sum: u32,
    /// The sum of the first half, and its place.
    part: u32,
    place: u32,
    /// The numbers with this first half.
    begin: u64,
    end: u64,
    /// The code of the first half.
    high: Code,
    entered: Entered,
}

/// Numbers of the contents that have one tile more than others with the same first half.
#[derive(Debug, Default)]
struct Entered {
    /// The first half, as its sum and its place; none at the beginning.
    half: Option<(u32, u32)>,
    /// For each empty cell of the first half and each tile: the number, without the place of the
    /// second half.
    first: Vec<(usize, u64)>,
    /// For each tile: the number after it enters the second half, without the place of that.
    second: Vec<u64>,
}

impl Cursor<'_> {
    /// Returns the number of another content of the layer, if all of its ranks have a size.
    #[inline(always)]
    pub fn number(&self, code: Code) -> Option<u64> {
        let [first, second] = &self.index.halves;
        let (part, row) = first.place(code & ((1 << self.index.bits) - 1))?;
        let (rest, place) = second.place(code >> self.index.bits)?;
        let before = u64::from(row) * u64::from(second.count(rest));
        Some(self.index.layers[self.sum as usize].begin[part as usize] + before + u64::from(place))
    }

    /// Calls a function for each empty cell of a content and each tile, given by rank and size,
    /// that may enter there: with the place of the tile in their list, and with the number of the
    /// content that has it. Returns the number of empty cells. Numbers that ascend cost little. The
    /// tiles are the same in all calls.
    #[inline(always)]
    pub fn entered(
        &mut self,
        number: u64,
        tiles: &[(u8, u32)],
        mut call: impl FnMut(usize, u64),
    ) -> usize {
        let code = self.content(number);
        if self.entered.half != Some((self.part, self.place)) {
            self.enter(tiles);
        }
        let (entered, second) = (&self.entered, &self.index.halves[1]);
        for &(tile, base) in &entered.first {
            call(tile, base + (number - self.begin));
        }
        let low = code >> self.index.bits;
        let mut empty = holders(low, 0) & second.cells;
        let count = entered.first.len() / tiles.len() + empty.count_ones() as usize;
        while empty != 0 {
            let slot = empty.trailing_zeros();
            for (tile, &(rank, _)) in tiles.iter().enumerate() {
                let entry = second.places[(low | Code::from(rank) << slot) as usize];
                let place = entry & ((1 << second.place_bits) - 1);
                call(tile, entered.second[tile] + u64::from(place));
            }
            empty &= empty - 1;
        }
        count
    }

    /// Finds the numbers for the first half of the cursor.
    fn enter(&mut self, tiles: &[(u8, u32)]) {
        let Index { halves: [first, second], layers, .. } = self.index;
        let entered = &mut self.entered;
        entered.half = Some((self.part, self.place));
        let rest = self.sum - self.part;
        let begin = |sum: u32, part: u32| layers[sum as usize].begin[part as usize];
        let second_base = |&(_, units): &(u8, u32)| {
            begin(self.sum + units, self.part)
                + u64::from(self.place) * u64::from(second.count(rest + units))
        };
        entered.second.clear();
        entered.second.extend(tiles.iter().map(second_base));
        entered.first.clear();
        let mut empty = holders(self.high, 0) & first.cells;
        while empty != 0 {
            let slot = empty.trailing_zeros();
            for (tile, &(rank, units)) in tiles.iter().enumerate() {
                let entry = first.places[(self.high | Code::from(rank) << slot) as usize];
                let row = entry & ((1 << first.place_bits) - 1);
                let base = begin(self.sum + units, self.part + units)
                    + u64::from(row) * u64::from(second.count(rest));
                entered.first.push((tile, base));
            }
            empty &= empty - 1;
        }
    }

    /// Returns the content with a number.
    #[inline(always)]
    pub fn content(&mut self, number: u64) -> Code {
        if !(self.begin..self.end).contains(&number) {
            self.seek(number);
        }
        let second = &self.index.halves[1];
        let at = second.begin[(self.sum - self.part) as usize] + (number - self.begin) as u32;
        self.high | Code::from(second.codes[at as usize]) << self.index.bits
    }

    fn seek(&mut self, number: u64) {
        let Index { halves: [first, second], layers, .. } = self.index;
        let layer = &layers[self.sum as usize];
        self.part = layer.begin.partition_point(|&begin| begin <= number) as u32 - 1;
        let count = u64::from(second.count(self.sum - self.part));
        let begin = layer.begin[self.part as usize];
        self.place = ((number - begin) / count) as u32;
        self.begin = begin + u64::from(self.place) * count;
        self.end = self.begin + count;
        let at = first.begin[self.part as usize] + self.place;
        self.high = Code::from(first.codes[at as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_contents_are_one_to_one() {
        let small: &[u32] = &[0, 1, 2, 4];
        // All tiles up to 4096: their sums need 14 bits.
        let large: Vec<u32> =
            (0..13).map(|rank| if rank == 0 { 0 } else { 1 << (rank - 1) }).collect();
        for (cells, units) in [(1, small), (2, small), (3, small), (5, small), (5, &large)] {
            let index = Index::new(cells, units).unwrap();
            let mut seen = 0;
            for sum in 0..=index.greatest() {
                let mut cursor = index.cursor(sum);
                for number in 0..index.count(sum) {
                    let code = cursor.content(number);
                    assert_eq!(index.number(code), Some((sum, number)), "{code:x}");
                    let ranks = (0..cells).map(|cell| (code >> (4 * cell) & 15) as usize);
                    assert_eq!(ranks.map(|rank| units[rank]).sum::<u32>(), sum);
                    seen += 1;
                }
            }
            assert_eq!(seen, units.len().pow(cells as u32));
            assert_eq!(index.number(units.len() as Code), None);
        }
    }

    #[test]
    fn sizes_that_cannot_be_numbered_are_refused() {
        let units: Vec<u32> = (0..14).map(|rank| rank << 9).collect();
        assert!(Index::new(4, &units).is_none());
    }
}
