//! The name of a plugin, and the names in its crate that follow from it.

use super::template::Template;
use runner_spec::Spec;

/// The longest name, in characters: it is part of file names and a column of tables.
const MAX_LENGTH: usize = 40;

pub struct Names {
    pub plugin: String,
    pub type_name: String,
}

impl Names {
    /// Returns why the name is not allowed if it is not.
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

/// Returns a type name in CamelCase that ends, or begins if the name begins with a digit, with the
/// kind of the plugin: no keyword and no other type of the crate does.
fn type_name(template: Template, name: &str) -> String {
    let camel: String = name.split('-').map(capitalised).collect();
    let kind = capitalised(template.word());
    if camel.starts_with(|c: char| c.is_ascii_digit()) { kind + &camel } else { camel + &kind }
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
    fn types_are_named_in_camel_case_with_their_kind() {
        assert_eq!(type_name(Game, "dice"), "DiceGame");
        assert_eq!(type_name(Value, "my-table-2"), "MyTable2Value");
        assert_eq!(type_name(Agent, "a--b-"), "ABAgent");
        assert_eq!(type_name(Game, "2048x"), "Game2048x");
        // A keyword, and the beginnings of a trait and of a type of the prelude.
        assert_eq!(type_name(Game, "self"), "SelfGame");
        assert_eq!(type_name(Agent, "plugin"), "PluginAgent");
        assert_eq!(type_name(Value, "option"), "OptionValue");
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
