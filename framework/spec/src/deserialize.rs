//! Deserializes values from a tree, by the rules of RON with the extensions
//! `implicit_some`, `unwrap_newtypes` and `unwrap_variant_newtypes`. Every error has its
//! place in the text and names its parameter.
//!
//! The deserializer and its accesses create each other, which is why they share a file of
//! more than 400 lines.

use crate::error::{ReadError, SpecError};
use crate::spec::{SPEC_OR_GROUP_TOKEN, SPEC_TOKEN, Spec, pass_to_visitor};
use crate::tree::{self, Fields, Node, NodeKind, Word, describe};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use std::ops::Range;
use std::sync::Arc;

type Result<T> = std::result::Result<T, ReadError>;

/// A deserializer for a part of a tree.
#[derive(Clone, Copy)]
pub struct TreeDeserializer<'t> {
    pub source: &'t Arc<str>,
    pub input: Input<'t>,
}

/// The part of a tree to deserialize.
#[derive(Clone, Copy)]
pub enum Input<'t> {
    /// A whole value.
    Value(&'t Node),
    /// The fields of a group whose name is already checked.
    Fields(&'t Fields),
}

impl<'t> TreeDeserializer<'t> {
    fn to(&self, node: &'t Node) -> Self {
        Self { source: self.source, input: Input::Value(node) }
    }

    fn text(&self, span: &Range<usize>) -> &'t str {
        &self.source[span.clone()]
    }

    fn name(&self, word: &Word) -> &'t str {
        tree::name_of(self.text(word))
    }

    fn word(&self) -> Option<&'t str> {
        match self.input {
            Input::Value(Node { kind: NodeKind::Word, span }) => Some(self.text(span)),
            _ => None,
        }
    }

    fn group(&self) -> Option<(Option<&'t str>, &'t Fields)> {
        match self.input {
            Input::Fields(fields) => Some((None, fields)),
            Input::Value(Node { kind: NodeKind::Group(name, fields), .. }) => {
                Some((name.as_ref().map(|name| self.name(name)), fields))
            }
            Input::Value(_) => None,
        }
    }

    /// Returns the value in `name(value)`.
    fn wrapped(&self, wanted: Option<&str>) -> Option<&'t Node> {
        match self.group() {
            Some((name, Fields::Positional(items))) if name == wanted && items.len() == 1 => {
                items.first()
            }
            _ => None,
        }
    }

    fn expected(&self, what: &str) -> ReadError {
        let found = match self.input {
            Input::Value(node) => describe(node, self.source),
            Input::Fields(_) => "parameters".into(),
        };
        ReadError::new(format_args!("expected {what}, found {found}"))
    }

    fn items(&self, items: &'t [Node]) -> Items<'t> {
        Items { reader: *self, items: items.iter() }
    }

    fn read_fields<'de, V: Visitor<'de>>(
        &self,
        fields: &'t Fields,
        visitor: V,
    ) -> Result<V::Value> {
        match fields {
            Fields::Named(fields) => {
                visitor.visit_map(NamedFields { reader: *self, fields: fields.iter(), value: None })
            }
            Fields::Positional(items) => {
                let found = describe(&items[0], self.source);
                Err(ReadError::new(format_args!("expected `parameter: value`, found {found}"))
                    .at(&items[0].span))
            }
        }
    }

    /// Reads the elements of a tuple.
    fn read_elements<'de, V: Visitor<'de>>(
        &self,
        fields: &'t Fields,
        visitor: V,
    ) -> Result<V::Value> {
        match fields {
            Fields::Positional(items) => visitor.visit_seq(self.items(items)),
            Fields::Named(fields) if fields.is_empty() => visitor.visit_seq(self.items(&[])),
            Fields::Named(fields) => {
                let name = self.name(&fields[0].0);
                Err(ReadError::new(format_args!(
                    "expected a value without a name, found `{name}:`"
                ))
                .at(&fields[0].0))
            }
        }
    }

    /// Reads a tuple of this size. Serde's visitors report missing elements but ignore
    /// surplus ones, so these are rejected here.
    fn read_tuple<'de, V: Visitor<'de>>(
        &self,
        fields: &'t Fields,
        size: usize,
        visitor: V,
    ) -> Result<V::Value> {
        if let Fields::Positional(items) = fields
            && let Some(surplus) = items.get(size)
        {
            let message =
                format_args!("expected a tuple of size {size}, found {} elements", items.len());
            return Err(ReadError::new(message).at(&surplus.span));
        }
        self.read_elements(fields, visitor)
    }

    /// Returns the fields of a group that has this name or none.
    fn group_of(&self, name: &str) -> Result<&'t Fields> {
        match self.group() {
            Some((None, fields)) => Ok(fields),
            Some((Some(found), fields)) if found == name => Ok(fields),
            Some((Some(_), _)) => Err(self.expected(&format!("`{name}(...)` or `(...)`"))),
            None => Err(self.expected("a group in parentheses")),
        }
    }
}

