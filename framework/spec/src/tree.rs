//! The shape of a RON text: names, literals, groups, lists and maps, each with its
//! place in the text.
//!
//! It differs from plain RON in two points: names may begin with a digit and contain
//! hyphens, so they need no `r#`, and numbers may have units (`1.5k`, `60s`). The meaning
//! of literals is left to `ron`.

use std::ops::Range;

/// Words that are values, not names.
pub const KEYWORDS: [&str; 4] = ["true", "false", "Some", "None"];

/// A value and its bytes in the source.
#[derive(Debug)]
pub struct Node {
    pub span: Range<usize>,
    pub kind: NodeKind,
}

#[derive(Debug)]
pub enum NodeKind {
    /// A number, `true`, `None`, or a name without parentheses.
    Word,
    Text(String),
    Char(char),
    /// `name(...)` or `(...)`.
    Group(Option<Word>, Fields),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// The contents of a group.
#[derive(Debug)]
pub enum Fields {
    Named(Vec<(Word, Node)>),
    Positional(Vec<Node>),
}

/// The bytes of a word, including the `r#` of a raw identifier.
pub type Word = Range<usize>;

impl Fields {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Named(fields) => fields.is_empty(),
            Self::Positional(items) => items.is_empty(),
        }
    }
}

/// Returns a word without the `r#` of a raw identifier.
pub fn name_of(word: &str) -> &str {
    word.strip_prefix("r#").unwrap_or(word)
}

/// Returns true if a game, value or agent can have this name.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
        && !KEYWORDS.contains(&text)
}

/// Returns true if a word in the place of a value is a name. One that is also a number, such as
/// `2048`, is a name only with `r#`.
pub fn is_name_word(word: &str) -> bool {
    let is_raw = word.starts_with("r#");
    is_name(name_of(word)) && (is_raw || !is_number(word))
}

/// Returns the value of a word that is a number of any type.
pub fn number_of(word: &str) -> Option<ron::Number> {
    match ron::from_str(word) {
        Ok(ron::Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// Returns true if a word is a number.
pub fn is_number(word: &str) -> bool {
    number_of(word).is_some()
}

/// Returns true for numbers with units, such as `1.5k`, `60s` and `1h30m`.
pub fn is_quantity(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let unit = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(unit);
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let starts_with_digit = number.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_digit || !is_number(number) || !(1..=3).contains(&end) {
            return false;
        }
        rest = &after[end..];
    }
    !word.is_empty()
}

/// Describes a node, for "expected ..., found ...".
pub fn describe(node: &Node, source: &str) -> String {
    match &node.kind {
        NodeKind::Word => {
            let word = &source[node.span.clone()];
            match word {
                _ if is_number(word) => format!("the number {word}"),
                _ if is_quantity(word) => format!("the quantity `{word}`"),
                _ if KEYWORDS.contains(&word) => format!("`{word}`"),
                _ => format!("the name `{}`", name_of(word)),
            }
        }
        NodeKind::Text(_) => "a string".into(),
        NodeKind::Char(_) => "a character".into(),
        NodeKind::Group(Some(name), _) => format!("`{}(...)`", name_of(&source[name.clone()])),
        NodeKind::Group(None, _) => "a group in parentheses".into(),
        NodeKind::List(_) => "a list".into(),
        NodeKind::Map(_) => "a map".into(),
    }
}

/// Returns the value in `Some(value)`, if it means the same without the `Some`.
pub fn implied<'t>(node: &'t Node, source: &str) -> Option<&'t Node> {
    let NodeKind::Group(Some(name), Fields::Positional(items)) = &node.kind else { return None };
    match items.as_slice() {
        [value] if &source[name.clone()] == "Some" => match &value.kind {
            NodeKind::Word if &source[value.span.clone()] == "None" => None,
            NodeKind::Group(Some(name), _) if &source[name.clone()] == "Some" => {
                implied(value, source)
            }
            _ => Some(value),
        },
        _ => None,
    }
}
