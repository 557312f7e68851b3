//! The texts that a spec from a browser may hold.
//!
//! A text in a spec can be the name of a file or of a program: `tc-ntuple(model: "FILE")`,
//! `process(command: ["PROGRAM"])`. A browser may therefore use only the values of such parameters
//! that the command line names. Texts of parameters of another kind, such as words and times, name
//! no files.

use runner_play::failure::Failure;
use runner_play::inputs::{names_no_file, parameter_of};
use runner_play::registry::Registry;
use runner_spec::{Spec, SpecValue};
use std::collections::BTreeSet;

/// The values that the command line names.
#[derive(Clone, Debug, Default)]
pub struct Permits {
    values: BTreeSet<Permit>,
    /// The option that names more of them.
    flag: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Permit {
    plugin: String,
    parameter: String,
    /// RON text.
    value: String,
}

impl Permits {
    /// Returns the permits of the specs of the command line.
    pub fn of<'a>(specs: impl IntoIterator<Item = &'a Spec>, flag: &'static str) -> Self {
        let mut permits = Self { flag, ..Self::default() };
        specs.into_iter().for_each(|spec| permits.add(spec));
        permits
    }

    fn add(&mut self, spec: &Spec) {
        for (parameter, _) in texts(spec) {
            if let Some(value) = spec.get(&parameter).map(ToString::to_string) {
                self.values.insert(Permit { plugin: spec.name().to_owned(), parameter, value });
            }
        }
        spec.nested().iter().for_each(|(_, nested)| self.add(nested));
    }

    /// Returns the permitted values of a parameter that holds texts.
    pub fn values(&self, plugin: &str, parameter: &str) -> Vec<String> {
        let is_of = |one: &&Permit| one.plugin == plugin && one.parameter == parameter;
        self.values.iter().filter(is_of).map(|one| one.value.clone()).collect()
    }

    /// Returns the player of a model file that the command line names.
    pub fn player_of(&self, file: &str) -> Option<Spec> {
        let model = SpecValue::from(file).to_string();
        let is_of = |one: &&Permit| one.parameter == "model" && one.value == model;
        let mut models = self.values.iter().filter(is_of);
        models.find_map(|one| one.plugin.parse::<Spec>().ok()?.with("model", file).ok())
    }

    /// Refuses a spec with another text.
    pub fn check(&self, spec: &Spec, registry: &Registry) -> Result<(), Failure> {
        let plugins = registry.plugins();
        for (parameter, text) in texts(spec) {
            let value = spec.get(&parameter).map(ToString::to_string).unwrap_or_default();
            let is_permitted = self.values(spec.name(), &parameter).contains(&value);
            if !is_permitted && !names_no_file(spec, &parameter, &text, &plugins) {
                let message = format!(
                    "\"{text}\" may be the name of a file or of a program; a browser can use only \
                     those of the command line: name it with {}",
                    self.flag
                );
                return Err(spec.refused(Some(&parameter), message).into());
            }
        }
        spec.nested().iter().try_for_each(|(_, nested)| self.check(nested, registry))
    }
}

/// Returns the texts of a spec, without those of nested specs, with their parameters.
fn texts(spec: &Spec) -> Vec<(String, String)> {
    let texts = spec.texts().into_iter();
    texts.map(|(path, text)| (parameter_of(&path).to_owned(), text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_command_line_are_permitted_for_the_same_parameter() {
        let specs = ["a(model: \"x\", b: b(files: [\"y\", \"z\"]))", "c(rows: 3)"];
        let specs: Vec<Spec> = specs.iter().map(|text| text.parse().unwrap()).collect();
        let permits = Permits::of(&specs, "--agent");
        assert_eq!(permits.values("a", "model"), ["\"x\""]);
        assert_eq!(permits.values("b", "files"), ["[\"y\", \"z\"]"]);
        assert!(permits.values("c", "rows").is_empty(), "it is no text");
        let of_file = |file| permits.player_of(file).map(|player| player.to_string());
        assert_eq!((of_file("x"), of_file("y")), (Some("a(model: \"x\")".into()), None));
        for (text, expected) in [
            ("a(model: \"x\")", true),
            ("d(value: a(model: \"x\"), depth: 2)", true),
            ("b(files: [\"y\", \"z\"])", true),
            ("b(files: [\"y\"])", false),
            ("b(model: \"x\")", false),
            ("a(files: [\"y\", \"z\"])", false),
            ("d(value: [a(model: \"y\")])", false),
            ("d(map: {\"k\": \"x\"})", false),
            ("d(group: (\"x\", 1))", false),
            ("d(text: Some(\"x\"))", false),
            ("a", true),
        ] {
            let spec = text.parse().unwrap();
            assert_eq!(permits.check(&spec, &Registry::new()).is_ok(), expected, "{text}");
        }
    }
}
