//! The games, values, agents and jobs of the runner as a module of Python.
//!
//! In dependency order: errors as exceptions (`error`), arrays of numpy (`arrays`), positions as
//! arrays (`codec`), games ([`game`]), batches of games ([`batch`]), values that are written in
//! Python ([`python_value`]), values and agents ([`players`]), and jobs that Ctrl-C stops
//! ([`jobs`]).
//!
//! Everything is what the program runs: the same plugins, linked in, and the same crates.

mod arrays;
mod batch;
mod codec;
mod error;
mod game;
mod jobs;
mod players;
mod python_value;

use error::RunnerError;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use runner_core::locked;
use runner_plugin::Registry;
use runner_plugin::note::Note;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// All plugins. A loaded library replaces the list; what was built from the old one stays valid.
static REGISTRY: Mutex<Option<Arc<Registry>>> = Mutex::new(None);

/// Returns all plugins: those that are linked in, and those that were loaded.
fn registry() -> Arc<Registry> {
    let mut registry = locked(&REGISTRY);
    Arc::clone(registry.get_or_insert_with(|| {
        let mut linked = Registry::new();
        for root in runner_plugins::plugins() {
            linked.link(root);
        }
        linked.link(python_value::plugin());
        Arc::new(linked)
    }))
}

/// Loads a plugin library, as `--plugin-path FILE` of the program does.
#[pyfunction]
fn load_plugin(path: PathBuf) -> PyResult<()> {
    let mut loaded = Registry::clone(&registry());
    let known = loaded.problems().len();
    loaded.load_file(&path);
    if let Some(problem) = loaded.problems().get(known) {
        return Err(RunnerError::new_err(problem.message.clone()));
    }
    *locked(&REGISTRY) = Some(Arc::new(loaded));
    Ok(())
}

/// Returns a dict for each plugin.
#[pyfunction]
fn plugins(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let plugins = registry().plugins().into_iter().map(|plugin| {
        let dict = PyDict::new(py);
        dict.set_item("kind", plugin.kind.to_string())?;
        dict.set_item("name", plugin.name)?;
        dict.set_item("about", plugin.about)?;
        dict.set_item("version", plugin.version)?;
        dict.set_item("origin", plugin.origin.to_string())?;
        dict.set_item("learner", plugin.learner)?;
        let parameters = PyDict::new(py);
        for parameter in plugin.parameters {
            parameters.set_item(parameter.name, parameter.default)?;
        }
        dict.set_item("parameters", parameters)?;
        Ok(dict)
    });
    plugins.collect()
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let missing = Note::OF_THIS_BUILD.missing_features();
    if !missing.is_empty() {
        return Err(PyImportError::new_err(format!(
            "this build of runner needs {}, which this processor lacks; build it here: `pip install \
             ./plugins/python` in its sources",
            missing.join(", ")
        )));
    }
    module.add("RunnerError", module.py().get_type::<RunnerError>())?;
    module.add_class::<game::Game>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<players::Value>()?;
    module.add_class::<players::Agent>()?;
    module.add_class::<python_value::PythonValue>()?;
    module.add_function(wrap_pyfunction!(load_plugin, module)?)?;
    module.add_function(wrap_pyfunction!(plugins, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::train, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::compare, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::solve, module)?)?;
    Ok(())
}