/// Reads integers, with a separate message for numbers out of range.
macro_rules! integers {
    ($($method:ident $visit:ident $type:ident $what:literal)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let word = self.word().ok_or_else(|| self.expected($what))?;
            match ron::from_str::<$type>(word) {
                Ok(number) => visitor.$visit(number),
                // Only the bound that is passed: the other one is seldom that of the parameter.
                Err(_) if is_whole(word) => Err(ReadError::new(match word.starts_with('-') {
                    true => format!("{word} is out of range: at least {}", $type::MIN),
                    false => format!("{word} is out of range: at most {}", $type::MAX),
                })),
                Err(_) => Err(self.expected($what)),
            }
        }
    )*};
}

macro_rules! floats {
    ($($method:ident $visit:ident $type:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let word = self.word().ok_or_else(|| self.expected("a number"))?;
            // `ron` reads integers in other bases (0x10) only as integers.
            let number = ron::from_str::<$type>(word)
                .ok()
                .or_else(|| tree::number_of(word).map(|number| number.into_f64() as $type));
            visitor.$visit(number.ok_or_else(|| self.expected("a number"))?)
        }
    )*};
}

/// Returns true if a word is an integer of any size.
fn is_whole(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    let decimal = digits.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    tree::is_number(word)
        && (decimal || ["0x", "0b", "0o"].iter().any(|base| digits.starts_with(base)))
}

