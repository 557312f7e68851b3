//! The fields of a configuration. A [`ParameterField`] describes, reads, checks and writes one.

use super::value::ParameterValue;
use super::{Allowed, Parameter, Parameters};
use crate::deserialize::TreeDeserializer;
use crate::document::to_text;
use crate::error::{ReadError, SpecError};
use crate::tree::{Name, Spec, SpecValue};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a field from its value in a spec.
type Read<C> = dyn Fn(&mut C, TreeDeserializer<'_>) -> Result<(), ReadError>;
/// Returns a field as RON text. The reference is mutable, because the function that returns a field
/// of a configuration takes a mutable one.
type Write<C> = dyn Fn(&mut C) -> ron::Result<String>;

/// A field of the configuration `C`.
pub struct ParameterField<C> {
    parameter: Parameter,
    read: Box<Read<C>>,
    write: Box<Write<C>>,
}

impl<C: 'static> ParameterField<C> {
    /// Returns a field. `about` are the lines of its documentation, and `place` returns the field
    /// of a configuration.
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
    let all_defaults = spec_of("x", &C::default(), |_, _| true).ok();
    let mut parameters = Vec::new();
    for ParameterField { mut parameter, .. } in C::fields() {
        let default = all_defaults.as_ref().and_then(|spec| spec.get(&parameter.name));
        parameter.default = default.map(SpecValue::to_string).unwrap_or_default();
        // `1.0` is displayed as `1`.
        if let Some(whole) = parameter.default.strip_suffix(".0")
            && whole.parse::<i64>().is_ok()
        {
            parameter.default = whole.to_owned();
        }
        parameters.push(parameter);
    }
    parameters
}

/// Returns the spec with this name that sets the fields of a configuration for which `is_set`,
/// called with the field and its RON text, returns true.
fn spec_of<C: Parameters>(
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
        let known = C::fields();
        let known_field =
            |name: &Name| known.iter().find(|field| field.parameter.name == name.text);
        // All names are checked before the first value.
        if let Some((name, _)) = self.fields.iter().find(|(name, _)| known_field(name).is_none()) {
            let names: Vec<_> = known.iter().map(|field| &*field.parameter.name).collect();
            let error = ReadError::unknown_parameter(&name.text, &names).at(&name.span);
            return Err(error.in_text(&self.source));
        }
        let mut config = C::default();
        for (name, value) in &self.fields {
            if let Some(field) = known_field(name) {
                let read = (field.read)(&mut config, self.reader(value));
                read.map_err(|error| error.at(&value.span).of(&name.text).in_text(&self.source))?;
            }
        }
        Ok(config)
    }

    /// Returns the spec with this name that sets every field of a configuration, except those that
    /// [omit their default](Allowed::omit_default). Reading it gives an equal configuration.
    pub fn resolved<C: Parameters>(name: &str, config: &C) -> Result<Self, SpecError> {
        spec_of(name, config, |field, text| {
            let is_default = || (field.write)(&mut C::default()).is_ok_and(|value| value == text);
            !(field.parameter.allowed.omits_default && is_default())
        })
    }
}
