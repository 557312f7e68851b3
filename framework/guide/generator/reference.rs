//! Tables of games and agents, from the plugins' own descriptions.

use runner_core::Parameter;
use runner_play::registry::Registry;
use runner_plugin::{PluginInfo, PluginKind};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Values with weights that a person chose.
const HANDMADE: [&str; 6] = ["alpha", "beta", "rows", "smooth", "snake-exp", "snake-paths"];

/// The head of a table of parameters.
const HEAD: &str = "| parameter | default | allowed | meaning |\n|---|---|---|---|\n";

/// The generated parts of documents by name.
pub fn parts() -> BTreeMap<&'static str, String> {
    let mut registry = Registry::new();
    for root in runner_plugins::plugins() {
        registry.link(root);
    }
    let plugins = registry.plugins();
    let of = |kind: PluginKind| -> Vec<&PluginInfo> {
        plugins.iter().filter(|plugin| plugin.kind == kind).collect()
    };
    let (learners, values): (Vec<_>, Vec<_>) =
        of(PluginKind::Value).into_iter().partition(|p| p.learner);
    BTreeMap::from([
        (
            "plugins",
            overview(&[
                ("game", of(PluginKind::Game)),
                ("agent", of(PluginKind::Agent)),
                ("learner", learners.clone()),
                ("value", values.clone()),
            ]),
        ),
        ("game-parameters", details(&of(PluginKind::Game), &[])),
        ("agent-parameters", details(&of(PluginKind::Agent), &[])),
        ("value-parameters", details(&values, &[])),
        ("learner-parameters", learner_details(&learners)),
    ])
}

/// A table of the plugins of several kinds, with one row for all values of [`HANDMADE`].
fn overview(kinds: &[(&str, Vec<&PluginInfo>)]) -> String {
    let mut out = String::from("| name | kind | description |\n|---|---|---|\n");
    for (kind, plugins) in kinds {
        let is_handmade = |plugin: &&&PluginInfo| HANDMADE.contains(&plugin.name.as_str());
        for PluginInfo { name, about, .. } in plugins.iter().filter(|p| !is_handmade(p)) {
            let _ = writeln!(out, "| `{name}` | {kind} | {} |", cell(about));
        }
        let names: Vec<_> = plugins.iter().filter(is_handmade).map(|p| &*p.name).collect();
        if !names.is_empty() {
            let names = names.join("`, `");
            let _ = writeln!(out, "| `{names}` | {kind} | rate boards without training |");
        }
    }
    out
}

/// Tables of the parameters that several learners share, then a section for each learner.
fn learner_details(learners: &[&PluginInfo]) -> String {
    // Every row with the learners that have it, and the rows of three learners and more by
    // learners.
    let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
    for learner in learners {
        for row in learner.parameters.iter().map(row) {
            match rows.iter_mut().find(|(known, _)| *known == row) {
                Some((_, names)) => names.push(&learner.name),
                None => rows.push((row, vec![&learner.name])),
            }
        }
    }
    rows.retain(|(_, names)| names.len() >= 3);
    let mut groups: Vec<(&[&str], String)> = Vec::new();
    for (row, names) in &rows {
        match groups.iter_mut().find(|(known, _)| known == names) {
            Some((_, table)) => table.push_str(row),
            None => groups.push((names, format!("{HEAD}{row}"))),
        }
    }
    let mut out = String::from(
        "### Parameters of several learners\n\nThe sections below list the others of each.\n\n",
    );
    for (names, table) in groups {
        let _ = writeln!(out, "Of `{}`:\n\n{table}", names.join("`, `"));
    }
    let shared: Vec<String> = rows.iter().map(|(row, _)| row.clone()).collect();
    out + &details(learners, &shared)
}

/// A section for each plugin, with tables of its presets and of its parameters but for those that
/// are shown elsewhere.
fn details(plugins: &[&PluginInfo], shared: &[String]) -> String {
    let mut out = String::new();
    for PluginInfo { name, about, parameters, presets, .. } in plugins {
        let _ = writeln!(out, "### `{name}`\n\n{}.\n", cell(&capitalised(about)));
        // The table of presets replaces the parameter of that name.
        let named = parameters.iter().filter(|parameter| parameter.name != "preset");
        let own: Vec<_> = named.map(row).filter(|row| !shared.contains(row)).collect();
        if own.is_empty() {
            out.push_str("No parameters.\n\n");
        } else {
            let _ = writeln!(out, "{HEAD}{}", own.concat());
        }
        if !presets.is_empty() {
            out.push_str("| preset | description |\n|---|---|\n");
            for preset in presets {
                let _ = writeln!(out, "| `{}` | {} |", preset.name, cell(preset.about()));
            }
            out.push('\n');
        }
    }
    out
}

fn row(parameter: &Parameter) -> String {
    let (default, allowed) = (cell(parameter.default()), cell(&parameter.allowed()));
    let (name, about) = (&parameter.name, cell(&parameter.about));
    format!("| `{name}` | {} | {allowed} | {about} |\n", code(&default))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A default as code, unless it is a phrase.
fn code(text: &str) -> String {
    let is_phrase = text.contains(' ') && !text.contains(['(', '"']);
    if text.is_empty() || text.contains('`') || is_phrase {
        text.to_owned()
    } else {
        format!("`{text}`")
    }
}

/// A text with the characters escaped that end a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
