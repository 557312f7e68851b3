//! Entropy coding of bytes: those that are frequent take few bits.
//!
//! An asymmetric numeral system with the frequencies of the bytes themselves (J. Duda, "Asymmetric
//! numeral systems", 2013). Two states take turns, so that the processor decodes two bytes at a
//! time.
//!
//! ```text
//! length           varint: the number of bytes; nothing follows if it is 0
//! present          32 bytes, a bit for each of the 256 values: which occur
//! frequencies      varint for each that occurs, less 1; with these 1s they add up to 4096
//! words            varint: the number of words
//! states           two of u32
//! words            u16 each
//! ```

use crate::varint;

pub(crate) const BITS: u32 = 12;
pub(crate) const TOTAL: u32 = 1 << BITS;
/// States are at least this, and have one word more at most.
pub(crate) const LEAST: u32 = 1 << 16;

/// Appends the code of bytes.
///
/// ```
/// use runner_files::rans;
///
/// let (bytes, mut code, mut read) = ([7; 1000], Vec::new(), Vec::new());
/// rans::push(&bytes, &mut code);
/// assert!(code.len() < 50);
/// rans::read(&code, &mut 0, 1000, &mut read)?;
/// assert_eq!(read, bytes);
/// # Ok::<_, String>(())
/// ```
pub fn push(bytes: &[u8], out: &mut Vec<u8>) {
    varint::push(bytes.len() as u128, out);
    if bytes.is_empty() {
        return;
    }
    let mut counts = [0u64; 256];
    bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    let frequencies = frequencies(&counts);
    let mut present = [0u8; 32];
    for (value, _) in frequencies.iter().enumerate().filter(|(_, frequency)| **frequency > 0) {
        present[value / 8] |= 1 << (value % 8);
    }
    out.extend(present);
    for frequency in frequencies.iter().filter(|frequency| **frequency > 0) {
        varint::push(u128::from(frequency - 1), out);
    }
    let starts = starts(&frequencies);
    // The last byte is coded first, so that the first one is decoded first.
    let (mut states, mut words) = ([LEAST; 2], Vec::with_capacity(bytes.len() / 2));
    for (at, &byte) in bytes.iter().enumerate().rev() {
        let byte = usize::from(byte);
        encode(&mut states[at % 2], &mut words, starts[byte], frequencies[byte], BITS);
    }
    varint::push(words.len() as u128, out);
    out.extend(states.iter().flat_map(|state| state.to_le_bytes()));
    out.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
}

/// Decodes the bytes whose code is at `code[*at..]`, at most `max` of them, in place of those in `out`,
/// and moves `at` behind the code.
///
/// # Errors
///
/// Describes the damage, in words that follow the name of the code.
pub fn read(code: &[u8], at: &mut usize, max: usize, out: &mut Vec<u8>) -> Result<(), String> {
    let number = |at: &mut usize| {
        varint::read(code, at).map_err(|error| format!("cannot be decoded: {error}"))
    };
    let length = number(at)?;
    out.clear();
    if length > max as u128 {
        return Err(format!("has {length} bytes, and at most {max} are expected"));
    }
    if length == 0 {
        return Ok(());
    }
    let mut frequencies = [0; 256];
    let present = take(code, at, 32)?;
    for value in (0..256).filter(|value| present[value / 8] >> (value % 8) & 1 == 1) {
        frequencies[value] = 1 + number(at)?.min(TOTAL.into()) as u32;
    }
    if frequencies.iter().sum::<u32>() != TOTAL {
        return Err("cannot be decoded: its frequencies do not add up".into());
    }
    let count = usize::try_from(number(at)?).unwrap_or(usize::MAX);
    let states = take(code, at, 8)?.as_chunks::<4>().0;
    let mut states = [states[0], states[1]].map(u32::from_le_bytes);
    let mut words = take(code, at, count.saturating_mul(2))?.as_chunks::<2>().0.iter();
    let slots = slots(&frequencies);
    out.resize(length as usize, 0);
    let mut decode = |state: &mut u32, byte: &mut u8| -> Result<(), String> {
        let slot = slots[(*state % TOTAL) as usize];
        *byte = slot.byte;
        *state = slot.frequency() * (*state >> BITS) + u32::from(slot.offset);
        if *state < LEAST {
            let word = words.next().ok_or("cannot be decoded: it ends too early")?;
            *state = *state << 16 | u32::from(u16::from_le_bytes(*word));
        }
        Ok(())
    };
    let (pairs, last) = out.as_chunks_mut::<2>();
    for [first, second] in pairs {
        decode(&mut states[0], first)?;
        decode(&mut states[1], second)?;
    }
    last.iter_mut().try_for_each(|last| decode(&mut states[0], last))?;
    match words.len() == 0 && states == [LEAST; 2] {
        true => Ok(()),
        false => Err("cannot be decoded: it does not end where it should".into()),
    }
}

