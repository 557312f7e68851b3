//! Trainings, evaluations and solutions: arguments of Python for the jobs of the program. Each runs
//! beside Python's thread, which calls back and notices Ctrl-C.

use crate::arrays::number;
use crate::error::raise;
use crate::game::{Rules, allowed, parse_spec};
use crate::waiting::PAUSE;
use crate::{registry, to_python, to_result};
use numpy::PyArray1;
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyRuntimeWarning, PyValueError};
use pyo3::prelude::*;
use runner_core::{
    Control, Game as _, Seed, Spec, Start, State, TrainingBudget, TrainingProgress, catch, locked,
};
use runner_files::{OutputError, Outputs, can_be_written};
use runner_play::evaluation::{self, Limits, Plan, Played, Progress, Stuck};
use runner_play::failure::{Failure, attributed};
use runner_play::inputs::{InputFiles, ReplacedInput};
use runner_play::memory;
use runner_play::registry::Registry;
use runner_play::setting::{Resources, Setting};
use runner_play::solving::{SolveOptionNames, save_solution, solve_failure};
use runner_play::threads::{Services, Threads};
use runner_solver::{SolveOptions, SolveProgress, refuse_large};
use runner_stats::GameResult;
use runner_training::{
    FileOptionNames, JobFiles, ModelSource, RefusedFiles, TrainingEvent, TrainingJob,
    finite_series, refuse_missing,
};
use serde_json::{Value as Json, json};
use std::ffi::CString;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// State shared by a task and the thread that waits for it.
#[derive(Default)]
pub struct Shared {
    pub stop: AtomicBool,
    /// Progress that the callback has not seen yet.
    latest: Mutex<Option<Json>>,
}

impl Shared {
    /// Looks for signals, and passes the latest progress to the callback, which stops the task by
    /// returning `False` and is not called again then.
    fn look(&self, py: Python<'_>, callback: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let progress = locked(&self.latest).take();
        let (Some(callback), Some(progress)) = (callback, progress) else { return Ok(()) };
        if !self.stop.load(Relaxed) {
            let answer = callback.bind(py).call1((to_python(py, &progress)?,))?;
            if answer.extract::<bool>().is_ok_and(|continues| !continues) {
                self.stop.store(true, Relaxed);
            }
        }
        Ok(())
    }
}

/// Runs a task on another thread until it sends a result or returns one. Meanwhile this thread
/// looks for signals, and calls the callback. If one of them raises an exception, the task is
/// stopped, and the exception is raised at its end, or after a second one at once: a thread that
/// calls a plugin cannot be ended, so it is left alone.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    task: impl FnOnce(&Shared, &Sender<Result<T, Failure>>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let shared = Arc::new(Shared::default());
    let (sender, results) = mpsc::channel();
    let of_task = shared.clone();
    thread::spawn(move || {
        let result = catch(|| task(&of_task, &sender)).unwrap_or_else(|fault| Err(fault.into()));
        // The receiver is gone if the task was left alone.
        let _ = sender.send(result);
    });
    let callback = callback.as_ref();
    let result = py.detach(move || {
        let mut exception = None;
        loop {
            let result = results.recv_timeout(PAUSE).ok();
            // The last progress belongs to the end.
            if let Err(error) = Python::attach(|py| shared.look(py, callback)) {
                shared.stop.store(true, Relaxed);
                if exception.is_some() {
                    return Err(error);
                }
                exception = Some(error);
            }
            if let Some(result) = result {
                return exception.map_or(Ok(result), Err);
            }
        }
    });
    result?.map_err(raise)
}

fn seconds(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    Duration::try_from_secs_f64(seconds)
        .map(Some)
        .map_err(|error| PyValueError::new_err(format!("{seconds} seconds: {error}")))
}

