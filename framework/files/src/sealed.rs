//! Texts that hold their own checksum: files whose last line is the checksum of all lines before
//! it (to RON that line is a comment), and lines of JSON whose last field is the checksum of
//! the others.

/// The start of the last line.
const SEAL: &str = "// checksum ";

fn seal_of(text: &str) -> String {
    format!("{SEAL}{:08x}\n", crc32fast::hash(text.as_bytes()))
}

/// Returns a text with its checksum line.
///
/// ```
/// # use runner_files::sealed;
/// let file = sealed::seal("(step: 0.3)");
/// assert_eq!(file, "(step: 0.3)\n// checksum 2fe39d9f\n");
/// assert_eq!(sealed::open(file.as_bytes()), Ok("(step: 0.3)\n"));
/// assert!(sealed::open(file.replace("0.3", "0.4").as_bytes()).is_err());
/// ```
pub fn seal(text: &str) -> String {
    let text = format!("{text}\n");
    let seal = seal_of(&text);
    text + &seal
}

/// Returns the text of a file without its checksum line, if the checksum is right.
pub fn open(file: &[u8]) -> Result<&str, Broken> {
    let file = std::str::from_utf8(file).map_err(|error| match error.error_len() {
        Some(_) => Broken::Changed,
        // The file ends within a character.
        None => Broken::Truncated,
    })?;
    let lines = file.strip_suffix('\n').unwrap_or(file);
    let last = lines.rfind('\n').map_or(0, |end| end + 1);
    let (text, seal) = file.split_at(last);
    match seal {
        right if right == seal_of(text) => Ok(text),
        // A complete checksum line with another checksum.
        wrong if wrong.starts_with(SEAL) && wrong.ends_with('\n') => Err(Broken::Changed),
        _ => Err(Broken::Truncated),
    }
}

/// The start of the last field of a line.
const CHECK: &[u8] = b",\"check\":\"";
const END: &[u8] = b"\"}";
/// Length of a checksum in hexadecimal digits.
const DIGITS: usize = 8;

/// Adds a checksum, as the last field `check`, to the JSON object that begins at `start` and ends
/// with the text.
///
/// ```
/// # use runner_files::sealed;
/// let mut line = b"{\"score\":12}".to_vec();
/// sealed::seal_line(&mut line, 0);
/// assert_eq!(line, b"{\"score\":12,\"check\":\"2dedd6c4\"}");
/// assert_eq!(sealed::open_line(&line), Ok(()));
/// ```
pub fn seal_line(line: &mut Vec<u8>, start: usize) {
    let end = line.pop();
    debug_assert_eq!(end, Some(b'}'));
    let check = check_of(&line[start..]);
    for part in [CHECK, &check, END] {
        line.extend_from_slice(part);
    }
}

pub fn open_line(line: &[u8]) -> Result<(), Broken> {
    let fields = line.len().checked_sub(CHECK.len() + DIGITS + END.len());
    let (fields, check) = line.split_at(fields.ok_or(Broken::Truncated)?);
    let check = check.strip_prefix(CHECK).and_then(|check| check.strip_suffix(END));
    if check.ok_or(Broken::Truncated)? == check_of(fields) { Ok(()) } else { Err(Broken::Changed) }
}

fn check_of(fields: &[u8]) -> [u8; DIGITS] {
    let check = crc32fast::hash(fields);
    // One digit after the other: formatting takes longer than the checksum.
    std::array::from_fn(|place| b"0123456789abcdef"[(check >> (28 - 4 * place)) as usize & 15])
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    #[error("it is truncated: it ends without a checksum")]
    Truncated,
    #[error("checksum mismatch: it is damaged, or was edited")]
    Changed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back() {
        for text in ["", "(a: 1)", "two\nlines", "// checksum 00000000", "\u{e9}\n\n"] {
            let file = seal(text);
            assert_eq!(open(file.as_bytes()).unwrap().strip_suffix('\n'), Some(text));
        }
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_detected() {
        let file = seal("(step: 0.3,\n  mean: [1.5, \u{e9}])").into_bytes();
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut bad = file.clone();
                bad[at] ^= 1 << bit;
                assert!(open(&bad).is_err(), "bit {bit} of byte {at}");
            }
            assert_eq!(open(&file[..at]), Err(Broken::Truncated), "truncated at {at}");
        }
        for more in ["\n", "x", "(a: 1)\n"] {
            let longer = [&file, more.as_bytes()].concat();
            assert!(open(&longer).is_err(), "followed by {more:?}");
        }
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_of_a_line_is_detected() {
        let mut lines = b"{\"score\":1}\n{\"name\":\"\\\"\",\"score\":2.5}".to_vec();
        seal_line(&mut lines, 12);
        let line = &lines[12..];
        assert_eq!(open_line(line), Ok(()));
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut bad = line.to_vec();
                bad[at] ^= 1 << bit;
                assert!(open_line(&bad).is_err(), "bit {bit} of byte {at}");
            }
            assert_eq!(open_line(&line[..at]), Err(Broken::Truncated), "truncated at {at}");
        }
        assert!(open_line(&[line, b"}"].concat()).is_err());
    }
}
