//! Commands that messages suggest to the user.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// Returns how this program is called from another folder: as it was typed, if the shell
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

/// Removes flags from a command line: `valued` ones with the value after them, and
/// `plain` ones.
pub fn without(
    mut arguments: impl Iterator<Item = String>,
    valued: &[&str],
    plain: &[&str],
) -> Vec<String> {
    let mut words = Vec::new();
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

/// Returns the command line of this program, with flags added that it does not have.
pub fn typed_with(flags: &[&str]) -> String {
    typed_with_and_without(flags, "")
}

/// Returns the command line of this program, with flags added that it does not have, and without
/// another flag.
pub fn typed_with_and_without(flags: &[&str], without: &str) -> String {
    let typed = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mut words: Vec<_> = typed.filter(|word| word != without).collect();
    for flag in flags {
        if !words.iter().any(|word| word == flag) {
            words.push((*flag).to_owned());
        }
    }
    let words = words.iter().map(|word| quoted(word));
    [program()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell where it needs quotes.
pub fn quoted(word: &str) -> String {
    // No argument holds a NUL, the one character that cannot be quoted.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_or_expand_them() {
        for plain in ["../my-dice", "2048", "--model", "a/b.model"] {
            assert_eq!(quoted(plain), plain);
        }
        for word in ["my dice", "2048(rows: 2)", "it's", "", "$HOME", "a'b \"c\""] {
            assert_ne!(quoted(word), word);
            assert_eq!(shlex::split(&quoted(word)), Some(vec![word.to_owned()]));
        }
    }

    #[test]
    fn flags_are_removed_with_their_values() {
        let typed = ["train", "--for", "1h", "--moves=5", "--force", "--seed", "1"];
        let words =
            without(typed.map(String::from).into_iter(), &["--for", "--moves"], &["--force"]);
        assert_eq!(words, ["train", "--seed", "1"]);
    }
}
