//! Numbers of up to 128 bits in as many bytes as they need: seven bits each, the
//! lowest first, and a bit that says whether more follow.

/// The most bytes of a number.
pub const MOST: usize = 19;

/// Appends a number.
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

/// Reads the number at a place, and moves on behind it. `None` if the bytes end
/// before it does, or it is no number of 128 bits.
#[inline]
pub fn read(bytes: &[u8], at: &mut usize) -> Option<u128> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(first.into());
    }
    let mut number = u128::from(first & 0x7f);
    for i in 1..MOST {
        let next = *bytes.get(*at)?;
        *at += 1;
        let bits = u128::from(next & 0x7f);
        number |= bits << (7 * i);
        if i == MOST - 1 && (bits > 3 || next >= 0x80) {
            return None;
        }
        if next < 0x80 {
            return Some(number);
        }
    }
    None
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
            assert_eq!((read(&bytes, &mut at), at), (Some(number), bytes.len()));
            assert_eq!(read(&bytes[..bytes.len() - 1], &mut 0), None, "cut off");
        }
    }

    #[test]
    fn what_exceeds_128_bits_is_refused() {
        let mut bytes = vec![0xff; MOST - 1];
        bytes.push(4);
        assert_eq!(read(&bytes, &mut 0), None);
        assert_eq!(read(&[0xff; 2 * MOST], &mut 0), None);
    }
}
