//! A resolved experiment: every configuration with its game, its learner with all parameters, and
//! its evaluations. Agents of evaluations are checked, and kept as they are written.

use super::definition::{Configuration, Evaluation, Experiment};
use super::folder::Records;
use super::record::{EvaluationRecord, ExperimentRecord};
use runner_core::{Spec, State};
use runner_play::failure::Failure;
use runner_play::inputs::{InputFiles, ReplacedInput};
use runner_play::position;
use runner_play::registry::Registry;
use runner_play::setting::{Resources, Setting};
use runner_training::learned;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Experiment {
    /// Builds the game, the learner and the players of every configuration once, so that what
    /// is wrong is refused before the first training, and returns the experiment with their
    /// resolved specs.
    pub fn resolved(mut self, registry: &Arc<Registry>) -> Result<Self, Failure> {
        self.check()?;
        let shared = self.clone();
        for configuration in &mut self.configurations {
            let evaluations = configuration.evaluations(&shared).to_vec();
            configuration.game = configuration.game.clone().or_else(|| shared.game.clone());
            configuration.evaluations = evaluations;
            let name = configuration.name.clone();
            configuration.resolve(registry).map_err(|failure| failure.of(&name))?;
        }
        self.game = None;
        self.evaluations.clear();
        self.inputs = self.input_files(registry).read()?;
        Ok(self)
    }

    /// Finds the files that the results of a resolved experiment depend on.
    pub fn input_files(&self, registry: &Registry) -> InputFiles {
        let games = self.configurations.iter().filter_map(|one| one.game.as_ref());
        let players = self.configurations.iter().flat_map(Configuration::specs);
        let starts = self.configurations.iter().flat_map(Configuration::files_of_starts);
        InputFiles::find(games, players, starts, registry)
    }

    /// Describes how this experiment differs from an earlier one, as far as the `records` of that one
    /// depend on it. Configurations, evaluations and seeds may be added, and those without results
    /// may be changed or removed.
    pub fn difference_from(
        &self,
        before: &Self,
        replaced: ReplacedInput<'_>,
        records: &Records,
    ) -> Option<String> {
        let of_inputs = self.inputs.difference_from(&before.inputs, replaced);
        of_inputs.or_else(|| self.difference_of_settings(before, records))
    }

    fn difference_of_settings(&self, before: &Self, records: &Records) -> Option<String> {
        if records.0.is_empty() {
            return None;
        }
        if self.scale() != before.scale() {
            return Some(format!("its scale is {}, not {}", before.scale(), self.scale()));
        }
        let games = |of: &Self| of.max_games.map_or("none".to_owned(), |max| max.get().to_string());
        if self.max_games != before.max_games {
            return Some(format!("its maximum of games is {}, not {}", games(before), games(self)));
        }
        for old in before.configurations.iter().filter(|old| records.has_any(&old.name)) {
            let name = &old.name;
            let Some(new) = self.configurations.iter().find(|new| new.name == *name) else {
                return Some(format!("it has a configuration `{name}`"));
            };
            if let Some(what) = new.difference_from(old, records) {
                return Some(format!("its configuration `{name}` has another {what}"));
            }
        }
        None
    }

    /// Checks that a result is that of a part of this experiment.
    pub fn check_record(&self, record: &ExperimentRecord) -> Result<(), String> {
        let name = record.configuration();
        let Some(configuration) = self.configurations.iter().find(|c| c.name == name) else {
            return Err(format!("there is no configuration `{name}`"));
        };
        if let ExperimentRecord::Evaluation(EvaluationRecord { evaluation, .. }) = record
            && !configuration.evaluations.iter().any(|known| known.name == *evaluation)
        {
            return Err(format!("there is no evaluation `{evaluation}` of `{name}`"));
        }
        Ok(())
    }
}

/// Reads a file of first positions; without a file there are none, and games begin as the rules
/// say.
pub fn read_starts(
    file: Option<&Path>,
    setting: &Setting,
    registry: &Registry,
) -> Result<Vec<State>, Failure> {
    let Some(file) = file else { return Ok(Vec::new()) };
    position::starts(&runner_files::read_text(file)?, file, &setting.game, registry)
}

impl Configuration {
    /// Builds the game and the learner with a seed.
    pub fn setting(
        &self,
        resources: Resources,
        registry: &Arc<Registry>,
    ) -> Result<Setting, Failure> {
        let Some(game) = &self.game else {
            return Err(Failure::usage("it needs a `game`, or the experiment does"));
        };
        let setting = Setting::new(game, &self.agent, resources, registry)?;
        setting.trained_learner()?;
        Ok(setting)
    }

    fn resolve(&mut self, registry: &Arc<Registry>) -> Result<(), Failure> {
        let setting = self.setting(Resources::default(), registry)?;
        for Evaluation { name, with, .. } in &self.evaluations {
            learned::player(with.as_ref(), &setting)
                .map_err(|failure| failure.of(&format!("evaluation `{name}`")))?;
        }
        for file in self.files_of_starts() {
            read_starts(Some(file), &setting, registry)?;
        }
        for with in &self.evaluate_with {
            learned::player(Some(with), &setting)?;
        }
        self.game = Some(setting.game.spec.clone());
        self.agent = setting.player.spec.clone();
        Ok(())
    }

    /// Returns the specs of the learner and of the agents that play it.
    fn specs(&self) -> impl Iterator<Item = &Spec> {
        let with = self.evaluations.iter().filter_map(|evaluation| evaluation.with.as_ref());
        [&self.agent].into_iter().chain(with).chain(&self.evaluate_with)
    }

    /// Returns the files of first positions, of the training and of the evaluations.
    fn files_of_starts(&self) -> impl Iterator<Item = &PathBuf> {
        let of_evaluations = self.evaluations.iter().filter_map(|one| one.starts.as_ref());
        self.starts.iter().chain(of_evaluations)
    }

    /// Returns what differs from another definition of this configuration, as far as results
    /// depend on it.
    fn difference_from(&self, before: &Self, records: &Records) -> Option<&'static str> {
        if self.game != before.game {
            return Some("game");
        }
        if self.agent != before.agent {
            return Some("agent");
        }
        if self.budget(1.0) != before.budget(1.0) {
            return Some("budget");
        }
        if self.starts != before.starts {
            return Some("file of `starts`");
        }
        for old in &before.evaluations {
            let is_kept = self.evaluations.iter().any(|new| new == old);
            if !is_kept && records.has_evaluation(&before.name, &old.name) {
                return Some("evaluation");
            }
        }
        None
    }
}
