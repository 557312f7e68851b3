//! The header of a model: the facts about its network and training, and their checks.

use crate::contents::{Contents, History, MeanLength, Phase};
use crate::entrances;
use crate::format::Format;
use agent_ntuple_network::{Inheritance, Memory, ONE_STAGE, Shape};
use runner_core::ParameterType;
use runner_files::container::{Header, ReadAt};
use runner_files::{Container, ContainerError, ContainerProblem};
use std::fmt::Display;

/// The kind of all models of networks.
const KIND: &str = "n-tuple network";

/// The fact `alphabet` of all models: the ranks that a network distinguishes.
const ALPHABET: &str = "ranks 0 to 15";

/// The fact with the list of stages. Models of one stage lack it.
pub const STAGES: &str = "stages";
/// The fact with the name of the inheritance. Models of one stage lack it.
const PROMOTION: &str = "promotion";

/// The fact with the number of games that began at a restart. Missing if restarts are not used.
const RESTARTS: &str = "restarts";

/// The fact with the [`MeanLength`] of the last whole games. Missing before the first.
const LENGTHS: &str = "mean length";

/// The fact with the [`Phase`] of a multi-stage training. Missing in other models.
const PHASE: &str = "phase";

/// The fact `holds` of a complete model.
const COMPLETE: &str = "weights and learning state";
/// The fact `holds` of other models. Training from them starts with fresh learning state.
pub const WEIGHTS_ONLY: &str = "weights only";
/// The fact `holds` of folded models.
const FOLDED: &str = "folded weights";

/// Maximum magnitude of a weight. Scores are far below, so a training with more has diverged.
pub const MAX_WEIGHT: f32 = 1e15;

/// Returns the problem of a model that is intact, but does not have the property that is needed.
pub fn mismatch(property: &str, found: impl Display, needed: impl Display) -> ContainerProblem {
    ContainerProblem::Unsuitable(format!(
        "does not fit: its {property} is `{found}`, needed is `{needed}`"
    ))
}

/// Returns the header of a network in a format, without sections.
pub fn describe<M: Memory>(
    contents: &Contents<'_, M>,
    history: &History,
    format: Format,
) -> Header {
    let Shape { network, learns, lookup, inheritance, game, .. } = contents.shape;
    let holds = match format {
        _ if history.is_folded => FOLDED,
        Format::Checkpoint => COMPLETE,
        _ => WEIGHTS_ONLY,
    };
    let mut header = Header {
        kind: KIND.to_owned(),
        game: game.to_owned(),
        spec: contents.spec.to_owned(),
        ..Header::default()
    };
    header = header
        .with("network", network.text())
        .with("format", format.name())
        .with("holds", holds)
        .with("weights", contents.records.len())
        .with("learns", learns.name())
        .with("order", lookup.order())
        .with("alphabet", ALPHABET)
        .with("initial", contents.initial.value());
    header = history.common.in_header(header);
    if let Some(stages) = network.stages() {
        header = header.with(STAGES, stages.text()).with(PROMOTION, inheritance.name());
    }
    if history.restarts > 0 {
        header = header.with(RESTARTS, history.restarts);
    }
    // Restarts that begin later in the training depend on the mean length.
    if history.lengths.get().is_some() {
        header = header.with(LENGTHS, history.lengths);
    }
    if let Some(phase) = history.phase {
        header = header.with(PHASE, phase);
    }
    header
}

pub fn check_kind<S: ReadAt>(container: &Container<S>) -> Result<(), ContainerError> {
    match container.header().kind.as_str() {
        KIND => Ok(()),
        other => Err(container.error(mismatch("kind", other, KIND))),
    }
}

pub fn fact<'a, S: ReadAt>(
    container: &'a Container<S>,
    name: &str,
) -> Result<&'a str, ContainerError> {
    let fact = container.header().fact(name);
    fact.ok_or_else(|| container.unsuitable(format!("has no `{name}` in its header")))
}

/// Returns the number of weights that a model needs for its stages, the first ones of the network.
pub fn weights<S: ReadAt>(container: &Container<S>, shape: &Shape<'_>) -> usize {
    let list = container.header().fact(STAGES).unwrap_or(ONE_STAGE);
    let stages = shape.leading_stages(list).unwrap_or(shape.lookup.stages());
    stages * shape.lookup.per_stage()
}

pub fn inheritance<S: ReadAt>(container: &Container<S>) -> Result<Inheritance, ContainerError> {
    let name = container.header().fact(PROMOTION).unwrap_or(Inheritance::Weights.name());
    Inheritance::named(name).ok_or_else(|| {
        let allowed = Inheritance::kind();
        container.unsuitable(format!("has the promotion \"{name}\", not {allowed}"))
    })
}

