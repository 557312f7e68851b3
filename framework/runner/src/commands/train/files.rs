//! The files of `runner train`: their names, and whether they may be written.

use super::options::TrainOptions;
use runner_console::notes::note;
use runner_core::{Seed, Spec};
use runner_files::{lock, resolved};
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::setting::Setting;
use runner_plot::Format;
use runner_plugin::Registry;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The files of the trainings of one command.
#[derive(Debug)]
pub struct Files {
    /// The model that is resumed, as it was typed.
    source: PathBuf,
    /// The model that is written, usually the same.
    model: PathBuf,
    curve: PathBuf,
    chart: PathBuf,
    /// The seeds, if there are several. The names of their files contain the seed.
    seeds: Option<Range<u64>>,
}

impl Files {
    /// Returns the files that the options name. Without a model, they must name the game and
    /// the learner.
    pub fn requested(train: &TrainOptions) -> Result<Self, Failure> {
        let model = match (&train.model, &train.players.game, &train.players.agent) {
            (Some(model), ..) => model.clone(),
            (None, Some(game), Some(agent)) => default_model(game, agent),
            _ => {
                return Err(Failure::usage(
                    "--resume needs a model: name it with --model, or with --game and --agent",
                ));
            }
        };
        Ok(Self::of(train, model.clone(), model))
    }

    /// Returns the files of a training whose game and learner are known. A model that is no
    /// checkpoint is not overwritten by one: the training writes beside it.
    pub fn new(
        train: &TrainOptions,
        setting: &Setting,
        registry: &Registry,
    ) -> Result<Self, Failure> {
        let default = || default_model(&setting.game.spec, &setting.player.spec);
        let model = train.model.clone().unwrap_or_else(default);
        let files = Self::of(train, model.clone(), model.clone());
        if let Some(other) = &train.from {
            if let Some(contents) = weights_only(other, registry)? {
                note(without_memory(other, &contents));
            }
            return Ok(files);
        }
        if !train.resume {
            return Ok(files);
        }
        for source in files.seeds().map(|seed| files.source(seed)).filter(|file| file.exists()) {
            if let Some(contents) = weights_only(&source, registry)? {
                let beside = beside(&model);
                let why = without_memory(&source, &contents);
                note(format!("{why}; it is saved as {}", beside.display()));
                return Ok(Self::of(train, model, beside));
            }
        }
        Ok(files)
    }

    fn of(train: &TrainOptions, source: PathBuf, model: PathBuf) -> Self {
        let (curve, chart) = match &train.curve {
            // A picture is the chart; its curve lies beside it.
            Some(file) if Format::of(file).is_some() => {
                (file.with_extension("jsonl"), file.clone())
            }
            Some(file) => (file.clone(), file.with_extension("svg")),
            None => {
                let curve = with_end(&model, ".curve.jsonl");
                (curve.clone(), curve.with_extension("svg"))
            }
        };
        let (Seed(first), count) = (train.resources.seed(), train.seeds());
        let seeds = (count > 1).then(|| first..first + count);
        Self { source, model, curve, chart, seeds }
    }

    pub fn are_several(&self) -> bool {
        self.seeds.is_some()
    }

    /// Returns the model without a seed.
    pub fn base(&self) -> &Path {
        &self.model
    }

    /// Returns the model that is resumed with a seed.
    pub fn source(&self, seed: Seed) -> PathBuf {
        self.of_seed(&self.source, seed)
    }

    /// Returns the model that is written with a seed.
    pub fn model(&self, seed: Seed) -> PathBuf {
        self.of_seed(&self.model, seed)
    }

    pub fn curve(&self, seed: Seed) -> PathBuf {
        self.of_seed(&self.curve, seed)
    }

    pub fn chart(&self, seed: Seed) -> PathBuf {
        self.of_seed(&self.chart, seed)
    }

    pub fn chart_of_all(&self) -> PathBuf {
        self.chart.clone()
    }

