//! Finds the learners in the spec of an agent, which may be a learner itself, and says which of
//! them have a model and which would play untrained.

use crate::brief;
use crate::failure::Failure;
use crate::models::{self, Learned};
use crate::names::quoted;
use crate::registry::Registry;
use runner_core::{Fault, Learner, Spec, catch};
use runner_plugin::DynValue;
use runner_spec::SpecValue;
use std::path::PathBuf;

/// A learner in the spec of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedLearner {
    /// Path of its parameter, such as `value` or `values.0`; empty for the agent itself.
    pub path: String,
    pub spec: Spec,
    pub model: Model,
}

/// The model in the spec of a learner.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// The spec names no model, so the learner is untrained.
    None,
    File(PathBuf),
    /// The value of the parameter is no text.
    Other,
}

pub fn model(spec: &Spec) -> Model {
    match spec.get("model") {
        None => Model::None,
        Some(value) if *value == SpecValue::NONE => Model::None,
        // If the value is not text, the plugin reports that when it is built.
        Some(value) => value.as_text().map_or(Model::Other, |file| Model::File(file.into())),
    }
}

pub fn in_agent(agent: &Spec, registry: &Registry) -> Vec<NamedLearner> {
    let mut learners = Vec::new();
    collect(String::new(), agent, registry, &mut learners);
    learners
}

fn collect(path: String, spec: &Spec, registry: &Registry, learners: &mut Vec<NamedLearner>) {
    // A word that names no player is a value of another kind.
    let Ok(info) = registry.player(spec.name()) else { return };
    if info.learner {
        let (spec, model) = (spec.clone(), model(spec));
        learners.push(NamedLearner { path, spec, model });
        return;
    }
    for (inner, part) in spec.nested() {
        let path = if path.is_empty() { inner } else { format!("{path}.{inner}") };
        collect(path, part, registry, learners);
    }
}

/// Returns the files that the parameters `model` in a spec name, those of nested specs included.
pub fn model_files(spec: &Spec) -> Vec<PathBuf> {
    let own = match model(spec) {
        Model::File(file) => Some(file),
        Model::None | Model::Other => None,
    };
    let nested = spec.nested().into_iter().flat_map(|(_, nested)| model_files(nested));
    own.into_iter().chain(nested).collect()
}

/// Refuses a spec that is not of a player, or one with a learner whose model cannot be read.
/// Plugins that do not learn are not checked: their `model` may be something else than a file.
pub fn check(player: &Spec, registry: &Registry) -> Result<(), Failure> {
    registry.player(player.name())?;
    for learner in in_agent(player, registry) {
        if let Model::File(file) = learner.model {
            models::header(&file)?;
        }
    }
    Ok(())
}

/// Returns the game of the first model of a player that states one, or why one is unreadable.
pub fn game_of(player: &Spec) -> Option<Result<Spec, Failure>> {
    let mut files = model_files(player).into_iter();
    let header = files.find_map(|file| models::header(&file).transpose())?;
    Some(header.and_then(|header| Ok(header.game.parse()?)))
}

/// Says what is loaded before a player can play: its models with their sizes, or the player if it
/// names none.
pub fn loading(player: &Spec) -> String {
    let mut files = Vec::new();
    for file in model_files(player) {
        files.push(format!("{}, {}", file.display(), models::size(&file)));
    }
    let loaded = if files.is_empty() { player.to_string() } else { files.join("; ") };
    format!("loading {loaded}")
}

/// Returns true if a value that was built from a spec is a learner that has neither loaded a model
/// nor made a training move.
pub fn is_untrained(spec: &Spec, value: &DynValue) -> Result<bool, Fault> {
    if !value.is_learner() || model(spec) != Model::None {
        return Ok(false);
    }
    Ok(catch(|| value.progress())?.moves == 0)
}

/// Describes the size and the training of each model in the spec of an agent.
pub fn describe_models(agent: &Spec, registry: &Registry) -> Vec<String> {
    let (mut files, mut described) = (Vec::new(), Vec::new());
    for learner in in_agent(agent, registry) {
        let Model::File(file) = learner.model else { continue };
        // A file that cannot be read has been refused when the player was built.
        if !files.contains(&file)
            && let Ok(facts) = models::facts(&file, registry)
        {
            let learned = Learned::of(&facts).map(|learned| format!(", {learned}"));
            let (name, size) = (file.display(), models::size(&file));
            described.push(format!("model: {name}, {size}{}", learned.unwrap_or_default()));
            files.push(file);
        }
    }
    described
}

/// Returns the message that refuses an untrained learner, with the command that trains it.
pub fn untrained(learner: &Spec, game: &Spec, registry: &Registry) -> String {
    let name = learner.name();
    let (game, learner) = (brief::game(game, registry), brief::player(learner, registry));
    format!(
        "`{name}` has no model and would play untrained: train one with `runner train --game {} \
         --agent {} --model {name}.model` and play {name}(model: \"{name}.model\")",
        quoted(&game.to_string()),
        quoted(&learner.to_string())
    )
}
