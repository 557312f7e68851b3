//! What a model of this program says about itself, and must say to be loaded.

use super::compact::Values;
use super::{Shape, ascending, unfit};
use crate::learner::NtupleNetwork;
use crate::network::USUAL_ALPHABET;
use crate::rule::Rule;
use crate::trainer::TrainingState;
use crate::value_function::ValueFunction;
use runner_files::container::{Header, ReadAt};
use runner_files::{Container, ContainerError};
use std::time::Duration;

/// What kind of file it is.
const KIND: &str = "n-tuple network";

/// What a cell can hold: this, and the greatest rank.
const RANKS: &str = "ranks 0 to ";

fn letters(alphabet: usize) -> String {
    format!("{RANKS}{}", alphabet - 1)
}

/// What a network says about itself in a form.
pub fn describe<R: Rule>(network: &NtupleNetwork<R>, form: &str) -> Header {
    let life = network.training_state();
    let progress = life.progress();
    Header {
        kind: KIND.to_owned(),
        game: network.game.clone(),
        spec: network.spec.clone(),
        ..Header::default()
    }
    .with("network", network.network.text())
    .with("form", form)
    .with("weights", network.weights.len())
    .with("learns", network.learns.name())
    .with("order", network.lookup.order())
    .with("alphabet", letters(network.network.alphabet()))
    .with("initial", network.initial)
    .with("moves", progress.moves)
    .with("episodes", progress.episodes)
    .with("seconds", progress.elapsed.as_secs_f64())
    .with("next game", life.next_game())
    .with("seed", network.seed())
    .with("mean", progress.mean)
}

/// Sees to it that a container is a model.
pub fn check_kind<S: ReadAt>(container: &Container<S>) -> Result<(), ContainerError> {
    match container.header().kind.as_str() {
        KIND => Ok(()),
        other => Err(container.error(unfit("kind", other, KIND))),
    }
}

/// The network of a model.
pub fn network<S: ReadAt>(container: &Container<S>) -> Result<String, ContainerError> {
    match container.header().fact("network") {
        Some(network) => Ok(network.to_owned()),
        None => Err(container.unsuitable("does not say its network")),
    }
}

/// How many ranks a model tells apart in a cell.
pub fn alphabet<S: ReadAt>(container: &Container<S>) -> Result<usize, ContainerError> {
    let Some(text) = container.header().fact("alphabet") else { return Ok(USUAL_ALPHABET) };
    let top = text.strip_prefix(RANKS).and_then(|top| top.parse::<u8>().ok());
    top.map(|top| usize::from(top) + 1)
        .ok_or_else(|| container.unsuitable(format!("has the alphabet `{text}`, not `{RANKS}15`")))
}

/// In which way the weights of a compact model are kept; nothing for a plain one.
pub fn values_of<S: ReadAt>(container: &Container<S>) -> Result<Option<Values>, ContainerError> {
    match container.header().fact("form") {
        None | Some("checkpoint" | "player") => Ok(None),
        Some(other) => match Values::named(other) {
            Some(values) => Ok(Some(values)),
            None => Err(container.unsuitable(format!(
                "has the form `{other}`, and this program reads `checkpoint`, `player`, {}",
                Values::NAMES.map(|name| format!("`{name}`")).join(", ")
            ))),
        },
    }
}

/// Sees to it that a model is one of this game.
pub fn is_of<S: ReadAt>(container: &Container<S>, game: &str) -> Result<(), ContainerError> {
    match container.header().game.as_str() {
        theirs if theirs == game => Ok(()),
        theirs => Err(container.error(unfit("game", theirs, game))),
    }
}

/// Sees to it that a model is one of this game and network.
pub fn fits<S: ReadAt>(container: &Container<S>, shape: &Shape<'_>) -> Result<(), ContainerError> {
    is_of(container, shape.game)?;
    let header = container.header();
    let fact = |name, unsaid| header.fact(name).unwrap_or(unsaid);
    let ours = letters(shape.network.alphabet());
    let usual = letters(USUAL_ALPHABET);
    let asked = [
        ("network", fact("network", "nothing"), shape.network.text()),
        // Models said neither when there was one of each.
        ("`learns`", fact("learns", ValueFunction::Afterstates.name()), shape.learns.name()),
        ("alphabet", fact("alphabet", &usual), &ours),
    ];
    let order = ("order of weights", fact("order", "nothing"), shape.lookup.order());
    let other = asked.into_iter().find(|(_, theirs, ours)| theirs != ours);
    match other.or((!ascending::can_be_read(order.1, order.2)).then_some(order)) {
        Some((what, theirs, ours)) => Err(container.error(unfit(what, theirs, ours))),
        None => Ok(()),
    }
}

/// A fact that is a number.
pub fn number<S: ReadAt, T: std::str::FromStr>(
    container: &Container<S>,
    name: &str,
) -> Result<T, ContainerError> {
    let text = container.header().fact(name).unwrap_or_default();
    let refuse = |_| container.unsuitable(format!("does not say `{name}` as a number: `{text}`"));
    text.parse().map_err(refuse)
}

/// What a model's learner has lived through, and the seed of that.
pub fn life<S: ReadAt>(container: &Container<S>) -> Result<(TrainingState, u64), ContainerError> {
    let count = |name| number(container, name);
    let elapsed = Duration::try_from_secs_f64(number(container, "seconds")?)
        .map_err(|error| container.unsuitable(format!("has a wrong number of seconds: {error}")))?;
    let life =
        TrainingState::restored(count("moves")?, count("episodes")?, elapsed, count("next game")?);
    Ok((life, count("seed")?))
}
