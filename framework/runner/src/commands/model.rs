//! `runner model`: what models say about themselves, whether they are whole, and
//! the same in another form.

mod options;

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::models;
use crate::options::{PlayerOptions, ResourceOptions};
use crate::setting::Setting;
pub use options::{ModelCommand, ModelOutput};
use runner_core::Learner;
use runner_files::container::Section;
use runner_files::{Container, Header};
use runner_plugin::Registry;
use runner_spec::Spec;
use runner_spec::quantity::grouped;
use serde::Serialize;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a model says about itself, as a document.
#[derive(Serialize)]
struct Info<'a> {
    file: &'a Path,
    kind: &'a str,
    game: &'a str,
    spec: &'a str,
    facts: BTreeMap<&'a str, &'a str>,
    sections: Vec<SectionInfo<'a>>,
}

#[derive(Serialize)]
struct SectionInfo<'a> {
    name: &'a str,
    bytes: u64,
}

impl<'a> Info<'a> {
    fn new(file: &'a Path, header: &'a Header) -> Self {
        let facts = header.facts.iter().map(|(name, fact)| (name.as_str(), fact.as_str()));
        let section = |s: &'a Section| SectionInfo { name: &s.name, bytes: s.bytes };
        Self {
            file,
            kind: &header.kind,
            game: &header.game,
            spec: &header.spec,
            facts: facts.collect(),
            sections: header.sections.iter().map(section).collect(),
        }
    }
}

/// What a file says about itself. All of it is read and checked if it is to be
/// `whole`. Models of this program need no plugin for that; those of another are
/// shown to the learners.
fn header(
    file: &Path,
    whole: bool,
    registry: impl FnOnce() -> Arc<Registry>,
) -> Result<Header, Failure> {
    if matches!(Container::is_container(file), Ok(false))
        && let Some(model) = registry().foreign(file, whole)?
    {
        let section = |(name, bytes)| Section { name, bytes };
        return Ok(Header {
            kind: model.kind,
            game: model.game,
            spec: String::new(),
            facts: model.facts,
            sections: model.sections.into_iter().map(section).collect(),
        });
    }
    let container = Container::open(file)?;
    if whole {
        container.verify()?;
    }
    Ok(container.header().clone())
}

/// Tells the headers of some files.
fn info(
    files: &[PathBuf],
    json: bool,
    registry: impl FnOnce() -> Arc<Registry>,
) -> Result<(), Failure> {
    let registry = LazyCell::new(registry);
    let open = |file: &PathBuf| header(file, false, || registry.clone());
    let headers = files.iter().map(open).collect::<Result<Vec<Header>, Failure>>()?;
    let mut out = std::io::stdout().lock();
    if json {
        let all = files.iter().zip(&headers);
        let all: Vec<_> = all.map(|(file, header)| Info::new(file, header)).collect();
        serde_json::to_writer(&mut out, &all)?;
        writeln!(out)?;
        return Ok(out.flush()?);
    }
    for (i, (file, header)) in files.iter().zip(&headers).enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        tell(&mut out, file, header)?;
    }
    Ok(out.flush()?)
}

fn tell(out: &mut impl Write, file: &Path, header: &Header) -> Result<(), Failure> {
    let mut lines = vec![
        ("file", printable(&file.display().to_string())),
        ("kind", printable(&header.kind)),
        ("game", printable(&header.game)),
    ];
    // Another program's model names no plugin.
    if !header.spec.is_empty() {
        lines.push(("spec", printable(&header.spec)));
    }
    lines.extend(header.facts.iter().map(|(name, fact)| (name.as_str(), printable(fact))));
    let sections: Vec<_> = header
        .sections
        .iter()
        .map(|section| {
            ("section", format!("{}, {} bytes", printable(&section.name), grouped(section.bytes)))
        })
        .collect();
    lines.extend(sections);
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, text) in lines {
        writeln!(out, "{:<width$}  {text}", printable(name))?;
    }
    Ok(())
}

/// Whatever a file says, it cannot steer the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Reads all of some files: every block is held against its checksum, and of another
/// program's model, which has none, every number looked at.
fn verify(files: &[PathBuf], registry: impl FnOnce() -> Arc<Registry>) -> Result<(), Failure> {
    let registry = LazyCell::new(registry);
    let mut bad = Vec::new();
    for file in files {
        match header(file, true, || registry.clone()) {
            Ok(header) => {
                let network = header.fact(models::NETWORK).unwrap_or(&header.spec);
                let mut line = format!("{}: {}, {network}", file.display(), header.game);
                if let Some(moves) = header.fact(models::MOVES) {
                    let moves = moves.parse().map_or(moves.to_owned(), grouped);
                    line += &format!(", {moves} moves trained");
                }
                writeln!(std::io::stdout(), "{}", printable(&line))?;
            }
            Err(failure) => bad.push(failure),
        }
    }
    let Some(last) = bad.pop() else { return Ok(()) };
    for failure in bad {
        failure.report(false);
    }
    Err(last)
}

impl Execute for ModelCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match &self {
            Self::Info { files, json } => info(files, *json, || context.silent_registry().clone()),
            Self::Verify { files } => verify(files, || context.silent_registry().clone()),
            command => write(command, context.registry()),
        }
    }
}

/// Averages or converts.
fn write(command: &ModelCommand, registry: &Arc<Registry>) -> Result<(), Failure> {
    match command {
        ModelCommand::Average { out, files, output } => {
            let header = Container::open(&files[0])?.header().clone();
            let setting =
                learner(Some(header.game.parse()?), Some(header.spec.parse()?), registry)?;
            let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
            convert(&setting, &files, out, output)
        }
        ModelCommand::Convert { from, to, game, agent, output } => {
            let header = models::header(from)?;
            let of_model = |given: &Option<Spec>, of_model: fn(&Header) -> &String| match given {
                Some(given) => Ok(Some(given.clone())),
                None => header.as_ref().map(|header| of_model(header).parse()).transpose(),
            };
            let game = of_model(game, |header| &header.game)?;
            let agent = of_model(agent, |header| &header.spec)?;
            if header.is_none() && (game.is_none() || agent.is_none()) {
                return Err(Failure::usage(format!(
                    "{} does not name its game and learner, as models of this program do; name \
                     them with --game and --agent",
                    from.display()
                )));
            }
            let setting = learner(game, agent, registry)?;
            convert(&setting, &[from], to, output)
        }
        ModelCommand::Info { files, json } => info(files, *json, || registry.clone()),
        ModelCommand::Verify { files } => verify(files, || registry.clone()),
    }
}

/// Builds the learner that reads the files.
fn learner(
    game: Option<Spec>,
    agent: Option<Spec>,
    registry: &Arc<Registry>,
) -> Result<Setting, Failure> {
    Setting::new(&PlayerOptions { game, agent }, &ResourceOptions::default(), registry)
}

fn convert(
    setting: &Setting,
    from: &[&Path],
    to: &Path,
    output: &ModelOutput,
) -> Result<(), Failure> {
    let learner = setting.player.learner().ok_or_else(|| {
        Failure::usage(format!("`{}` has no models: it does not learn", setting.player.spec.name()))
    })?;
    let form = models::form(learner, output.form.as_deref(), to)?;
    if to.exists() && !output.force {
        return Err(Failure::usage(format!(
            "{} is there already; --force replaces it",
            to.display()
        )));
    }
    learner.load(from)?;
    models::save(learner, to, &form)?;
    let bytes = std::fs::metadata(to).map_err(runner_files::FileError::at("read", to))?.len();
    let line = format!("{}: form `{form}`, {} bytes", to.display(), grouped(bytes));
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
