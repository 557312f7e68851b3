//! Reads specs and documents into Rust values, and writes values as text.

use crate::deserialize::TreeDeserializer;
use crate::error::SpecError;
use crate::parse::parse;
use crate::tree::{Content, Span, Spec, SpecValue, fields_of};
use ron::extensions::Extensions;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

impl Spec {
    pub(crate) fn reader<'t>(&'t self, value: &'t SpecValue) -> TreeDeserializer<'t> {
        TreeDeserializer { source: &self.source, value }
    }

    /// Reads the parameters as a struct of `serde`.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, SpecError> {
        let group = SpecValue::typed(self.span.clone(), Content::Struct(self.fields.clone()));
        T::deserialize(self.reader(&group))
            .map_err(|error| error.at(&self.span).in_text(&self.source))
    }
}

/// Writes a value as [`TreeDeserializer`] reads it: newtypes and options without parentheses.
pub fn to_text(value: &impl Serialize) -> ron::Result<String> {
    let extensions = Extensions::UNWRAP_NEWTYPES | Extensions::IMPLICIT_SOME;
    ron::Options::default().with_default_extension(extensions).to_string(value)
}

/// Reads a RON document that may contain specs as they are typed:
/// `[tc-ntuple(lambda: 0.5), random, 2048]`.
///
/// Options need no `Some`, and newtypes no parentheses. A field that a struct does not have is
/// refused.
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
    let document = parse(&Arc::from(text))?;
    let typed =
        fields_of(&document, "a group in parentheses").map_err(|error| error.in_text(text))?;
    // A string without its quotes, and any other value as it is typed.
    let word = |value: &SpecValue| {
        let word = value.as_text().unwrap_or(&text[value.span.clone()]);
        (word.to_owned(), value.span.clone())
    };
    let mut fields = Vec::with_capacity(typed.len());
    for (name, value) in typed {
        let words = match &value.content {
            Content::List(items) => items.iter().map(word).collect(),
            Content::None => Vec::new(),
            _ => vec![word(value)],
        };
        fields.push(Field { name: name.text.clone(), span: name.span.clone(), words });
    }
    Ok(fields)
}
