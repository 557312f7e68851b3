//! Counts and times as people write and read them: `20M`, `1.5k`, `2h` on the
//! command line; `1,234,567`, `1m 23s`, `12.3 M/s` on the screen.
//!
//! Apart from the command line, because every screen and report prints them, and
//! in decimal arithmetic throughout: `0.1k` is 100, not 100.00000000000001.

use std::borrow::Cow;
use std::time::Duration;

/// Reads a count: `5000`, `1_000`, `1,000`, `1.5k`, `20M`, `1e9`. The suffixes are k, M,
/// G and T, each a thousand times the one before.
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
    let Some(ungrouped) = without_separators(trimmed) else {
        return refuse("commas separate groups of three digits");
    };
    let Some((number, rest)) = Decimal::read(&ungrouped) else {
        return refuse("this is no count");
    };
    let Some((power, rest)) = exponent(rest) else {
        return refuse("this is no count");
    };
    let suffix = match rest {
        "" => 0,
        "k" | "K" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        _ => return refuse(&format!("`{rest}` is no suffix of a count")),
    };
    match number.times_power_of_ten(power.saturating_add(suffix)) {
        Ok(count) => Ok(count),
        Err(Inexact::Fraction) => refuse("a count cannot have a fraction"),
        Err(Inexact::TooLarge) => refuse(&format!("a count is at most {}", grouped(u64::MAX))),
    }
}

/// Reads an amount of memory in bytes: `4G`, `200M`, `1.5GiB`, `65536`. The
/// suffixes are K, M, G and T, each 1024 times the one before, with or without a
/// following B or iB.
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
    let Some((number, unit)) = Decimal::read(text.trim()) else {
        return refuse("this is no size");
    };
    let prefix = unit.trim_start().trim_end_matches('B').trim_end_matches('i');
    let scale = match prefix {
        "" if unit.is_empty() || unit == "B" => 0,
        "k" | "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return refuse(&format!("`{unit}` is no unit of memory")),
    };
    match number.times(1 << scale).and_then(|bytes| u64::try_from(bytes).ok()) {
        Some(0) => refuse("no memory is too little"),
        Some(bytes) => Ok(bytes),
        None => refuse("this size is too large"),
    }
}

