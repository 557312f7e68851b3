//! Formats quantities for screens and reports.

use std::time::Duration;

/// Formats a count with its thousands separated: `1,234,567`.
pub fn grouped(count: u64) -> String {
    group(&count.to_string())
}

/// Formats a count with its noun: `1 game`, `1,000 games`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Separates the thousands of a string of digits by commas.
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

/// Formats a measured number, such as a mean score: at least four significant digits,
/// thousands separated; in scientific notation (`1.23457e9`) from 1e9 on and below 1e-4.
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
    signed(x, &text)
}

/// Formats a number that is known to high precision: six digits after the point.
pub fn precise(x: f64) -> String {
    signed(x, &format!("{:.6}", x.abs()))
}

/// Returns the text of the size of a number with the sign of `x` and its thousands separated.
fn signed(x: f64, size: &str) -> String {
    let (whole, fraction) = size.split_at(size.find('.').unwrap_or(size.len()));
    let sign = if x < 0.0 { "-" } else { "" };
    format!("{sign}{}{fraction}", group(whole))
}

/// Formats a time in its two largest units: `350ms`, `8.2s`, `1m 23s`, `2h 05m`, `3d 04h`.
pub fn time(time: Duration) -> String {
    // The time is rounded to the displayed precision before the unit is chosen, so that
    // 59.96 s is "1m 00s" and not "60s".
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

/// Formats an amount of memory to three significant digits: `512 B`, `3.91 GiB`.
pub fn memory(bytes: u64) -> String {
    let mut scaled = bytes as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        // 1023.5 would be rounded to 1024.
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

/// Formats a rate per second to three significant digits: `12.3 M/s`, `950 /s`.
pub fn rate(per_second: f64) -> String {
    let mut scaled = per_second;
    for unit in ["/s", "k/s", "M/s", "G/s"] {
        // 999.5 would be rounded to 1000.
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

/// Formats a time per move: `1.25 ms`.
pub fn move_time(seconds: f64) -> String {
    match seconds {
        1.0.. => format!("{seconds:.2} s"),
        1e-3.. => format!("{:.2} ms", seconds * 1e3),
        1e-6.. => format!("{:.2} µs", seconds * 1e6),
        _ => format!("{:.0} ns", seconds * 1e9),
    }
}

/// Formats a share in percent with two decimals: `12.50%`.
pub fn percent(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

/// Formats a share in percent with up to six significant digits: `2%`, `0.0125%`.
pub fn brief_percent(share: f64) -> String {
    // The product 100 * 0.07 is not exactly 7. Rounding to six digits removes the error.
    let rounded = format!("{:.5e}", 100.0 * share).parse().unwrap_or(100.0 * share);
    format!("{rounded}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_with_separators_and_units() {
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
    fn times_are_formatted_in_two_units_and_rounded_before_the_unit_is_chosen() {
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

    #[test]
    fn memory_is_formatted_to_three_digits() {
        assert_eq!(memory(512), "512 B");
        assert_eq!(memory(200 << 20), "200 MiB");
        assert_eq!(memory(1_048_570), "1.00 MiB");
        assert_eq!(memory(u64::MAX), "16.0 EiB");
    }

    #[test]
    fn brief_percentages_have_no_needless_digits_and_are_never_0() {
        for (share, expected) in [
            (0.02, "2%"),
            (0.07, "7%"),
            (0.5, "50%"),
            (1.0, "100%"),
            (0.005, "0.5%"),
            (0.000_000_1, "0.00001%"),
            (1.0 / 3.0, "33.3333%"),
        ] {
            assert_eq!(brief_percent(share), expected);
        }
    }
}
