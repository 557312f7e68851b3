//! Conversion between specs, documents and Rust values.

use crate::deserialize::{Input, TreeDeserializer};
use crate::error::SpecError;
use crate::parse::{after_attributes, parse};
use crate::print::{Style, print_fields};
use crate::spec::{Spec, invalid_name};
use crate::tree::{self, Fields, Node, NodeKind, describe, implied, name_of};
use ron::extensions::Extensions;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::sync::Arc;

impl Spec {
    /// Reads the parameters as a `T`, usually a struct with
    /// `#[serde(default, deny_unknown_fields)]`. A spec without parameters also reads as
    /// `()`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, SpecError> {
        let node = self.tree()?;
        let none = Fields::Named(Vec::new());
        let fields = match &node.kind {
            NodeKind::Group(_, fields) => fields,
            _ => &none,
        };
        let reader = TreeDeserializer { source: &self.source, input: Input::Fields(fields) };
        T::deserialize(reader).map_err(|error| error.at(&self.span).in_text(&self.source))
    }

    /// Returns the spec with this name that sets every field of a configuration, on one
    /// line. Reading it gives an equal configuration.
    pub fn resolved(name: &str, config: &impl Serialize) -> Result<Self, SpecError> {
        if !tree::is_name(name) {
            return Err(SpecError::new(name, 0..name.len(), invalid_name(name)));
        }
        let refuse = |message: String| SpecError::new(name, 0..name.len(), message);
        // The extensions that the deserializer implies. Without them, newtypes would be
        // written in parentheses.
        let options = ron::Options::default()
            .with_default_extension(Extensions::UNWRAP_NEWTYPES)
            .with_default_extension(Extensions::IMPLICIT_SOME);
        let ron = options
            .to_string(config)
            .map_err(|error| refuse(format!("cannot write the configuration: {error}")))?;
        let node = parse(&ron, 0..ron.len())?;
        let NodeKind::Group(_, fields @ Fields::Named(_)) = &node.kind else {
            return Err(refuse(format!("expected a configuration with named fields, found {ron}")));
        };
        let mut text = name.to_owned();
        if !fields.is_empty() {
            print_fields(fields, &ron, Style::Spec, &mut text);
        }
        text.parse()
    }
}

/// Reads a RON document that may contain specs as they are typed:
/// `[tc-ntuple(lambda: 0.5), random, 2048]`.
///
/// The extensions `implicit_some`, `unwrap_newtypes` and `unwrap_variant_newtypes` are
/// always on.
///
/// ```
/// # use runner_spec::read_document;
/// # use serde::Deserialize;
/// #[derive(Default, Deserialize)]
/// #[serde(default, deny_unknown_fields)]
/// struct Options {
///     threads: Option<u64>,
///     games: u64,
/// }
///
/// let options: Options = read_document("(games: 7, threads: 2)")?;
/// assert_eq!((options.games, options.threads), (7, Some(2)));
/// assert!(read_document::<Options>("(thread: 2)").is_err());
/// # Ok::<(), runner_spec::SpecError>(())
/// ```
pub fn read_document<T: DeserializeOwned>(text: &str) -> Result<T, SpecError> {
    let node = parse(text, after_attributes(text)?..text.len())?;
    let source = Arc::from(text);
    let reader = TreeDeserializer { source: &source, input: Input::Value(&node) };
    T::deserialize(reader).map_err(|error| error.at(&node.span).in_text(text))
}

/// A field of a document, with its value as the words of a command line.
pub struct Field {
    /// Its name.
    pub name: String,
    /// Bytes of the name in the text.
    pub span: Range<usize>,
    /// The value, or the elements of a list, each with its bytes in the text. `None` has none.
    pub words: Vec<(String, Range<usize>)>,
}

/// Reads the fields of a RON document whose values may be anything that can be typed: specs,
/// numbers, quantities and strings, and lists of them.
pub fn read_fields(text: &str) -> Result<Vec<Field>, SpecError> {
    let node = parse(text, after_attributes(text)?..text.len())?;
    let refuse = |node: &Node, what: &str| {
        let message = format!("expected {what}, found {}", describe(node, text));
        Err(SpecError::new(text, node.span.clone(), message))
    };
    let fields = match &node.kind {
        NodeKind::Group(None, Fields::Named(fields)) => fields,
        NodeKind::Group(None, Fields::Positional(items)) => {
            return refuse(&items[0], "`parameter: value`");
        }
        _ => return refuse(&node, "a group in parentheses"),
    };
    let word = |node: &Node| {
        let word = match &node.kind {
            NodeKind::Text(word) => word.clone(),
            NodeKind::Char(c) => c.to_string(),
            _ => text[node.span.clone()].to_owned(),
        };
        (word, node.span.clone())
    };
    let field = |(name, value): &(Range<usize>, Node)| {
        let value = implied(value, text).unwrap_or(value);
        let words = match &value.kind {
            NodeKind::List(items) => items.iter().map(word).collect(),
            NodeKind::Word if &text[value.span.clone()] == "None" => Vec::new(),
            _ => vec![word(value)],
        };
        Field { name: name_of(&text[name.clone()]).to_owned(), span: name.clone(), words }
    };
    Ok(fields.iter().map(field).collect())
}