/// Reads a time: `60s`, `5m`, `2h`, `500ms`, `1.5h`, `1d`, and sums of them such
/// as `1h30m`. It is exact to the nanosecond.
///
/// ```
/// # use runner_spec::quantity::duration;
/// # use std::time::Duration;
/// assert_eq!(duration("1.5h"), Ok(Duration::from_secs(5400)));
/// assert!(duration("60").is_err(), "seconds or minutes?");
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
        let Some((number, after)) = Decimal::read(rest) else {
            return refuse("this is no time");
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
            _ => return refuse(&format!("`{unit}` is no unit of time")),
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

/// A decimal number without a sign: `digits` / 10^`places`.
struct Decimal {
    digits: u128,
    places: u32,
}

/// Removes the commas of `1,234,567`, the form in which counts are printed. Returns
/// `None` if a comma does not separate groups of three digits.
fn without_separators(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(',') {
        return Some(text.into());
    }
    let end = text.find(|c: char| c != ',' && !c.is_ascii_digit()).unwrap_or(text.len());
    let (whole, rest) = text.split_at(end);
    let (first, groups) = whole.split_once(',')?;
    let is_grouped = (1..=3).contains(&first.len())
        && groups.split(',').all(|group| group.len() == 3)
        && !rest.contains(',');
    is_grouped.then(|| (whole.replace(',', "") + rest).into())
}

/// Why a decimal is no count.
enum Inexact {
    Fraction,
    TooLarge,
}

impl Decimal {
    /// Reads the number at the front of the text, and returns what follows it.
    fn read(text: &str) -> Option<(Self, &str)> {
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

    /// That many units, rounded down to a whole one.
    fn times(&self, unit: u128) -> Option<u128> {
        // More places than this are less than a nanosecond of any unit.
        let Some(scale) = 10u128.checked_pow(self.places) else { return Some(0) };
        self.digits.checked_mul(unit).map(|product| product / scale)
    }
}

/// The exponent at the front of the text, 0 where there is none, and what follows.
fn exponent(text: &str) -> Option<(i32, &str)> {
    let Some(after) = text.strip_prefix(['e', 'E']) else { return Some((0, text)) };
    let sign = usize::from(after.starts_with(['+', '-']));
    let digits = after[sign..].find(|c: char| !c.is_ascii_digit());
    let end = digits.map_or(after.len(), |digits| sign + digits);
    Some((after[..end].parse().ok()?, &after[end..]))
}

/// A count with its thousands separated: `1,234,567`.
pub fn grouped(count: u64) -> String {
    group(&count.to_string())
}

/// A count with its noun: `1 game`, `1,000 games`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Separates the thousands of a string of digits.
fn group(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A measured number, such as a mean score: four significant digits at least,
/// thousands separated, `1.23457e9` where it is out of all proportion.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if !size.is_finite() || size >= 1e9 || (size != 0.0 && size < 1e-4) {
        return format!("{x:.5e}");
    }
    let places = match size {
        1e6.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        1.0.. => 3,
        _ => 4,
    };
    let text = if size == size.trunc() { format!("{size:.0}") } else { format!("{size:.places$}") };
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if x < 0.0 { "-" } else { "" };
    format!("{sign}{}{fraction}", group(whole))
}

/// A number that is known exactly, or nearly so: six digits after the point.
pub fn precise(x: f64) -> String {
    let text = format!("{:.6}", x.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if x < 0.0 { "-" } else { "" };
    format!("{sign}{}{fraction}", group(whole))
}

/// A time in its two largest units: `350ms`, `8.2s`, `1m 23s`, `2h 05m`, `3d 04h`.
pub fn time(time: Duration) -> String {
    // Rounded to the precision that is shown first, so that 59.96 s reads as
    // "1m 00s" and never as "60s".
    let milliseconds = (time.as_nanos() + 500_000) / 1_000_000;
    let tenths = (time.as_nanos() + 50_000_000) / 100_000_000;
    let seconds = (time.as_nanos() + 500_000_000) / 1_000_000_000;
    let minutes = seconds / 60;
    match seconds {
        _ if milliseconds < 1000 => format!("{milliseconds}ms"),
        _ if tenths < 100 => format!("{}.{}s", tenths / 10, tenths % 10),
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{minutes}m {:02}s", seconds % 60),
        3_600..86_400 => format!("{}h {:02}m", minutes / 60, minutes % 60),
        _ => format!("{}d {:02}h", minutes / 1440, minutes / 60 % 24),
    }
}

/// An amount of memory, to three significant digits: `512 B`, `3.91 GiB`.
pub fn memory(bytes: u64) -> String {
    let mut scaled = bytes as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        // 1023.5 would be shown as 1024.
        if scaled < 1023.5 {
            break;
        }
        (scaled, unit) = (scaled / 1024.0, next);
    }
    let places = match scaled {
        _ if unit == "B" => 0,
        99.95.. => 0,
        9.995.. => 1,
        _ => 2,
    };
    format!("{scaled:.places$} {unit}")
}

/// How many a second, to three significant digits: `12.3 M/s`, `950 /s`.
pub fn rate(per_second: f64) -> String {
    let mut scaled = per_second;
    for unit in ["/s", "k/s", "M/s", "G/s"] {
        // 999.5 would be shown as 1000.
        if scaled.abs() < 999.5 {
            let places = match scaled.abs() {
                99.95.. => 0,
                9.995.. => 1,
                0.0 => 0,
                _ => 2,
            };
            return format!("{scaled:.places$} {unit}");
        }
        scaled /= 1000.0;
    }
    format!("{} T/s", number(scaled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_exactly() {
        for (text, value) in [
            ("0", 0),
            ("1_000", 1_000),
            ("1,000", 1_000),
            ("12,345,678", 12_345_678),
            ("20M", 20_000_000),
            ("1.5k", 1_500),
            ("0.1K", 100),
            ("1e9", 1_000_000_000),
            ("2.5e+1", 25),
            ("1200e-2", 12),
            ("1.000", 1),
            (" 7 ", 7),
            ("3T", 3_000_000_000_000),
            // The largest 64-bit number has no exact f64: decimals keep it.
            ("18446744073709551615", u64::MAX),
            ("0e999999", 0),
        ] {
            assert_eq!(count(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_count_is_refused_with_what_is_allowed() {
        for (text, reason) in [
            ("-1", "negative"),
            ("1.5", "fraction"),
            ("1e-1", "fraction"),
            ("1e-99999", "fraction"),
            ("1.0005k", "fraction"),
            ("18446744073709551616", "at most"),
            ("1e20", "at most"),
            ("1e2000000000", "at most"),
            ("20m", "`m` is no suffix"),
            ("1,00", "groups of three digits"),
            (",100", "groups of three digits"),
            ("1000,000", "groups of three digits"),
            ("1.5,000", "groups of three digits"),
            ("1e", "no count"),
            ("", "no count"),
            ("k", "no count"),
            ("_1", "no count"),
            ("1_", "no count"),
            ("1..2", "no count"),
            (".5k", "no count"),
            ("nan", "no count"),
            ("1é", "no suffix"),
        ] {
            let message = count(text).unwrap_err();
            assert!(message.contains(reason) && message.contains("20M"), "{text}: {message}");
        }
    }

    #[test]
    fn times_are_read_exactly() {
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
    fn what_is_no_time_is_refused_with_what_is_allowed() {
        for (text, reason) in [
            ("60", "unit"),
            ("-1s", "negative"),
            ("5min", "`min` is no unit"),
            ("s", "no time"),
            ("", "no time"),
            ("1s,", "no time"),
            // 10^16 days are more than 2^64 seconds.
            ("10000000000000000d", "too long"),
            ("99999999999999999999999999999999999999d", "too long"),
        ] {
            let message = duration(text).unwrap_err();
            assert!(message.contains(reason) && message.contains("60s"), "{text}: {message}");
        }
    }

    #[test]
    fn sizes_are_read_exactly() {
        for (text, bytes_of_it) in [
            ("1", 1),
            ("65536B", 65536),
            ("200M", 200 << 20),
            ("4G", 4 << 30),
            ("4GB", 4 << 30),
            ("1.5GiB", 3 << 29),
            (" 0.5 k ", 512),
            ("2T", 2 << 40),
        ] {
            assert_eq!(bytes(text), Ok(bytes_of_it), "{text}");
        }
        for (text, reason) in [
            ("", "no size"),
            ("-1G", "no size"),
            ("0", "too little"),
            ("0.1", "too little"),
            ("4m", "`m` is no unit"),
            ("4iB", "`iB` is no unit"),
            ("4Gs", "`Gs` is no unit"),
            ("99999999T", "too large"),
        ] {
            let message = bytes(text).unwrap_err();
            assert!(message.contains(reason) && message.contains("200M"), "{text}: {message}");
        }
        assert_eq!(memory(512), "512 B");
        assert_eq!(memory(200 << 20), "200 MiB");
        assert_eq!(memory(1_048_570), "1.00 MiB");
        assert_eq!(memory(u64::MAX), "16.0 EiB");
    }

    #[test]
    fn what_is_printed_can_be_read_at_a_glance() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(number(59_273.42), "59,273.4");
        assert_eq!(number(-1_234.0), "-1,234");
        assert_eq!(number(0.12345), "0.1235");
        assert_eq!(number(2_345_678.9), "2,345,679");
        assert_eq!(number(1.5e12), "1.50000e12");
        assert_eq!(number(0.0), "0");
        assert_eq!(precise(-5_468.9), "-5,468.900000");
        assert_eq!(counted(1, "game") + &counted(1_000, " game"), "1 game1,000  games");
        assert_eq!(rate(12_345_678.0), "12.3 M/s");
        assert_eq!(rate(950.4), "950 /s");
        assert_eq!(rate(999_999.0), "1.00 M/s");
        assert_eq!(rate(0.0), "0 /s");
        assert_eq!(rate(1.234e12), "1.234 T/s");
    }

    #[test]
    fn times_are_printed_in_two_units_without_sixty_of_any() {
        for (nanoseconds, text) in [
            (0, "0ms"),
            (350_000_000, "350ms"),
            (999_600_000, "1.0s"),
            (8_240_000_000, "8.2s"),
            (9_960_000_000, "10s"),
            (59_960_000_000, "1m 00s"),
            (83_000_000_000, "1m 23s"),
            (3_599_600_000_000, "1h 00m"),
            (7_500_000_000_000, "2h 05m"),
            (273_600_000_000_000, "3d 04h"),
        ] {
            assert_eq!(time(Duration::from_nanos(nanoseconds)), text);
        }
    }
}