impl<'de> Deserializer<'de> for TreeDeserializer<'_> {
    type Error = ReadError;

    integers! {
        deserialize_u8 visit_u8 u8 "an unsigned integer"
        deserialize_u16 visit_u16 u16 "an unsigned integer"
        deserialize_u32 visit_u32 u32 "an unsigned integer"
        deserialize_u64 visit_u64 u64 "an unsigned integer"
        deserialize_i8 visit_i8 i8 "an integer"
        deserialize_i16 visit_i16 i16 "an integer"
        deserialize_i32 visit_i32 i32 "an integer"
        deserialize_i64 visit_i64 i64 "an integer"
    }

    floats! {
        deserialize_f32 visit_f32 f32
        deserialize_f64 visit_f64 f64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(word) = self.word() {
            return match word {
                "true" | "false" => self.deserialize_bool(visitor),
                "None" => visitor.visit_none(),
                _ if ron::from_str::<u64>(word).is_ok() => self.deserialize_u64(visitor),
                _ if ron::from_str::<i64>(word).is_ok() => self.deserialize_i64(visitor),
                _ if tree::is_number(word) => self.deserialize_f64(visitor),
                _ => visitor.visit_str(tree::name_of(word)),
            };
        }
        if let Some((name, fields)) = self.group() {
            return match fields {
                Fields::Positional(items) if name == Some("Some") && items.len() == 1 => {
                    visitor.visit_some(self.to(&items[0]))
                }
                Fields::Positional(_) => self.read_elements(fields, visitor),
                Fields::Named(_) if fields.is_empty() => visitor.visit_unit(),
                Fields::Named(_) => self.read_fields(fields, visitor),
            };
        }
        match self.input {
            Input::Value(Node { kind: NodeKind::Text(_), .. }) => self.deserialize_str(visitor),
            Input::Value(Node { kind: NodeKind::Char(_), .. }) => self.deserialize_char(visitor),
            Input::Value(Node { kind: NodeKind::List(_), .. }) => self.deserialize_seq(visitor),
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.word() {
            Some("true") => visitor.visit_bool(true),
            Some("false") => visitor.visit_bool(false),
            _ => Err(self.expected("`true` or `false`")),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.input {
            Input::Value(Node { kind: NodeKind::Char(c), .. }) => visitor.visit_char(*c),
            _ => Err(self.expected("a character in single quotes")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.input {
            Input::Value(Node { kind: NodeKind::Text(text), .. }) => visitor.visit_str(text),
            _ => Err(self.expected("a string in quotes")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    serde::forward_to_deserialize_any! { bytes byte_buf identifier }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.word() == Some("None") {
            return visitor.visit_none();
        }
        match self.wrapped(Some("Some")) {
            Some(node) => visitor.visit_some(self.to(node)),
            None => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.group() {
            Some((None, fields)) if fields.is_empty() => visitor.visit_unit(),
            Some((None, Fields::Named(fields))) => {
                let key = &fields[0].0;
                Err(ReadError::unknown_parameter(self.name(key), &[]).at(key))
            }
            _ => Err(self.expected("`()`")),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if self.word().map(tree::name_of) == Some(name) {
            return visitor.visit_unit();
        }
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == SPEC_OR_GROUP_TOKEN && matches!(self.group(), Some((None, _))) {
            return visitor.visit_newtype_struct(self);
        }
        if (name == SPEC_TOKEN || name == SPEC_OR_GROUP_TOKEN)
            && let Input::Value(node) = self.input
        {
            pass_to_visitor(match &node.kind {
                NodeKind::Text(text) => text.parse().map_err(|error: SpecError| ReadError {
                    allowed: error.allowed,
                    ..ReadError::new(error.message)
                })?,
                _ => Spec::from_node(self.source, node)?,
            });
            return visitor.visit_unit();
        }
        match self.wrapped(Some(name)).or_else(|| self.wrapped(None)) {
            Some(node) => visitor.visit_newtype_struct(self.to(node)),
            None => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.input {
            Input::Value(Node { kind: NodeKind::List(items), .. }) => {
                visitor.visit_seq(self.items(items))
            }
            _ => Err(self.expected("a list in `[` and `]`")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, size: usize, visitor: V) -> Result<V::Value> {
        match self.group() {
            Some((None, fields)) => self.read_tuple(fields, size, visitor),
            _ => Err(self.expected("a group in parentheses")),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        size: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.read_tuple(self.group_of(name)?, size, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.input {
            Input::Value(Node { kind: NodeKind::Map(entries), .. }) => {
                visitor.visit_map(Entries { reader: self, entries: entries.iter(), value: None })
            }
            // A struct with a flattened field is deserialized as a map.
            _ => match self.group() {
                Some((None, fields @ Fields::Named(_))) => self.read_fields(fields, visitor),
                _ => Err(self.expected("a map in `{` and `}`")),
            },
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.read_fields(self.group_of(name)?, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}

impl<'de> EnumAccess<'de> for TreeDeserializer<'_> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self)> {
        let word = match self.input {
            Input::Value(Node { kind: NodeKind::Word, span }) => span,
            Input::Value(Node { kind: NodeKind::Group(Some(name), _), .. }) => name,
            _ => return Err(self.expected("a name")),
        };
        let name: de::value::StrDeserializer<'_, ReadError> = self.name(word).into_deserializer();
        Ok((seed.deserialize(name).map_err(|error| error.at(word))?, self))
    }
}

impl<'t> TreeDeserializer<'t> {
    fn content(&self) -> Result<&'t Fields> {
        match self.group() {
            Some((_, fields)) => Ok(fields),
            None => Err(ReadError::new(format_args!(
                "expected `(` after `{}`",
                self.word().map_or("", tree::name_of)
            ))),
        }
    }
}

impl<'de> VariantAccess<'de> for TreeDeserializer<'_> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<()> {
        match self.group() {
            Some((Some(name), _)) => Err(ReadError::new(format_args!(
                "`{name}` has no parameters: leave out the parentheses"
            ))),
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        match self.content()? {
            Fields::Positional(items) if items.len() == 1 => {
                seed.deserialize(self.to(&items[0])).map_err(|error| error.at(&items[0].span))
            }
            fields => seed.deserialize(TreeDeserializer { input: Input::Fields(fields), ..self }),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, size: usize, visitor: V) -> Result<V::Value> {
        self.read_tuple(self.content()?, size, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.read_fields(self.content()?, visitor)
    }
}

struct Items<'t> {
    reader: TreeDeserializer<'t>,
    items: std::slice::Iter<'t, Node>,
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

struct NamedFields<'t> {
    reader: TreeDeserializer<'t>,
    fields: std::slice::Iter<'t, (Word, Node)>,
    value: Option<&'t (Word, Node)>,
}

impl<'de> MapAccess<'de> for NamedFields<'_> {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        self.value = self.fields.next();
        let Some((key, _)) = self.value else { return Ok(None) };
        let name: de::value::StrDeserializer<'_, ReadError> =
            self.reader.name(key).into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.at(key))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let Some((key, value)) = self.value.take() else {
            return Err(ReadError::new("next_value was called before next_key"));
        };
        let read = seed.deserialize(self.reader.to(value));
        read.map_err(|error| error.at(&value.span).of(self.reader.name(key)))
    }
}

struct Entries<'t> {
    reader: TreeDeserializer<'t>,
    entries: std::slice::Iter<'t, (Node, Node)>,
    value: Option<&'t Node>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(self.reader.to(key)).map(Some).map_err(|error| error.at(&key.span))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let Some(value) = self.value.take() else {
            return Err(ReadError::new("next_value was called before next_key"));
        };
        seed.deserialize(self.reader.to(value)).map_err(|error| error.at(&value.span))
    }
}
