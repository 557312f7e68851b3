//! Specs for people: only the parameters that differ from the defaults.

use crate::registry::Registry;
use runner_spec::{Parameter, Spec};

/// Returns the spec without the parameters that have their default values, in nested
/// specs too.
pub fn brief(spec: &Spec, registry: &Registry) -> Spec {
    let brief_spec = spec.map_nested(|nested| brief(nested, registry));
    let plugins = registry.plugins();
    let Some(plugin) = plugins.iter().find(|plugin| plugin.name == spec.name()) else {
        return brief_spec;
    };
    let defaults = plugin.parameters.iter().filter(|parameter| has_default(&brief_spec, parameter));
    let defaults: Vec<_> = defaults.map(|parameter| parameter.name.as_str()).collect();
    brief_spec.without(&defaults)
}

/// Returns a spec of a result, which is a text, without the parameters that have their default values.
pub fn brief_text(spec: &str, registry: &Registry) -> String {
    // A text that is no spec is shown as it is.
    spec.parse().map_or_else(|_| spec.to_owned(), |spec| brief(&spec, registry).to_string())
}

/// Returns true if the spec sets the parameter to its default value. `None` is a parameter
/// that is not given, whatever words describe its default.
fn has_default(spec: &Spec, parameter: &Parameter) -> bool {
    let Parameter { name, default, .. } = parameter;
    spec.get(name).map(ToString::to_string).is_some_and(|value| {
        value == "None" || value == *default || is_same_number(&value, default)
    })
}

/// Returns true if both texts are the same number: `1` and `1.0`, `0.001` and `1e-3`.
fn is_same_number(one: &str, other: &str) -> bool {
    matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_spec::Kind;

    #[test]
    fn only_differing_parameters_are_kept() {
        let parameter = |name, default: &str| Parameter {
            default: default.to_owned(),
            ..Parameter::new(name, &[], Kind::Other)
        };
        let spec: Spec = "x(depth: 2, model: None, rate: 1e-3, value: rows)".parse().unwrap();
        for (name, default, expected) in [
            ("depth", "2", true),
            ("depth", "2.0", true),
            ("depth", "3", false),
            ("model", "None", true),
            ("rate", "0.001", true),
            ("value", "rows", true),
            ("value", "None", false),
            ("other", "2", false),
        ] {
            assert_eq!(has_default(&spec, &parameter(name, default)), expected, "{name}");
        }
    }
}
