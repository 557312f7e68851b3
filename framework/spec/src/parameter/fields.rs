//! Reads and writes configurations whose fields are parameters. Each value is checked at its place.

use super::Allowed;
use super::value::ParameterValue;
use crate::kind::Kind;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{SerializeStruct, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// The fields of a configuration, in their order; `parameters!` implements it.
pub trait ParameterFields: Default {
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

    /// Writes the values of all fields.
    fn write_values<S: SerializeStruct>(&self, fields: &mut S) -> Result<(), S::Error>;
}

/// Returns the names of several lists, which are `N` together.
pub const fn join_fields<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut next, mut list) = (0, 0);
    while list < lists.len() {
        let mut name = 0;
        while name < lists[list].len() {
            all[next] = lists[list][name];
            name += 1;
            next += 1;
        }
        list += 1;
    }
    all
}

/// Writes a configuration as a struct.
pub fn write_parameters<S: Serializer, T: ParameterFields>(
    config: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_struct(T::NAME, T::FIELDS.len())?;
    config.write_values(&mut fields)?;
    fields.end()
}

/// Reads a configuration; fields that are not given have their default values. The deserializer
/// refuses other fields.
pub fn read_parameters<'de, D: Deserializer<'de>, T: ParameterFields>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_struct(T::NAME, T::FIELDS, Fields(PhantomData))
}

struct Fields<T>(PhantomData<T>);

impl<'de, T: ParameterFields> Visitor<'de> for Fields<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut config = T::default();
        while let Some(field) = map.next_key::<String>()? {
            config.read_value(&field, &mut map)?;
        }
        Ok(config)
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
