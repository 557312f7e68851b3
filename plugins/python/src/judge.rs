//! The judge of another implementation, which a function of Python asks.

use crate::error::raise;
use crate::game::{Game, Rules};
use crate::to_result;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use runner_conform::{Hunt, HuntOptions, Notation, Verdict};
use runner_core::Seed;
use runner_play::failure::Failure;
use runner_plugin::DynGame;
use std::sync::Arc;

/// Makes requests to an implementation of a game, and judges the answers, both as JSON.
#[pyclass(module = "runner")]
pub struct Judge {
    rules: Arc<Rules>,
    hunt: Hunt<Arc<DynGame>>,
    error: Option<String>,
}

#[pymethods]
impl Judge {
    #[new]
    #[pyo3(signature = (game, *, steps, seed, takes_seeds, lanes, ranks, actions))]
    fn new(
        game: &Game,
        steps: u64,
        seed: u64,
        takes_seeds: bool,
        lanes: usize,
        ranks: bool,
        actions: Vec<String>,
    ) -> PyResult<Self> {
        let rules = Arc::clone(&game.rules);
        let options = HuntOptions { steps, seed: Seed(seed), takes_seeds, lanes };
        let notation = Notation { ranks, actions };
        let hunt = rules.catch(|| Hunt::new(Arc::clone(&rules.loaded.rules), notation, options))?;
        Ok(Self { hunt: hunt.map_err(PyValueError::new_err)?, rules, error: None })
    }

    /// Returns the next request to a game, or `None` if there are no more.
    fn request(&mut self, lane: usize) -> PyResult<Option<String>> {
        if self.error.is_some() {
            return Ok(None);
        }
        let hunt = &mut self.hunt;
        self.rules.catch(|| hunt.request(lane))
    }

    /// Judges the answer to the request.
    fn answer(&mut self, lane: usize, answer: &str) -> PyResult<()> {
        let hunt = &mut self.hunt;
        self.error = self.rules.catch(|| hunt.answer(lane, answer))?.err();
        Ok(())
    }

    /// Returns the verdict, with the report about `subject` as text.
    fn verdict<'py>(&mut self, py: Python<'py>, subject: &str) -> PyResult<Bound<'py, PyAny>> {
        let (hunt, error) = (&mut self.hunt, self.error.clone());
        let verdict = self.rules.catch(|| Verdict::new(&mut hunt.judge, error))?;
        let report = verdict.report(subject, &self.rules.brief());
        let mut document: serde_json::Value =
            serde_json::from_str(report.json()).map_err(|error| raise(Failure::failed(error)))?;
        document["report"] = report.to_string().into();
        to_result(py, &document.to_string(), &["counterexamples"])
    }
}
