//! `runner plugins`: lists, shows, tests and creates plugins.

mod doctor;
mod new;

use super::model::describe::in_one_line;
use crate::context::{Context, Execute};
use crate::linked::TrainedNetworks;
use clap::Subcommand;
use doctor::DoctorOptions;
use new::NewOptions;
use runner_console::output::{Align, Report, Table, print_report, wrap};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::registry::{Registry, unknown};
use runner_plugin::{ABI_VERSION, PluginInfo, Problem};
use runner_spec::quantity::counted;
use runner_spec::{nearest, printable};
use serde::Serialize;
use std::fmt::{self, Write as _};
use std::io::{Write, stdout};

/// List, show, test and create plugins
#[derive(Debug, Clone, Subcommand)]
pub enum PluginsCommand {
    /// List all plugins
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show a plugin with its parameters and presets
    Show {
        /// Name of the plugin
        name: String,
        /// Print the file of this preset: its parameters, with comments
        #[arg(long, value_name = "NAME", conflicts_with = "json")]
        preset: Option<String>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Test all functions of plugins and report what is wrong
    Doctor(DoctorOptions),
    /// Create a plugin of your own: a crate, or an agent in Python
    New(NewOptions),
}

impl Execute for PluginsCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::List { json } => list(context, json),
            Self::Show { name, preset: Some(preset), .. } => {
                show_preset(&name, &preset, context.registry())
            }
            Self::Show { name, json, .. } => show(&name, context, json),
            Self::Doctor(options) => doctor::run(context, &options),
            Self::New(options) => new::run(&options, context),
        }
    }
}

/// A plugin, or a library that cannot be used, as JSON.
#[derive(Serialize)]
struct Row {
    name: String,
    kind: Option<String>,
    version: Option<String>,
    abi: String,
    file: String,
    status: &'static str,
    error: Option<String>,
}

impl From<&PluginInfo> for Row {
    fn from(plugin: &PluginInfo) -> Self {
        Self {
            name: plugin.name.clone(),
            kind: Some(plugin.kind.to_string()),
            version: Some(plugin.version.clone()),
            abi: ABI_VERSION.to_string(),
            file: plugin.origin.to_string(),
            status: "ok",
            error: None,
        }
    }
}

impl From<&Problem> for Row {
    fn from(problem: &Problem) -> Self {
        let file = problem.file.display().to_string();
        let stem = problem.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let (kind, name) = match &problem.plugin {
            Some((kind, name)) => (Some(kind.to_string()), name.clone()),
            None => (None, stem.unwrap_or_else(|| file.clone())),
        };
        Self {
            name,
            kind,
            version: None,
            abi: ABI_VERSION.to_string(),
            file,
            status: "error",
            error: Some(problem.message.clone()),
        }
    }
}

/// Returns the kind of a plugin as texts for people name it: `learner` for a value that learns.
fn shown_kind(plugin: &PluginInfo) -> String {
    if plugin.learner { "learner".into() } else { plugin.kind.to_string() }
}

fn find(name: &str, plugins: &[PluginInfo]) -> Result<PluginInfo, Failure> {
    let found = plugins.iter().find(|plugin| plugin.name == name).cloned();
    let names = plugins.iter().map(|plugin| plugin.name.as_str());
    found.ok_or_else(|| unknown("plugin", name, None, names))
}

fn list(context: &Context, json: bool) -> Result<(), Failure> {
    let registry = context.silent_registry();
    let (plugins, problems) = (registry.plugins(), registry.problems());
    if json {
        let rows = plugins.iter().map(Row::from).chain(problems.iter().map(Row::from));
        print_report(&Report::of(&rows.collect::<Vec<_>>()), true)?;
    } else {
        let mut table = Table::new(&[Align::Left; 4]);
        table.row(["kind", "name", "version", "description"]);
        for plugin in &plugins {
            table.row([&shown_kind(plugin), &plugin.name, &plugin.version, &plugin.about]);
        }
        write!(stdout(), "{table}\n`runner plugins show NAME` prints the parameters of one.\n")?;
    }
    if problems.is_empty() {
        return Ok(());
    }
    if !json {
        context.note_problems("problem");
    }
    let unusable = counted(problems.len() as u64, "plugin");
    Err(Failure::failed(format!("{unusable} cannot be used")))
}

