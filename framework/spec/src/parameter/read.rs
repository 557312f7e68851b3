//! Reads configurations whose fields are parameters, and checks each value at its place.

use super::Allowed;
use super::value::ParameterValue;
use crate::kind::Kind;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// The fields of a configuration, for its deserialization; `parameters!` implements it.
pub trait ReadParameters: Default {
    /// Name of the struct.
    const NAME: &'static str;
    /// Names of the fields.
    const FIELDS: &'static [&'static str];

    /// Reads the value of one of the fields.
    fn read_value<'de, A: MapAccess<'de>>(
        &mut self,
        field: &str,
        map: &mut A,
    ) -> Result<(), A::Error>;
}

/// Reads a configuration; fields that are not given have their default values.
pub fn read_parameters<'de, D: Deserializer<'de>, T: ReadParameters>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_struct(T::NAME, T::FIELDS, Fields(PhantomData))
}

struct Fields<T>(PhantomData<T>);

impl<'de, T: ReadParameters> Visitor<'de> for Fields<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut config = T::default();
        while let Some(field) = map.next_key_seed(FieldName::<T>(PhantomData))? {
            config.read_value(field, &mut map)?;
        }
        Ok(config)
    }
}

/// Reads the name of a field of a configuration.
struct FieldName<T>(PhantomData<T>);

impl<'de, T: ReadParameters> DeserializeSeed<'de> for FieldName<T> {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<T: ReadParameters> Visitor<'_> for FieldName<T> {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a parameter")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<&'static str, E> {
        let known = T::FIELDS.iter().find(|field| **field == name);
        known.copied().ok_or_else(|| E::unknown_field(name, T::FIELDS))
    }
}

/// Reads a value and refuses one that its parameter does not allow.
pub struct Checked<T> {
    kind: Kind,
    value: PhantomData<T>,
}

impl<T> Checked<T> {
    /// Returns a reader of values that are allowed.
    pub fn new(allowed: impl Into<Allowed>) -> Self {
        Self { kind: allowed.into().kind, value: PhantomData }
    }
}

impl<'de, T: Deserialize<'de> + ParameterValue> DeserializeSeed<'de> for Checked<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        let value = T::deserialize(deserializer)?;
        value.check(&self.kind).map_err(D::Error::custom)?;
        Ok(value)
    }
}
