//! The parts of an experiment, and which of them are to be done.

use super::definition::{Configuration, Evaluation, Experiment};
use super::folder::Records;
use super::record::EvaluationRecord;
use runner_spec::quantity::Count;
use std::ops::Range;

/// A training of an experiment with its evaluations.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub configuration: &'a Configuration,
    pub seed: u64,
}

impl Experiment {
    /// Returns all parts, those of the first seed first, of the named configurations or of all.
    pub fn parts(&self, only: &[String]) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        for seed in self.training_seeds() {
            for configuration in self.chosen(only) {
                parts.push(Part { configuration, seed });
            }
        }
        parts
    }

    pub fn training_seeds(&self) -> Range<u64> {
        self.seed.get()..self.seed.get() + self.seeds.get()
    }

    pub fn chosen(&self, only: &[String]) -> impl Iterator<Item = &Configuration> {
        self.configurations.iter().filter(|one| only.is_empty() || only.contains(&one.name))
    }

    pub fn games(&self, evaluation: &Evaluation) -> u64 {
        self.max_games.map_or(u64::MAX, Count::get).min(evaluation.games.get())
    }
}

impl<'a> Part<'a> {
    pub fn is_untrained(&self, records: &Records) -> bool {
        records.training(&self.configuration.name, self.seed).is_none()
    }

    fn record<'r>(&self, of: &Evaluation, records: &'r Records) -> Option<&'r EvaluationRecord> {
        records.evaluation(&self.configuration.name, self.seed, &of.name)
    }

    pub fn missing(&self, records: &Records) -> Vec<&'a Evaluation> {
        let evaluations = self.configuration.evaluations.iter();
        evaluations.filter(|of| self.record(of, records).is_none()).collect()
    }

    pub fn is_done(&self, records: &Records) -> bool {
        !self.is_untrained(records) && self.missing(records).is_empty()
    }

    pub fn has_faults(&self, records: &Records) -> bool {
        let mut evaluations = self.configuration.evaluations.iter();
        evaluations.any(|of| self.record(of, records).is_some_and(|played| played.faults > 0))
    }

    pub fn name(&self) -> String {
        format!("{}, seed {}", self.configuration.name, self.seed)
    }
}
