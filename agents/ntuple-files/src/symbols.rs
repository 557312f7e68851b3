//! Entropy coding of symbols whose probabilities depend on a context.
//!
//! An asymmetric numeral system (J. Duda, "Asymmetric numeral systems", 2013), with one table of
//! frequencies for each context. Two states take turns, so that the processor decodes two symbols at a
//! time. The [`Recorder`] of the encoder and the [`Decoder`] are both a [`Coder`], so that one function
//! describes a content for both. A code has two states of u32, then words of u16.

use runner_files::varint;

/// The frequencies of a context add up to 2 to this power.
const BITS: u32 = 12;
const TOTAL: u32 = 1 << BITS;
/// States are at least this, and have one word more at most.
const LEAST: u32 = 1 << 16;

/// Number of symbols.
pub const SYMBOLS: usize = 32;

/// The symbol at each multiple of this many slots is listed: decoding searches from there.
const SLOTS: u32 = 64;

/// The most bits that [`Coder::bits`] takes.
pub const MOST_BITS: u32 = 12;

pub trait Coder {
    /// Codes a symbol. A decoder ignores `symbol` and returns the one that was encoded.
    fn symbol(&mut self, context: usize, symbol: usize) -> usize;

    /// Codes a number below 2^`count` without context; `count` is at most [`MOST_BITS`].
    fn bits(&mut self, count: u32, number: u32) -> u32;

    /// Returns true if the code has ended too early: what was returned last is then arbitrary.
    fn is_exhausted(&self) -> bool;
}

enum Record {
    Symbol { context: u16, symbol: u8 },
    Bits { count: u8, number: u16 },
}

/// Records what is to be encoded: that begins at the end, with the frequencies of all.
#[derive(Default)]
pub struct Recorder(Vec<Record>);

impl Coder for Recorder {
    fn symbol(&mut self, context: usize, symbol: usize) -> usize {
        self.0.push(Record::Symbol { context: context as u16, symbol: symbol as u8 });
        symbol
    }

    fn bits(&mut self, count: u32, number: u32) -> u32 {
        debug_assert!(count <= MOST_BITS && number < 1 << count);
        self.0.push(Record::Bits { count: count as u8, number: number as u16 });
        number
    }

    fn is_exhausted(&self) -> bool {
        false
    }
}

impl Recorder {
    /// Counts the symbols in each context.
    pub fn count(&self, counts: &mut [[u64; SYMBOLS]]) {
        for record in &self.0 {
            if let Record::Symbol { context, symbol } = *record {
                counts[usize::from(context)][usize::from(symbol)] += 1;
            }
        }
    }

    /// Returns the code, or `None` if a table lacks a symbol that was recorded.
    #[must_use]
    pub fn encode(&self, tables: &Tables) -> Option<Vec<u8>> {
        let (mut states, mut words) = ([LEAST; 2], Vec::new());
        // The last record is encoded first, so that the first one is decoded first.
        for (at, record) in self.0.iter().enumerate().rev() {
            let (start, frequency, bits) = match *record {
                Record::Symbol { context, symbol } => {
                    let (start, frequency) = tables.0[usize::from(context)].range(symbol.into());
                    (start, frequency, BITS)
                }
                Record::Bits { count, number } => (number.into(), 1, count.into()),
            };
            if frequency == 0 {
                return None;
            }
            encode(&mut states[at % 2], &mut words, start, frequency, bits);
        }
        let states = states.iter().flat_map(|state| state.to_le_bytes());
        Some(states.chain(words.iter().rev().flat_map(|word| word.to_le_bytes())).collect())
    }
}

/// The frequencies of the symbols in each context.
pub struct Tables(Vec<Table>);

struct Table {
    /// The sum of the frequencies of the symbols before each one.
    starts: [u16; SYMBOLS + 1],
    /// The symbol of every [`SLOTS`]th slot.
    first: [u8; (TOTAL / SLOTS) as usize],
}

impl Table {
    /// The frequencies must add up to [`TOTAL`].
    fn new(frequencies: &[u32; SYMBOLS]) -> Self {
        let mut starts = [TOTAL as u16; SYMBOLS + 1];
        let mut sum = 0;
        for (start, frequency) in starts.iter_mut().zip(frequencies) {
            *start = sum as u16;
            sum += frequency;
        }
        let mut symbol = 0;
        let first = std::array::from_fn(|part| {
            while u32::from(starts[symbol + 1]) <= part as u32 * SLOTS {
                symbol += 1;
            }
            symbol as u8
        });
        Self { starts, first }
    }

