//! Parses quantities, in exact decimal arithmetic: `0.1k` is 100, not
//! 100.00000000000001.

use super::format::grouped;
use std::time::Duration;

/// Parses a count: `5000`, `1_000`, `1.5k`, `20M`, `1e9`.
///
/// The suffixes are k, M, G and T, each a thousand times the one before.
///
/// ```
/// # use runner_quantity::count;
/// assert_eq!(count("1.5k"), Ok(1_500));
/// assert!(count("0.5").is_err());
/// ```
pub fn count(text: &str) -> Result<u64, String> {
    let refuse = |why: &str| {
        Err(format!(
            "{why}: write a whole number such as 5000, 1_000, 1.5k, 20M or 1e9 (k, M, G, T)"
        ))
    };
    let trimmed = text.trim();
    if trimmed.starts_with('-') {
        return refuse("a count cannot be negative");
    }
    let parsed = Decimal::parse(trimmed).map(|(number, rest)| (number, exponent(rest)));
    let Some((number, Some((power, rest)))) = parsed else {
        return refuse("not a count");
    };
    let suffix = match rest {
        "" => 0,
        "k" | "K" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        _ => return refuse(&format!("`{rest}` is not a suffix of a count")),
    };
    match number.times_power_of_ten(power.saturating_add(suffix)) {
        Ok(count) => Ok(count),
        Err(Inexact::Fraction) => refuse("a count cannot have a fraction"),
        Err(Inexact::TooLarge) => refuse(&format!("a count is at most {}", grouped(u64::MAX))),
    }
}

/// Parses an amount of memory and returns it in bytes: `4G`, `200M`, `1.5GiB`, `65536`.
///
/// The suffixes are K, M, G and T, each 1024 times the one before, optionally followed by
/// B or iB.
///
/// ```
/// # use runner_quantity::bytes;
/// assert_eq!(bytes("1.5G"), Ok(3 << 29));
/// assert!(bytes("4 apples").is_err());
/// ```
pub fn bytes(text: &str) -> Result<u64, String> {
    let refuse = |why: &str| {
        Err(format!(
            "{why}: write a size such as 200M, 1.5G or 65536 (K, M, G, T, each 1024 times)"
        ))
    };
    let Some((number, unit)) = Decimal::parse(text.trim()) else {
        return refuse("not a size");
    };
    let prefix = unit.trim_start().trim_end_matches('B').trim_end_matches('i');
    let scale = match prefix {
        "" if unit.is_empty() || unit == "B" => 0,
        "k" | "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return refuse(&format!("`{unit}` is not a unit of memory")),
    };
    match number.times(1 << scale).and_then(|bytes| u64::try_from(bytes).ok()) {
        Some(0) => refuse("a size cannot be 0"),
        Some(bytes) => Ok(bytes),
        None => refuse("this size is too large"),
    }
}

/// Parses a duration: `60s`, `5m`, `2h`, `500ms`, `1.5h`, `1d`, and sums such as `1h30m`.
///
/// The result is exact to the nanosecond.
///
/// ```
/// # use runner_quantity::duration;
/// # use std::time::Duration;
/// assert_eq!(duration("1.5h"), Ok(Duration::from_secs(5400)));
/// assert!(duration("60").is_err(), "the unit is missing");
/// ```
pub fn duration(text: &str) -> Result<Duration, String> {
    let refuse = |why: &str| {
        Err(format!(
            "{why}: write a time such as 500ms, 60s, 5m, 1.5h, 1h30m or 2d (ms, s, m, h, d)"
        ))
    };
    let mut rest = text.trim();
    if rest.starts_with('-') {
        return refuse("a time cannot be negative");
    }
    let mut nanoseconds: u128 = 0;
    loop {
        let Some((number, after)) = Decimal::parse(rest) else {
            return refuse("not a time");
        };
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let unit: u128 = match unit {
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            "" => return refuse("a time needs a unit"),
            _ => return refuse(&format!("`{unit}` is not a unit of time")),
        };
        let sum = number.times(unit).and_then(|term| nanoseconds.checked_add(term));
        match sum {
            Some(sum) if sum / 1_000_000_000 <= u128::from(u64::MAX) => nanoseconds = sum,
            _ => return refuse("this time is too long"),
        }
        rest = after.trim_start();
        if rest.is_empty() {
            let seconds = (nanoseconds / 1_000_000_000) as u64;
            return Ok(Duration::new(seconds, (nanoseconds % 1_000_000_000) as u32));
        }
    }
}

/// Parses the time limit of a move: a [`duration`] from a millisecond to a day.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        time if (Duration::from_millis(1)..=Duration::from_hours(24)).contains(&time) => Ok(time),
        _ => Err(format!("{text} is not from 1ms to 1d")),
    }
}

/// An unsigned decimal number: `digits` / 10^`places`.
struct Decimal {
    digits: u128,
    places: u32,
}

/// Reason why a decimal number is not a count.
enum Inexact {
    Fraction,
    TooLarge,
}

impl Decimal {
    /// Parses the number at the beginning of a text. Returns it and the rest of the text.
    fn parse(text: &str) -> Option<(Self, &str)> {
        let mut number = Self { digits: 0, places: 0 };
        let (mut point, mut last) = (false, ' ');
        let mut end = text.len();
        for (at, c) in text.char_indices() {
            match c {
                '0'..='9' => {
                    let digit = u128::from(c as u8 - b'0');
                    number.digits = number.digits.checked_mul(10)?.checked_add(digit)?;
                    number.places += u32::from(point);
                }
                '_' if last.is_ascii_digit() => {}
                '.' if last.is_ascii_digit() && !point => point = true,
                _ => {
                    end = at;
                    break;
                }
            }
            last = c;
        }
        last.is_ascii_digit().then_some((number, &text[end..]))
    }

