//! Numbers below 2^28 in as many bytes as they need: seven bits each, the lowest
//! first, and a bit that says whether more follow.

/// Appends a number.
pub fn push(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads the number at a place, and moves on behind it. `None` if the bytes end
/// before it does, or it has more than four.
#[inline]
pub fn read(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let next = *bytes.get(*at)?;
        *at += 1;
        number |= usize::from(next & 0x7f) << shift;
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
    fn numbers_come_back() {
        for number in (0..28).flat_map(|bit| [(1 << bit) - 1, 1 << bit]) {
            let mut bytes = Vec::new();
            push(number, &mut bytes);
            let mut at = 0;
            assert_eq!((read(&bytes, &mut at), at), (Some(number), bytes.len()));
            assert_eq!(read(&bytes[..bytes.len() - 1], &mut 0), None, "cut off");
        }
        assert_eq!(read(&[0xff; 8], &mut 0), None);
    }
}
