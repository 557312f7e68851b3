//! Names as parts of file names, and as words of a command.

use std::borrow::Cow;

/// Returns a name with a hyphen for everything that is not allowed in a file name everywhere.
pub fn file_name(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// Quotes a word for a shell where it needs quotes.
pub fn quoted(word: &str) -> String {
    // Only NUL cannot be quoted, and no argument, spec or path contains it.
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
