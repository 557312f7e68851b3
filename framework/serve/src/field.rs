//! How the page asks for a parameter, by its kind.

use runner_spec::Kind;
use serde::Serialize;

/// How a parameter is entered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Field {
    /// True or false.
    Flag,
    /// One of these, as RON text.
    Choice {
        /// The alternatives.
        options: Vec<String>,
    },
    /// A text in quotes that is a time or a size.
    Quantity {
        /// Words that are allowed instead, as RON text.
        options: Vec<String>,
    },
    /// A game with its parameters.
    Game,
    /// A value with its parameters.
    Value,
    /// An agent or a value with its parameters.
    Player,
    /// RON text.
    Text,
}

impl Field {
    pub fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Flag => Self::Flag,
            Kind::Words(words) => Self::Choice { options: words.clone() },
            Kind::Time => Self::Quantity { options: Vec::new() },
            Kind::Size { words, .. } => Self::Quantity { options: words.clone() },
            Kind::Game => Self::Game,
            Kind::Value => Self::Value,
            Kind::Player => Self::Player,
            Kind::Whole(_)
            | Kind::Number(_)
            | Kind::Text
            | Kind::List(_)
            | Kind::Schedule(_)
            | Kind::Other => Self::Text,
        }
    }
}
