//! A line of the format that is read, byte by byte.

use runner_core::TextError;

/// The digits of ranks, and the first sixteen of them those of positions.
pub const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// A line that is read.
pub struct Text<'a> {
    bytes: &'a [u8],
    /// Offset of the next byte.
    pub at: usize,
}

impl<'a> Text<'a> {
    pub fn new(line: &'a str) -> Self {
        Self { bytes: line.as_bytes(), at: 0 }
    }

    /// Returns the next byte, without taking it.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns an error at the next byte.
    pub fn wrong(&self, message: &str) -> TextError {
        TextError::new(self.at, message)
    }

    /// Takes this byte, which must be the next one.
    pub fn expect(&mut self, byte: u8) -> Result<(), TextError> {
        match self.peek() == Some(byte) {
            true => self.at += 1,
            false => return Err(self.wrong(&format!("expected `{}`", char::from(byte)))),
        }
        Ok(())
    }

    /// Reads a name, and after `@` a time.
    pub fn name_and_time(&mut self) -> Result<(), TextError> {
        let name = self.bytes[self.at..].iter().take_while(|byte| !b"@|".contains(byte));
        self.at += name.count();
        self.expect(b'@')?;
        self.digits().map(drop)
    }

    /// Reads a number between brackets, if they are there.
    pub fn number(&mut self, open: u8, close: u8) -> Result<Option<u64>, TextError> {
        if self.peek() != Some(open) {
            return Ok(None);
        }
        self.at += 1;
        let number = self.digits()?;
        self.expect(close)?;
        Ok(Some(number))
    }

    fn digits(&mut self) -> Result<u64, TextError> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = str::from_utf8(&rest[..length]).ok().and_then(|digits| digits.parse().ok());
        let number = number.ok_or_else(|| self.wrong("expected a number of at most 19 digits"))?;
        self.at += length;
        Ok(number)
    }

    /// Reads a digit of base 36.
    pub fn digit(&mut self, what: &str) -> Result<usize, TextError> {
        let digit = self.peek().and_then(|byte| DIGITS.iter().position(|&digit| digit == byte));
        let digit = digit.ok_or_else(|| self.wrong(&format!("expected {what}")))?;
        self.at += 1;
        Ok(digit)
    }
}