    fn times_power_of_ten(&self, power: i32) -> Result<u64, Inexact> {
        if self.digits == 0 {
            return Ok(0);
        }
        let power = i64::from(power) - i64::from(self.places);
        let ten_to = |n: u64| u32::try_from(n).ok().and_then(|n| 10u128.checked_pow(n));
        let whole = if power >= 0 {
            ten_to(power.unsigned_abs()).and_then(|scale| self.digits.checked_mul(scale))
        } else {
            let scale = ten_to(power.unsigned_abs()).ok_or(Inexact::Fraction)?;
            if !self.digits.is_multiple_of(scale) {
                return Err(Inexact::Fraction);
            }
            Some(self.digits / scale)
        };
        whole.and_then(|whole| u64::try_from(whole).ok()).ok_or(Inexact::TooLarge)
    }

    /// Returns the product with `unit`, rounded down, or `None` on overflow.
    fn times(&self, unit: u128) -> Option<u128> {
        // With this many places the number is less than a nanosecond in any unit.
        let Some(scale) = 10u128.checked_pow(self.places) else { return Some(0) };
        self.digits.checked_mul(unit).map(|product| product / scale)
    }
}

/// Parses the exponent at the beginning of a text, 0 if there is none. Returns it and the
/// rest of the text.
fn exponent(text: &str) -> Option<(i32, &str)> {
    let Some(after) = text.strip_prefix(['e', 'E']) else { return Some((0, text)) };
    let sign = usize::from(after.starts_with(['+', '-']));
    let digits = after[sign..].find(|c: char| !c.is_ascii_digit());
    let end = digits.map_or(after.len(), |digits| sign + digits);
    Some((after[..end].parse().ok()?, &after[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_parsed_exactly() {
        for (text, value) in [
            ("0", 0),
            ("1_000", 1_000),
            ("20M", 20_000_000),
            ("1.5k", 1_500),
            ("0.1K", 100),
            ("1e9", 1_000_000_000),
            ("2.5e+1", 25),
            ("1200e-2", 12),
            ("1.000", 1),
            (" 7 ", 7),
            ("3T", 3_000_000_000_000),
            // The largest 64-bit number is not exact as an f64.
            ("18446744073709551615", u64::MAX),
            ("0e999999", 0),
        ] {
            assert_eq!(count(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn invalid_count_is_rejected_with_the_reason_and_an_example() {
        for (text, reason) in [
            ("-1", "negative"),
            ("1.5", "fraction"),
            ("1e-1", "fraction"),
            ("1e-99999", "fraction"),
            ("1.0005k", "fraction"),
            ("18446744073709551616", "at most"),
            ("1e20", "at most"),
            ("1e2000000000", "at most"),
            ("20m", "`m` is not a suffix"),
            ("1,000", "`,000` is not a suffix"),
            ("1e", "not a count"),
            ("", "not a count"),
            ("k", "not a count"),
            ("_1", "not a count"),
            ("1_", "not a count"),
            ("1..2", "not a count"),
            (".5k", "not a count"),
            ("nan", "not a count"),
            ("1é", "not a suffix"),
        ] {
            let message = count(text).unwrap_err();
            assert!(message.contains(reason) && message.contains("20M"), "{text}: {message}");
        }
    }

    #[test]
    fn times_are_parsed_exactly() {
        for (text, milliseconds) in [
            ("60s", 60_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            ("500ms", 500),
            ("1.5h", 5_400_000),
            ("0.1s", 100),
            ("1h30m", 5_400_000),
            ("1m 23s", 83_000),
            ("1d", 86_400_000),
            ("0s", 0),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        assert_eq!(duration("0.0000015ms"), Ok(Duration::from_nanos(1)));
    }

    #[test]
    fn time_limits_are_from_a_millisecond_to_a_day() {
        assert_eq!(time_limit("1ms"), Ok(Duration::from_millis(1)));
        assert_eq!(time_limit("24h"), Ok(Duration::from_secs(86_400)));
        for text in ["0.9ms", "0s", "1d1ms", "5"] {
            assert!(time_limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn invalid_time_is_rejected_with_the_reason_and_an_example() {
        for (text, reason) in [
            ("60", "unit"),
            ("-1s", "negative"),
            ("5min", "`min` is not a unit"),
            ("s", "not a time"),
            ("", "not a time"),
            ("1s,", "not a time"),
            // 10^16 days are more than 2^64 seconds.
            ("10000000000000000d", "too long"),
            ("99999999999999999999999999999999999999d", "too long"),
        ] {
            let message = duration(text).unwrap_err();
            assert!(message.contains(reason) && message.contains("60s"), "{text}: {message}");
        }
    }

    #[test]
    fn sizes_are_parsed_exactly() {
        for (text, expected) in [
            ("1", 1),
            ("65536B", 65536),
            ("200M", 200 << 20),
            ("4G", 4 << 30),
            ("4GB", 4 << 30),
            ("1.5GiB", 3 << 29),
            (" 0.5 k ", 512),
            ("2T", 2 << 40),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for (text, reason) in [
            ("", "not a size"),
            ("-1G", "not a size"),
            ("0", "cannot be 0"),
            ("0.1", "cannot be 0"),
            ("4m", "`m` is not a unit"),
            ("4iB", "`iB` is not a unit"),
            ("4Gs", "`Gs` is not a unit"),
            ("99999999T", "too large"),
        ] {
            let message = bytes(text).unwrap_err();
            assert!(message.contains(reason) && message.contains("200M"), "{text}: {message}");
        }
    }
}
