//! A set of numbers, sorted and in little memory, that says the place of a number in it.
//!
//! The numbers are divided into buckets of 2^8 or 2^16, whichever takes less: for each bucket the
//! set holds where it begins, and for each number its place in its bucket.

use runner_board::slots::set_bits;

/// Bits of a number within its bucket.
const NARROW: u32 = 8;
const WIDE: u32 = 16;

/// A sorted set of numbers. `B` holds bytes.
#[derive(Clone, Debug)]
pub struct Positions<B> {
    shift: u32,
    /// For each bucket, and for the end: how many numbers come before, as u32.
    begin: B,
    /// For each number: its low bits, one byte or two.
    lows: B,
}

impl Positions<Vec<u8>> {
    /// Collects `count` ascending numbers below `end`.
    fn of_sorted(numbers: impl Iterator<Item = u64>, count: usize, end: u64) -> Self {
        assert!(count as u64 <= u64::from(u32::MAX), "a layer has fewer than 2^32 positions");
        let bytes = |shift: u32| 4 * (end >> shift) + count as u64 * u64::from(shift / 8);
        let shift = if bytes(NARROW) <= bytes(WIDE) { NARROW } else { WIDE };
        let buckets = end.div_ceil(1 << shift);
        let mut begin = Vec::with_capacity(4 * (buckets as usize + 1));
        let mut lows = Vec::with_capacity(count * (shift / 8) as usize);
        let (mut before, mut bucket) = (0u32, 0);
        let mut fill = |bucket: &mut u64, to: u64, before: u32| {
            while *bucket < to {
                begin.extend(before.to_le_bytes());
                *bucket += 1;
            }
        };
        for number in numbers {
            fill(&mut bucket, (number >> shift) + 1, before);
            lows.extend(&number.to_le_bytes()[..(shift / 8) as usize]);
            before += 1;
        }
        fill(&mut bucket, buckets + 1, before);
        Self { shift, begin, lows }
    }

    /// Collects the numbers of the set bits of words.
    pub fn of_bits(words: &[u64]) -> Self {
        let count: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
        let bits = |(at, &word): (usize, &u64)| {
            set_bits(word).map(move |bit| 64 * at as u64 + u64::from(bit))
        };
        let numbers = words.iter().enumerate().flat_map(bits);
        Self::of_sorted(numbers, count as usize, 64 * words.len() as u64)
    }
}

impl<B: AsRef<[u8]>> Positions<B> {
    /// Joins the parts of a set: bits of a number within its bucket, and the two lists. They come
    /// from a file, so that they may contradict one another: no number is then found.
    pub fn of_parts(shift: u32, begin: B, lows: B) -> Option<Self> {
        let bytes = (begin.as_ref().len(), lows.as_ref().len());
        let fits = [NARROW, WIDE].contains(&shift)
            && bytes.0 >= 4
            && bytes.0.is_multiple_of(4)
            && bytes.1.is_multiple_of((shift / 8) as usize);
        fits.then_some(Self { shift, begin, lows })
    }

    pub fn parts(&self) -> (u32, &[u8], &[u8]) {
        (self.shift, self.begin.as_ref(), self.lows.as_ref())
    }

