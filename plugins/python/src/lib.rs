//! The games, values, agents and jobs of the runner as a module of Python.
//!
//! Everything is what the program runs: the same plugins, linked in, and the same crates.
#![deny(unsafe_code)]
// The arguments of an exported function are those that Python passes by name.
#![allow(clippy::too_many_arguments)]

mod arrays;
mod batch;
mod codec;
mod error;
mod game;
mod jobs;
mod judge;
mod outputs;
mod players;
mod python_value;
mod slots;
mod studies;
mod waiting;

use error::RunnerError;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use runner_core::locked;
use runner_play::registry::Registry;
use runner_plugin::note::Note;
use serde_json::{Value as Json, json};
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
fn plugins(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let plugins = registry().plugins().into_iter().map(|plugin| {
        let parameters = plugin.parameters.iter();
        let defaults = parameters.map(|one| (one.name.clone(), one.default().into()));
        json!({
            "kind": plugin.kind.to_string(),
            "name": plugin.name,
            "about": plugin.about,
            "version": plugin.version,
            "origin": plugin.origin.to_string(),
            "learner": plugin.learner,
            "parameters": Json::Object(defaults.collect()),
        })
    });
    to_python(py, &plugins.collect())
}

fn to_python<'py>(py: Python<'py>, document: &Json) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (document.to_string(),))
}

/// Returns the document of a job as a `runner.Result`, whose table these fields are.
fn to_result<'py>(py: Python<'py>, document: &str, table: &[&str]) -> PyResult<Bound<'py, PyAny>> {
    py.import("runner.results")?.call_method1("_read", (document, table))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // First: what follows may use these features.
    let missing = Note::OF_THIS_BUILD.missing_features();
    if !missing.is_empty() {
        return Err(PyImportError::new_err(format!(
            "this build of runner needs {}, which this processor lacks; build it here: `pip install \
             ./plugins/python` in its sources",
            missing.join(", ")
        )));
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("RunnerError", module.py().get_type::<RunnerError>())?;
    module.add_class::<game::Game>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<judge::Judge>()?;
    module.add_class::<players::Value>()?;
    module.add_class::<players::Agent>()?;
    module.add_class::<python_value::PythonValue>()?;
    module.add_function(wrap_pyfunction!(load_plugin, module)?)?;
    module.add_function(wrap_pyfunction!(plugins, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::train, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::solve, module)?)?;
    module.add_function(wrap_pyfunction!(studies::compare, module)?)?;
    module.add_function(wrap_pyfunction!(studies::tournament, module)?)?;
    module.add_function(wrap_pyfunction!(studies::analyse, module)?)?;
    module.add_function(wrap_pyfunction!(studies::experiment, module)?)?;
    Ok(())
}
