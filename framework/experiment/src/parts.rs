//! The parts of an experiment, and which of them are to be done.

use super::definition::{Configuration, Evaluation, Experiment};
use super::folder::Records;
use runner_spec::quantity::Count;

/// A training of an experiment with its evaluations.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub configuration: &'a Configuration,
    pub seed: u64,
}

impl Experiment {
    /// Returns all parts, those of the first seed first, of the named configurations or of all.
    pub fn parts(&self, only: &[String]) -> Vec<Part<'_>> {
        let seeds = self.seed.get()..self.seed.get() + self.seeds.get();
        let of_seed =
            |seed| self.chosen(only).map(move |configuration| Part { configuration, seed });
        seeds.flat_map(of_seed).collect()
    }

    pub fn chosen(&self, only: &[String]) -> impl Iterator<Item = &Configuration> {
        let is_chosen =
            |configuration: &&Configuration| only.is_empty() || only.contains(&configuration.name);
        self.configurations.iter().filter(is_chosen)
    }

    pub fn games(&self, evaluation: &Evaluation) -> u64 {
        self.max_games.map_or(u64::MAX, Count::get).min(evaluation.games.get())
    }
}

impl<'a> Part<'a> {
    pub fn is_untrained(&self, records: &Records) -> bool {
        records.training(&self.configuration.name, self.seed).is_none()
    }

    pub fn missing(&self, records: &Records) -> Vec<&'a Evaluation> {
        let name = &self.configuration.name;
        let is_missing = |e: &&Evaluation| records.evaluation(name, self.seed, &e.name).is_none();
        self.configuration.evaluations.iter().filter(is_missing).collect()
    }

    pub fn has_faults(&self, records: &Records) -> bool {
        let name = &self.configuration.name;
        let record = |e: &Evaluation| records.evaluation(name, self.seed, &e.name);
        self.configuration.evaluations.iter().filter_map(record).any(|played| played.faults > 0)
    }

    pub fn name(&self) -> String {
        format!("{}, seed {}", self.configuration.name, self.seed)
    }
}
