//! How a game, value or agent is named: `threes`, `2048(rows: 3, cols: 4)`,
//! `expectimax(depth: 3, value: tc-ntuple(model: "x.model"))`.
//!
//! A spec is the same thing on the command line, in a tournament file and inside
//! a model's header: RON, except that names may begin with a digit and hold
//! hyphens. RON's own reader cannot be told that, nor does it say which field it
//! was in or which type it wanted; so the shape of the text is read here (`tree`),
//! serde takes values out of it (`read`), and `ron` reads the literals and writes.

use crate::SpecError;
use crate::error::ReadError;
use crate::read::{Place, Reader};
use crate::tree::{self, Fields, Kind, Node, Style, Word};
use ron::extensions::Extensions;
use ron::value::RawValue;
use serde::de::{self, DeserializeOwned, Deserializer};
use serde::ser::{Error, Serializer};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

/// A name, or a name with RON fields, as the user wrote it.
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
/// Two specs are equal if they say the same, however they are spaced.
#[derive(Clone)]
pub struct Spec {
    /// The whole text that the user typed, of which this may be a part: errors
    /// point into it.
    pub(crate) source: Arc<str>,
    pub(crate) span: Range<usize>,
    name: Word,
    /// The same on one line, without comments: what is compared.
    canonical: Arc<str>,
    has_fields: bool,
}

impl Spec {
    /// The name of the game, value or agent.
    pub fn name(&self) -> &str {
        tree::name_of(&self.source[self.name.clone()])
    }

    /// Whether fields are given.
    pub fn has_fields(&self) -> bool {
        self.has_fields
    }

