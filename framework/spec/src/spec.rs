//! Reads specs from text and as parts of documents, and places errors at their parts.

use crate::error::{ReadError, SpecError};
use crate::parse::parse;
use crate::tree::{self, Content, Name, Printer, Span, Spec, SpecValue};
use serde::de::{self, Deserializer};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;

impl Spec {
    /// Returns an error that points at the value of a parameter, or at the name if
    /// `parameter` is `None` or not set.
    pub fn refused(&self, parameter: Option<&str>, message: impl Into<String>) -> SpecError {
        let value = parameter.and_then(|parameter| self.field(parameter));
        let span = value.map_or(&self.name.span, |value| &value.span);
        let mut message = message.into();
        if let Some(parameter) = parameter {
            message = format!("parameter `{parameter}`: {message}");
        }
        SpecError::new(&self.source, span.clone(), message)
    }

    /// Turns an error at a place of the printed spec into one at the same place of the typed spec.
    /// A parameter that was not typed has the place of the spec, of the value that it replaced, or
    /// of the name of its preset.
    pub fn in_typed_text(&self, error: SpecError) -> SpecError {
        let mut printer = Printer::default();
        printer.spec(self);
        let contains_error =
            |span: &Span| span.start <= error.span.start && error.span.end <= span.end;
        let place = printer.places.iter().find(|place| contains_error(&place.printed));
        let typed = place.map_or(&self.span, |place| &place.typed);
        let message = match &self.preset {
            Some(preset) if preset.span == *typed => {
                format!("preset `{}`: {}", preset.text, error.message)
            }
            _ => error.message,
        };
        let text = self.source[self.span.clone()].to_owned();
        let span = typed.start - self.span.start..typed.end - self.span.start;
        SpecError { text, span, message, ..error }
    }

    /// Returns the spec that a value represents.
    pub(crate) fn from_value(source: &Arc<str>, value: &SpecValue) -> Result<Self, ReadError> {
        let spec = match &value.content {
            Content::Spec(spec) => spec.clone(),
            // Names such as `2048` are numbers too.
            Content::Number(word) => {
                let span = value.span.clone();
                let name = Name { text: word.clone(), span: span.clone() };
                Self { source: source.clone(), span, name, fields: Vec::new(), preset: None }
            }
            other => {
                let found = value.describe();
                let message = match other {
                    Content::Bool(_) | Content::None => format!("{found} is a value, not a name"),
                    Content::Text(_) => {
                        format!("expected a name, found {found}: leave out the quotes")
                    }
                    _ => format!("expected a name, found {found}"),
                };
                return Err(ReadError::new(message).at(&value.span));
            }
        };
        if tree::is_name(spec.name()) {
            return Ok(spec);
        }
        let message = format!(
            "`{}` is not a valid name: a name begins with a lower-case letter or a digit and \
             contains only these, hyphens and underscores",
            spec.name()
        );
        Err(ReadError::new(message).at(&spec.name.span))
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text.trim().is_empty() {
            return Err(SpecError::new(text, 0..text.len(), "expected a name, found nothing"));
        }
        let source = Arc::from(text);
        let value = parse(&source)?;
        Self::from_value(&source, &value).map_err(|error| error.in_text(text))
    }
}

/// The name of `ron`'s own `RawValue`. The text of a newtype struct with this name is written as it
/// is by `ron`, and as a string by other formats. `RawValue` itself refuses names with hyphens.
const RAW_TOKEN: &str = "$ron::private::RawValue";

impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(RAW_TOKEN, &self.to_string())
    }
}

/// The name of the newtype struct that a type requests to read a spec. `TreeDeserializer` then
/// stores the spec in `FOUND` and calls `visit_unit`, because Serde has no way to pass a `Spec`.
/// If there is a group in parentheses instead, it calls `visit_newtype_struct`.
pub(crate) const SPEC_TOKEN: &str = "$runner_spec::Spec";

thread_local! {
    /// The spec for the visitor whose `visit_unit` is called next.
    static FOUND: Cell<Option<Spec>> = const { Cell::new(None) };
}

pub(crate) fn pass_to_visitor(spec: Spec) {
    FOUND.set(Some(spec));
}

/// Reads a spec from a document or from a field of another spec, through
/// [`read_document`](crate::read_document) and [`Spec::read`].
impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SPEC_TOKEN, SpecVisitor)
    }
}

/// A `T` that a document gives as a spec or as an unnamed group:
/// `[random, (label: "r2", agent: random)]`.
pub struct SpecOr<T>(pub T);

impl<'de, T: From<Spec> + Deserialize<'de>> Deserialize<'de> for SpecOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SPEC_TOKEN, SpecOrVisitor(PhantomData))
    }
}

struct SpecOrVisitor<T>(PhantomData<T>);

impl<'de, T: From<Spec> + Deserialize<'de>> de::Visitor<'de> for SpecOrVisitor<T> {
    type Value = SpecOr<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SpecVisitor.expecting(f)
    }

    fn visit_unit<E: de::Error>(self) -> Result<SpecOr<T>, E> {
        SpecVisitor.visit_unit().map(|spec| SpecOr(spec.into()))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, group: D) -> Result<SpecOr<T>, D::Error> {
        T::deserialize(group).map(SpecOr)
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

    fn visit_newtype_struct<D: Deserializer<'de>>(self, _: D) -> Result<Spec, D::Error> {
        Err(de::Error::custom("expected a name, found a group in parentheses"))
    }
}