    /// Inserts the seed before the first dot of the file name that is not its first character,
    /// so that the extensions stay.
    fn of_seed(&self, path: &Path, Seed(seed): Seed) -> PathBuf {
        if self.seeds.is_none() {
            return path.to_owned();
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let dot = name.char_indices().skip(1).find(|&(_, c)| c == '.').map(|(at, _)| at);
        let (stem, extensions) = name.split_at(dot.unwrap_or(name.len()));
        path.with_file_name(format!("{stem}-seed{seed}{extensions}"))
    }

    fn seeds(&self) -> impl Iterator<Item = Seed> {
        self.seeds.clone().unwrap_or(0..1).map(Seed)
    }

    pub fn models(&self) -> String {
        match &self.seeds {
            None => self.model.display().to_string(),
            Some(seeds) => {
                let names = [seeds.start, seeds.end - 1].map(|seed| self.model(Seed(seed)));
                format!("{} to {}", names[0].display(), names[1].display())
            }
        }
    }

    /// Returns the first model to be resumed; `None` if none of several models exists yet.
    pub fn resumed(&self) -> Result<Option<PathBuf>, Failure> {
        match self.seeds().map(|seed| self.source(seed)).find(|model| model.exists()) {
            None if !self.are_several() => Err(Failure::usage(format!(
                "there is no model {}; leave out --resume to start one",
                self.source.display()
            ))),
            model => Ok(model),
        }
    }

    /// Refuses the chart of a curve that a training which is resumed begins, if the file is there.
    fn check_chart(&self, train: &TrainOptions) -> Result<(), Failure> {
        let begins = |&seed: &Seed| !self.curve(seed).exists() && self.chart(seed).exists();
        match self.seeds().find(begins).filter(|_| train.resume && train.curve.is_some()) {
            None => Ok(()),
            Some(seed) => Err(Failure::usage(format!(
                "{} exists already: name another file with --curve",
                self.chart(seed).display()
            ))),
        }
    }

    /// Refuses to overwrite files without --force, and to write two things to one file.
    pub fn check(&self, train: &TrainOptions) -> Result<(), Failure> {
        for seed in self.seeds() {
            let outputs = [
                ("the model", self.model(seed)),
                ("the curve", self.curve(seed)),
                ("the chart", self.chart(seed)),
                ("the lock of the model", lock::path(&self.model(seed))),
            ];
            refuse_equal(&outputs)?;
            for input in train.from.iter().chain(&train.starts) {
                outputs.iter().try_for_each(|(_, output)| Failure::refuse_same(input, output))?;
            }
        }
        self.check_chart(train)?;
        let is_new_model = self.source != self.model;
        if train.force || train.resume && !is_new_model {
            return Ok(());
        }
        let of_seed = |seed| [self.model(seed), self.chart(seed), self.curve(seed)];
        let mut files = self.seeds().flat_map(of_seed).chain([self.chart_of_all()]);
        let Some(file) = files.find(|file| file.exists()) else { return Ok(()) };
        let what_to_do = if is_new_model {
            "resume it with --model, or remove it"
        } else if self.seeds().any(|seed| self.model(seed).exists()) {
            "--resume continues the training, --force starts another and overwrites it"
        } else {
            "--force overwrites it"
        };
        Err(Failure::usage(format!("{} exists already: {what_to_do}", file.display())))
    }
}

/// Returns what a model holds that is no checkpoint. Folded models are refused.
fn weights_only(model: &Path, registry: &Registry) -> Result<Option<String>, Failure> {
    let contents = models::partial_contents(model, registry)?;
    match contents.as_deref() {
        Some(models::FOLDED) => Err(Failure::failed(format!(
            "{} is folded, and folded models only evaluate; use the model that it was folded from",
            model.display()
        ))),
        _ => Ok(contents),
    }
}

/// Returns the note on a training that begins with a model which is no checkpoint.
fn without_memory(model: &Path, contents: &str) -> String {
    format!(
        "note: {} holds {contents}, so the training starts with an empty learning state",
        model.display()
    )
}

/// Refuses two outputs with the same file. Each output has a name for the message.
fn refuse_equal(outputs: &[(&str, PathBuf)]) -> Result<(), Failure> {
    for (i, (what, path)) in outputs.iter().enumerate() {
        let same = outputs[..i].iter().find(|(_, other)| identity(other) == identity(path));
        if let Some((other, _)) = same {
            return Err(Failure::usage(format!(
                "{other} and {what} would both be written to {}: name another file with --model \
                 or --curve",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Returns a path that is equal for all names of a file, which need not exist.
fn identity(path: &Path) -> PathBuf {
    let path = resolved(path).unwrap_or(path.to_owned());
    let path = std::path::absolute(&path).unwrap_or(path);
    match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Returns the default model file, in the current folder.
fn default_model(game: &Spec, learner: &Spec) -> PathBuf {
    format!("{}-{}.model", game.name(), learner.name()).into()
}

/// Returns the checkpoint that continues a model which is none.
fn beside(model: &Path) -> PathBuf {
    match model.extension().is_some_and(|extension| extension == "model") {
        true => model.with_extension("resumed.model"),
        false => model.with_extension("model"),
    }
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(several: bool, model: &str) -> Files {
        let model = PathBuf::from(model);
        let curve = with_end(&model, ".curve.jsonl");
        let chart = curve.with_extension("svg");
        let seeds = several.then_some(1..4);
        Files { source: model.clone(), model, curve, chart, seeds }
    }

    #[test]
    fn files_of_several_seeds_contain_the_seed() {
        let one = files(false, "a.b/x.model");
        assert_eq!(one.model(Seed(3)), Path::new("a.b/x.model"));
        let several = files(true, "a.b/x.model");
        assert_eq!(several.model(Seed(3)), Path::new("a.b/x-seed3.model"));
        assert_eq!(several.curve(Seed(2)), Path::new("a.b/x-seed2.model.curve.jsonl"));
        assert_eq!(several.chart_of_all(), Path::new("a.b/x.model.curve.svg"));
        assert_eq!(several.models(), "a.b/x-seed1.model to a.b/x-seed3.model");
        assert_eq!(files(true, "plain").model(Seed(1)), Path::new("plain-seed1"));
        assert_eq!(files(true, ".x").model(Seed(1)), Path::new(".x-seed1"));
    }

    #[test]
    fn names_may_begin_with_any_character() {
        assert_eq!(files(true, "é.model").model(Seed(1)), Path::new("é-seed1.model"));
        assert_eq!(files(true, "é").model(Seed(1)), Path::new("é-seed1"));
        assert_eq!(files(true, "日本.model").model(Seed(2)), Path::new("日本-seed2.model"));
    }

    #[test]
    fn checkpoint_lies_beside_a_model_that_is_none() {
        assert_eq!(beside(Path::new("a/b.player")), Path::new("a/b.model"));
        assert_eq!(beside(Path::new("a/b.w")), Path::new("a/b.model"));
        assert_eq!(beside(Path::new("a/b.model")), Path::new("a/b.resumed.model"));
    }

    #[test]
    fn two_names_of_one_file_are_refused() {
        let outputs = |curve: &str| {
            refuse_equal(&[("the model", "x.model".into()), ("the curve", curve.into())])
        };
        assert!(outputs("x.curve").is_ok());
        assert!(outputs("x.model").is_err());
        assert!(outputs("./x.model").is_err());
        #[cfg(unix)]
        {
            let folder = tempfile::tempdir().unwrap();
            let path = |name| folder.path().join(name);
            std::os::unix::fs::symlink("a.model", path("curve")).unwrap();
            std::os::unix::fs::symlink(folder.path(), path("same")).unwrap();
            for other in ["curve", "same/a.model", "same/curve"] {
                let outputs = [("the model", path("a.model")), ("the curve", path(other))];
                assert!(refuse_equal(&outputs).is_err(), "{other}");
            }
        }
    }
}
