//! Specs for people: only the parameters that differ from the defaults.

use crate::registry::Registry;
use runner_plugin::PluginInfo;
use runner_spec::{Parameter, Spec, SpecValue};
use std::path::Path;

/// Returns the spec of a game without the parameters that have their default values, in nested
/// specs too.
pub fn game(spec: &Spec, registry: &Registry) -> Spec {
    brief(spec, registry.game_plugin(spec.name()).ok(), registry)
}

/// Returns the spec of a player like [`game`].
pub fn player(spec: &Spec, registry: &Registry) -> Spec {
    brief(spec, registry.player(spec.name()).ok(), registry)
}

/// Returns the game of a result, which is a text, like [`game`]. A text that is no spec is shown
/// as it is.
pub fn game_text(text: &str, registry: &Registry) -> String {
    text.parse().map_or_else(|_| text.to_owned(), |spec| game(&spec, registry).to_string())
}

/// Returns the player of a result, like [`game_text`].
pub fn player_text(text: &str, registry: &Registry) -> String {
    text.parse().map_or_else(|_| text.to_owned(), |spec| player(&spec, registry).to_string())
}

/// Describes a player in words: what it plays or searches with, and how far. The spec may lack
/// defaults.
pub fn words(player: &Spec) -> String {
    let value = player.nested().into_iter().find(|(parameter, _)| parameter == "value");
    let model = player.texts().into_iter().find(|(parameter, _)| parameter == "model");
    let mut parts = match (value, model) {
        (Some((_, value)), _) => vec![words(value)],
        (None, Some((_, file))) => {
            let stem = Path::new(&file).file_stem().unwrap_or(file.as_ref());
            vec![stem.to_string_lossy().into_owned()]
        }
        (None, None) if player.name() == "trained" => vec!["Trained network".to_owned()],
        (None, None) => {
            let mut name = player.name().replace('-', " ");
            if let Some(first) = name.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            vec![name]
        }
    };
    let time = player.get("time").and_then(SpecValue::as_text);
    let limits = [
        ("depth", "ply", "plies"),
        ("simulations", "simulation", "simulations"),
        ("playouts", "playout", "playouts"),
    ];
    for (parameter, one, many) in limits {
        let number = player.get(parameter).map_or("None".to_owned(), ToString::to_string);
        if time.is_none() && number != "None" {
            parts.push(format!("{number} {}", if number == "1" { one } else { many }));
        }
    }
    if player.name() != "process" {
        parts.extend(time.map(|time| format!("{time} a move")));
    }
    parts.join(", ")
}

fn brief(spec: &Spec, plugin: Option<&PluginInfo>, registry: &Registry) -> Spec {
    let brief_spec =
        registry.map_nested(spec, plugin, |nested, plugin| brief(nested, plugin, registry));
    let parameters = plugin.iter().flat_map(|plugin| &plugin.parameters);
    let defaults = parameters.filter(|parameter| has_default(&brief_spec, parameter));
    let names: Vec<_> = defaults.map(|parameter| parameter.name.as_str()).collect();
    brief_spec.without(&names)
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
    fn players_are_described_in_words() {
        for (spec, expected) in [
            ("expectimax(depth: 4, value: trained)", "Trained network, 4 plies"),
            ("expectimax(value: rows, depth: 1)", "Rows, 1 ply"),
            ("expectimax(value: rows, depth: 32, time: \"5ms\")", "Rows, 5ms a move"),
            ("mcts(simulations: 500)", "Mcts, 500 simulations"),
            ("tc-ntuple(model: \"a/my.model\")", "my"),
            ("greedy-merges", "Greedy merges"),
            ("process(command: [\"x\"], time: \"10s\")", "Process"),
        ] {
            assert_eq!(words(&spec.parse().unwrap()), expected);
        }
    }

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
