//! The fields of a configuration: each is described, read, checked and written by one entry of a
//! list.

use super::value::ParameterValue;
use super::{Allowed, Parameter, Parameters};
use crate::deserialize::TreeDeserializer;
use crate::document::to_text;
use crate::error::{ReadError, SpecError};
use crate::tree::{Spec, SpecValue};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a field from its value in a spec.
type Read<C> = dyn Fn(&mut C, TreeDeserializer<'_>) -> Result<(), ReadError>;
/// Returns a field as RON text. Fields are reached through a mutable reference alone.
type Write<C> = dyn Fn(&mut C) -> ron::Result<String>;

/// A field of the configuration `C`.
pub struct ParameterField<C> {
    parameter: Parameter,
    read: Box<Read<C>>,
    write: Box<Write<C>>,
}

impl<C: 'static> ParameterField<C> {
    /// Returns a field. `about` are the lines of its documentation.
    pub fn new<T: ParameterValue + Serialize + DeserializeOwned + 'static>(
        name: &str,
        about: &[&str],
        allowed: impl Into<Allowed>,
        place: fn(&mut C) -> &mut T,
    ) -> Self {
        let parameter = Parameter::new(name, about, allowed);
        let kind = parameter.allowed.kind.clone();
        Self {
            parameter,
            read: Box::new(move |config, reader| {
                let value = T::deserialize(reader)?;
                value.check(&kind).map_err(ReadError::new)?;
                *place(config) = value;
                Ok(())
            }),
            write: Box::new(move |config| to_text(place(config))),
        }
    }

    /// Returns the fields of a configuration inside another one.
    pub fn shared<S: Parameters>(place: fn(&mut C) -> &mut S) -> impl Iterator<Item = Self> {
        S::fields().into_iter().map(move |ParameterField { parameter, read, write }| Self {
            parameter,
            read: Box::new(move |config, reader| read(place(config), reader)),
            write: Box::new(move |config| write(place(config))),
        })
    }
}

/// Returns the descriptions of all fields.
pub fn described<C: Parameters>() -> Vec<Parameter> {
    // A configuration that cannot be written fails when it is used, with a message.
    let defaults = written("x", &C::default(), |_, _| true).ok();
    let described = C::fields().into_iter().map(|field| {
        let Parameter { name, .. } = &field.parameter;
        let default = defaults.as_ref().and_then(|defaults| defaults.get(name));
        let default = default.map(SpecValue::to_string).unwrap_or_default();
        let whole = default.strip_suffix(".0").filter(|whole| whole.parse::<i64>().is_ok());
        let default = whole.unwrap_or(&default).to_owned();
        Parameter { default, ..field.parameter }
    });
    described.collect()
}

/// Returns the spec with this name and the fields of a configuration that `is_set` takes.
fn written<C: Parameters>(
    name: &str,
    config: &C,
    is_set: impl Fn(&ParameterField<C>, &str) -> bool,
) -> Result<Spec, SpecError> {
    let mut config = config.clone();
    let mut fields = Vec::new();
    for field in C::fields() {
        let value = (field.write)(&mut config).map_err(|error| {
            let message = format!("cannot write the configuration: {error}");
            SpecError::new(name, 0..name.len(), message)
        })?;
        if is_set(&field, &value) {
            fields.push(format!("{}: {value}", field.parameter.name));
        }
    }
    format!("{name}({})", fields.join(", ")).parse()
}

impl Spec {
    /// Reads the parameters. Those that are not given have their default values; unknown ones, and
    /// values that are not allowed, are refused at their place.
    pub fn read<C: Parameters>(&self) -> Result<C, SpecError> {
        let refuse = |error: ReadError| error.in_text(&self.source);
        let fields = C::fields();
        let field = |name: &str| fields.iter().find(|field| field.parameter.name == name);
        if let Some((name, _)) = self.fields.iter().find(|(name, _)| field(&name.text).is_none()) {
            let known: Vec<_> = fields.iter().map(|field| &*field.parameter.name).collect();
            return Err(refuse(ReadError::unknown_parameter(&name.text, &known).at(&name.span)));
        }
        let mut config = C::default();
        for (name, value) in &self.fields {
            if let Some(field) = field(&name.text) {
                let read = (field.read)(&mut config, self.reader(value));
                read.map_err(|error| refuse(error.at(&value.span).of(&name.text)))?;
            }
        }
        Ok(config)
    }

    /// Returns the spec with this name that sets every field of a configuration, except those that
    /// [omit their default](Allowed::omit_default). Reading it gives an equal configuration.
    pub fn resolved<C: Parameters>(name: &str, config: &C) -> Result<Self, SpecError> {
        written(name, config, |field, value| {
            let is_default = || (field.write)(&mut C::default()).is_ok_and(|text| text == value);
            !(field.parameter.allowed.omits_default && is_default())
        })
    }
}
