//! Parameters that plugins declare, each in one place: a field of a configuration.

mod fields;
mod value;
mod words;

pub use fields::ParameterField;
pub use value::{ParameterType, ParameterValue};
pub use words::read_word;

use crate::error::ReadError;
use crate::kind::{Kind, Range};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

/// A parameter of a plugin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name in a spec.
    pub name: String,
    /// Purpose, on one line.
    pub about: String,
    /// The values that the parameter allows.
    pub allowed: Allowed,
    /// Default value as RON text.
    pub default: String,
}

/// The values that a parameter allows, with descriptions where the kind is not enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Allowed {
    /// Kind of the values.
    pub kind: Kind,
    /// Description of the allowed values, or empty if that of the kind is enough.
    form: String,
    /// What applies if the parameter is not given, or empty if it is the default value.
    unset: String,
    /// True if a resolved spec leaves the parameter out when it has its default value.
    #[serde(skip)]
    omits_default: bool,
}

/// A configuration whose fields are parameters; [`parameters!`](crate::parameters) declares
/// one.
pub trait Parameters: Clone + Default + 'static {
    /// Returns the fields in their order.
    #[doc(hidden)]
    fn fields() -> Vec<ParameterField<Self>>;

    /// Returns the descriptions of the parameters, one for each field.
    fn parameters() -> Vec<Parameter> {
        fields::described::<Self>()
    }
}

impl Parameters for () {
    fn fields() -> Vec<ParameterField<Self>> {
        Vec::new()
    }
}

impl Parameter {
    /// Returns a parameter. `about` are the lines of its documentation.
    pub fn new(name: &str, about: &[&str], allowed: impl Into<Allowed>) -> Self {
        let about: Vec<_> = about.iter().map(|line| line.trim()).collect();
        let about = about.join(" ").trim_end_matches('.').to_owned();
        Self { name: name.to_owned(), about, allowed: allowed.into(), default: String::new() }
    }

    /// Returns the allowed values, for people.
    pub fn allowed(&self) -> String {
        let Allowed { form, kind, .. } = &self.allowed;
        if form.is_empty() { kind.to_string() } else { form.clone() }
    }

    /// Returns what applies if the parameter is not given, for people.
    pub fn default(&self) -> &str {
        if self.allowed.unset.is_empty() { &self.default } else { &self.allowed.unset }
    }
}

impl From<Kind> for Allowed {
    fn from(kind: Kind) -> Self {
        Self { kind, form: String::new(), unset: String::new(), omits_default: false }
    }
}

impl Allowed {
    /// Describes the allowed values, where the kind is not enough.
    pub fn form(self, form: impl Into<String>) -> Self {
        Self { form: form.into(), ..self }
    }

    /// Describes what applies if the parameter is not given, where its default value does not
    /// say it.
    pub fn unset(self, unset: impl Into<String>) -> Self {
        Self { unset: unset.into(), ..self }
    }

    /// Leaves the parameter out of a resolved spec when it has its default value. This is for a
    /// parameter that is added to a game later: files name the resolved spec of their game, and
    /// files from before still fit.
    pub fn omit_default(self) -> Self {
        Self { omits_default: true, ..self }
    }

    /// Adds an example to the description of the allowed values.
    pub fn like(self, example: &str) -> Self {
        let form = format!("{}, as in `{example}`", self.kind);
        self.form(form)
    }

    /// Sets the unit of a number.
    pub fn unit(self, unit: &str) -> Self {
        self.with_range(|range| range.with_unit(unit))
    }

    /// Sets the maximum of a number.
    pub fn up_to(self, high: f64) -> Self {
        self.with_range(|range| range.with_high(Bound::Included(high)))
    }

    /// Sets the exclusive upper bound.
    pub fn below(self, high: f64) -> Self {
        self.with_range(|range| range.with_high(Bound::Excluded(high)))
    }

    fn with_range(self, change: impl FnOnce(Range) -> Range) -> Self {
        let kind = match self.kind {
            Kind::Whole(range) => Kind::Whole(change(range)),
            Kind::Number(range) => Kind::Number(change(range)),
            Kind::Schedule(range) => Kind::Schedule(change(range)),
            other => other,
        };
        Self { kind, ..self }
    }
}

/// Functions that return what a parameter allows. The declarations in
/// [`parameters!`](crate::parameters) can use them without a path.
#[allow(missing_docs, reason = "most of the names say it")]
pub mod allowed {
    use super::{Allowed, Bound, Display, Kind, ParameterType, Range, RangeBounds, ReadError};
    use serde::de::value::StrDeserializer;
    use serde::de::{DeserializeOwned, IntoDeserializer};

    pub fn range<T: ParameterType + Display>(range: impl RangeBounds<T>) -> Allowed {
        let range = Range::new(range);
        match T::kind() {
            Kind::Whole(_) => Kind::Whole(range).into(),
            _ => Kind::Number(range).into(),
        }
    }

    pub fn above(low: f64) -> Allowed {
        Kind::Number(Range::new((Bound::Excluded(low), Bound::Unbounded))).into()
    }

    pub fn schedule_above(low: f64) -> Allowed {
        Kind::Schedule(Range::new((Bound::Excluded(low), Bound::Unbounded))).into()
    }

