//! Parameters whose values are words.

use serde::de::{Deserializer, Error, Visitor};
use std::fmt;

/// Reads one of several words, with or without quotes.
#[doc(hidden)]
pub fn read_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct Word;
    impl Visitor<'_> for Word {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a word")
        }

        fn visit_str<E: Error>(self, word: &str) -> Result<String, E> {
            Ok(word.to_owned())
        }
    }
    deserializer.deserialize_identifier(Word)
}

/// Declares an enum whose variants are words, as the type of a parameter.
///
/// ```
/// runner_spec::words! {
///     /// Rule that selects an action.
///     #[derive(Copy)]
///     pub enum Rule {
///         /// Upper confidence bounds.
///         Uct = "uct",
///     }
/// }
///
/// assert_eq!(Rule::named("uct"), Some(Rule::Uct));
/// assert_eq!(Rule::Uct.name(), "uct");
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        $vis enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $name {
            /// The word of this variant in a spec.
            #[allow(dead_code, reason = "not every set of words is printed")]
            $vis fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Returns the variant with this word.
            $vis fn named(word: &str) -> ::std::option::Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                let text = $crate::read_word(deserializer)?;
                Self::named(&text).ok_or_else(|| {
                    <D::Error as $crate::serde::de::Error>::unknown_variant(
                        &::std::format!("\"{text}\""),
                        &[$(concat!("\"", $word, "\"")),*],
                    )
                })
            }
        }

        impl $crate::ParameterValue for $name {}

        impl $crate::ParameterType for $name {
            fn kind() -> $crate::Kind {
                $crate::Kind::Words(::std::vec![$(concat!("\"", $word, "\"").into()),*])
            }
        }
    };
}
