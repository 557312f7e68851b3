//! Values of options, on the command line and in a configuration file.

use crate::quantity::{Count, PositiveNumber, PositiveTime, Size, ThreadCount, Time};
use crate::read_document;
use serde::Deserialize;
use std::fmt;
use std::str::FromStr;

/// Checks that the command line and a configuration file read this text alike, or both refuse it.
#[track_caller]
fn check_both_sources<T>(written: &str)
where
    T: FromStr<Err = String> + for<'de> Deserialize<'de> + PartialEq + fmt::Debug,
{
    let typed: Result<T, String> = written.parse();
    for text in [written.to_owned(), format!("\"{written}\"")] {
        match (&typed, read_document::<T>(&text)) {
            (Ok(typed), Ok(read)) => assert_eq!(*typed, read, "{text}"),
            (Err(why), Err(error)) => {
                assert!(error.message.contains(why.as_str()), "{text}: {error}");
            }
            (typed, read) => panic!("{text}: {typed:?} and {read:?}"),
        }
    }
}

#[test]
fn both_sources_accept_and_refuse_the_same_values() {
    for written in ["1000", "1_000", "1.5k", "20M", "1e3", "0", "-1", "0.5", "5000", "20m"] {
        check_both_sources::<Count>(written);
        check_both_sources::<Count<1>>(written);
        check_both_sources::<ThreadCount>(written);
    }
    for written in ["60s", "5m", "0s", "60", "1h30m", "213502983334601d", "5min"] {
        check_both_sources::<Time>(written);
        check_both_sources::<PositiveTime>(written);
    }
    for written in ["4G", "0", "65536", "1.5GiB"] {
        check_both_sources::<Size>(written);
    }
    for written in ["0.3", "0", "-1", "1e7", "2"] {
        check_both_sources::<PositiveNumber>(written);
    }
}
