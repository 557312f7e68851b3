//! The name of a game, value or agent with its parameters: `threes`,
//! `2048(rows: 3, cols: 4)`, `expectimax(depth: 3, value: tc-ntuple(model: "x.model"))`.

use crate::error::{ReadError, SpecError};
use crate::parse::parse;
use crate::print::{Style, print, print_fields, print_word};
use crate::tree::{self, Fields, Node, NodeKind, Word};
use ron::value::RawValue;
use serde::de::{self, Deserializer};
use serde::ser::{Error, Serializer};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

/// A name, or a name with RON fields, as the user typed it.
///
/// ```
/// # use runner_spec::Spec;
/// # use serde::{Deserialize, Serialize};
/// #[derive(Serialize, Deserialize)]
/// #[serde(default, deny_unknown_fields)]
/// struct Config {
///     depth: u32,
///     value: Option<Spec>,
/// }
///
/// impl Default for Config {
///     fn default() -> Self {
///         Self { depth: 2, value: None }
///     }
/// }
///
/// let spec: Spec = "expectimax(value: tc-ntuple(lambda: 0.5))".parse()?;
/// let config: Config = spec.read()?;
/// assert_eq!(config.value.as_ref().unwrap().name(), "tc-ntuple");
///
/// let resolved = Spec::resolved(spec.name(), &config)?;
/// assert_eq!(resolved.to_string(), "expectimax(depth: 2, value: tc-ntuple(lambda: 0.5))");
/// # Ok::<(), runner_spec::SpecError>(())
/// ```
///
/// Specs that differ only in spacing and comments are equal.
#[derive(Clone)]
pub struct Spec {
    /// The whole text that the user typed, of which the spec may be a part: errors point
    /// into it.
    pub(crate) source: Arc<str>,
    pub(crate) span: Range<usize>,
    name: Word,
    /// The spec on one line, without comments: the form that is compared.
    canonical: Arc<str>,
    has_fields: bool,
}

impl Spec {
    /// Returns the name of the game, value or agent.
    pub fn name(&self) -> &str {
        tree::name_of(&self.source[self.name.clone()])
    }

    /// Returns the text of the spec as the user typed it.
    pub(crate) fn typed(&self) -> &str {
        &self.source[self.span.clone()]
    }

    /// Returns true if the spec sets parameters.
    pub fn has_fields(&self) -> bool {
        self.has_fields
    }

    /// Returns an error that points at the value of a parameter, or at the name if
    /// `parameter` is `None` or not set.
    pub fn refused(&self, parameter: Option<&str>, message: impl Into<String>) -> SpecError {
        let mut span = self.name.clone();
        if let (Some(parameter), Ok(node)) = (parameter, self.tree())
            && let NodeKind::Group(_, Fields::Named(fields)) = &node.kind
        {
            let is_it = |key: &Word| tree::name_of(&self.source[key.clone()]) == parameter;
            if let Some((_, value)) = fields.iter().find(|(key, _)| is_it(key)) {
                span = value.span.clone();
            }
        }
        let message = message.into();
        let message = match parameter {
            Some(parameter) => format!("parameter `{parameter}`: {message}"),
            None => message,
        };
        SpecError::new(&self.source, span, message)
    }

    /// Parses the spec again.
    pub(crate) fn tree(&self) -> Result<Node, SpecError> {
        parse(&self.source, self.span.clone())
    }

    /// Returns the spec that a node represents.
    pub(crate) fn from_node(source: &Arc<str>, node: &Node) -> Result<Self, ReadError> {
        let refuse = |span: &Range<usize>, message: String| Err(ReadError::new(message).at(span));
        let none = Fields::Named(Vec::new());
        let (name, fields) = match &node.kind {
            NodeKind::Word => (&node.span, &none),
            NodeKind::Group(Some(name), fields) => (name, fields),
            NodeKind::Text(_) => {
                return refuse(
                    &node.span,
                    "expected a name, found a string: leave out the quotes".into(),
                );
            }
            _ => {
                let found = tree::describe(node, source);
                return refuse(&node.span, format!("expected a name, found {found}"));
            }
        };
        let text = tree::name_of(&source[name.clone()]);
        if !tree::is_name(text) {
            return refuse(name, invalid_name(text));
        }
        if let Fields::Positional(items) = fields {
            let found = tree::describe(&items[0], source);
            return refuse(&items[0].span, format!("expected `parameter: value`, found {found}"));
        }
        let mut canonical = text.to_owned();
        if !fields.is_empty() {
            print_fields(fields, source, Style::Spec, &mut canonical);
        }
        Ok(Self {
            source: source.clone(),
            span: node.span.clone(),
            name: name.clone(),
            canonical: canonical.into(),
            has_fields: !fields.is_empty(),
        })
    }
}