/// A plugin with its parameters, as JSON.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    row: Row,
    about: &'a str,
    learns: bool,
    parameters: Vec<ShownParameter<'a>>,
    presets: Vec<ShownPreset<'a>>,
}

#[derive(Serialize)]
struct ShownParameter<'a> {
    name: &'a str,
    default: &'a str,
    allowed: String,
    about: &'a str,
}

#[derive(Serialize)]
struct ShownPreset<'a> {
    name: &'a str,
    about: &'a str,
    text: &'a str,
}

fn show(name: &str, context: &Context, json: bool) -> Result<(), Failure> {
    let registry = context.registry();
    let plugin = find(name, &registry.plugins())?;
    if json {
        let parameters = plugin.parameters.iter().map(|p| ShownParameter {
            name: &p.name,
            default: p.default(),
            allowed: p.allowed(),
            about: &p.about,
        });
        let presets = plugin.presets.iter().map(|preset| ShownPreset {
            name: &preset.name,
            about: preset.about(),
            text: &preset.text,
        });
        let shown = Shown {
            row: Row::from(&plugin),
            about: &plugin.about,
            learns: plugin.learner,
            parameters: parameters.collect(),
            presets: presets.collect(),
        };
        return Ok(print_report(&Report::of(&shown), true)?);
    }
    let mut text = shown(&plugin)?;
    let TrainedNetworks { value, headers } = context.linked.trained;
    if plugin.name == value {
        writeln!(text, "\nnetworks (`runner model info {value}` describes them):")?;
        for header in headers() {
            wrap(&mut text, "  ", &in_one_line(&header, registry))?;
        }
        for games in (context.linked.borrowing_games)() {
            let [game, lender] = games.map(|game| brief::game_text(game, registry));
            wrap(&mut text, "  ", &format!("{game}, the network of {lender}"))?;
        }
    }
    Ok(write!(stdout(), "{text}")?)
}

/// Prints the file of a preset, which documents it.
fn show_preset(name: &str, preset: &str, registry: &Registry) -> Result<(), Failure> {
    let plugin = find(name, &registry.plugins())?;
    let Some(found) = plugin.presets.iter().find(|known| known.name == preset) else {
        let names: Vec<_> = plugin.presets.iter().map(|known| known.name.as_str()).collect();
        return Err(Failure::usage(if names.is_empty() {
            format!("`{name}` has no presets")
        } else {
            let nearest = nearest(preset, names.iter().copied());
            let hint = nearest.map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default();
            format!("`{name}` has no preset `{preset}`{hint}; there are: {}", names.join(", "))
        }));
    };
    // Each line is made printable, because the text of a plugin could have control characters.
    let mut out = stdout().lock();
    for line in found.text.lines() {
        writeln!(out, "{}", printable(line))?;
    }
    Ok(out.flush()?)
}

/// Describes a plugin with its parameters and presets.
fn shown(plugin: &PluginInfo) -> Result<String, fmt::Error> {
    let mut text = String::new();
    let PluginInfo { name, about, version, origin, .. } = plugin;
    wrap(&mut text, "", &format!("{} {name} {version}: {about}", shown_kind(plugin)))?;
    writeln!(text, "from: {origin}")?;
    if plugin.parameters.is_empty() {
        writeln!(text, "\nno parameters")?;
    }
    for parameter in &plugin.parameters {
        let name = printable(&parameter.name);
        writeln!(text, "\n{name} [default: {}]", printable(parameter.default()))?;
        wrap(&mut text, "    ", &parameter.about)?;
        wrap(&mut text, "    ", &format!("allowed: {}", parameter.allowed()))?;
    }
    if !plugin.presets.is_empty() {
        let mut table = Table::of_pairs().indented("  ");
        for preset in &plugin.presets {
            table.row([preset.name.as_str(), preset.about()]);
        }
        let command = format!("runner plugins show {} --preset NAME", printable(&plugin.name));
        write!(text, "\npresets (`{command}` prints one):\n{table}")?;
    }
    Ok(text)
}
