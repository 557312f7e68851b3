//! How the page asks for a parameter, derived from the values that its plugin allows.

use runner_spec::Parameter;
use serde::Serialize;

/// How a parameter is entered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Field {
    /// True or false.
    Flag,
    /// One of these, as RON text.
    Choice {
        /// The alternatives.
        options: Vec<String>,
    },
    /// A text in quotes that is a time or a size.
    Quantity {
        /// Words that are allowed instead, as RON text.
        options: Vec<String>,
    },
    /// A game with its parameters.
    Game,
    /// A value with its parameters.
    Value,
    /// An agent or a value with its parameters.
    Player,
    /// RON text.
    Text,
}

impl Field {
    /// Returns the field of a parameter, derived from the values that it allows.
    pub fn of(parameter: &Parameter) -> Self {
        let (allowed, default) = (parameter.allowed(), parameter.default());
        let allowed = allowed.as_str();
        let first = allowed.split(',').next().unwrap_or_default();
        if allowed == "true or false" {
            Self::Flag
        } else if first == "a game" {
            Self::Game
        } else if first == "a value" {
            Self::Value
        } else if first.starts_with("an agent") {
            Self::Player
        } else if let Some(options) = choices(allowed, is_quoted(default)) {
            Self::Choice { options }
        } else if starts_with_quantity(allowed) || starts_with_quantity(default) {
            let rest: Vec<_> = alternatives(allowed).filter_map(|part| word(part, true)).collect();
            let options = rest.into_iter().filter(|option| !starts_with_quantity(option));
            Self::Quantity { options: options.collect() }
        } else {
            Self::Text
        }
    }

    /// Returns true if this text is one of those that the plugin lists. It names no file then.
    pub fn lists(&self, text: &str) -> bool {
        let quoted = format!("\"{text}\"");
        match self {
            Self::Choice { options } => options.contains(&quoted),
            Self::Quantity { options } => options.contains(&quoted) || is_quantity(text),
            _ => false,
        }
    }
}

/// Returns the parts of a list with commas and `or`.
fn alternatives(allowed: &str) -> impl Iterator<Item = &str> {
    allowed.split(", ").flat_map(|part| part.split(" or ")).map(|part| {
        let part = part.trim();
        part.strip_prefix("or ").unwrap_or(part)
    })
}

/// Returns the alternatives as RON text if there are two or more, and each is one word.
fn choices(allowed: &str, quoted: bool) -> Option<Vec<String>> {
    let words: Option<Vec<_>> = alternatives(allowed).map(|part| word(part, quoted)).collect();
    words.filter(|words| words.len() > 1)
}

/// Returns an alternative as RON text, if it is a single word.
fn word(part: &str, quoted: bool) -> Option<String> {
    let inner = part.strip_prefix('`').and_then(|part| part.strip_suffix('`')).unwrap_or(part);
    let bare = inner.strip_prefix('"').and_then(|part| part.strip_suffix('"'));
    let (text, quoted) = (bare.unwrap_or(inner), quoted || bare.is_some());
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_word = !text.is_empty() && text.chars().all(valid);
    is_word.then(|| if quoted { format!("\"{text}\"") } else { text.to_owned() })
}

fn is_quoted(text: &str) -> bool {
    text.trim_matches('`').starts_with('"')
}

/// Returns true if a text begins with a time or a size in quotes.
fn starts_with_quantity(text: &str) -> bool {
    let inner = text.strip_prefix('"').and_then(|text| text.split('"').next());
    inner.is_some_and(is_quantity)
}

/// Returns true for a number with a unit, such as `1ms`, `16M` and `1h30m`.
fn is_quantity(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        && text.len() <= 16
        && text.split(|c: char| c.is_ascii_digit() || c == '.').all(|unit| unit.len() <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(allowed: &str, default: &str) -> Field {
        Field::of(&Parameter::new("x", allowed, default, ""))
    }

    fn choice(options: &[&str]) -> Field {
        Field::Choice { options: options.iter().map(|option| (*option).to_owned()).collect() }
    }

    fn quantity(options: &[&str]) -> Field {
        Field::Quantity { options: options.iter().map(|option| (*option).to_owned()).collect() }
    }

    #[test]
    fn parameters_are_entered_by_what_they_allow() {
        for (allowed, default, expected) in [
            ("true or false", "false", Field::Flag),
            ("a value, as in `tc-ntuple(model: \"FILE\")`", "None", Field::Value),
            ("a value", "None", Field::Value),
            ("a game", "2048", Field::Game),
            ("an agent or a value", "required", Field::Player),
            ("moved_lines or far_edge", "moved_lines", choice(&["moved_lines", "far_edge"])),
            ("\"uct\" or \"puct\"", "`\"puct\"`", choice(&["\"uct\"", "\"puct\""])),
            ("`error` or `decayed`", "\"error\"", choice(&["\"error\"", "\"decayed\""])),
            ("`a`, `b` or `c-d`", "`a`", choice(&["a", "b", "c-d"])),
            ("\"1ms\" to \"1d\"", "None", quantity(&[])),
            ("\"1k\" and more, or \"none\"", "\"16M\"", quantity(&["\"none\""])),
            ("a size that holds one node and more", "\"64M\"", quantity(&[])),
            ("1 to 32 plies", "3", Field::Text),
            ("a file in quotes", "None", Field::Text),
            ("6, 12, 24, ... 12288", "6144", Field::Text),
            ("a list, as in `[\"python3\", \"my_agent.py\"]`", "[]", Field::Text),
        ] {
            assert_eq!(field(allowed, default), expected, "{allowed}");
        }
    }

    #[test]
    fn only_listed_words_and_quantities_are_no_files() {
        let size = field("\"1k\" and more, or \"none\"", "\"16M\"");
        for (text, expected) in
            [("16M", true), ("1h30m", true), ("none", true), ("a.model", false), ("../5M", false)]
        {
            assert_eq!(size.lists(text), expected, "{text}");
        }
        assert!(field("\"uct\" or \"puct\"", "None").lists("uct"));
        assert!(!field("\"uct\" or \"puct\"", "None").lists("FILE"));
        assert!(!field("a file in quotes", "None").lists("16M"));
        assert!(!field("a list, as in `[\"python3\"]`", "[]").lists("python3"));
    }
}