    #[inline(always)]
    fn range(&self, symbol: usize) -> (u32, u32) {
        let start = u32::from(self.starts[symbol]);
        (start, u32::from(self.starts[symbol + 1]) - start)
    }
}

impl Tables {
    /// Returns the tables for the numbers of symbols in each context.
    #[must_use]
    pub fn new(counts: &[[u64; SYMBOLS]]) -> Self {
        let table = |counts: &[u64; SYMBOLS]| {
            // A context that does not occur has the last symbol only: all that is listed is 0.
            let mut counts = *counts;
            counts[SYMBOLS - 1] += u64::from(counts == [0; SYMBOLS]);
            Table::new(&frequencies(&counts))
        };
        Self(counts.iter().map(table).collect())
    }

    /// Appends, for each context, the number of frequencies that follow and these, all as varints. Those
    /// that are left out are 0; that of the last symbol follows from the others.
    pub fn push(&self, out: &mut Vec<u8>) {
        for table in &self.0 {
            let frequencies = (0..SYMBOLS - 1).map(|symbol| table.range(symbol).1);
            let listed = frequencies.clone().rposition(|frequency| frequency > 0);
            let listed = listed.map_or(0, |last| last + 1);
            varint::push(listed as u128, out);
            frequencies.take(listed).for_each(|frequency| varint::push(frequency.into(), out));
        }
    }

    /// Reads the tables of this many contexts from the whole of some bytes; `None` if they do not add up.
    #[must_use]
    pub fn read(bytes: &[u8], contexts: usize) -> Option<Self> {
        let mut at = 0;
        let mut table = || {
            let mut next = || u32::try_from(varint::read(bytes, &mut at).ok()?).ok();
            let (mut frequencies, mut rest) = ([0; SYMBOLS], TOTAL);
            let listed = Some(next()? as usize).filter(|&listed| listed < SYMBOLS)?;
            for frequency in &mut frequencies[..listed] {
                *frequency = next()?;
                rest = rest.checked_sub(*frequency)?;
            }
            frequencies[SYMBOLS - 1] = rest;
            Some(Table::new(&frequencies))
        };
        let tables: Vec<_> = (0..contexts).map(|_| table()).collect::<Option<_>>()?;
        (at == bytes.len()).then_some(Self(tables))
    }
}

/// Encodes a value that has `frequency` of 2^`bits` remainders, from `start` on.
fn encode(state: &mut u32, words: &mut Vec<u16>, start: u32, frequency: u32, bits: u32) {
    if u64::from(*state) >= u64::from(frequency) << (32 - bits) {
        words.push(*state as u16);
        *state >>= 16;
    }
    *state = (*state / frequency) << bits | (*state % frequency + start);
}

/// Returns the frequency of each symbol in [`TOTAL`], from how often each occurs; that of one that
/// occurs is at least 1.
fn frequencies(counts: &[u64; SYMBOLS]) -> [u32; SYMBOLS] {
    let all: u64 = counts.iter().sum();
    let share = |count| (count * u64::from(TOTAL) / all) as u32;
    let mut frequencies = counts.map(|count| share(count).max(u32::from(count > 0)));
    // What rounding changed is taken from the most frequent symbol, where it matters least.
    loop {
        let largest = (0..SYMBOLS).max_by_key(|&symbol| frequencies[symbol]).expect("some symbols");
        match frequencies.iter().sum::<u32>() {
            TOTAL => return frequencies,
            sum if sum < TOTAL => frequencies[largest] += TOTAL - sum,
            _ => frequencies[largest] -= 1,
        }
    }
}

/// Decodes what a [`Recorder`] has encoded.
pub struct Decoder<'c> {
    tables: &'c Tables,
    state: u32,
    /// The state of the next symbol: two take turns.
    next: u32,
    words: &'c [[u8; 2]],
    /// The number of the next word.
    at: usize,
}