    pub fn threads() -> Allowed {
        range(1..=256)
    }

    /// The values that the type of the field allows.
    pub fn any<T: ParameterType>() -> Allowed {
        T::kind().into()
    }

    /// One of these values, as RON text.
    pub fn words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Allowed {
        Kind::Words(words.into_iter().map(|word| word.as_ref().to_owned()).collect()).into()
    }

    /// The variants of an enum without fields.
    pub fn variants<T: DeserializeOwned>() -> Allowed {
        // The error of an unknown variant lists all variants.
        let unknown: StrDeserializer<'_, ReadError> = "no-such-variant".into_deserializer();
        words(T::deserialize(unknown).err().map_or(Vec::new(), |error| error.allowed))
    }

    /// A text that names no file, described by its form.
    pub fn text(form: impl Into<String>) -> Allowed {
        Allowed::from(Kind::Text).form(form)
    }

    /// Another form of RON text, described by words.
    pub fn other(form: impl Into<String>) -> Allowed {
        Allowed::from(Kind::Other).form(form)
    }

    pub fn file() -> Allowed {
        other("a file in quotes")
    }

    /// A size of at least this number of bytes.
    pub fn size(min: u64) -> Allowed {
        Kind::Size { min, words: Vec::new() }.into()
    }

    pub fn size_or_none(min: u64) -> Allowed {
        Kind::Size { min, words: vec!["\"none\"".to_owned()] }.into()
    }

    pub fn command() -> Allowed {
        other("a list of texts, as in `[\"python3\", \"my_agent.py\"]`")
    }

    pub fn game() -> Allowed {
        Kind::Game.into()
    }

    pub fn value() -> Allowed {
        Kind::Value.into()
    }

    /// The spec of an agent or a value.
    pub fn player() -> Allowed {
        Kind::Player.into()
    }

    pub fn list(items: Allowed) -> Allowed {
        Kind::List(Box::new(items.kind)).into()
    }
}

/// Declares the configuration of a plugin: a struct whose fields are parameters.
///
/// Each field has its help (the doc comment), its type, its default value and, unless the type
/// says it, what it allows: an [`Allowed`](crate::Allowed), made by the functions of
/// [`allowed`](crate::allowed). Reading a spec, the checks of its values, `plugins show`, the
/// guide and the forms of the page follow from this.
///
/// Several configurations can share parameters: `..pub shared: Shared;` before the fields puts the
/// parameters of the configuration `Shared` first, under their own names.
///
/// ```
/// # use runner_spec::{Parameters, Spec};
/// runner_spec::parameters! {
///     /// The parameters of a search.
///     pub struct Config {
///         /// Search depth
///         pub depth: u8 = 3, range(1..=32).unit("plies");
///         /// Static evaluation at the leaves
///         pub value: Option<Spec> = None, value().unset("`rows` on a board");
///         /// Prune with value bounds
///         pub prune: bool = false;
///     }
/// }
///
/// let error = "search(depth: 40)".parse::<Spec>()?.read::<Config>().unwrap_err();
/// assert_eq!(error.message, "parameter `depth`: 40 is not from 1 to 32 plies");
/// assert_eq!(error.caret(), "search(depth: 40)\n              ^^");
/// let [depth, value, prune] = &Config::parameters()[..] else { panic!() };
/// assert_eq!((depth.allowed().as_str(), depth.default()), ("1 to 32 plies", "3"));
/// assert_eq!((value.allowed().as_str(), value.default()), ("a value", "`rows` on a board"));
/// assert_eq!(prune.about, "Prune with value bounds");
/// # Ok::<(), runner_spec::SpecError>(())
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(.. $group_vis:vis $group:ident: $group_type:ty;)*
            $(
                $(#[doc = $about:literal])+
                $field_vis:vis $field:ident: $type:ty = $default:expr $(, $allowed:expr)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $(
                #[doc = concat!("Parameters that are shared: [`", stringify!($group_type), "`].")]
                $group_vis $group: $group_type,
            )*
            $($(#[doc = $about])+ $field_vis $field: $type,)*
        }

        impl ::std::default::Default for $name {
            fn default() -> Self {
                Self {
                    $($group: ::std::default::Default::default(),)*
                    $($field: $default,)*
                }
            }
        }

        impl $crate::Parameters for $name {
            fn fields() -> ::std::vec::Vec<$crate::ParameterField<Self>> {
                #[allow(unused_imports)]
                use $crate::allowed::*;
                let mut fields: ::std::vec::Vec<$crate::ParameterField<Self>> = ::std::vec![];
                $(fields.extend($crate::ParameterField::shared::<$group_type>(
                    |config: &mut Self| &mut config.$group,
                ));)*
                let own: ::std::vec::Vec<$crate::ParameterField<Self>> = ::std::vec![$(
                    $crate::ParameterField::new(
                        stringify!($field),
                        &[$($about),+],
                        $crate::parameters!(@allowed $type $(, $allowed)?),
                        |config: &mut Self| &mut config.$field,
                    )
                ),*];
                fields.extend(own);
                fields
            }
        }
    };
    (@allowed $type:ty) => { $crate::allowed::any::<$type>() };
    (@allowed $type:ty, $allowed:expr) => { $allowed };
}
