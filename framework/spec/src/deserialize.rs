//! Deserializes values from a tree: structs, lists, maps, strings, numbers, words, and options,
//! whose value needs no `Some`. Every error has its place in the text and names its parameter.

use crate::error::{ReadError, SpecError};
use crate::spec::{SPEC_TOKEN, pass_to_visitor};
use crate::tree::{self, Content, Field, Name, Spec, SpecValue};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use std::fmt::Display;
use std::slice::Iter;
use std::sync::Arc;
use std::vec::IntoIter;

type Result<T> = std::result::Result<T, ReadError>;

/// A deserializer for a part of a tree.
#[derive(Clone, Copy)]
pub struct TreeDeserializer<'t> {
    pub source: &'t Arc<str>,
    pub value: &'t SpecValue,
}

impl<'t> TreeDeserializer<'t> {
    fn to(&self, value: &'t SpecValue) -> Self {
        Self { source: self.source, value }
    }

    fn content(&self) -> &'t Content {
        &self.value.content
    }

    fn expected(&self, what: &str) -> ReadError {
        ReadError::new(format_args!("expected {what}, found {}", self.value.describe()))
    }

    /// Reads a number of the type with this range. The message for an integer out of the range has
    /// only the bound that it exceeds.
    fn number<T: DeserializeOwned + Display>(&self, what: &str, [low, high]: [T; 2]) -> Result<T> {
        let Content::Number(word) = self.content() else { return Err(self.expected(what)) };
        ron::from_str(word).map_err(|_| {
            if !is_whole(word) {
                return self.expected(what);
            }
            let (which, bound) =
                if word.starts_with('-') { ("least", low) } else { ("most", high) };
            ReadError::new(format_args!("{word} is out of range: at {which} {bound}"))
        })
    }

    /// Reads a word without or in quotes.
    fn word(&self, what: &str) -> Result<&'t str> {
        match self.content() {
            Content::Spec(spec) if !spec.has_fields() => Ok(spec.name()),
            Content::Text(text) => Ok(text),
            _ => Err(self.expected(what)),
        }
    }

    fn items(&self, items: &'t [SpecValue]) -> Items<'t> {
        Items { reader: *self, items: items.iter() }
    }

    fn fields(&self, fields: &'t [Field]) -> Entries<'t> {
        self.entries(fields.iter().map(|(name, value)| (Key::Name(name), value)))
    }

    fn entries(&self, entries: impl Iterator<Item = (Key<'t>, &'t SpecValue)>) -> Entries<'t> {
        let entries = entries.collect::<Vec<_>>().into_iter();
        Entries { reader: *self, entries, current: None }
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $type:ident $what:literal)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            visitor.$visit(self.number($what, [$type::MIN, $type::MAX])?)
        }
    )*};
}

/// Returns true if a word is an integer of any size.
fn is_whole(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    let is_decimal = digits.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    tree::is_number(word)
        && (is_decimal || ["0x", "0b", "0o"].iter().any(|base| digits.starts_with(base)))
}