fn take<'c>(code: &'c [u8], at: &mut usize, count: usize) -> Result<&'c [u8], String> {
    let bytes = code.get(*at..at.saturating_add(count));
    *at = at.saturating_add(count);
    bytes.ok_or_else(|| "cannot be decoded: it ends too early".into())
}

/// Encodes a value that has `frequency` of 2^`bits` remainders, from `start` on.
pub(crate) fn encode(state: &mut u32, words: &mut Vec<u16>, start: u32, frequency: u32, bits: u32) {
    if u64::from(*state) >= u64::from(frequency) << (32 - bits) {
        words.push(*state as u16);
        *state >>= 16;
    }
    *state = (*state / frequency) << bits | (*state % frequency + start);
}

/// Returns the frequency of each value in [`TOTAL`] of them, from how often each occurs; that of one that
/// occurs is at least 1.
pub(crate) fn frequencies<const VALUES: usize>(counts: &[u64; VALUES]) -> [u32; VALUES] {
    let all: u64 = counts.iter().sum();
    let share = |count| (count * u64::from(TOTAL) / all) as u32;
    let mut frequencies = counts.map(|count| share(count).max(u32::from(count > 0)));
    // What rounding changed is taken from the most frequent value, where it matters least.
    loop {
        let largest = (0..VALUES).max_by_key(|&value| frequencies[value]).expect("some values");
        match frequencies.iter().sum::<u32>() {
            TOTAL => return frequencies,
            sum if sum < TOTAL => frequencies[largest] += TOTAL - sum,
            _ => frequencies[largest] -= 1,
        }
    }
}

/// Returns the sum of the frequencies before each value.
fn starts(frequencies: &[u32; 256]) -> [u32; 256] {
    let mut sum = 0;
    frequencies.map(|frequency| {
        sum += frequency;
        sum - frequency
    })
}

/// The byte of a remainder of a state, and how the state changes.
#[derive(Clone, Copy, Default)]
struct Slot {
    byte: u8,
    /// The frequency of the byte, less 1.
    frequency: u16,
    /// The place among the remainders of the byte.
    offset: u16,
}

impl Slot {
    fn frequency(self) -> u32 {
        u32::from(self.frequency) + 1
    }
}

fn slots(frequencies: &[u32; 256]) -> Vec<Slot> {
    let slots = (0u8..=255).zip(frequencies).flat_map(|(byte, &frequency)| {
        let slot = move |offset| Slot { byte, frequency: (frequency - 1) as u16, offset };
        (0..frequency as u16).map(slot)
    });
    slots.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coded(bytes: &[u8]) -> Vec<u8> {
        let mut code = Vec::new();
        push(bytes, &mut code);
        code
    }

    fn decoded(code: &[u8], max: usize) -> Result<Vec<u8>, String> {
        let (mut at, mut out) = (0, Vec::new());
        read(code, &mut at, max, &mut out)?;
        assert_eq!(at, code.len());
        Ok(out)
    }

    proptest! {
        #[test]
        fn bytes_are_read_back(bytes in prop::collection::vec(any::<u8>(), 0..2000), most: u8) {
            let skewed: Vec<u8> = bytes.iter().map(|&byte| byte.min(most) / 3).collect();
            for bytes in [bytes, skewed] {
                prop_assert_eq!(decoded(&coded(&bytes), bytes.len()), Ok(bytes));
            }
        }

        #[test]
        fn damaged_code_does_no_harm(
            bytes in prop::collection::vec(0u8..20, 1..200), at: prop::sample::Index, byte: u8
        ) {
            let code = coded(&bytes);
            prop_assert!(decoded(&code[..at.index(code.len())], 200).is_err());
            let mut changed = code;
            let at = at.index(changed.len());
            changed[at] = byte;
            let _ = read(&changed, &mut 0, 200, &mut Vec::new());
        }
    }

    #[test]
    fn frequent_bytes_take_few_bits() {
        // 1 in 16 bytes is a 1: 0.337 bits for each byte.
        let bytes: Vec<u8> = (0..64_000u32).map(|k| u8::from(k * k % 97 % 16 == 0)).collect();
        let share = bytes.iter().map(|&byte| f64::from(byte)).sum::<f64>() / 64_000.0;
        let entropy = -(share * share.log2() + (1.0 - share) * (1.0 - share).log2());
        let code = coded(&bytes).len() as f64;
        assert!((code - 8000.0 * entropy).abs() < 100.0, "{code} bytes for {entropy} bits");
    }

    #[test]
    fn longer_bytes_than_expected_are_refused() {
        assert_eq!(
            decoded(&coded(&[1; 300]), 299),
            Err("has 300 bytes, and at most 299 are expected".into())
        );
    }
}
