//! Variable-length integers of up to 128 bits (LEB128): seven bits a byte, the lowest
//! first, and a bit that says whether another byte follows. Every integer has exactly one
//! encoding; others are refused on reading.

pub const MAX_BYTES: usize = 19;

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum VarintError {
    #[error("the bytes end within an integer")]
    Truncated,
    /// It has more than 128 bits, or more bytes than it needs.
    #[error("an integer is not encoded as it should be")]
    Invalid,
}

/// Appends an integer.
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

/// Reads the integer at `bytes[*at..]` and moves `at` behind it.
#[inline]
pub fn read(bytes: &[u8], at: &mut usize) -> Result<u128, VarintError> {
    let first = *bytes.get(*at).ok_or(VarintError::Truncated)?;
    *at += 1;
    if first < 0x80 {
        return Ok(first.into());
    }
    let mut number = u128::from(first & 0x7f);
    for i in 1..MAX_BYTES {
        let next = *bytes.get(*at).ok_or(VarintError::Truncated)?;
        *at += 1;
        // The last of 19 bytes has two of the 128 bits.
        if next == 0 || (i == MAX_BYTES - 1 && next > 3) {
            break;
        }
        number |= u128::from(next & 0x7f) << (7 * i);
        if next < 0x80 {
            return Ok(number);
        }
    }
    Err(VarintError::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_back() {
        let mut numbers: Vec<u128> = (0..128).flat_map(|k| [1 << k, (1 << k) - 1]).collect();
        numbers.push(u128::MAX);
        for number in numbers {
            let mut bytes = Vec::new();
            push(number, &mut bytes);
            let mut at = 0;
            assert_eq!((read(&bytes, &mut at), at), (Ok(number), bytes.len()));
            assert_eq!(read(&bytes[..bytes.len() - 1], &mut 0), Err(VarintError::Truncated));
        }
    }

    #[test]
    fn more_than_128_bits_are_refused() {
        let mut bytes = vec![0xff; MAX_BYTES - 1];
        bytes.push(4);
        assert_eq!(read(&bytes, &mut 0), Err(VarintError::Invalid));
        assert_eq!(read(&[0xff; 2 * MAX_BYTES], &mut 0), Err(VarintError::Invalid));
    }

    #[test]
    fn superfluous_bytes_are_refused() {
        assert_eq!(read(&[1], &mut 0), Ok(1));
        assert_eq!(read(&[0x81, 0], &mut 0), Err(VarintError::Invalid));
        assert_eq!(read(&[0x80, 0x80, 0], &mut 0), Err(VarintError::Invalid));
        // A zero group in the middle is needed.
        assert_eq!(read(&[0x81, 0x80, 1], &mut 0), Ok(1 + (1 << 14)));
    }
}
