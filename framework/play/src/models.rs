//! Model files: their headers and facts, which learner plays them, and how they are saved.

use crate::brief;
use crate::failure::Failure;
use crate::registry::Registry;
use runner_core::{Learner, ModelFormat, Spec, SpecError, TrainingProgress, catch};
use runner_files::container::Section;
use runner_files::{Container, FileError, Header, data_folder, replace_by};
use runner_plugin::DynValue;
use runner_spec::quantity::{counted, memory, time};
use std::fmt;
use std::path::{Path, PathBuf, is_separator};
use std::time::Duration;

// Names of the facts in the header of a model.
const SEED: &str = "seed";
pub const NETWORK: &str = "network";
/// Number of training moves.
pub const MOVES: &str = "moves";
/// Training time.
const SECONDS: &str = "seconds";
/// What of the learner the model holds, such as [`CHECKPOINT`].
const HOLDS: &str = "holds";

/// Value of the fact `holds` of a model from which a training can be resumed exactly.
const CHECKPOINT: &str = "weights and learning state";
/// Value of the fact `holds` of a model from which no training can be resumed.
pub const FOLDED: &str = "folded weights";

/// Returns the folder of the models that the main job trains.
pub fn folder() -> Result<PathBuf, Failure> {
    let folder = data_folder().ok_or_else(|| {
        Failure::failed(
            "there is no folder for models: set XDG_DATA_HOME or HOME to an absolute path",
        )
    })?;
    Ok(folder.join("models"))
}

/// Returns the path of the model that the main job trains for this learner of this game. The file
/// name has the names of both, and a checksum of their specs.
pub fn automatic(game: &Spec, learner: &Spec) -> Result<PathBuf, Failure> {
    let checksum = crc32fast::hash(format!("{game} {learner}").as_bytes());
    let name = format!("{}-{}-{checksum:08x}.model", game.name(), learner.name());
    Ok(folder()?.join(name))
}

/// Returns the player that a text names: a spec, or the file of a model, which its learner plays.
pub fn player(text: &str) -> Result<Spec, SpecError> {
    let parsed = text.parse::<Spec>();
    if parsed.is_ok() {
        return parsed;
    }
    // Decides which error is reported: that of the file, or that of the spec.
    let looks_like_file =
        text.ends_with(".model") || (text.contains(is_separator) && !text.contains('('));
    let refused = |why: String| Err(SpecError::new(text, 0..text.len(), why));
    match header(Path::new(text)) {
        Ok(Some(header)) => player_of(&header.spec, text).or_else(|why| refused(why.message)),
        Ok(None) => refused(
            "the file does not name its learner; play it as LEARNER(model: \"FILE\")".into(),
        ),
        Err(failure) if looks_like_file => refused(failure.to_string()),
        Err(_) => parsed,
    }
}

/// Returns the player of a model file whose header states this learner.
fn player_of(learner: &str, file: &str) -> Result<Spec, SpecError> {
    let learner: Spec = learner.parse()?;
    // It is written and parsed again, so that later errors can underline a place in its text.
    learner.name().parse::<Spec>()?.with("model", file)?.to_string().parse()
}

/// Reads the header of a model; `None` if the file is no container, but has a format of its
/// learner or of another program.
pub fn header(path: &Path) -> Result<Option<Header>, Failure> {
    Ok(container(path)?.map(|container| container.header().clone()))
}

fn container(path: &Path) -> Result<Option<Container>, Failure> {
    if !Container::is_container(path).map_err(FileError::at("read", path))? {
        return Ok(None);
    }
    Ok(Some(Container::open(path)?))
}

/// Returns the header of a model. For a file of another program that a learner can read, the header
/// holds the learner's description of it. `None` if no learner knows the file. If `whole` is true,
/// the whole file is read and checked.
pub fn describe(path: &Path, whole: bool, registry: &Registry) -> Result<Option<Header>, Failure> {
    let container = container(path)?;
    let foreign = registry.foreign(path, whole)?;
    if let Some(container) = container {
        if whole {
            container.verify()?;
        }
        return Ok(Some(container.header().clone()));
    }
    let Some(model) = foreign else { return Ok(None) };
    Ok(Some(Header {
        kind: model.kind,
        game: model.game,
        spec: model.spec,
        facts: model.facts,
        sections: model.sections.into_iter().map(|(name, bytes)| Section { name, bytes }).collect(),
    }))
}

/// Returns the seed that a model was trained with. A model that was saved before its first
/// move has none yet, whatever its header states.
pub fn trained_seed(header: &Header) -> Option<u64> {
    match header.fact(MOVES) {
        Some("0") => None,
        _ => header.fact(SEED)?.parse().ok(),
    }
}

/// A property in which a model differs from its training.
pub struct Mismatch {
    /// `game`, `learner` or `seed`.
    pub what: &'static str,
    pub found: String,
    /// That of the training.
    pub wanted: String,
}

impl Mismatch {
    /// Says how this model differs.
    pub fn of(&self, model: &Path) -> String {
        let Self { what, found, wanted } = self;
        format!("the {what} of {} is {found}, not {wanted}", model.display())
    }
}

/// Returns the first property in which a model differs from a training of this game and learner
/// with this seed.
pub fn mismatch(
    header: &Header,
    game: &Spec,
    learner: &Spec,
    seed: u64,
    registry: &Registry,
) -> Option<Mismatch> {
    let shorten = |spec: &Spec| brief::player(spec, registry);
    game_mismatch(&header.game, game, registry)
        .or_else(|| spec_mismatch("learner", &header.spec, learner, shorten))
        .or_else(|| {
            let found = trained_seed(header).filter(|&found| found != seed)?;
            Some(Mismatch { what: "seed", found: found.to_string(), wanted: seed.to_string() })
        })
}

