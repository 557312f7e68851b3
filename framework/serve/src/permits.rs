//! The texts, which are strings in quotes, that a spec from a browser may hold.
//!
//! A text in a spec can be the name of a file or of a program: `tc-ntuple(model: "FILE")`,
//! `process(command: ["PROGRAM"])`. A browser can give such a parameter only a value that the
//! command line gives it. Parameters of other kinds, such as words and times, name no files.

use runner_play::failure::Failure;
use runner_play::inputs::{names_no_file, parameter_of};
use runner_play::registry::Registry;
use runner_spec::{Spec, SpecValue};
use std::collections::BTreeSet;

/// The parameters with texts in the specs of the command line, and their values.
#[derive(Clone, Debug, Default)]
pub struct Permits {
    permits: BTreeSet<Permit>,
    /// The option of the command line that permits more values.
    flag: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Permit {
    plugin: String,
    parameter: String,
    /// The whole value as RON: `"FILE"`, or `["PROGRAM"]`.
    value: String,
}

impl Permits {
    pub fn of<'a>(specs: impl IntoIterator<Item = &'a Spec>, flag: &'static str) -> Self {
        let mut permits = Self { flag, ..Self::default() };
        specs.into_iter().for_each(|spec| permits.add(spec));
        permits
    }

    fn add(&mut self, spec: &Spec) {
        for (parameter, _) in texts(spec) {
            if let Some(value) = spec.get(&parameter).map(ToString::to_string) {
                self.permits.insert(Permit { plugin: spec.name().to_owned(), parameter, value });
            }
        }
        spec.nested().iter().for_each(|(_, nested)| self.add(nested));
    }

    /// Returns the permitted values of a parameter, as RON.
    pub fn values(&self, plugin: &str, parameter: &str) -> Vec<String> {
        let of_plugin = self.permits.iter().filter(|permit| permit.plugin == plugin);
        let permits = of_plugin.filter(|permit| permit.parameter == parameter);
        permits.map(|permit| permit.value.clone()).collect()
    }

    /// Returns the player with the model `file`, if the command line names one.
    pub fn player_of(&self, file: &str) -> Option<Spec> {
        let value = SpecValue::from(file).to_string();
        let mut models = self.permits.iter().filter(|permit| permit.parameter == "model");
        let permit = models.find(|permit| permit.value == value)?;
        permit.plugin.parse::<Spec>().ok()?.with("model", file).ok()
    }

    /// Refuses a spec with a text that may name a file and is not permitted.
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

/// Returns the texts of a spec, each after its parameter, without those of nested specs.
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