/// Returns the message for a text that is not a valid name.
pub(crate) fn invalid_name(text: &str) -> String {
    if tree::KEYWORDS.contains(&text) {
        return format!("`{text}` is a value, not a name");
    }
    format!(
        "`{text}` is not a valid name: a name begins with a lower-case letter or a digit and \
         contains only these, hyphens and underscores"
    )
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text.trim().is_empty() {
            return Err(SpecError::new(text, 0..text.len(), "expected a name, found nothing"));
        }
        let node = parse(text, 0..text.len())?;
        Self::from_node(&Arc::from(text), &node).map_err(|error| error.in_text(text))
    }
}

/// Writes the spec as typed. Text with a raw identifier or a raw string, as in the files that
/// [`Serialize`] writes, is written on one line with plain names instead.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let typed = self.typed();
        f.write_str(if typed.contains("r#") { &self.canonical } else { typed })
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spec({self})")
    }
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for Spec {}

/// Writes plain RON: names that are not identifiers become raw identifiers.
impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let node = self.tree().map_err(S::Error::custom)?;
        let mut text = String::new();
        match &node.kind {
            NodeKind::Group(..) if self.has_fields => {
                print(&node, &self.source, Style::Ron, &mut text);
            }
            _ => print_word(self.name(), true, Style::Ron, &mut text),
        }
        RawValue::from_ron(&text).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// Name of a newtype struct that asks the deserializer for a spec.
pub(crate) const SPEC_TOKEN: &str = "$runner_spec::Spec";

/// The name of the newtype struct that a [`SpecOr`] is requested by.
pub(crate) const SPEC_OR_GROUP_TOKEN: &str = "$runner_spec::SpecOr";

thread_local! {
    /// The spec that the deserializer passes to the visitor it is about to call.
    ///
    /// Serde passes only its own types, which cannot share the text that the user typed;
    /// copying the text for each spec of a document would take quadratic time.
    static FOUND: Cell<Option<Spec>> = const { Cell::new(None) };
}

pub(crate) fn pass_to_visitor(spec: Spec) {
    FOUND.set(Some(spec));
}

/// Reads a spec from a document or from a field of another spec, through
/// [`read_document`](crate::read_document) and [`Spec::read`]; from other formats as a
/// string.
impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SPEC_TOKEN, SpecVisitor)
    }
}

/// A spec or an unnamed group: `[random, (label: "r2", agent: random)]`.
#[derive(Clone, Debug, PartialEq)]
pub enum SpecOr<T> {
    /// A spec.
    Spec(Spec),
    /// A group.
    Group(T),
}

/// Reads a spec or a group from a document.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for SpecOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SPEC_OR_GROUP_TOKEN, SpecOrVisitor(PhantomData))
    }
}

struct SpecOrVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for SpecOrVisitor<T> {
    type Value = SpecOr<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SpecVisitor.expecting(f)
    }

    fn visit_unit<E: de::Error>(self) -> Result<SpecOr<T>, E> {
        SpecVisitor.visit_unit().map(SpecOr::Spec)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, group: D) -> Result<SpecOr<T>, D::Error> {
        T::deserialize(group).map(SpecOr::Group)
    }
}

struct SpecVisitor;

impl<'de> de::Visitor<'de> for SpecVisitor {
    type Value = Spec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name with or without parameters")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Spec, E> {
        FOUND.take().ok_or_else(|| E::invalid_type(de::Unexpected::Unit, &self))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Spec, D::Error> {
        inner.deserialize_str(self)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Spec, E> {
        text.parse().map_err(E::custom)
    }
}
