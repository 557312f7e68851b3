//! `runner plugins list`: what there is, and what is wrong with what is not.

use crate::cli::Common;
use crate::failure::Failure;
use crate::notes::note;
use runner_plugin::{Kind, PluginInfo, Problem, Registry, abi};
use serde::Serialize;
use std::io::Write;

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

pub(super) fn list(registry: &Registry, common: &Common, json: bool) -> Result<(), Failure> {
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