impl<'de> Deserializer<'de> for TreeDeserializer<'_> {
    type Error = ReadError;

    numbers! {
        deserialize_u8 visit_u8 u8 "an unsigned integer"
        deserialize_u16 visit_u16 u16 "an unsigned integer"
        deserialize_u32 visit_u32 u32 "an unsigned integer"
        deserialize_u64 visit_u64 u64 "an unsigned integer"
        deserialize_i8 visit_i8 i8 "an integer"
        deserialize_i16 visit_i16 i16 "an integer"
        deserialize_i32 visit_i32 i32 "an integer"
        deserialize_i64 visit_i64 i64 "an integer"
        deserialize_f32 visit_f32 f32 "a number"
        deserialize_f64 visit_f64 f64 "a number"
    }

    serde::forward_to_deserialize_any! {
        char bytes byte_buf unit unit_struct tuple_struct ignored_any
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.content() {
            Content::None => visitor.visit_none(),
            Content::Bool(value) => visitor.visit_bool(*value),
            Content::Number(word) if ron::from_str::<u64>(word).is_ok() => {
                self.deserialize_u64(visitor)
            }
            Content::Number(word) if ron::from_str::<i64>(word).is_ok() => {
                self.deserialize_i64(visitor)
            }
            Content::Number(word) if tree::is_number(word) => self.deserialize_f64(visitor),
            Content::Number(text) | Content::Text(text) => visitor.visit_str(text),
            Content::List(items) | Content::Tuple(items) => visitor.visit_seq(self.items(items)),
            Content::Map(_) => self.deserialize_map(visitor),
            Content::Spec(spec) if !spec.has_fields() => visitor.visit_str(spec.name()),
            Content::Struct(fields) | Content::Spec(Spec { fields, .. }) => {
                visitor.visit_map(self.fields(fields))
            }
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.content() {
            Content::Bool(value) => visitor.visit_bool(*value),
            _ => Err(self.expected("`true` or `false`")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.content() {
            Content::Text(text) => visitor.visit_str(text),
            _ => Err(self.expected("a string in quotes")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.content() {
            Content::None => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name != SPEC_TOKEN {
            return visitor.visit_newtype_struct(self);
        }
        let spec = match self.content() {
            // A group in place of a spec.
            Content::Struct(_) | Content::Tuple(_) => return visitor.visit_newtype_struct(self),
            Content::Text(text) => text.parse().map_err(|error: SpecError| ReadError {
                allowed: error.allowed,
                ..ReadError::new(error.message)
            })?,
            _ => Spec::from_value(self.source, self.value)?,
        };
        pass_to_visitor(spec);
        visitor.visit_unit()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.content() {
            Content::List(items) => visitor.visit_seq(self.items(items)),
            _ => Err(self.expected("a list in `[` and `]`")),
        }
    }

    /// Serde's visitors report missing elements but ignore surplus ones, so these are refused here.
    fn deserialize_tuple<V: Visitor<'de>>(self, size: usize, visitor: V) -> Result<V::Value> {
        let Content::Tuple(items) = self.content() else {
            return Err(self.expected(&format!("{size} values without names in parentheses")));
        };
        let Some(surplus) = items.get(size) else { return visitor.visit_seq(self.items(items)) };
        let message = format!("expected a tuple of size {size}, found {} elements", items.len());
        Err(ReadError::new(message).at(&surplus.span))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.content() {
            Content::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| (Key::Value(key), value));
                visitor.visit_map(self.entries(entries))
            }
            _ => Err(self.expected("a map in `{` and `}`")),
        }
    }

    /// Reads the fields of a struct, and refuses others at their place.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let fields = tree::fields_of(self.value, "a group in parentheses")?;
        match fields.iter().find(|(name, _)| !known.contains(&name.text.as_str())) {
            Some((name, _)) => Err(ReadError::unknown_parameter(&name.text, known).at(&name.span)),
            None => visitor.visit_map(self.fields(fields)),
        }
    }

    /// Reads one of several words, which needs no quotes.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_str(self.word("a word")?)
    }

    /// Reads a variant without fields; others are not supported.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(StrDeserializer::new(self.word("a name without parentheses")?))
    }
}

struct Items<'t> {
    reader: TreeDeserializer<'t>,
    items: Iter<'t, SpecValue>,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some(item) = self.items.next() else { return Ok(None) };
        seed.deserialize(self.reader.to(item)).map(Some).map_err(|error| error.at(&item.span))
    }
}

/// The key of an entry: the name of a field, or a value in a map.
#[derive(Clone, Copy)]
enum Key<'t> {
    Name(&'t Name),
    Value(&'t SpecValue),
}

/// The fields of a group, or the entries of a map.
struct Entries<'t> {
    reader: TreeDeserializer<'t>,
    entries: IntoIter<(Key<'t>, &'t SpecValue)>,
    /// The entry whose key was read last, until its value is read.
    current: Option<(Key<'t>, &'t SpecValue)>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        self.current = self.entries.next();
        let Some((key, _)) = self.current else { return Ok(None) };
        let (read, span) = match key {
            Key::Name(name) => {
                let text: StrDeserializer<'_, ReadError> = name.text.as_str().into_deserializer();
                (seed.deserialize(text), &name.span)
            }
            Key::Value(key) => (seed.deserialize(self.reader.to(key)), &key.span),
        };
        read.map(Some).map_err(|error| error.at(span))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let (key, value) = self.current.take().expect("serde asks for a key before its value");
        let read = seed.deserialize(self.reader.to(value)).map_err(|error| error.at(&value.span));
        match key {
            Key::Name(name) => read.map_err(|error| error.of(&name.text)),
            Key::Value(_) => read,
        }
    }
}
