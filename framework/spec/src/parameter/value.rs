//! The types of parameters: what they allow, and the checks of their values.

use crate::kind::{Kind, Range, contains_word, size};
use crate::limit::TimeLimit;
use crate::probability::Probability;
use crate::quantity;
use crate::tree::Spec;
use std::path::PathBuf;

/// A type that the values of parameters can have.
pub trait ParameterValue {
    /// Refuses a value that a parameter of this kind does not allow. Values that the type itself
    /// refuses need no check.
    fn check(&self, kind: &Kind) -> Result<(), String> {
        let _ = kind;
        Ok(())
    }
}

/// A type that says which values a parameter allows. Strings and specs do not: a string may be the
/// name of a file, and a spec that of a game, value or agent. Their parameters state the
/// [`Allowed`](crate::Allowed) values.
pub trait ParameterType: ParameterValue {
    /// Returns the kind of the values.
    fn kind() -> Kind;
}

/// Implements [`ParameterType`] for types and their kinds.
macro_rules! kinds {
    ($($type:ty: $kind:expr;)*) => {$(
        impl ParameterType for $type {
            fn kind() -> Kind {
                $kind
            }
        }
    )*};
}

/// Implements both traits for types of numbers, which are checked against the range of the kind.
macro_rules! numbers {
    ($($kind:ident: $($type:ident)*;)*) => {$($(
        impl ParameterValue for $type {
            fn check(&self, kind: &Kind) -> Result<(), String> {
                match kind {
                    Kind::$kind(range) => range.check(self),
                    _ => Ok(()),
                }
            }
        }

        kinds! { $type: Kind::$kind(Range::new::<$type>(..)); }
    )*)*};
}

numbers! {
    Whole: u8 u16 u32 u64 usize i8 i16 i32 i64 isize;
    Number: f32 f64;
}

kinds! {
    bool: Kind::Flag;
    Probability: Kind::Number(Range::new(0.0..=1.0));
    TimeLimit: Kind::Time;
    PathBuf: Kind::Other;
}

impl ParameterValue for bool {}
impl ParameterValue for Probability {}
impl ParameterValue for TimeLimit {}
impl ParameterValue for PathBuf {}
impl ParameterValue for Spec {}

impl ParameterValue for String {
    fn check(&self, kind: &Kind) -> Result<(), String> {
        match kind {
            Kind::Words(words) if !contains_word(words, self) => {
                Err(format!("\"{self}\" is not {kind}"))
            }
            Kind::Size { min, words } if !contains_word(words, self) => {
                let or_words: String = words.iter().map(|word| format!(", or {word}")).collect();
                let bytes = quantity::bytes(self).map_err(|error| format!("{error}{or_words}"))?;
                if bytes >= *min {
                    return Ok(());
                }
                Err(format!("{bytes} bytes are too few: \"{}\" at least{or_words}", size(*min)))
            }
            _ => Ok(()),
        }
    }
}

impl<T: ParameterValue> ParameterValue for Option<T> {
    fn check(&self, kind: &Kind) -> Result<(), String> {
        self.as_ref().map_or(Ok(()), |value| value.check(kind))
    }
}

impl<T: ParameterType> ParameterType for Option<T> {
    fn kind() -> Kind {
        T::kind()
    }
}

impl<T: ParameterValue> ParameterValue for Vec<T> {
    fn check(&self, kind: &Kind) -> Result<(), String> {
        match kind {
            Kind::List(items) => self.iter().try_for_each(|item| item.check(items)),
            _ => Ok(()),
        }
    }
}

impl<T: ParameterType> ParameterType for Vec<T> {
    fn kind() -> Kind {
        Kind::List(Box::new(T::kind()))
    }
}

impl<A, B> ParameterValue for (A, B) {}
