//! How a learner plays in evaluations: as a greedy player, or as the value of an agent.

use super::event::{TrainingEvent, TrainingWatch};
use runner_core::{GreedyPolicy, Spec};
use runner_play::evaluation::{self, Plan, Played, Progress};
use runner_play::failure::{Failure, attributed};
use runner_play::player::{NamedPlayer, Player};
use runner_play::setting::Setting;
use runner_plugin::{DynValue, PluginInfo, PluginKind};
use runner_spec::one_line;
use std::sync::atomic::AtomicBool;

/// Placeholder of the learner in the spec of an agent.
const LEARNER: &str = "learner";

/// Returns the player of the learner of a setting: greedy, or an agent with the learner in it.
pub fn player(with: Option<&Spec>, setting: &Setting) -> Result<NamedPlayer, Failure> {
    let learner = setting.trained_learner()?;
    match with {
        Some(spec) => player_with(spec, learner, setting),
        None => Ok(NamedPlayer {
            player: Player::Value(GreedyPolicy(learner.clone())),
            spec: setting.player.spec.clone(),
            label: setting.player.label.clone(),
            value: None,
        }),
    }
}

/// Plays the games of the evaluation `name`; returns `None` if the stop flag ends them.
pub fn evaluate(
    name: &str,
    plan: &Plan<'_>,
    named: &NamedPlayer,
    stop: &AtomicBool,
    watch: TrainingWatch<'_>,
) -> Result<Option<Played>, Failure> {
    let mut progress = |progress: &Progress| watch(TrainingEvent::Evaluation(name, progress));
    let played = evaluation::play(plan, named, None, stop, &mut progress)?;
    if played.interrupted {
        return Ok(None);
    }
    if let Some(first) = played.faults.first() {
        let whose = [plan.game.label.as_str(), named.label.as_str()];
        watch(TrainingEvent::Note(format!(
            "note: {name}: {} of {} games ended in a fault: {}",
            played.faults.count(),
            plan.games,
            one_line(&attributed(first, &whose))
        )));
    }
    Ok(Some(played))
}

/// Returns whether a plugin is an agent with a parameter `value`.
fn takes_value(info: &PluginInfo) -> bool {
    info.kind == PluginKind::Agent && info.parameters.iter().any(|p| p.name == "value")
}

/// Builds the agent that plays a learner. The learner replaces every placeholder in the agent's
/// spec; without one, it becomes the parameter `value`.
fn player_with(spec: &Spec, learner: &DynValue, setting: &Setting) -> Result<NamedPlayer, Failure> {
    let registry = setting.services.registry();
    let mut places = Vec::new();
    find_learner("", spec, &mut places);
    if places.is_empty() {
        let info = registry.player(spec.name())?;
        if !takes_value(info) {
            let players: Vec<_> =
                registry.plugins().into_iter().filter(takes_value).map(|p| p.name).collect();
            return Err(Failure::usage(format!(
                "`{}` cannot play the learner: an agent with a parameter `value` is needed ({}), or \
                 the word `{LEARNER}` where the learner belongs",
                spec.name(),
                players.join(", ")
            )));
        }
        if let Some(other) = spec.get("value") {
            return Err(Failure::usage(format!(
                "`{spec}` would play `{other}`: leave out its `value`, or write `{LEARNER}` where \
                 the learner belongs"
            )));
        }
        places.push("value".to_owned());
    }
    let mut complete = spec.clone();
    for place in &places {
        complete = complete.with(place, setting.player.spec.clone())?;
    }
    let services = setting.services.with_value(&setting.player.spec, learner);
    NamedPlayer::build(registry, &complete, &setting.game, &services)
}

/// Collects the paths of the placeholders in a spec, which is itself at the path `outer`.
fn find_learner(outer: &str, spec: &Spec, places: &mut Vec<String>) {
    for (inner, part) in spec.nested() {
        let path = if outer.is_empty() { inner } else { format!("{outer}.{inner}") };
        if part.name() == LEARNER && !part.has_fields() {
            places.push(path);
        } else {
            find_learner(&path, part, places);
        }
    }
}
