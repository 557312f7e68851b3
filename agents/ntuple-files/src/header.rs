//! The header of a model: what it says about its network and training, and the checks
//! before it is loaded.

use crate::contents::{Contents, History, MeanLength, Phase};
use crate::entrances;
use crate::format::Format;
use agent_ntuple_network::{Inheritance, Memory, ONE_STAGE, Shape};
use runner_core::ParameterType;
use runner_files::container::{Header, ReadAt};
use runner_files::{Container, ContainerError, ContainerProblem};
use std::fmt::Display;

const KIND: &str = "n-tuple network";

const ALPHABET: &str = "ranks 0 to 15";

/// The conditions of the stages, and their inheritance. Models of one stage lack both.
pub const STAGES: &str = "stages";
const PROMOTION: &str = "promotion";

/// The number of games that began at a restart. Missing if restarts are not used.
const RESTARTS: &str = "restarts";

/// The mean length of the last whole games, see [`MeanLength`]. Missing before the first.
const LENGTHS: &str = "mean length";

/// Where a multi-stage training stands, see [`Phase`]. Missing in other models.
const PHASE: &str = "phase";

/// The fact `holds` of a complete model.
const COMPLETE: &str = "weights and learning state";
/// The fact `holds` of other models. Training that resumes from them starts with fresh
/// learning state.
pub const WEIGHTS_ONLY: &str = "weights only";
/// The fact `holds` of folded models.
const FOLDED: &str = "folded weights";

/// Magnitude above which a weight shows that its training has diverged. Scores are far below.
pub const DIVERGED: f32 = 1e15;

/// Returns the problem of a model that is intact, but has another property than needed.
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
    // Restarts may begin later, and depend on it.
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

/// Returns the number of weights of the stages that a model has, for a network that has at least
/// these stages.
pub fn weights<S: ReadAt>(container: &Container<S>, shape: &Shape<'_>) -> usize {
    let theirs = container.header().fact(STAGES).unwrap_or(ONE_STAGE);
    let stages = shape.leading_stages(theirs).unwrap_or(shape.lookup.stages());
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
        theirs if theirs == game => Ok(()),
        theirs => Err(container.error(mismatch("game", theirs, game))),
    }
}

/// Checks that a model is one of this game and network. A model of the `leading` stages alone
/// may do.
pub fn check<S: ReadAt>(
    container: &Container<S>,
    shape: &Shape<'_>,
    leading: bool,
) -> Result<(), ContainerError> {
    check_game(container, shape.game)?;
    let promotion = shape.inheritance.name();
    let stages = container.header().fact(STAGES).unwrap_or(ONE_STAGE);
    let stage_count = shape.leading_stages(stages);
    let fits = stage_count.is_some_and(|count| leading || count == shape.lookup.stages());
    let its_stages = if fits { shape.stages() } else { stages };
    // One stage inherits from none.
    let its_promotion = match stage_count {
        Some(1) => promotion,
        _ => container.header().fact(PROMOTION).unwrap_or(promotion),
    };
    let properties = [
        ("network", fact(container, "network")?, shape.network.text()),
        ("`learns`", fact(container, "learns")?, shape.learns.name()),
        ("alphabet", fact(container, "alphabet")?, ALPHABET),
        ("list of stages", its_stages, shape.stages()),
        ("promotion", its_promotion, promotion),
        ("order of weights", fact(container, "order")?, shape.lookup.order()),
    ];
    match properties.into_iter().find(|(_, theirs, ours)| theirs != ours) {
        Some(("network", theirs, ours)) if is_folded(container.header()) => Err(container
            .unsuitable(format!(
                "is folded: its network is `{theirs}`, needed is `{ours}`; leave `network` out to \
                 evaluate it, and resume a training from the model that it was folded from"
            ))),
        Some((property, theirs, ours)) => Err(container.error(mismatch(property, theirs, ours))),
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
    let refuse = |_| container.unsuitable(format!("has `{text}` for `{name}`, which is no number"));
    text.parse().map_err(refuse)
}

/// Returns the value of the weights that a model does not store.
pub fn initial<S: ReadAt>(container: &Container<S>) -> Result<f32, ContainerError> {
    match number(container, "initial")? {
        initial if f32::abs(initial) <= DIVERGED => Ok(initial),
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
    // Each word but those about the first stage begins another one.
    let begins = |word: &&str| !word.starts_with("1@") && !word.starts_with("downgrade@");
    let stages = container.header().fact(STAGES);
    let later = stages.map_or(0, |stages| stages.split(' ').filter(begins).count());
    match Phase::parse(text, 1 + later) {
        Some(phase) => Ok(Some(phase)),
        None => Err(container.unsuitable(format!("has the phase `{text}`, which cannot be"))),
    }
}
