//! Commands that a person is told to type.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// How this program is called from another folder: as it was typed, if the shell
/// finds it by its name.
pub fn program() -> String {
    let typed = std::env::args_os().next().unwrap_or_default();
    match std::env::current_exe() {
        Ok(path) if Path::new(&typed).file_name() != Some(OsStr::new(&typed)) => {
            quoted(&path.to_string_lossy())
        }
        _ => "runner".into(),
    }
}

/// What was typed, but for some flags: those with a value behind them, and those
/// without.
pub fn without(
    arguments: impl Iterator<Item = String>,
    valued: &[&str],
    plain: &[&str],
) -> Vec<String> {
    let mut words = Vec::new();
    let mut arguments = arguments;
    while let Some(word) = arguments.next() {
        let flag = word.split('=').next().unwrap_or_default();
        if valued.contains(&flag) {
            if flag == word {
                arguments.next();
            }
        } else if !plain.contains(&flag) {
            words.push(word);
        }
    }
    words
}

/// A time as the command line takes it.
pub fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{}s", time.as_secs()),
        thousandths => format!("{}.{thousandths:03}s", time.as_secs()),
    }
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:+,@=~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_split_or_read_it() {
        assert_eq!(quoted("../my-dice"), "../my-dice");
        assert_eq!(quoted("my dice"), "'my dice'");
        assert_eq!(quoted("2048(rows: 2)"), "'2048(rows: 2)'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
