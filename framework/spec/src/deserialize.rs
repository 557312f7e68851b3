//! Deserializes values from a tree, by the rules of RON with the extensions
//! `implicit_some`, `unwrap_newtypes` and `unwrap_variant_newtypes`. Every error has its
//! place in the text and names its parameter.

use crate::error::{ReadError, SpecError};
use crate::spec::{SPEC_OR_GROUP_TOKEN, SPEC_TOKEN, pass_to_visitor};
use crate::tree::{self, Content, Field, Name, Spec, SpecValue};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};
use std::collections::VecDeque;
use std::fmt::Display;
use std::slice::Iter;
use std::sync::Arc;

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

    /// Returns the fields of a group, and its name.
    fn fields(&self) -> Option<(Option<&'t Name>, &'t [Field])> {
        match self.content() {
            Content::Struct(fields) => Some((None, fields)),
            Content::Spec(spec) => Some((Some(&spec.name), &spec.fields)),
            _ => None,
        }
    }

    fn expected(&self, what: &str) -> ReadError {
        ReadError::new(format_args!("expected {what}, found {}", self.value.describe()))
    }

    /// Reads a number. One that is out of range has its own message, with the bound that is passed:
    /// the other one is seldom that of the parameter.
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

    fn visit_items<'de, V: Visitor<'de>>(
        &self,
        items: &'t [SpecValue],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_seq(Items { reader: *self, items: items.iter() })
    }

    fn visit_fields<'de, V: Visitor<'de>>(
        &self,
        fields: &'t [Field],
        visitor: V,
    ) -> Result<V::Value> {
        let entries = fields.iter().map(|(name, value)| (Key::Name(name), value)).collect();
        visitor.visit_map(Entries { reader: *self, entries, value: None })
    }

    /// Reads the fields of a struct, and refuses others at their place.
    fn visit_struct<'de, V: Visitor<'de>>(
        &self,
        fields: &'t [Field],
        known: &[&str],
        visitor: V,
    ) -> Result<V::Value> {
        match fields.iter().find(|(name, _)| !known.contains(&name.text.as_str())) {
            Some((name, _)) => Err(ReadError::unknown_parameter(&name.text, known).at(&name.span)),
            None => self.visit_fields(fields, visitor),
        }
    }

    /// Reads a tuple of this size. Serde's visitors report missing elements but ignore
    /// surplus ones, so these are rejected here.
    fn visit_tuple<'de, V: Visitor<'de>>(&self, size: usize, visitor: V) -> Result<V::Value> {
        let Content::Tuple(_, items) = self.content() else {
            let Some((_, [(name, _), ..])) = self.fields() else {
                return Err(self.expected("a group in parentheses"));
            };
            let message = format!("expected a value without a name, found `{}:`", name.text);
            return Err(ReadError::new(message).at(&name.span));
        };
        let Some(surplus) = items.get(size) else { return self.visit_items(items, visitor) };
        let message = format!("expected a tuple of size {size}, found {} elements", items.len());
        Err(ReadError::new(message).at(&surplus.span))
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
        char bytes byte_buf identifier unit_struct tuple_struct ignored_any
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
            Content::List(items) | Content::Tuple(_, items) => self.visit_items(items, visitor),
            Content::Map(_) => self.deserialize_map(visitor),
            Content::Struct(fields) if fields.is_empty() => visitor.visit_unit(),
            Content::Struct(fields) => self.visit_fields(fields, visitor),
            Content::Spec(spec) if !spec.has_fields() => visitor.visit_str(spec.name()),
            Content::Spec(spec) => self.visit_fields(&spec.fields, visitor),
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

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.fields() {
            Some((None, [])) => visitor.visit_unit(),
            Some((None, [(key, _), ..])) => {
                Err(ReadError::unknown_parameter(&key.text, &[]).at(&key.span))
            }
            _ => Err(self.expected("`()`")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        let is_group = matches!(self.content(), Content::Struct(_) | Content::Tuple(None, _));
        match (name, self.content()) {
            (SPEC_OR_GROUP_TOKEN, _) if is_group => visitor.visit_newtype_struct(self),
            (SPEC_TOKEN | SPEC_OR_GROUP_TOKEN, content) => {
                pass_to_visitor(match content {
                    Content::Text(text) => text.parse().map_err(|error: SpecError| ReadError {
                        allowed: error.allowed,
                        ..ReadError::new(error.message)
                    })?,
                    _ => Spec::from_value(self.source, self.value)?,
                });
                visitor.visit_unit()
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.content() {
            Content::List(items) => self.visit_items(items, visitor),
            _ => Err(self.expected("a list in `[` and `]`")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, size: usize, visitor: V) -> Result<V::Value> {
        self.visit_tuple(size, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match (self.content(), self.fields()) {
            (Content::Map(entries), _) => {
                let entries = entries.iter().map(|(key, value)| (Key::Value(key), value)).collect();
                visitor.visit_map(Entries { reader: self, entries, value: None })
            }
            // A struct with a flattened field is deserialized as a map.
            (_, Some((None, fields))) => self.visit_fields(fields, visitor),
            _ => Err(self.expected("a map in `{` and `}`")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match (self.fields(), self.content()) {
            (Some((None, fields)), _) => self.visit_struct(fields, known, visitor),
            (Some((Some(found), fields)), _) if found.text == name => {
                self.visit_struct(fields, known, visitor)
            }
            (Some((Some(_), [_, ..])), _) | (_, Content::Tuple(Some(_), _)) => {
                Err(self.expected(&format!("`{name}(...)` or `(...)`")))
            }
            (_, Content::Tuple(None, items)) => {
                let item = &items[0];
                Err(self.to(item).expected("`parameter: value`").at(&item.span))
            }
            _ => Err(self.expected("a group in parentheses")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(self)
    }
}

impl<'de> EnumAccess<'de> for TreeDeserializer<'_> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self)> {
        let (name, span) = match self.content() {
            Content::Spec(Spec { name, .. }) | Content::Tuple(Some(name), _) => {
                (&name.text, &name.span)
            }
            Content::Number(word) => (word, &self.value.span),
            _ => return Err(self.expected("a name")),
        };
        let name: StrDeserializer<'_, ReadError> = name.as_str().into_deserializer();
        Ok((seed.deserialize(name).map_err(|error| error.at(span))?, self))
    }
}

impl<'de> VariantAccess<'de> for TreeDeserializer<'_> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<()> {
        let name = match self.content() {
            Content::Tuple(Some(name), _) => name.text.as_str(),
            Content::Spec(spec) if spec.has_fields() => spec.name(),
            _ => return Ok(()),
        };
        Err(ReadError::new(format!("`{name}` has no parameters: leave out the parentheses")))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        match self.content() {
            Content::Tuple(_, items) if items.len() == 1 => {
                seed.deserialize(self.to(&items[0])).map_err(|error| error.at(&items[0].span))
            }
            Content::Spec(spec) if spec.has_fields() => {
                seed.deserialize(TreeDeserializer { value: &SpecValue::group(spec), ..self })
            }
            Content::Spec(spec) => {
                Err(ReadError::new(format!("expected `(` after `{}`", spec.name())))
            }
            _ => Err(self.expected("one value in parentheses")),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, size: usize, visitor: V) -> Result<V::Value> {
        self.visit_tuple(size, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.fields() {
            Some((_, fields)) => self.visit_struct(fields, known, visitor),
            None => Err(self.expected("parameters")),
        }
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

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

#[derive(Clone, Copy)]
enum Key<'t> {
    Name(&'t Name),
    Value(&'t SpecValue),
}

/// The fields of a group, or the entries of a map.
struct Entries<'t> {
    reader: TreeDeserializer<'t>,
    entries: VecDeque<(Key<'t>, &'t SpecValue)>,
    value: Option<(Key<'t>, &'t SpecValue)>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        self.value = self.entries.pop_front();
        let Some((key, _)) = self.value else { return Ok(None) };
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
        let (key, value) = self.value.take().expect("serde asks for a key before its value");
        let read = seed.deserialize(self.reader.to(value)).map_err(|error| error.at(&value.span));
        match key {
            Key::Name(name) => read.map_err(|error| error.of(&name.text)),
            Key::Value(_) => read,
        }
    }
}