pub fn game_mismatch(found: &str, wanted: &Spec, registry: &Registry) -> Option<Mismatch> {
    spec_mismatch("game", found, wanted, |spec| brief::game(spec, registry))
}

fn spec_mismatch(
    what: &'static str,
    found: &str,
    wanted: &Spec,
    shorten: impl Fn(&Spec) -> Spec,
) -> Option<Mismatch> {
    let found_text = match found.parse::<Spec>() {
        Ok(spec) if spec == *wanted => return None,
        // A header may leave out parameters that have their defaults.
        Ok(spec) => shorten(&spec).to_string(),
        Err(_) => found.to_owned(),
    };
    let wanted_text = shorten(wanted).to_string();
    (found_text != wanted_text).then_some(Mismatch { what, found: found_text, wanted: wanted_text })
}

/// The facts that a model states, by name.
pub type ModelFacts = Vec<(String, String)>;

/// Returns the facts in the header of a model, or those that a learner finds in a file of another
/// program. Such a file holds weights only, unless a fact says otherwise. A file that no learner
/// knows has no facts.
pub fn facts(path: &Path, registry: &Registry) -> Result<ModelFacts, Failure> {
    if let Some(header) = header(path)? {
        return Ok(header.facts);
    }
    let Some(model) = registry.foreign(path, false)? else { return Ok(ModelFacts::new()) };
    let mut facts = model.facts;
    if fact(&facts, HOLDS).is_none() {
        facts.push((HOLDS.into(), "weights only".into()));
    }
    Ok(facts)
}

fn fact<'a>(facts: &'a ModelFacts, name: &str) -> Option<&'a str> {
    facts.iter().find(|(fact, _)| fact == name).map(|(_, text)| text.as_str())
}

/// How long a model was trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learned {
    pub moves: u64,
    pub elapsed: Duration,
}

impl Learned {
    /// Reads the training from the facts of a model; `None` if they do not state the moves.
    pub fn of(facts: &ModelFacts) -> Option<Self> {
        let seconds = fact(facts, SECONDS).and_then(|text| text.parse().ok()).unwrap_or(0.0);
        let elapsed = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Some(Self { moves: fact(facts, MOVES)?.parse().ok()?, elapsed })
    }
}

impl fmt::Display for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.moves {
            // So for models that were converted from files of other programs.
            0 => f.write_str("no training recorded"),
            moves => write!(f, "trained for {}, {}", counted(moves, "move"), time(self.elapsed)),
        }
    }
}

/// Returns the contents of a model that lacks the learning state, such as "weights only";
/// `None` for a checkpoint.
pub fn partial_contents(path: &Path, registry: &Registry) -> Result<Option<String>, Failure> {
    let facts = facts(path, registry)?;
    Ok(fact(&facts, HOLDS).filter(|&holds| holds != CHECKPOINT).map(str::to_owned))
}

/// Returns the size of a file as text, such as "256 MiB".
pub fn size(path: &Path) -> String {
    std::fs::metadata(path).map_or_else(|_| "?".into(), |metadata| memory(metadata.len()))
}

pub fn progress(learner: &DynValue) -> Result<TrainingProgress, Failure> {
    Ok(catch(|| learner.progress())?)
}

/// Returns the formats in which a learner can be saved, at least one.
pub fn formats(learner: &DynValue) -> Result<Vec<ModelFormat>, Failure> {
    let formats = catch(|| learner.formats())?;
    if formats.is_empty() {
        Err(Failure::failed("this learner names no format in which it can be saved"))
    } else {
        Ok(formats)
    }
}

/// Returns the format that holds everything that is needed to resume the training.
pub fn complete_format(learner: &DynValue) -> Result<String, Failure> {
    Ok(formats(learner)?.swap_remove(0).name)
}

/// Returns the requested format, or the one that the file's extension names, or the first.
pub fn format(learner: &DynValue, requested: Option<&str>, path: &Path) -> Result<String, Failure> {
    let formats = formats(learner)?;
    let find = |name: &str| formats.iter().find(|format| format.name == name);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let format = match requested {
        None => extension.and_then(find).unwrap_or(&formats[0]),
        Some(name) => find(name).ok_or_else(|| {
            let named = formats.iter().map(|known| format!("`{}` ({})", known.name, known.about));
            let known = named.collect::<Vec<_>>().join(", ");
            Failure::usage(format!("unknown format `{name}`; this learner has: {known}"))
        })?,
    };
    Ok(format.name.clone())
}

/// Replaces a model atomically.
pub fn save(learner: &DynValue, path: &Path, format: &str) -> Result<(), Failure> {
    save_with(learner, path, format, |_| Ok(()))
}

/// Replaces a model atomically. `complete` gets the written file before it takes the place of the
/// old one.
pub fn save_with(
    learner: &DynValue,
    path: &Path,
    format: &str,
    complete: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    replace_by(path, |beside| {
        learner.save(beside, format).map_err(|fault| {
            // The learner names the temporary file.
            let fault = fault.0.replace(&*beside.to_string_lossy(), &path.to_string_lossy());
            Failure::in_file(path, format!("the model could not be written: {fault}"))
        })?;
        complete(beside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrained_model_has_no_seed() {
        let header = |moves: u64| Header::default().with("moves", moves).with("seed", 0);
        assert_eq!(trained_seed(&header(0)), None);
        assert_eq!(trained_seed(&header(10)), Some(0));
        let without_moves = Header::default().with("seed", 7);
        assert_eq!(trained_seed(&without_moves), Some(7));
    }
}
