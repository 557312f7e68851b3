//! Conversion between specs, documents and Rust values.

use crate::deserialize::{Input, TreeDeserializer};
use crate::error::SpecError;
use crate::parse::{after_attributes, parse};
use crate::print::{Style, print_fields};
use crate::spec::{Spec, invalid_name};
use crate::tree::{self, Fields, NodeKind};
use ron::extensions::Extensions;
use serde::Serialize;
use serde::de::DeserializeOwned;
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
/// A field whose name begins with `..` is a group: a struct whose fields are written among
/// those of the outer struct.
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
    let node = parse(text, after_attributes(text)?..text.len())?;
    let source = Arc::from(text);
    let reader = TreeDeserializer { source: &source, input: Input::Value(&node) };
    T::deserialize(reader).map_err(|error| error.at(&node.span).in_text(text))
}
