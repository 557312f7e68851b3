//! Specs and values as trees, each part with its place in the text, and their printed form.
//!
//! The text is RON, except that names may begin with a digit and contain hyphens, and that numbers
//! may have units (`1.5k`, `60s`).

use crate::error::ReadError;
use std::fmt::{self, Display};
use std::ops::Range;
use std::sync::Arc;

/// Bytes in the text.
pub type Span = Range<usize>;

/// A name and its place. Names at different places are equal.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// A parameter and its value.
pub type Field = (Name, SpecValue);

/// The value of a parameter, with its place in the text. Values at different places are equal.
#[derive(Clone, Debug)]
pub struct SpecValue {
    pub(crate) span: Span,
    pub(crate) content: Content,
    /// True if the value was not typed but set by the program: its parts have no places in the
    /// text.
    pub(crate) is_inserted: bool,
}

impl PartialEq for SpecValue {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    None,
    Bool(bool),
    /// A number, or one with units (`1.5k`), as it is written.
    Number(String),
    /// A string in quotes.
    Text(String),
    List(Vec<SpecValue>),
    Map(Vec<(SpecValue, SpecValue)>),
    /// `(1, 2)`, with at least one item.
    Tuple(Vec<SpecValue>),
    /// `(from: 1, to: 2)`.
    Struct(Vec<Field>),
    /// `rows` or `rows(empty: 270)`.
    Spec(Spec),
}

/// The name of a game, value or agent, or a name with RON fields: `threes`,
/// `2048(rows: 3, cols: 4)`, `expectimax(depth: 3, value: tc-ntuple(model: "x.model"))`.
///
/// ```
/// # use runner_spec::Spec;
/// runner_spec::parameters! {
///     struct Config {
///         /// Search depth
///         depth: u32 = 0;
///         /// Estimates
///         value: Option<Spec> = None, value();
///     }
/// }
///
/// let spec: Spec = "expectimax(value: tc-ntuple(lambda: 0.5))".parse()?;
/// let resolved = Spec::resolved(spec.name(), &spec.read::<Config>()?)?;
/// assert_eq!(resolved.to_string(), "expectimax(depth: 0, value: tc-ntuple(lambda: 0.5))");
/// # Ok::<(), runner_spec::SpecError>(())
/// ```
///
/// Specs that differ only in spacing and comments are equal, and printed alike.
#[derive(Clone)]
pub struct Spec {
    /// The whole text that the user typed, of which the spec may be a part. Errors point into it.
    pub(crate) source: Arc<str>,
    pub(crate) span: Span,
    pub(crate) name: Name,
    pub(crate) fields: Vec<Field>,
    /// The preset whose parameters were added, with the place of its name in the text.
    pub(crate) preset: Option<Name>,
}

impl Spec {
    /// Returns the name of the game, value or agent.
    pub fn name(&self) -> &str {
        &self.name.text
    }

    /// Returns true if the spec sets parameters.
    pub fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    pub(crate) fn field(&self, parameter: &str) -> Option<&SpecValue> {
        let field = self.fields.iter().find(|(key, _)| key.text == parameter);
        field.map(|(_, value)| value)
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spec({self})")
    }
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.fields == other.fields
    }
}

impl Eq for Spec {}

impl From<Content> for SpecValue {
    fn from(content: Content) -> Self {
        Self { span: 0..0, content, is_inserted: true }
    }
}

impl From<&str> for SpecValue {
    fn from(text: &str) -> Self {
        Content::Text(text.to_owned()).into()
    }
}

impl From<Spec> for SpecValue {
    fn from(spec: Spec) -> Self {
        Content::Spec(spec).into()
    }
}

impl SpecValue {
    /// The value of a parameter that is not given.
    pub const NONE: Self = Self { span: 0..0, content: Content::None, is_inserted: true };

    /// Returns a number as it is written in a spec.
    pub fn number(text: String) -> Self {
        Content::Number(text).into()
    }

    pub(crate) fn typed(span: Span, content: Content) -> Self {
        Self { span, content, is_inserted: false }
    }

