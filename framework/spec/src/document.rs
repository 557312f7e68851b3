//! Conversion between specs, documents and Rust values.

use crate::deserialize::TreeDeserializer;
use crate::error::SpecError;
use crate::parse::parse;
use crate::tree::{Content, Span, Spec, SpecValue, fields_of};
use ron::extensions::Extensions;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

impl Spec {
    /// Reads the parameters as a `T`, usually a struct with
    /// `#[serde(default, deny_unknown_fields)]`. A spec without parameters also reads as
    /// `()`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, SpecError> {
        let value = &SpecValue::group(self);
        T::deserialize(TreeDeserializer { source: &self.source, value })
            .map_err(|error| error.at(&self.span).in_text(&self.source))
    }

    /// Returns the spec with this name that sets every field of a configuration. Reading it gives
    /// an equal configuration.
    pub fn resolved(name: &str, config: &impl Serialize) -> Result<Self, SpecError> {
        // The extensions that the deserializer implies. Without them, newtypes would be
        // written in parentheses.
        let options = ron::Options::default()
            .with_default_extension(Extensions::UNWRAP_NEWTYPES)
            .with_default_extension(Extensions::IMPLICIT_SOME);
        match options.to_string(config) {
            Ok(fields) => format!("{name}{fields}").parse(),
            Err(error) => {
                let message = format!("cannot write the configuration: {error}");
                Err(SpecError::new(name, 0..name.len(), message))
            }
        }
    }
}

/// Reads a RON document that may contain specs as they are typed:
/// `[tc-ntuple(lambda: 0.5), random, 2048]`.
///
/// The extensions `implicit_some`, `unwrap_newtypes` and `unwrap_variant_newtypes` are
/// always on. A field that a struct does not have is refused.
pub fn read_document<T: DeserializeOwned>(text: &str) -> Result<T, SpecError> {
    let source = Arc::from(text);
    let value = parse(&source)?;
    T::deserialize(TreeDeserializer { source: &source, value: &value })
        .map_err(|error| error.at(&value.span).in_text(text))
}

/// A field of a document, with its value as the words of a command line.
pub struct Field {
    /// Its name.
    pub name: String,
    /// Bytes of the name in the text.
    pub span: Span,
    /// The value, or the elements of a list, each with its bytes in the text. `None` has none.
    pub words: Vec<(String, Span)>,
}

/// Reads the fields of a RON document whose values may be anything that can be typed: specs,
/// numbers, quantities and strings, and lists of them.
pub fn read_fields(text: &str) -> Result<Vec<Field>, SpecError> {
    let value = parse(&Arc::from(text))?;
    let word = |value: &SpecValue| {
        let typed = || text[value.span.clone()].to_owned();
        (value.as_text().map_or_else(typed, str::to_owned), value.span.clone())
    };
    let fields = fields_of(&value, text, "a group in parentheses")?.iter().map(|(name, value)| {
        let words = match &value.content {
            Content::List(items) => items.iter().map(word).collect(),
            Content::None => Vec::new(),
            _ => vec![word(value)],
        };
        Field { name: name.text.clone(), span: name.span.clone(), words }
    });
    Ok(fields.collect())
}
