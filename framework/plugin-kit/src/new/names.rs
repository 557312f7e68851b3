//! The name of a plugin, and the names in its crate that follow from it.

use super::template::Template;
use runner_spec::Spec;

/// The longest name, in characters: it is part of file names and a column of tables.
const MAX_LENGTH: usize = 40;

/// The names in a plugin's crate.
pub struct Names {
    pub plugin: String,
    pub type_name: String,
}

impl Names {
    /// Returns the names in the crate of a plugin, or why the name is not allowed.
    pub fn new(template: Template, name: &str) -> Result<Self, String> {
        check_name(name)?;
        Ok(Self { plugin: name.to_owned(), type_name: type_name(template, name) })
    }

    pub fn package(&self) -> String {
        format!("runner-plugin-{}", self.plugin)
    }

    pub fn crate_name(&self) -> String {
        self.package().replace('-', "_")
    }
}

/// Returns why a name is not allowed.
fn check_name(name: &str) -> Result<(), String> {
    let allowed = |b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if name.is_empty()
        || name.len() > MAX_LENGTH
        || name.starts_with('-')
        || !name.bytes().all(allowed)
    {
        return Err(format!(
            "`{name}` is not allowed as the name of a plugin: it must have 1 to {MAX_LENGTH} \
             lower-case letters, digits and hyphens, and not begin with a hyphen"
        ));
    }
    // The names of specs: not `true` or `false`.
    name.parse::<Spec>().map(drop).map_err(|error| error.message)
}

/// Returns a type name in CamelCase that does not occur in the crate otherwise.
fn type_name(template: Template, name: &str) -> String {
    let camel: String = name.split('-').map(capitalised).collect();
    let kind = capitalised(template.word());
    if camel.starts_with(|c: char| c.is_ascii_digit()) {
        format!("{kind}{camel}")
    } else if template.has_word(&camel) {
        format!("{camel}{kind}")
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

    fn type_name(template: Template, name: &str) -> String {
        Names::new(template, name).unwrap().type_name
    }

    #[test]
    fn types_are_named_in_camel_case() {
        assert_eq!(type_name(Game, "dice"), "Dice");
        assert_eq!(type_name(Value, "my-table-2"), "MyTable2");
        assert_eq!(type_name(Agent, "a--b-"), "AB");
    }

    #[test]
    fn type_names_are_valid_and_unique() {
        assert_eq!(type_name(Game, "2048x"), "Game2048x");
        assert_eq!(type_name(Agent, "1-ply"), "Agent1Ply");
        // A keyword, a trait, a type of the prelude, a type of the tests.
        assert_eq!(type_name(Game, "self"), "SelfGame");
        assert_eq!(type_name(Agent, "plugin"), "PluginAgent");
        assert_eq!(type_name(Value, "option"), "OptionValue");
        assert_eq!(type_name(Agent, "walk"), "WalkAgent");
        // The crate of a game has no type `Walk`.
        assert_eq!(type_name(Game, "walk"), "Walk");
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "-dice", "Dice", "dice_2", "würfel", "a b", "../x", &"a".repeat(41)] {
            let error = Names::new(Game, name).err().unwrap();
            assert!(error.contains(&format!("`{name}`")) && error.contains("hyphens"), "{error}");
        }
        assert!(Names::new(Game, "true").err().unwrap().contains("a value"));
        assert!(Names::new(Game, &"a".repeat(40)).is_ok());
    }
}