pub fn starts_of(game: &Spec, starts: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<State>> {
    starts.map_or(Ok(Vec::new()), |starts| Rules::new(game)?.starts(starts))
}

/// Trains a learner, and saves its model and its curve.
#[pyfunction]
#[pyo3(signature = (
    learner, game, model, *, moves = None, episodes = None, seconds = None, seed = 1, threads = None,
    starts = None, resume = false, force = false, begin_with = None, callback = None
))]
pub fn train<'py>(
    py: Python<'py>,
    learner: &Bound<'py, PyAny>,
    game: &Bound<'py, PyAny>,
    model: PathBuf,
    #[pyo3(from_py_with = number)] moves: Option<u64>,
    #[pyo3(from_py_with = number)] episodes: Option<u64>,
    #[pyo3(from_py_with = number)] seconds: Option<f64>,
    #[pyo3(from_py_with = number)] seed: u64,
    #[pyo3(from_py_with = number)] threads: Option<usize>,
    starts: Option<&Bound<'py, PyAny>>,
    resume: bool,
    force: bool,
    begin_with: Option<PathBuf>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = allowed(threads)?;
    let (game, learner, seed) = (parse_spec(game)?, parse_spec(learner)?, Seed(seed));
    let time = self::seconds(seconds)?;
    let budget = TrainingBudget { moves, episodes, time };
    if budget == TrainingBudget::default() {
        return Err(PyValueError::new_err("a training needs `moves`, `episodes` or `seconds`"));
    }
    if begin_with.is_some() && resume {
        return Err(PyValueError::new_err("`begin_with` and `resume` exclude each other"));
    }
    let states = starts_of(&game, starts)?;
    let starts: Vec<_> = states.into_iter().map(|state| Start { state, score: 0.0 }).collect();
    let registry = registry();
    let source = match (begin_with, resume) {
        (Some(other), _) => ModelSource::Other(other),
        (None, true) => ModelSource::Resumed(model.clone()),
        (None, false) => ModelSource::Nothing,
    };
    let inputs = InputFiles::find([&game], [&learner], &[], &registry);
    let files = files_of(source, model.clone(), &inputs, force, &registry)?;
    let result = interruptible(py, callback, move |shared, _| {
        let setting = Setting::new(&game, &learner, Resources { threads, seed }, &registry)?;
        let job = TrainingJob {
            setting: &setting,
            seed,
            starts: &starts,
            files,
            inputs: &inputs,
            replaced: ReplacedInput::RefusedOr("train another model `begin_with` it"),
            accepts: &|header| match setting.mismatch(header) {
                Some(mismatch) => Err(Failure::usage(mismatch.of(&model))),
                None => Ok(()),
            },
            budget: &|_| budget,
            checkpoint: TrainingJob::CHECKPOINT,
            evaluations: None,
        };
        let mut watch = |event: TrainingEvent<'_>| {
            if let TrainingEvent::Progress(now) = event {
                *locked(&shared.latest) = Some(progress(now, &budget));
            }
        };
        let trained = job.run(&shared.stop, &mut watch).map_err(|failed| failed.failure)?;
        let mut result = progress(&trained.now, &budget);
        // A short training may end before its first report.
        *locked(&shared.latest) = Some(result.clone());
        result["game"] = json!(setting.game.spec.to_string());
        result["learner"] = json!(setting.player.spec.to_string());
        result["model"] = json!(model);
        result["interrupted"] = json!(trained.interrupted);
        result["curve"] = json!(trained.curve.points());
        Ok(result)
    })?;
    to_result(py, &result.to_string(), &["curve"])
}

/// Returns the files of a training that writes this model, which must not exist unless it is
/// resumed or `force` is set. A model without learning state is not resumed.
fn files_of(
    source: ModelSource,
    model: PathBuf,
    inputs: &InputFiles,
    force: bool,
    registry: &Registry,
) -> PyResult<JobFiles> {
    let is_resumed = matches!(source, ModelSource::Resumed(_));
    if is_resumed {
        refuse_missing(&model).map_err(refused)?;
    }
    let (files, _) = JobFiles::new(source, model.clone(), registry).map_err(raise)?;
    if is_resumed && files.model != model {
        return Err(PyValueError::new_err(format!(
            "{} has no learning state to resume: `begin_with` trains another model with its weights",
            model.display()
        )));
    }
    files.check(inputs.paths(), force).map_err(refused)?;
    Ok(files)
}