impl<'c> Decoder<'c> {
    /// Begins to decode, if the code is long enough for its states.
    #[must_use]
    pub fn new(code: &'c [u8], tables: &'c Tables) -> Option<Self> {
        let (states, words) = code.split_at_checked(8)?;
        let [state, next] =
            [0, 4].map(|at| u32::from_le_bytes(states[at..at + 4].try_into().expect("4 bytes")));
        let (words, rest) = words.as_chunks::<2>();
        let is_whole = rest.is_empty();
        is_whole.then_some(Self { tables, state, next, words, at: 0 })
    }

    /// Returns true if nothing of the code is left.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.at == self.words.len() && [self.state, self.next] == [LEAST; 2]
    }

    /// Stores the new state, with one more word if it is below [`LEAST`], and takes the other one.
    #[inline(always)]
    fn advance(&mut self, mut state: u32) {
        // Without a branch: whether a word is needed cannot be predicted.
        let word = self.words.get(self.at).map_or(0, |word| u16::from_le_bytes(*word));
        let is_short = state < LEAST;
        self.at += usize::from(is_short);
        state = if is_short { state << 16 | u32::from(word) } else { state };
        (self.state, self.next) = (self.next, state);
    }
}

impl Coder for Decoder<'_> {
    #[inline(always)]
    fn symbol(&mut self, context: usize, _: usize) -> usize {
        let table = &self.tables.0[context];
        let slot = self.state % TOTAL;
        let mut symbol = usize::from(table.first[(slot / SLOTS) as usize]);
        let is_before = |symbol: usize| u32::from(table.starts[symbol + 1]) <= slot;
        // The first step has no branch: whether it is needed cannot be predicted.
        symbol += usize::from(is_before(symbol));
        while is_before(symbol) {
            symbol += 1;
        }
        let (start, frequency) = table.range(symbol);
        self.advance(frequency * (self.state >> BITS) + (slot - start));
        symbol
    }

    #[inline(always)]
    fn bits(&mut self, count: u32, _: u32) -> u32 {
        let number = self.state % (1 << count);
        self.advance(self.state >> count);
        number
    }

    fn is_exhausted(&self) -> bool {
        self.at > self.words.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CONTEXTS: usize = 3;

    /// Codes symbols, each in the context of the one before, and bits.
    fn code(given: &[usize], count: usize, coder: &mut impl Coder) -> Vec<usize> {
        let mut context = 0;
        let mut next = |k: usize| {
            let symbol = coder.symbol(context, given.get(k).map_or(0, |number| number % SYMBOLS));
            context = symbol % CONTEXTS;
            let rest = given.get(k).map_or(0, |number| number / SYMBOLS);
            symbol + SYMBOLS * coder.bits(5, rest as u32) as usize
        };
        (0..count).map(&mut next).collect()
    }

    proptest! {
        #[test]
        fn symbols_and_bits_are_read_back(
            given in prop::collection::vec(0..SYMBOLS * 32, 0..500),
            cut: prop::sample::Index,
            byte: u8,
        ) {
            let (mut recorder, mut counts) = (Recorder::default(), [[0; SYMBOLS]; CONTEXTS]);
            code(&given, given.len(), &mut recorder);
            recorder.count(&mut counts);
            let mut listed = Vec::new();
            Tables::new(&counts).push(&mut listed);
            let tables = Tables::read(&listed, CONTEXTS).unwrap();
            let bytes = recorder.encode(&tables).unwrap();
            let mut decoder = Decoder::new(&bytes, &tables).unwrap();
            prop_assert_eq!(code(&[], given.len(), &mut decoder), given.clone());
            prop_assert!(decoder.is_finished());
            // Damaged code and damaged tables.
            let cut = cut.index(bytes.len());
            if let Some(mut decoder) = Decoder::new(&bytes[..cut], &tables) {
                code(&[], given.len(), &mut decoder);
                prop_assert!(!decoder.is_finished());
            }
            prop_assert!(Tables::read(&listed[..listed.len() - 1], CONTEXTS).is_none());
            prop_assert!(Tables::read(&listed, CONTEXTS + 1).is_none());
            let at = cut % listed.len();
            listed[at] = listed[at].wrapping_add(byte);
            if let Some(tables) = Tables::read(&listed, CONTEXTS) {
                code(&[], given.len(), &mut Decoder::new(&bytes, &tables).unwrap());
            }
        }
    }
}