    pub fn len(&self) -> usize {
        self.lows.as_ref().len() / (self.shift / 8) as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the place of a number.
    #[inline(always)]
    pub fn find(&self, number: u64) -> Option<usize> {
        let bucket = (number >> self.shift) as usize;
        let (begin, end) = (self.begin(bucket)?, self.begin(bucket + 1)?);
        let lows = self.lows.as_ref();
        if self.shift == NARROW {
            let bucket = lows.get(begin..end)?;
            let at = bucket.partition_point(|&low| low < number as u8);
            (bucket.get(at) == Some(&(number as u8))).then_some(begin + at)
        } else {
            let bucket = lows.get(2 * begin..2 * end)?.as_chunks::<2>().0;
            let low = |bytes: &[u8; 2]| u16::from_le_bytes(*bytes);
            let at = bucket.partition_point(|bytes| low(bytes) < number as u16);
            (bucket.get(at).map(low) == Some(number as u16)).then_some(begin + at)
        }
    }

    #[inline(always)]
    fn begin(&self, bucket: usize) -> Option<usize> {
        let bytes = self.begin.as_ref().get(4 * bucket..4 * bucket + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    }

    /// Returns the place of the first number of a bucket.
    pub fn place(&self, bucket: usize) -> usize {
        self.begin(bucket).unwrap_or_else(|| self.len())
    }

    pub fn buckets(&self) -> usize {
        self.begin.as_ref().len() / 4 - 1
    }

    /// Calls a function with the place and the number of each number of some buckets, in order.
    pub fn for_each(&self, buckets: std::ops::Range<usize>, mut call: impl FnMut(usize, u64)) {
        let (bytes, lows) = ((self.shift / 8) as usize, self.lows.as_ref());
        let Some(mut at) = self.begin(buckets.start) else { return };
        for bucket in buckets {
            let end = self.begin(bucket + 1).unwrap_or(at);
            for place in at..end {
                let low = match bytes {
                    1 => u64::from(lows[place]),
                    _ => u64::from(u16::from_le_bytes([lows[2 * place], lows[2 * place + 1]])),
                };
                call(place, (bucket as u64) << self.shift | low);
            }
            at = end;
        }
    }
}

/// Finds the places of numbers faster than [`Positions`], in more memory.
#[derive(Debug)]
pub struct Places(Vec<Word>);

/// A bit for each of 64 numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bits: u64,
    /// The numbers before these.
    before: u32,
}

impl Places {
    /// Collects numbers, all of which are below `end`.
    pub fn of<B: AsRef<[u8]>>(positions: &Positions<B>, end: u64) -> Self {
        let mut words = vec![Word::default(); end.div_ceil(64) as usize];
        positions.for_each(0..positions.buckets(), |_, number| {
            words[(number / 64) as usize].bits |= 1 << (number % 64);
        });
        let mut before = 0;
        for word in &mut words {
            word.before = before;
            before += word.bits.count_ones();
        }
        Self(words)
    }

    /// Returns the place of a number.
    #[inline(always)]
    pub fn find(&self, number: u64) -> Option<usize> {
        let word = self.0[(number / 64) as usize];
        let lower = word.bits & ((1 << (number % 64)) - 1);
        let is_known = word.bits >> (number % 64) & 1 == 1;
        is_known.then_some((word.before + lower.count_ones()) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;

    #[test]
    fn sets_of_any_density_hold_their_numbers_and_no_others() {
        let mut random = Random::from_word(5);
        for (words, one_in) in [(1, 1), (3000, 2), (3000, 50), (5000, 100_000), (2000, 3)] {
            let bits: Vec<u64> = (0..words)
                .map(|_| (0..64).fold(0, |w, bit| w | u64::from(random.below(one_in) == 0) << bit))
                .collect();
            let set = Positions::of_bits(&bits);
            let numbers: Vec<u64> = (0..64 * words as u64)
                .filter(|n| bits[(n / 64) as usize] >> (n % 64) & 1 == 1)
                .collect();
            let places = Places::of(&set, 64 * words as u64);
            assert_eq!(set.len(), numbers.len());
            for (place, &number) in numbers.iter().enumerate() {
                assert_eq!(set.find(number), Some(place));
                assert_eq!(places.find(number), Some(place));
            }
            let absent =
                (0..64 * words as u64 + 1000).filter(|n| numbers.binary_search(n).is_err());
            assert!(absent.clone().into_iter().all(|number| set.find(number).is_none()));
            let mut within = absent.filter(|&number| number < 64 * words as u64);
            assert!(within.all(|number| places.find(number).is_none()));
            let mut walked = Vec::new();
            set.for_each(0..set.buckets(), |place, number| {
                assert_eq!(place, walked.len());
                walked.push(number);
            });
            assert_eq!(walked, numbers);
        }
    }
}
