//! How a learner plays in evaluations: greedily, or as the value of an agent.

use super::event::{TrainingEvent, TrainingWatch};
use runner_core::{GreedyPolicy, Spec};
use runner_play::evaluation::{self, Plan, Played, Progress};
use runner_play::failure::{Failure, attributed};
use runner_play::player::{NamedPlayer, Player};
use runner_play::setting::Setting;
use runner_plugin::{DynValue, PluginInfo, PluginKind};
use runner_spec::one_line;
use std::sync::atomic::AtomicBool;

/// Stands for the learner in the spec of an agent, as in `expectimax(value: learner)`.
const LEARNER: &str = "learner";

/// Returns the player of a learner: the agent `with`, or if there is none a greedy player.
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

/// Plays the games of the evaluation with this name; returns `None` if `stop` ended them.
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

/// Returns true for an agent with a parameter `value`.
fn takes_value(info: &PluginInfo) -> bool {
    info.kind == PluginKind::Agent && info.parameters.iter().any(|p| p.name == "value")
}

/// Builds the agent that plays a learner. The learner replaces each word `learner` in the agent's
/// spec; if there is none, it becomes the parameter `value`.
fn player_with(spec: &Spec, learner: &DynValue, setting: &Setting) -> Result<NamedPlayer, Failure> {
    let registry = setting.services.registry();
    let mut paths = Vec::new();
    find_learner("", spec, &mut paths);
    if paths.is_empty() {
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
        paths.push("value".to_owned());
    }
    let mut complete = spec.clone();
    for path in &paths {
        complete = complete.with(path, setting.player.spec.clone())?;
    }
    let services = setting.services.with_value(&setting.player.spec, learner);
    NamedPlayer::build(registry, &complete, &setting.game, &services)
}

/// Adds the paths of all words `learner` in a spec. The path of the spec itself is `outer`.
fn find_learner(outer: &str, spec: &Spec, paths: &mut Vec<String>) {
    for (inner, nested) in spec.nested() {
        let path = if outer.is_empty() { inner } else { format!("{outer}.{inner}") };
        if nested.name() == LEARNER && !nested.has_fields() {
            paths.push(path);
        } else {
            find_learner(&path, nested, paths);
        }
    }
}