    /// Returns the text of a string.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Describes the value, for "expected ..., found ...".
    pub(crate) fn describe(&self) -> String {
        match &self.content {
            Content::None => "`None`".into(),
            Content::Bool(value) => format!("`{value}`"),
            Content::Number(word) if is_number(word) => format!("the number {word}"),
            Content::Number(word) => format!("the quantity `{word}`"),
            Content::Text(_) => "a string".into(),
            Content::List(_) => "a list".into(),
            Content::Map(_) => "a map".into(),
            Content::Spec(spec) if !spec.has_fields() => format!("the name `{}`", spec.name()),
            Content::Spec(spec) => format!("`{}(...)`", spec.name()),
            Content::Tuple(_) | Content::Struct(_) => "a group in parentheses".into(),
        }
    }
}

/// Returns the fields of a struct. The error of another value says that `expected` is expected.
pub fn fields_of<'v>(value: &'v SpecValue, expected: &str) -> Result<&'v [Field], ReadError> {
    let (wrong, expected) = match &value.content {
        Content::Struct(fields) => return Ok(fields),
        Content::Tuple(items) => (&items[0], "`parameter: value`"),
        _ => (value, expected),
    };
    let message = format!("expected {expected}, found {}", wrong.describe());
    Err(ReadError::new(message).at(&wrong.span))
}

/// Returns true if a game, value or agent can have this name.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
        && !matches!(text, "true" | "false")
}

/// Returns the value of a word that is a number of any type.
pub fn number_of(word: &str) -> Option<ron::Number> {
    match ron::from_str(word) {
        Ok(ron::Value::Number(number)) => Some(number),
        _ => None,
    }
}

pub fn is_number(word: &str) -> bool {
    number_of(word).is_some()
}

/// Returns true for numbers with units of one to three letters, such as `1.5k`, `60s` and `1h30m`.
pub fn is_quantity(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let number_length = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(number_length);
        let unit_length = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let starts_with_digit = number.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_digit || !is_number(number) || !(1..=3).contains(&unit_length) {
            return false;
        }
        rest = &after[unit_length..];
    }
    !word.is_empty()
}

/// Prints trees on one line, and keeps where each part was printed.
#[derive(Default)]
pub struct Printer {
    pub text: String,
    /// The places of all parts. The parts of a value or spec come before it, so the first place
    /// that contains a byte is that of the smallest part.
    pub places: Vec<Place>,
}

/// The place of a part of a tree in the printed and in the typed text.
pub struct Place {
    pub printed: Span,
    pub typed: Span,
}

impl Printer {
    pub fn spec(&mut self, spec: &Spec) {
        let start = self.text.len();
        self.name(&spec.name);
        if spec.has_fields() {
            self.fields(&spec.fields);
        }
        self.add_place(start, &spec.span);
    }

    pub fn value(&mut self, value: &SpecValue) {
        let (start, parts) = (self.text.len(), self.places.len());
        match &value.content {
            Content::None => self.text += "None",
            Content::Bool(value) => self.text += &value.to_string(),
            Content::Number(word) => self.text += word,
            Content::Text(text) => self.text += &format!("\"{}\"", text.escape_debug()),
            Content::List(items) => self.items('[', items, ']', Self::value),
            Content::Map(entries) => self.items('{', entries, '}', |printer, (key, value)| {
                printer.value(key);
                printer.text += ": ";
                printer.value(value);
            }),
            Content::Tuple(items) => self.items('(', items, ')', Self::value),
            Content::Struct(fields) => self.fields(fields),
            Content::Spec(spec) => self.spec(spec),
        }
        if value.is_inserted {
            self.places.truncate(parts);
        }
        self.add_place(start, &value.span);
    }

    /// Adds the place of the part that was printed from `start` on.
    fn add_place(&mut self, start: usize, typed: &Span) {
        self.places.push(Place { printed: start..self.text.len(), typed: typed.clone() });
    }

    fn fields(&mut self, fields: &[Field]) {
        self.items('(', fields, ')', |printer, (key, value)| {
            printer.name(key);
            printer.text += ": ";
            printer.value(value);
        });
    }

    fn items<T>(&mut self, open: char, items: &[T], close: char, each: impl Fn(&mut Self, &T)) {
        self.text.push(open);
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.text += ", ";
            }
            each(self, item);
        }
        self.text.push(close);
    }

    fn name(&mut self, Name { text, span }: &Name) {
        let start = self.text.len();
        self.text += text;
        self.add_place(start, span);
    }
}

impl Display for SpecValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::default();
        printer.value(self);
        f.write_str(&printer.text)
    }
}

impl Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::default();
        printer.spec(self);
        f.write_str(&printer.text)
    }
}
