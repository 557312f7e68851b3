//! `runner plugins`: what plugins there are, what is wrong with them, and new ones.

mod doctor;
mod new;

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::notes::note;
use crate::options::CommonOptions;
use clap::Subcommand;
use new::Template;
use runner_plugin::{Kind, PluginInfo, Problem, Registry, abi};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// List, check and create plugins
#[derive(Debug, Clone, Subcommand)]
pub enum PluginsCommand {
    /// List all plugins and where they come from
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Test all that plugins do and report what is wrong
    Doctor {
        /// Only these plugins [default: all]
        names: Vec<String>,
    },
    /// Create a crate for a plugin of your own
    New {
        /// What the plugin provides
        kind: Template,
        /// Its name: lower-case letters, digits and hyphens, at most 40
        name: String,
        /// Folder to write to [default: the name]
        #[arg(long, value_name = "FOLDER")]
        path: Option<PathBuf>,
        /// Sources of the framework [default: those that this program was built from]
        #[arg(long, value_name = "FOLDER")]
        framework: Option<PathBuf>,
    },
}

impl Execute for PluginsCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::List { json } => list(context.silent_registry(), &context.common, json),
            Self::Doctor { names } => {
                doctor::run(context.silent_registry(), &context.common, &names)
            }
            Self::New { kind, name, path, framework } => {
                new::run(kind, &name, path.as_deref(), framework.as_deref())
            }
        }
    }
}

#[derive(Serialize)]
struct Row {
    name: String,
    kind: Option<&'static str>,
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
            kind: Some(word(plugin.kind)),
            version: Some(plugin.version.clone()),
            abi: this_abi(),
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
            Some((kind, name)) => (Some(word(*kind)), name.clone()),
            None => (None, stem.unwrap_or_else(|| file.clone())),
        };
        Self {
            name,
            kind,
            version: None,
            abi: this_abi(),
            file,
            status: "error",
            error: Some(problem.message.clone()),
        }
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Game => "game",
        Kind::Value => "value",
        Kind::Agent => "agent",
    }
}

fn this_abi() -> String {
    format!("{}.{}", abi::ABI_MAJOR, abi::ABI_MINOR)
}

fn list(registry: &Registry, common: &CommonOptions, json: bool) -> Result<(), Failure> {
    let (plugins, problems) = (registry.plugins(), registry.problems());
    let mut out = std::io::stdout().lock();
    if json {
        let rows: Vec<Row> =
            plugins.iter().map(Row::from).chain(problems.iter().map(Row::from)).collect();
        serde_json::to_writer(&mut out, &rows)?;
        writeln!(out)?;
    } else {
        let width = plugins.iter().map(|p| p.name.chars().count()).max().unwrap_or(0).max(4);
        writeln!(out, "kind   {:width$}  version  what it is", "name")?;
        for plugin in &plugins {
            let PluginInfo { kind, name, version, about, learner, .. } = plugin;
            let learns = if *learner { " (learns)" } else { "" };
            writeln!(out, "{kind:5}  {name:width$}  {version:7}  {about}{learns}")?;
            if common.verbose {
                writeln!(out, "       {:width$}  from {}", "", plugin.origin)?;
                for p in &plugin.parameters {
                    writeln!(
                        out,
                        "       {:width$}  {}: {} ({}, {})",
                        "", p.name, p.default, p.allowed, p.about
                    )?;
                }
            }
        }
        if !common.verbose {
            writeln!(out, "(--verbose shows their parameters and where they come from)")?;
        }
    }
    out.flush()?;
    if problems.is_empty() {
        return Ok(());
    }
    if !json {
        for problem in problems {
            note(format!("problem: {}", problem.message));
            if let (true, Some(detail)) = (common.verbose, &problem.detail) {
                note(detail);
            }
        }
    }
    let n = problems.len();
    Err(Failure::failed(format!(
        "{n} {} cannot be used",
        if n == 1 { "plugin" } else { "plugins" }
    )))
}
