//! Numbers of up to 128 bits in as many bytes as they need: seven bits each, the
//! lowest first, and a bit that says whether more follow. A number has one
//! spelling, so equal bytes and equal numbers are the same thing.

use std::fmt;

/// The most bytes of a number.
pub const MOST: usize = 19;

/// Why there is no number at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreadable {
    /// The bytes end before it does.
    CutOff,
    /// It has more bits than 128, or more bytes than it needs.
    Misspelt,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CutOff => "the bytes end before a number does",
            Self::Misspelt => "a number is not spelt as it should be",
        })
    }
}

impl std::error::Error for Unreadable {}

/// Appends a number.
///
/// ```
/// use runner_files::varint;
///
/// let mut bytes = Vec::new();
/// varint::push(300, &mut bytes);
/// assert_eq!(bytes, [0xac, 0x02]);
/// assert_eq!(varint::read(&bytes, &mut 0), Ok(300));
/// ```
pub fn push(mut number: u128, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// How many bytes a number takes.
pub fn length(number: u128) -> usize {
    (128 - number.leading_zeros() as usize).div_ceil(7).max(1)
}

/// Reads the number at a place, and moves on behind it.
#[inline]
pub fn read(bytes: &[u8], at: &mut usize) -> Result<u128, Unreadable> {
    let first = *bytes.get(*at).ok_or(Unreadable::CutOff)?;
    *at += 1;
    if first < 0x80 {
        return Ok(first.into());
    }
    let mut number = u128::from(first & 0x7f);
    for i in 1..MOST {
        let next = *bytes.get(*at).ok_or(Unreadable::CutOff)?;
        *at += 1;
        // The last byte has room for two bits of the 128.
        if next == 0 || (i == MOST - 1 && next > 3) {
            break;
        }
        number |= u128::from(next & 0x7f) << (7 * i);
        if next < 0x80 {
            return Ok(number);
        }
    }
    Err(Unreadable::Misspelt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_in_as_many_bytes_as_are_said() {
        let mut numbers: Vec<u128> = (0..128).flat_map(|k| [1 << k, (1 << k) - 1]).collect();
        numbers.push(u128::MAX);
        for number in numbers {
            let mut bytes = Vec::new();
            push(number, &mut bytes);
            assert_eq!(bytes.len(), length(number), "{number}");
            let mut at = 0;
            assert_eq!((read(&bytes, &mut at), at), (Ok(number), bytes.len()));
            assert_eq!(read(&bytes[..bytes.len() - 1], &mut 0), Err(Unreadable::CutOff));
        }
    }

    #[test]
    fn what_exceeds_128_bits_is_refused() {
        let mut bytes = vec![0xff; MOST - 1];
        bytes.push(4);
        assert_eq!(read(&bytes, &mut 0), Err(Unreadable::Misspelt));
        assert_eq!(read(&[0xff; 2 * MOST], &mut 0), Err(Unreadable::Misspelt));
    }

    #[test]
    fn a_number_has_one_spelling() {
        assert_eq!(read(&[1], &mut 0), Ok(1));
        assert_eq!(read(&[0x81, 0], &mut 0), Err(Unreadable::Misspelt));
        assert_eq!(read(&[0x80, 0x80, 0], &mut 0), Err(Unreadable::Misspelt));
        // A byte in the middle may be without bits.
        assert_eq!(read(&[0x81, 0x80, 1], &mut 0), Ok(1 + (1 << 14)));
    }
}
