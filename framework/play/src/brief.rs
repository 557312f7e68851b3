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

/// Shortens the spec of a game like [`game`], from its text in a result. A text that is no spec is
/// returned as it is.
pub fn game_text(text: &str, registry: &Registry) -> String {
    text.parse().map_or_else(|_| text.to_owned(), |spec| game(&spec, registry).to_string())
}

/// Shortens the spec of a player, like [`game_text`].
pub fn player_text(text: &str, registry: &Registry) -> String {
    text.parse().map_or_else(|_| text.to_owned(), |spec| player(&spec, registry).to_string())
}

/// Describes a player in words: its value, model or name, then the limits of its search, as in
/// "Trained network, 4 plies". The spec may lack defaults.
pub fn words(player: &Spec) -> String {
    let mut parts = vec![value_words(player)];
    let time = player.get("time").and_then(SpecValue::as_text);
    let limits = [
        ("depth", "ply", "plies"),
        ("simulations", "simulation", "simulations"),
        ("playouts", "playout", "playouts"),
    ];
    for (parameter, one, many) in limits {
        // A time limit replaces the others.
        if time.is_none()
            && let Some(number) = player.get(parameter).filter(|&value| *value != SpecValue::NONE)
        {
            let number = number.to_string();
            parts.push(format!("{number} {}", if number == "1" { one } else { many }));
        }
    }
    // For `process`, it is the time after which the program is killed.
    if player.name() != "process"
        && let Some(time) = time
    {
        parts.push(format!("{time} a move"));
    }
    parts.join(", ")
}

fn value_words(player: &Spec) -> String {
    if let Some((_, value)) = player.nested().iter().find(|(parameter, _)| parameter == "value") {
        return words(value);
    }
    if let Some((_, file)) = player.texts().iter().find(|(parameter, _)| parameter == "model") {
        let stem = Path::new(file).file_stem().unwrap_or(file.as_ref());
        return stem.to_string_lossy().into_owned();
    }
    if player.name() == "trained" {
        return "Trained network".to_owned();
    }
    let mut name = player.name().replace('-', " ");
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

fn brief(spec: &Spec, plugin: Option<&PluginInfo>, registry: &Registry) -> Spec {
    let brief_spec =
        registry.map_nested(spec, plugin, |nested, plugin| brief(nested, plugin, registry));
    let Some(plugin) = plugin else { return brief_spec };
    let defaults = plugin.parameters.iter().filter(|own| has_default(&brief_spec, own));
    let names: Vec<_> = defaults.map(|parameter| parameter.name.as_str()).collect();
    brief_spec.without(&names)
}

/// Returns true if the spec sets the parameter to its default value. The value `None` always means
/// the default, even where `Parameter::default` describes it by other words.
fn has_default(spec: &Spec, parameter: &Parameter) -> bool {
    let Some(value) = spec.get(&parameter.name) else { return false };
    let text = value.to_string();
    *value == SpecValue::NONE
        || text == parameter.default
        || is_same_number(&text, &parameter.default)
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
