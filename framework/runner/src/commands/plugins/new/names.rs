//! The name of a plugin, and the names that its crate has because of it.

use super::Template;
use super::crate_files;

/// The longest name: it is part of file names and of columns in tables.
const LONGEST: usize = 40;

/// What things are called in a plugin's crate.
pub struct Names {
    /// The plugin.
    pub plugin: String,
    /// Its type.
    pub type_name: String,
}

impl Names {
    /// The names in the crate of a plugin, or why it cannot be called so.
    pub fn new(kind: Template, name: &str) -> Result<Self, String> {
        let allowed = |b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if name.is_empty()
            || name.len() > LONGEST
            || name.starts_with('-')
            || !name.bytes().all(allowed)
        {
            return Err(format!(
                "`{name}` is no name for a plugin: lower-case letters, digits and hyphens are \
                 allowed, at most {LONGEST}, and the first is no hyphen"
            ));
        }
        Ok(Self { plugin: name.to_owned(), type_name: type_name(kind, name) })
    }

    /// The package.
    pub fn package(&self) -> String {
        format!("runner-plugin-{}", self.plugin)
    }

    /// The crate, as Rust's `use` names it.
    pub fn crate_name(&self) -> String {
        self.package().replace('-', "_")
    }
}

/// A name in CamelCase, as a type's that nothing else in the crate has.
fn type_name(kind: Template, name: &str) -> String {
    let camel: String = name.split('-').map(capitalised).collect();
    let kind_word = match kind {
        Template::Game => "Game",
        Template::Value => "Value",
        Template::Agent => "Agent",
    };
    if camel.starts_with(|c: char| c.is_ascii_digit()) {
        format!("{kind_word}{camel}")
    } else if crate_files::have_word(kind, &camel) {
        format!("{camel}{kind_word}")
    } else {
        camel
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Template::{Agent, Game, Value};

    fn type_name(kind: Template, name: &str) -> String {
        Names::new(kind, name).unwrap().type_name
    }

    #[test]
    fn types_are_named_in_camel_case() {
        assert_eq!(type_name(Game, "dice"), "Dice");
        assert_eq!(type_name(Value, "my-table-2"), "MyTable2");
        assert_eq!(type_name(Agent, "a--b-"), "AB");
    }

    #[test]
    fn no_type_begins_with_a_digit_or_has_a_name_that_is_taken() {
        assert_eq!(type_name(Game, "2048x"), "Game2048x");
        assert_eq!(type_name(Agent, "1-ply"), "Agent1Ply");
        // A word of the language, a trait, a type of the prelude, one of the tests.
        assert_eq!(type_name(Game, "self"), "SelfGame");
        assert_eq!(type_name(Agent, "plugin"), "PluginAgent");
        assert_eq!(type_name(Value, "option"), "OptionValue");
        assert_eq!(type_name(Agent, "walk"), "WalkAgent");
        // Nothing in the crate of a game is called so.
        assert_eq!(type_name(Game, "walk"), "Walk");
    }

    #[test]
    fn other_names_are_refused_with_what_is_allowed() {
        for name in ["", "-dice", "Dice", "dice_2", "würfel", "a b", "../x", &"a".repeat(41)] {
            let error = Names::new(Game, name).err().unwrap();
            assert!(error.contains(&format!("`{name}`")) && error.contains("hyphens"), "{error}");
        }
        assert!(Names::new(Game, &"a".repeat(40)).is_ok());
    }
}