fn refused(files: RefusedFiles) -> PyErr {
    let names = FileOptionNames { model: "`model`", resume: "`resume`", force: "`force`" };
    let message = files.message(names);
    match files {
        RefusedFiles::Missing(_) => PyFileNotFoundError::new_err(message),
        RefusedFiles::Outputs(_) => PyValueError::new_err(message),
        RefusedFiles::Exists(_) | RefusedFiles::CurveExists(_) | RefusedFiles::Beside(_) => {
            PyFileExistsError::new_err(message)
        }
    }
}

fn progress(now: &TrainingProgress, budget: &TrainingBudget) -> Json {
    json!({
        "moves": now.moves,
        "episodes": now.episodes,
        "seconds": now.elapsed.as_secs_f64(),
        // Of the budget, what is spent.
        "share": budget.share(now),
        "mean": (now.window > 0).then_some(now.mean),
        "max_tile": now.max_tile(),
        "series": finite_series(now),
    })
}

/// Plays games, and returns their statistics, and arrays of the score, the moves and the max tile
/// of each.
#[pyfunction]
#[pyo3(signature = (
    agent, game, games = 1000, *, seed = 1, threads = None, starts = None, max_moves = None,
    seconds = None
))]
pub fn evaluate<'py>(
    py: Python<'py>,
    agent: &Bound<'py, PyAny>,
    game: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = number)] games: u64,
    #[pyo3(from_py_with = number)] seed: u64,
    #[pyo3(from_py_with = number)] threads: Option<usize>,
    starts: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = number)] max_moves: Option<u64>,
    #[pyo3(from_py_with = number)] seconds: Option<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = allowed(threads)?;
    let (game, agent, seed) = (parse_spec(game)?, parse_spec(agent)?, Seed(seed));
    for (name, number) in [("games", Some(games)), ("max_moves", max_moves)] {
        if number == Some(0) {
            return Err(PyValueError::new_err(format!("`{name}` must be at least 1")));
        }
    }
    let (starts, time) = (starts_of(&game, starts)?, self::seconds(seconds)?);
    let registry = registry();
    let Evaluated { result, mut games, warning } =
        interruptible(py, None, move |shared, sender| {
            let setting = Setting::new(&game, &agent, Resources { threads, seed }, &registry)?;
            setting.refuse_untrained()?;
            let plan = Plan {
                time,
                limits: Limits { moves: max_moves, time: None },
                starts: &starts,
                ..Plan::new(&setting.game, games, seed, &setting.threads)
            };
            let mut watch = |progress: &Progress| {
                if let Some(stuck) = &progress.stuck {
                    // The receiver is gone after the first time.
                    let _ = sender.send(Evaluated::stuck(stuck, &setting, games));
                }
            };
            let played = evaluation::play(&plan, &setting.player, None, &shared.stop, &mut watch)?;
            Evaluated::new(&played, &setting)
        })?;
    warn(py, warning)?;
    games.sort_by_key(|game| game.number);
    let result = to_result(py, &result.to_string(), &["scores", "lengths", "max_tiles"])?;
    let scores = games.iter().map(|game| game.score).collect();
    result.set_item("scores", PyArray1::from_vec(py, scores))?;
    let moves = games.iter().map(|game| game.moves).collect();
    result.set_item("lengths", PyArray1::from_vec(py, moves))?;
    let tiles = games.iter().map(|game| game.max_tile.unwrap_or(0)).collect();
    result.set_item("max_tiles", PyArray1::from_vec(py, tiles))?;
    Ok(result)
}

/// Raises a `RuntimeWarning` if there is a message.
pub fn warn(py: Python<'_>, message: Option<impl Display>) -> PyResult<()> {
    let Some(message) = message else { return Ok(()) };
    let category = py.get_type::<PyRuntimeWarning>();
    PyErr::warn(py, &category, &CString::new(message.to_string())?, 1)
}

struct Evaluated {
    result: Json,
    games: Vec<GameResult>,
    warning: Option<String>,
}

