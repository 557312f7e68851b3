//! Parses quantities, in exact decimal arithmetic: `0.1k` is 100, not
//! 100.00000000000001.

use super::format::grouped;
use std::time::Duration;

/// Parses a count: `5000`, `1_000`, `1.5k`, `20M`, `1e9`.
///
/// The suffixes are k, M, G and T, each a thousand times the one before.
///
/// ```
/// # use runner_spec::quantity::count;
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
    let Some((number, rest)) = Decimal::parse(trimmed) else { return refuse("not a count") };
    let Some((exponent, suffix)) = parse_exponent(rest) else { return refuse("not a count") };
    let suffix_exponent = match suffix {
        "" => 0,
        "k" | "K" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        _ => return refuse(&format!("`{suffix}` is not a suffix of a count")),
    };
    match number.times_power_of_ten(exponent.saturating_add(suffix_exponent)).map(u64::try_from) {
        Some(Ok(count)) => Ok(count),
        Some(Err(_)) => refuse(&format!("a count is at most {}", grouped(u64::MAX))),
        None => refuse("a count cannot have a fraction"),
    }
}

/// Parses an amount of memory and returns it in bytes: `4G`, `200M`, `1.5GiB`, `65536`.
///
/// The suffixes are K, M, G and T, each 1024 times the one before, optionally followed by
/// B or iB.
///
/// ```
/// # use runner_spec::quantity::bytes;
/// assert_eq!(bytes("1.5G"), Ok(3 << 29));
/// assert!(bytes("4 apples").is_err());
/// ```
pub fn bytes(text: &str) -> Result<u64, String> {
    let refuse = |why: &str| {
        Err(format!(
            "{why}: write a size such as 200M, 1.5G or 65536 (K, M, G, T, each 1024 times)"
        ))
    };
    let Some((number, unit)) = Decimal::parse(text.trim()) else { return refuse("not a size") };
    let prefix = unit.trim_start().trim_end_matches('B').trim_end_matches('i');
    let log2_of_unit = match prefix {
        "" if unit.is_empty() || unit == "B" => 0,
        "k" | "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return refuse(&format!("`{unit}` is not a unit of memory")),
    };
    match number.times(1 << log2_of_unit).and_then(|bytes| u64::try_from(bytes).ok()) {
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
/// # use runner_spec::quantity::duration;
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
        let Some((number, after)) = Decimal::parse(rest) else { return refuse("not a time") };
        let unit_length = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after_unit) = after.split_at(unit_length);
        let nanoseconds_of_unit: u128 = match unit {
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            "" => return refuse("a time needs a unit"),
            _ => return refuse(&format!("`{unit}` is not a unit of time")),
        };
        let term = number.times(nanoseconds_of_unit);
        let sum = term.and_then(|term| nanoseconds.checked_add(term));
        match sum {
            Some(sum) if sum / 1_000_000_000 <= u128::from(u64::MAX) => nanoseconds = sum,
            _ => return refuse("this time is too long"),
        }
        rest = after_unit.trim_start();
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

/// An unsigned decimal number: `digits` / 10^`places`. `1.50` has the digits 150 and 2 places.
struct Decimal {
    digits: u128,
    places: u32,
}

impl Decimal {
    /// Parses the number at the beginning of a text. Returns it and the rest of the text.
    fn parse(text: &str) -> Option<(Self, &str)> {
        let mut number = Self { digits: 0, places: 0 };
        let mut is_after_point = false;
        let mut last = ' ';
        let mut end = text.len();
        for (at, c) in text.char_indices() {
            match c {
                '0'..='9' => {
                    let digit = u128::from(c as u8 - b'0');
                    number.digits = number.digits.checked_mul(10)?.checked_add(digit)?;
                    number.places += u32::from(is_after_point);
                }
                '_' if last.is_ascii_digit() => {}
                '.' if last.is_ascii_digit() && !is_after_point => is_after_point = true,
                _ => {
                    end = at;
                    break;
                }
            }
            last = c;
        }
        last.is_ascii_digit().then_some((number, &text[end..]))
    }

    /// Returns the product with 10^`exponent`, at most `u128::MAX`; `None` if it has a fraction.
    fn times_power_of_ten(&self, exponent: i32) -> Option<u128> {
        if self.digits == 0 {
            return Some(0);
        }
        // The product is `digits` * 10^`shift`.
        let shift = i64::from(exponent) - i64::from(self.places);
        let scale = u32::try_from(shift.unsigned_abs()).ok().and_then(|n| 10u128.checked_pow(n));
        if shift >= 0 {
            return Some(self.digits.saturating_mul(scale.unwrap_or(u128::MAX)));
        }
        // A scale that is too large for a `u128` is larger than the digits.
        let scale = scale?;
        self.digits.is_multiple_of(scale).then_some(self.digits / scale)
    }

    /// Returns the product with `unit`, rounded down, or `None` on overflow.
    fn times(&self, unit: u128) -> Option<u128> {
        // With this many places the number is less than a nanosecond in any unit.
        let Some(scale) = 10u128.checked_pow(self.places) else { return Some(0) };
        self.digits.checked_mul(unit).map(|product| product / scale)
    }
}

/// Parses the exponent at the beginning of a text, 0 if there is none. Returns it and the
/// rest of the text, or `None` if the exponent is not a number.
fn parse_exponent(text: &str) -> Option<(i32, &str)> {
    let Some(after) = text.strip_prefix(['e', 'E']) else { return Some((0, text)) };
    let sign_length = usize::from(after.starts_with(['+', '-']));
    let digits = &after[sign_length..];
    let digits_length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (exponent, rest) = after.split_at(sign_length + digits_length);
    Some((exponent.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines of a file: what is parsed, the text, and the result.
    fn rows(file: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
        let row = |line: &'static str| line.split('|').collect::<Vec<_>>().try_into().unwrap();
        file.lines().map(row)
    }

    fn parse(what: &str, text: &str) -> Result<u128, String> {
        match what {
            "count" => count(text).map(u128::from),
            "milliseconds" => duration(text).map(|time| time.as_millis()),
            _ => bytes(text).map(u128::from),
        }
    }

    #[test]
    fn counts_times_and_sizes_are_parsed_exactly() {
        for [what, text, expected] in rows(include_str!("valid.txt")) {
            assert_eq!(parse(what, text), Ok(expected.parse().unwrap()), "{text}");
        }
        assert_eq!(duration("0.0000015ms"), Ok(Duration::from_nanos(1)));
    }

    #[test]
    fn invalid_ones_are_rejected_with_the_reason_and_an_example() {
        for [what, text, reason] in rows(include_str!("invalid.txt")) {
            let example = match what {
                "count" => "20M",
                "milliseconds" => "60s",
                _ => "200M",
            };
            let message = parse(what, text).unwrap_err();
            assert!(message.contains(reason) && message.contains(example), "{text}: {message}");
        }
    }

    #[test]
    fn time_limits_are_from_a_millisecond_to_a_day() {
        assert_eq!(time_limit("1ms"), Ok(Duration::from_millis(1)));
        assert_eq!(time_limit("24h"), Ok(Duration::from_secs(86_400)));
        for text in ["0.9ms", "0s", "1d1ms", "5"] {
            assert!(time_limit(text).is_err(), "{text}");
        }
    }
}