    /// The fields as a `T`: a struct with `#[serde(default, deny_unknown_fields)]`
    /// mostly. A name alone reads as `()`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, SpecError> {
        let node = self.tree()?;
        let none = Fields::Named(Vec::new());
        let fields = match &node.kind {
            Kind::Group(_, fields) => fields,
            _ => &none,
        };
        let reader = Reader { source: &self.source, place: Place::Fields(fields) };
        T::deserialize(reader).map_err(|error| error.at(&self.span).in_text(&self.source))
    }

    /// The spec that says all: this name with every field of a configuration, on
    /// one line. Read again, it gives an equal configuration.
    pub fn resolved(name: &str, config: &impl Serialize) -> Result<Self, SpecError> {
        if !tree::is_name(name) {
            return Err(SpecError::new(name, 0..name.len(), no_name(name)));
        }
        let refuse = |message: String| SpecError::new(name, 0..name.len(), message);
        // What `read` undoes; newtypes would be written in parentheses otherwise.
        let options = ron::Options::default()
            .with_default_extension(Extensions::UNWRAP_NEWTYPES)
            .with_default_extension(Extensions::IMPLICIT_SOME);
        let ron = options
            .to_string(config)
            .map_err(|error| refuse(format!("the configuration cannot be written: {error}")))?;
        let node = tree::parse(&ron, 0..ron.len())?;
        let Kind::Group(_, fields @ Fields::Named(_)) = &node.kind else {
            return Err(refuse(format!(
                "a configuration is a struct with named fields, not {ron}"
            )));
        };
        let mut text = name.to_owned();
        if !fields.is_empty() {
            tree::print_fields(fields, &ron, Style::Spec, &mut text);
        }
        text.parse()
    }

    /// An error that points at the value of a parameter, or at the name if no
    /// parameter is to blame or the parameter was not given.
    pub fn refused(&self, parameter: Option<&str>, message: impl Into<String>) -> SpecError {
        let mut span = self.name.clone();
        if let (Some(parameter), Ok(node)) = (parameter, self.tree())
            && let Kind::Group(_, Fields::Named(fields)) = &node.kind
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

    pub(crate) fn tree(&self) -> Result<Node, SpecError> {
        tree::parse(&self.source, self.span.clone())
    }

    /// The spec that a node is.
    pub(crate) fn at(source: &Arc<str>, node: &Node) -> Result<Self, ReadError> {
        let refuse = |span: &Range<usize>, message: String| Err(ReadError::new(message).at(span));
        let none = Fields::Named(Vec::new());
        let (name, fields) = match &node.kind {
            Kind::Word => (&node.span, &none),
            Kind::Group(Some(name), fields) => (name, fields),
            Kind::Text(_) => {
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
            return refuse(name, no_name(text));
        }
        if let Fields::Positional(items) = fields {
            let found = tree::describe(&items[0], source);
            return refuse(&items[0].span, format!("expected `parameter: value`, found {found}"));
        }
        let mut canonical = text.to_owned();
        if !fields.is_empty() {
            tree::print_fields(fields, source, Style::Spec, &mut canonical);
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

fn no_name(text: &str) -> String {
    format!(
        "`{text}` is no name: a name begins with a lower-case letter or a digit \
         and holds these, hyphens and underscores"
    )
}

/// Reads any RON document in which specs may stand as they are typed:
/// `[tc-ntuple(lambda: 0.5), random, 2048]`. The extensions `implicit_some`,
/// `unwrap_newtypes` and `unwrap_variant_newtypes` are on.
///
/// A field whose name begins with `..` is a group, a struct whose fields stand among
/// those of the struct that it is in:
///
/// ```
/// # use runner_spec::read_document;
/// # use serde::Deserialize;
/// #[derive(Default, Deserialize)]
/// #[serde(default)]
/// struct Resources {
///     threads: Option<u64>,
/// }
///
/// #[derive(Default, Deserialize)]
/// #[serde(default, deny_unknown_fields)]
/// struct Options {
///     #[serde(rename = "..resources")]
///     resources: Resources,
///     games: u64,
/// }
///
/// let options: Options = read_document("(games: 7, threads: 2)")?;
/// assert_eq!((options.games, options.resources.threads), (7, Some(2)));
/// assert!(read_document::<Options>("(thread: 2)").is_err());
/// # Ok::<(), runner_spec::SpecError>(())
/// ```
pub fn read_document<T: DeserializeOwned>(text: &str) -> Result<T, SpecError> {
    let node = tree::parse(text, tree::after_attributes(text)?..text.len())?;
    T::deserialize(Reader::value(&Arc::from(text), &node))
        .map_err(|error| error.at(&node.span).in_text(text))
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text.trim().is_empty() {
            return Err(SpecError::new(text, 0..text.len(), "expected a name, found nothing"));
        }
        let node = tree::parse(text, 0..text.len())?;
        Self::at(&Arc::from(text), &node).map_err(|error| error.in_text(text))
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source[self.span.clone()])
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

/// As plain RON, where names that RON would refuse are raw identifiers.
impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let node = self.tree().map_err(S::Error::custom)?;
        let mut text = String::new();
        match &node.kind {
            Kind::Group(..) if self.has_fields => {
                tree::print(&node, &self.source, Style::Ron, &mut text);
            }
            _ => tree::print_word(self.name(), true, Style::Ron, &mut text),
        }
        RawValue::from_ron(&text).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// What tells the reader that a spec is wanted, and not a struct or a number.
pub(crate) const SPEC_TOKEN: &str = "$runner_spec::Spec";

thread_local! {
    /// The spec that the reader has found and its visitor is about to take.
    /// Serde passes on only types of its own, and those cannot share the text
    /// that the user typed; a copy for each spec of a document would be quadratic.
    static FOUND: Cell<Option<Spec>> = const { Cell::new(None) };
}

/// Leaves a spec to the visitor that is called next.
pub(crate) fn hand_over(spec: Spec) {
    FOUND.set(Some(spec));
}

/// From a document or another spec's field, through [`read_document`] and
/// [`Spec::read`]; from other formats as a string.
impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SPEC_TOKEN, SpecVisitor)
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
