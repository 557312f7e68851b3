//! The names of tables, which are the cells of their tuples.

/// Reads a name from its eight bytes: a hexadecimal number and its number of digits, or
/// text. In very old files the number of digits is 0, and follows from the number of
/// entries.
pub fn read(bytes: [u8; 8], entries: u64) -> Result<String, String> {
    let [a, b, c, d, e, f, g, h] = bytes;
    if (g, h) == (0, 0) {
        let digits = format!("{:x}", u32::from_le_bytes([a, b, c, d]));
        let width = match u16::from_le_bytes([e, f]) {
            0 => entries.max(1).ilog2() as usize / 4,
            width => usize::from(width),
        };
        return match if width < digits.len() { 8 } else { width } {
            width @ 1..=8 => Ok(format!("{digits:0>width$}")),
            width => Err(format!("a name of {width} digits")),
        };
    }
    let text = bytes.split(|&byte| byte == b' ').next().unwrap_or_default();
    if text.iter().all(u8::is_ascii_graphic) && !text.is_empty() {
        Ok(String::from_utf8_lossy(text).into_owned())
    } else {
        Err("an unreadable name".to_owned())
    }
}

/// Returns the eight bytes of the name of a tuple.
pub fn write(cells: &[u8]) -> [u8; 8] {
    let number = cells.iter().fold(0u32, |number, &cell| number << 4 | u32::from(cell));
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    bytes[4..6].copy_from_slice(&(cells.len() as u16).to_le_bytes());
    bytes
}

/// Returns the cells of a name, the lowest digit of an entry's index first, or none if it
/// is another name.
pub fn cells(name: &str) -> Option<Vec<u8>> {
    name.chars().map(|digit| digit.to_digit(16).map(|cell| cell as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_encodings_of_names_are_read() {
        let number = |number: u32, width: u16| {
            let mut bytes = [0; 8];
            bytes[..4].copy_from_slice(&number.to_le_bytes());
            bytes[4..6].copy_from_slice(&width.to_le_bytes());
            bytes
        };
        assert_eq!(read(number(0x012345, 6), 1 << 24).unwrap(), "012345");
        assert_eq!(
            read(number(0x012, 0), 1 << 12).unwrap(),
            "012",
            "digits by the number of entries"
        );
        assert_eq!(read(number(0x1000_0012, 3), 1 << 12).unwrap(), "10000012");
        assert_eq!(read(*b"num@lt  ", 1).unwrap(), "num@lt");
        assert_eq!(read(*b"410     ", 1).unwrap(), "410");
        assert!(read(number(1, 9), 1).is_err());
        assert!(read(number(0, 0), 0).is_ok());
        assert!(read([0, 1, 2, 3, 4, 5, 6, 7], 1).is_err());
        assert!(read([b' '; 8], 1).is_err());
        for cells in [&[0, 1, 2, 3, 4, 5][..], &[0, 15], &[8, 9, 10, 11, 12, 13, 14, 15]] {
            let name = read(write(cells), 1).unwrap();
            assert_eq!(self::cells(&name).unwrap(), cells);
        }
        assert_eq!(cells("m@0123"), None);
    }
}
