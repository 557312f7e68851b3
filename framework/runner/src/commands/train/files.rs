//! The files of a training: which they are, and whether they may be written.

use super::options::TrainOptions;
use crate::failure::Failure;
use crate::models;
use crate::options::Count;
use crate::setting::Setting;
use crate::training::chart_path;
use runner_core::{Seed, Spec};
use runner_files::Header;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The files of one command's trainings.
pub struct Files {
    model: PathBuf,
    curve: PathBuf,
    /// The seeds, where there is more than one: each has files of its own.
    several: Option<std::ops::Range<u64>>,
}

impl Files {
    /// As they were typed, which takes the names of game and learner if the model
    /// has none.
    pub fn typed(train: &TrainOptions) -> Result<Self, Failure> {
        let model = match (&train.model, &train.players.game, &train.players.agent) {
            (Some(model), ..) => model.clone(),
            (None, Some(game), Some(agent)) => default_model(game, agent),
            _ => {
                return Err(Failure::usage(
                    "--resume goes on with a model: name it with --model, or by --game and --agent",
                ));
            }
        };
        Ok(Self::of(train, model))
    }

    /// Of a training whose game and learner are known.
    pub fn new(train: &TrainOptions, setting: &Setting) -> Self {
        let default = || default_model(&setting.game.spec, &setting.player.spec);
        Self::of(train, train.model.clone().unwrap_or_else(default))
    }

    fn of(train: &TrainOptions, model: PathBuf) -> Self {
        let curve = match &train.curve {
            None => with_end(&model, ".curve.jsonl"),
            // Who names the chart means both.
            Some(chart) if chart.extension().is_some_and(|end| end == "svg") => {
                chart.with_extension("jsonl")
            }
            Some(curve) => curve.clone(),
        };
        let first = train.resources.seed.map_or(1, Count::get);
        let seeds = train.seeds();
        let several = (seeds > 1).then(|| first..first.saturating_add(seeds));
        Self { model, curve, several }
    }

    /// Whether each seed has files of its own.
    pub fn are_several(&self) -> bool {
        self.several.is_some()
    }

    /// The model as it is typed.
    pub fn base(&self) -> &Path {
        &self.model
    }

    /// The model of a seed.
    pub fn model(&self, seed: Seed) -> PathBuf {
        self.of_seed(&self.model, seed)
    }

    /// The curve of a seed.
    pub fn curve(&self, seed: Seed) -> PathBuf {
        self.of_seed(&self.curve, seed)
    }

    /// The chart of all seeds.
    pub fn chart(&self) -> PathBuf {
        chart_path(&self.curve)
    }

    fn of_seed(&self, path: &Path, Seed(seed): Seed) -> PathBuf {
        if self.several.is_none() {
            return path.to_owned();
        }
        // Before the first dot of the name, so that each end means what it did.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (stem, ends) =
            name.split_at(name[1.min(name.len())..].find('.').map_or(name.len(), |at| at + 1));
        path.with_file_name(format!("{stem}-seed{seed}{ends}"))
    }

    fn seeds(&self) -> impl Iterator<Item = Seed> {
        self.several.clone().unwrap_or(0..1).map(Seed)
    }

    /// The models, for people.
    pub fn told(&self) -> String {
        match &self.several {
            None => self.model.display().to_string(),
            Some(seeds) => {
                let names = [seeds.start, seeds.end - 1].map(|seed| self.model(Seed(seed)));
                format!("{} to {}", names[0].display(), names[1].display())
            }
        }
    }

    /// What the model, or the first that is there, says about itself.
    pub fn header(&self) -> Result<Option<Header>, Failure> {
        match self.seeds().map(|seed| self.model(seed)).find(|model| model.exists()) {
            Some(model) => models::header(&model),
            None if self.are_several() => Ok(None),
            None => Err(Failure::usage(format!(
                "there is no model {} to go on with; leave out --resume to begin one",
                self.model.display()
            ))),
        }
    }

    /// Refuses to write over what is there, unless that was said.
    pub fn check(&self, train: &TrainOptions) -> Result<(), Failure> {
        if train.resume || train.force {
            return Ok(());
        }
        let files = self.seeds().flat_map(|seed| {
            let curve = self.curve(seed);
            [self.model(seed), chart_path(&curve), curve]
        });
        match files.into_iter().find(|file| file.exists()) {
            None => Ok(()),
            Some(file) => Err(Failure::usage(format!(
                "{} is there already: --resume goes on with the model, --force begins anew in \
                 its place",
                file.display()
            ))),
        }
    }
}

/// Where a model is kept if nothing is said: here, by the names of both.
fn default_model(game: &Spec, learner: &Spec) -> PathBuf {
    format!("{}-{}.model", game.name(), learner.name()).into()
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

/// The seed of which a model says that it was trained with it. One that is written
/// before its first move has not learned that yet, whatever it says.
pub fn seed(header: &Header) -> Option<u64> {
    match header.fact(models::MOVES) {
        Some("0") => None,
        _ => header.fact(models::SEED)?.parse().ok(),
    }
}

/// Refuses a model of something else than is to be trained.
pub fn check_header(model: &Path, setting: &Setting, Seed(wanted): Seed) -> Result<(), Failure> {
    let Some(header) = models::header(model)? else { return Ok(()) };
    let refuse = |what: &str, found: &str, wanted: &str, flag: &str| {
        Err(Failure::usage(format!(
            "the {what} of {} is {found}, and {wanted} was asked for; leave out {flag} to go on \
             as it was, or --resume to begin another model",
            model.display()
        )))
    };
    let pairs = [
        ("game", &header.game, &setting.game.spec, "--game"),
        ("learner", &header.spec, &setting.player.spec, "--agent"),
    ];
    for (what, found, wanted, flag) in pairs {
        if found.parse::<Spec>().as_ref() != Ok(wanted) {
            return refuse(what, found, &wanted.to_string(), flag);
        }
    }
    match seed(&header) {
        Some(found) if found != wanted => {
            refuse("seed", &found.to_string(), &wanted.to_string(), "--seed")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(several: bool, model: &str) -> Files {
        let several = several.then_some(1..4);
        Files { model: model.into(), curve: with_end(Path::new(model), ".curve.jsonl"), several }
    }

    #[test]
    fn a_model_that_was_not_trained_yet_has_no_seed() {
        let header = |moves: u64| Header::default().with("moves", moves).with("seed", 0);
        assert_eq!(seed(&header(0)), None);
        assert_eq!(seed(&header(10)), Some(0));
        assert_eq!(seed(&Header::default().with("seed", 7)), Some(7), "it may tell no moves");
    }

    #[test]
    fn each_of_several_seeds_has_files_of_its_own() {
        let one = files(false, "a.b/x.model");
        assert_eq!(one.model(Seed(3)), Path::new("a.b/x.model"));
        let several = files(true, "a.b/x.model");
        assert_eq!(several.model(Seed(3)), Path::new("a.b/x-seed3.model"));
        assert_eq!(several.curve(Seed(2)), Path::new("a.b/x-seed2.model.curve.jsonl"));
        assert_eq!(several.chart(), Path::new("a.b/x.model.curve.svg"));
        assert_eq!(several.told(), "a.b/x-seed1.model to a.b/x-seed3.model");
        assert_eq!(files(true, "plain").model(Seed(1)), Path::new("plain-seed1"));
        assert_eq!(files(true, ".x").model(Seed(1)), Path::new(".x-seed1"));
    }
}
