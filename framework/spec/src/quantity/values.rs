//! The types of option values. The command line and a configuration file read a type in the same
//! way, with the same range.

use super::format::grouped;
use super::parse::{bytes, count, duration};
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

/// A whole number from `MIN` to `MAX`, such as `1000`, `1.5k` or `20M`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct Count<const MIN: u64 = 0, const MAX: u64 = { u64::MAX }>(u64);

/// A number of threads.
pub type ThreadCount = Count<1, 1024>;

impl<const MIN: u64, const MAX: u64> Count<MIN, MAX> {
    /// Returns a number that is in the range.
    ///
    /// # Panics
    ///
    /// If it is not.
    pub const fn new(number: u64) -> Self {
        assert!(MIN <= number && number <= MAX);
        Self(number)
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl From<u64> for Count {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl<const MIN: u64, const MAX: u64> FromStr for Count<MIN, MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = count(text)?;
        if (MIN..=MAX).contains(&number) {
            return Ok(Self(number));
        }
        Err(match MAX {
            u64::MAX => format!("must be at least {}", grouped(MIN)),
            _ => format!("must be {MIN} to {}", grouped(MAX)),
        })
    }
}

/// Declares types whose values are read from a text. After the type and its field follow the words
/// for it in an error ("expected a time such as 60s") and the function that parses the text.
macro_rules! quantities {
    ($(
        $(#[$meta:meta])*
        $name:ident($vis:vis $inner:ty), $expected:literal, $parse:expr;
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $name($vis $inner);

        impl $name {
            /// Returns the quantity.
            pub fn get(self) -> $inner {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let parse: fn(&str) -> Result<$inner, String> = $parse;
                parse(text).map(Self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Written($expected, PhantomData))
            }
        }
    )*};
}

quantities! {
    /// A time, such as `500ms`, `60s`, `5m` or `1h30m`.
    Time(pub Duration), "a time such as 60s or 5m", duration;
    /// A time longer than 0.
    PositiveTime(Duration), "a time such as 60s or 5m", |text| match duration(text)? {
        Duration::ZERO => Err("must be longer than 0s".into()),
        time => Ok(time),
    };
    /// An amount of memory in bytes, such as `200M` or `1.5G`.
    Size(pub u64), "a size such as 200M or 1.5G", bytes;
    /// A number greater than 0, at most 10^6.
    #[derive(Serialize)]
    #[serde(transparent)]
    PositiveNumber(f64), "a number greater than 0", |text| match text.trim().parse() {
        Ok(number) if number > 0.0 && number <= 1e6 => Ok(number),
        _ => Err("must be a number greater than 0 and at most 1,000,000".into()),
    };
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&seconds(self.0))
    }
}

impl Serialize for PositiveTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Time(self.0).serialize(serializer)
    }
}

/// Reads a number or a string as the command line reads the same text.
struct Written<T>(&'static str, PhantomData<T>);

impl<T: FromStr<Err = String>> de::Visitor<'_> for Written<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|why| E::custom(format_args!("{text}: {why}")))
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Count<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written("a whole number such as 1000 or 1.5k", PhantomData))
    }
}

/// Formats a time for the command line, exactly: `90s`, `90.5s`.
pub fn seconds(time: Duration) -> String {
    let text = format!("{}.{:09}", time.as_secs(), time.subsec_nanos());
    format!("{}s", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        for (nanoseconds, expected) in [
            (90_000_000_000, "90s"),
            (90_500_000_000, "90.5s"),
            (500_000, "0.0005s"),
            (1, "0.000000001s"),
        ] {
            let time = Duration::from_nanos(nanoseconds);
            assert_eq!(seconds(time), expected);
            assert_eq!(duration(expected), Ok(time));
        }
    }
}