impl Evaluated {
    fn new(played: &Played, setting: &Setting) -> Result<Self, Failure> {
        let games = played.results.games().to_vec();
        if let Some(first) = played.faults.first() {
            let whose = [setting.game.label.as_str(), &setting.player.label];
            let first = attributed(first, &whose);
            let (faults, games) = (played.faults.count(), games.len() as u64);
            let message = format!("{faults} of {} games ended in a fault: {first}", games + faults);
            return Err(Failure::failed(message));
        }
        let mut result = json!(played.results.summary(&setting.game.rules.description().tiles, 0));
        result["game"] = json!(setting.game.spec.to_string());
        result["agent"] = json!(setting.player.spec.to_string());
        result["seed"] = json!(setting.seed);
        result["seconds"] = json!(played.elapsed.as_secs_f64());
        result["interrupted"] = json!(played.interrupted);
        result["given_up"] = json!(played.given_up.len());
        Ok(Self { result, games, warning: None })
    }

    /// Returns the result of the games that are over, if there are any, while the others cannot
    /// end.
    fn stuck(Stuck { call, played }: &Stuck, setting: &Setting, all: u64) -> Result<Self, Failure> {
        let played = played.as_ref().map_err(Clone::clone)?;
        let over = played.results.games().len();
        let warning = format!("the time is over, {over} of {all} games are over, and {call}");
        if over == 0 {
            return Err(Failure::failed(warning));
        }
        Ok(Self { warning: Some(warning), ..Self::new(played, setting)? })
    }
}

/// Solves a small game exactly. `out` is the file of the values for `exact(model: "FILE")`.
#[pyfunction]
#[pyo3(signature = (
    game, out = None, *, state = None, memory = None, threads = None, force = false, large = false
))]
pub fn solve<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    out: Option<PathBuf>,
    state: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = number)] memory: Option<u64>,
    #[pyo3(from_py_with = number)] threads: Option<usize>,
    force: bool,
    large: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = allowed(threads)?;
    let rules = Rules::new(&parse_spec(game)?)?;
    let state = state.map(|state| rules.playable(state)).transpose()?;
    if let Some(out) = &out {
        let inputs = InputFiles::find([&rules.loaded.spec], [], &[], &rules.registry);
        let outputs = Outputs::default().reads(inputs.paths()).writes("the table", out);
        outputs.check(force).map_err(|error| match error {
            OutputError::Exists(_) => {
                PyFileExistsError::new_err(format!("{error}; `force` overwrites it"))
            }
            _ => PyValueError::new_err(error.to_string()),
        })?;
        can_be_written(out).map_err(raise)?;
    }
    let options = SolveOptions { state, keep_afterstates: out.is_some() };
    let spec = rules.loaded.spec.to_string();
    let solution = interruptible(py, None, move |shared, _| {
        let loaded = &rules.loaded;
        let threads = Threads::new(threads)?;
        let services = Services::new(&threads, &rules.registry, loaded);
        let call = loaded.calls.enter(&loaded.label, "solve");
        let report = |_: SolveProgress| {
            call.progress();
            if shared.stop.load(Relaxed) { Control::Stop } else { Control::Continue }
        };
        let memory = memory.unwrap_or_else(memory::spare);
        let resources = runner_solver::SolveResources { host: &services, memory, report: &report };
        // Without the tables of the rules: another copy of the solver takes seconds to compile.
        let game = &*loaded.rules;
        let checked = if large { Ok(()) } else { refuse_large(game, state, || call.progress()) };
        let solved = checked.and_then(|()| runner_solver::solve(game, &options, &resources));
        let solution = solved.map_err(|error| {
            let names =
                SolveOptionNames { state: "`state`", large: "`large=True`", memory: "`memory`" };
            solve_failure(error, loaded, names)
        })?;
        if let (Some(out), Some(values)) = (&out, &solution.afterstate_values) {
            save_solution(out, loaded, &solution, values)?;
        }
        Ok(solution)
    })?;
    let mut result = json!({
        "game": spec,
        "states": solution.states,
        "value": solution.value,
    });
    if let Some(value) = solution.state_value {
        result["state_value"] = json!(value.value);
        result["best_action"] = json!(value.best_action);
    }
    to_result(py, &result.to_string(), &[])
}
