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
}