pub fn format<S: ReadAt>(container: &Container<S>) -> Result<Format, ContainerError> {
    let name = fact(container, "format")?;
    match Format::named(name) {
        Some(format) if format.is_container() => Ok(format),
        _ => Err(container.unsuitable(format!(
            "has the format `{name}`, and this program reads {}",
            Format::names(Format::is_container)
        ))),
    }
}

pub fn check_game<S: ReadAt>(container: &Container<S>, game: &str) -> Result<(), ContainerError> {
    match container.header().game.as_str() {
        found if found == game => Ok(()),
        found => Err(container.error(mismatch("game", found, game))),
    }
}

/// Checks that a model is one of this game and network, or of its first stages.
pub fn check<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
    may_lack_stages: bool,
) -> Result<(), ContainerError> {
    check_game(container, shape.game)?;
    let promotion = shape.inheritance.name();
    let stages = container.header().fact(STAGES).unwrap_or(ONE_STAGE);
    let count = shape.leading_stages(stages);
    let fits = count.is_some_and(|count| may_lack_stages || count == shape.lookup.stages());
    // The list of stages counts as equal if the model fits, and so does the promotion if the model
    // has one stage, which inherits nothing.
    let found_stages = if fits { shape.stages() } else { stages };
    let found_promotion = match count {
        Some(1) => promotion,
        _ => container.header().fact(PROMOTION).unwrap_or(promotion),
    };
    let properties = [
        ("network", fact(container, "network")?, shape.network.text()),
        ("`learns`", fact(container, "learns")?, shape.learns.name()),
        ("alphabet", fact(container, "alphabet")?, ALPHABET),
        ("list of stages", found_stages, shape.stages()),
        ("promotion", found_promotion, promotion),
        ("order of weights", fact(container, "order")?, shape.lookup.order()),
    ];
    match properties.into_iter().find(|(_, found, needed)| found != needed) {
        Some(("network", found, needed)) if is_folded(container.header()) => Err(container
            .unsuitable(format!(
                "is folded: its network is `{found}`, needed is `{needed}`; leave `network` out to \
                 evaluate it, and resume a training from the model that it was folded from"
            ))),
        Some((property, found, needed)) => Err(container.error(mismatch(property, found, needed))),
        None => Ok(()),
    }
}

fn is_folded(header: &Header) -> bool {
    header.fact("holds") == Some(FOLDED)
}

pub fn number<S: ReadAt, T: std::str::FromStr>(
    container: &Container<S>,
    name: &str,
) -> Result<T, ContainerError> {
    let text = fact(container, name)?;
    text.parse()
        .map_err(|_| container.unsuitable(format!("has `{text}` for `{name}`, which is no number")))
}

/// Returns the value of the weights that a model does not store.
pub fn initial<S: ReadAt>(container: &Container<S>) -> Result<f32, ContainerError> {
    match number(container, "initial")? {
        initial if f32::abs(initial) <= MAX_WEIGHT => Ok(initial),
        other => Err(container.unsuitable(format!("has {other:e} as initial value"))),
    }
}

pub fn history<S: ReadAt>(container: &Container<S>) -> Result<History, ContainerError> {
    Ok(History {
        common: runner_learning::History::read(container)?,
        restarts: match container.header().fact(RESTARTS) {
            None => 0,
            Some(_) => number(container, RESTARTS)?,
        },
        lengths: lengths(container)?,
        entrances: entrances::read(container)?,
        is_folded: is_folded(container.header()),
        phase: phase(container)?,
    })
}

fn lengths<S: ReadAt>(container: &Container<S>) -> Result<MeanLength, ContainerError> {
    let Some(text) = container.header().fact(LENGTHS) else { return Ok(MeanLength::default()) };
    MeanLength::parse(text).ok_or_else(|| {
        container.unsuitable(format!("has the mean length `{text}`, which cannot be"))
    })
}

fn phase<S: ReadAt>(container: &Container<S>) -> Result<Option<Phase>, ContainerError> {
    let Some(text) = container.header().fact(PHASE) else { return Ok(None) };
    // The list of stages has a word for each stage after the first, and these settings.
    let is_stage = |word: &&str| !word.starts_with("1@") && !word.starts_with("downgrade@");
    let stages = container.header().fact(STAGES);
    let later_stages = stages.map_or(0, |stages| stages.split(' ').filter(is_stage).count());
    match Phase::parse(text, 1 + later_stages) {
        Some(phase) => Ok(Some(phase)),
        None => Err(container.unsuitable(format!("has the phase `{text}`, which cannot be"))),
    }
}
