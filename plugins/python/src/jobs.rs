//! Trainings, evaluations, comparisons and solutions. Each runs beside Python's thread, which
//! calls back and notices Ctrl-C.

use crate::error::raise;
use crate::game::{Rules, allowed, parse_spec, with_rules};
use crate::registry;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use runner_core::{
    Control, Fault, Game as _, Random, Seed, Spec, Start, State, TrainingBudget, TrainingProgress,
    catch, locked,
};
use runner_files::{can_be_written, curve_beside};
use runner_play::arena::Cell;
use runner_play::comparison::{Forfeited, compare as play_both};
use runner_play::evaluation::{self, Limits, Plan, Played};
use runner_play::failure::{Failure, attributed};
use runner_play::memory;
use runner_play::models::{self, Mismatch};
use runner_play::player::NamedPlayer;
use runner_play::setting::{Resources, Setting};
use runner_play::threads::{Services, Threads};
use runner_plugin::Registry;
use runner_solver::{SolveError, SolveOptions, SolveProgress, solve as solve_game};
use runner_stats::Verdict;
use runner_training::{Evaluations, Event, Job, JobFiles, Refused, Source};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// Time between two looks for signals and progress.
const PAUSE: Duration = Duration::from_millis(20);

/// Runs a task on another thread until it ends. Meanwhile this one passes the latest progress, an
/// object of JSON, to a callback, and looks for signals. An exception of either sets the stop flag,
/// and is raised when the task has ended; so does a callback that returns `False`, which is no error.
fn interruptible<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    task: impl FnOnce(&AtomicBool, &Mutex<Option<String>>) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let (stop, latest) = (AtomicBool::new(false), Mutex::new(None::<String>));
    let waiting = thread::current();
    let mut exception = None;
    let look = |py: Python<'_>| -> PyResult<()> {
        py.check_signals()?;
        let Some(progress) = locked(&latest).take() else { return Ok(()) };
        let Some(callback) = &callback else { return Ok(()) };
        let answer = callback.bind(py).call1((from_json(py, &progress)?,))?;
        if answer.extract::<bool>().is_ok_and(|goes_on| !goes_on) {
            stop.store(true, Relaxed);
        }
        Ok(())
    };
    let ended = py.detach(|| {
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let ended = catch(|| task(&stop, &latest));
                waiting.unpark();
                ended
            });
            while !worker.is_finished() {
                thread::park_timeout(PAUSE);
                if let Err(error) = Python::attach(look) {
                    stop.store(true, Relaxed);
                    exception.get_or_insert(error);
                }
            }
            // The last progress belongs to the end.
            if exception.is_none()
                && let Err(error) = Python::attach(look)
            {
                exception = Some(error);
            }
            worker.join().unwrap_or_else(|panic| Err(Fault::from_panic(panic)))
        })
    });
    match exception {
        Some(exception) => Err(exception),
        None => ended.map_err(raise)?.map_err(raise),
    }
}

fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).unwrap_or_else(|_| "{}".to_owned())
}

fn seconds(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let duration = |seconds| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|error| PyValueError::new_err(format!("{seconds} seconds: {error}")))
    };
    seconds.map(duration).transpose()
}

fn at_least_one(name: &str, number: usize) -> PyResult<usize> {
    match number {
        0 => Err(PyValueError::new_err(format!("`{name}` must be at least 1"))),
        number => Ok(number),
    }
}

/// Reads states that are given as an array or as texts and numbers.
fn starts_of(game: &Spec, starts: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<State>> {
    let Some(starts) = starts else { return Ok(Vec::new()) };
    let rules = Rules::new(game)?;
    starts.try_iter()?.map(|state| rules.state(&state?)).collect()
}

/// Trains a learner, and saves its model and its curve.
#[pyfunction]
#[pyo3(signature = (
    learner, game, model, *, moves = None, episodes = None, seconds = None, seed = 1, threads = None,
    starts = None, resume = false, force = false, begin_with = None, evaluate_every = None, evaluate_games = 1000,
    evaluate_with = Vec::new(), checkpoint = 300.0, callback = None
))]
#[allow(clippy::too_many_arguments)]
pub fn train<'py>(
    py: Python<'py>,
    learner: &Bound<'py, PyAny>,
    game: &Bound<'py, PyAny>,
    model: PathBuf,
    moves: Option<u64>,
    episodes: Option<u64>,
    seconds: Option<f64>,
    seed: u64,
    threads: Option<usize>,
    starts: Option<&Bound<'py, PyAny>>,
    resume: bool,
    force: bool,
    begin_with: Option<PathBuf>,
    evaluate_every: Option<u64>,
    evaluate_games: u64,
    evaluate_with: Vec<String>,
    checkpoint: f64,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = allowed(threads)?;
    let (game, learner, seed) = (parse_spec(game)?, parse_spec(learner)?, Seed(seed));
    let time = self::seconds(seconds)?;
    let checkpoint = self::seconds(Some(checkpoint))?.unwrap_or(Job::CHECKPOINT);
    let budget = TrainingBudget { moves, episodes, time };
    if budget == TrainingBudget::default() {
        return Err(PyValueError::new_err("a training needs `moves`, `episodes` or `seconds`"));
    }
    if evaluate_every == Some(0) || evaluate_games == 0 {
        return Err(PyValueError::new_err(
            "evaluations are every 1 or more moves, of 1 or more games",
        ));
    }
    let starts = starts_of(&game, starts)?;
    let starts: Vec<_> = starts.into_iter().map(|state| Start { state, score: 0.0 }).collect();
    let registry = registry();
    let result = interruptible(py, callback, |stop, latest| {
        let setting = Setting::new(&game, &learner, Resources { threads, seed }, &registry)?;
        let evaluations = evaluate_every.map(|interval| {
            let with = evaluate_with.iter().map(|spec| spec.parse());
            let with = with.collect::<Result<Vec<_>, _>>()?;
            Evaluations::new(interval, evaluate_games, &with, &setting)
        });
        let source = match (begin_with, resume) {
            (Some(other), _) => Source::Other(other),
            (None, true) => Source::Resumed(model.clone()),
            (None, false) => Source::Nothing,
        };
        let files = files_of(source, model, force, &registry)?;
        let model = files.model.clone();
        let job = Job {
            setting: &setting,
            seed,
            starts: &starts,
            files,
            accepts: &|header| {
                let (game, learner) = (&setting.game.spec, &setting.player.spec);
                let mismatch = models::mismatch(header, game, learner, seed.0, &registry);
                mismatch.map_or(Ok(()), |Mismatch { what, found, wanted }| {
                    let model = model.display();
                    Err(Failure::usage(format!("the {what} of {model} is {found}, not {wanted}")))
                })
            },
            budget: &|_| budget,
            checkpoint,
            evaluations: evaluations.transpose()?,
        };
        let mut watch = |event: Event<'_>| {
            if let Event::Progress(now) = event {
                *locked(latest) = Some(json(&Progress::new(now, &budget)));
            }
        };
        let trained = job.run(stop, &mut watch).map_err(|failed| failed.failure)?;
        // A short training may end before its first report.
        *locked(latest) = Some(json(&Progress::new(&trained.now, &budget)));
        let points = trained.curve.as_ref().map(runner_training::Curve::points).unwrap_or_default();
        Ok(json(&Trained {
            game: setting.game.spec.to_string(),
            learner: setting.player.spec.to_string(),
            model: &model,
            interrupted: trained.interrupted,
            progress: Progress::new(&trained.now, &budget),
            curve: points,
        }))
    })?;
    from_json(py, &result)
}

/// Returns the files of a training that writes this model, which must not exist unless it is resumed or
/// `force` is set.
fn files_of(
    source: Source,
    model: PathBuf,
    force: bool,
    registry: &Registry,
) -> Result<JobFiles, Failure> {
    if let Source::Resumed(model) = &source
        && !model.exists()
    {
        let model = model.display();
        return Err(Failure::usage(format!("there is no model {model} to resume")));
    }
    let (mut files, _) = JobFiles::new(source, model, registry)?;
    files.curve = Some(curve_beside(&files.model));
    files.check(&[], force).map_err(|refused| match refused {
        Refused::Outputs(error) => Failure::usage(error),
        Refused::Exists(file) | Refused::Beside(file) | Refused::Chart(file) => {
            let file = file.display();
            Failure::usage(format!(
                "{file} exists already: `resume` continues its training, `force` overwrites it"
            ))
        }
    })?;
    Ok(files)
}

#[derive(Serialize)]
struct Progress {
    moves: u64,
    episodes: u64,
    seconds: f64,
    /// Share of the budget that is spent.
    share: f64,
    mean: Option<f64>,
    max_tile: u64,
    series: std::collections::BTreeMap<String, f64>,
}

impl Progress {
    fn new(now: &TrainingProgress, budget: &TrainingBudget) -> Self {
        Self {
            moves: now.moves,
            episodes: now.episodes,
            seconds: now.elapsed.as_secs_f64(),
            share: budget.share(now),
            mean: (now.window > 0).then_some(now.mean),
            max_tile: now.max_tile(),
            series: runner_training::finite_series(now),
        }
    }
}

#[derive(Serialize)]
struct Trained<'a> {
    game: String,
    learner: String,
    model: &'a Path,
    interrupted: bool,
    #[serde(flatten)]
    progress: Progress,
    curve: &'a [runner_training::Point],
}

/// Plays games, and returns their statistics, and arrays of the score, the moves and the max tile of
/// each.
#[pyfunction]
#[pyo3(signature = (
    agent, game, games = 1000, *, seed = 1, threads = None, starts = None, max_moves = None,
    seconds = None, callback = None
))]
#[allow(clippy::too_many_arguments)]
pub fn evaluate<'py>(
    py: Python<'py>,
    agent: &Bound<'py, PyAny>,
    game: &Bound<'py, PyAny>,
    games: usize,
    seed: u64,
    threads: Option<usize>,
    starts: Option<&Bound<'py, PyAny>>,
    max_moves: Option<u64>,
    seconds: Option<f64>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = allowed(threads)?;
    let (game, agent, seed) = (parse_spec(game)?, parse_spec(agent)?, Seed(seed));
    let games = at_least_one("games", games)? as u64;
    let (starts, time) = (starts_of(&game, starts)?, self::seconds(seconds)?);
    let registry = registry();
    let (text, mut games) = interruptible(py, callback, |stop, latest| {
        let setting = Setting::new(&game, &agent, Resources { threads, seed }, &registry)?;
        setting.refuse_untrained()?;
        let plan = Plan {
            game: &setting.game,
            games,
            seed,
            threads: &setting.threads,
            time,
            limits: Limits { moves: max_moves, time: None },
            starts: &starts,
        };
        let mut watch = |progress: &evaluation::Progress| {
            *locked(latest) = Some(json(&Line {
                text: progress.to_string(),
                seconds: progress.elapsed.as_secs_f64(),
            }));
        };
        let Played { results, faults, elapsed, interrupted, given_up } =
            evaluation::play(&plan, &setting.player, None, stop, &mut watch)?;
        if let Some(first) = faults.first() {
            let whose = [setting.game.label.as_str(), &setting.player.label];
            let first = attributed(first, &whose);
            let (faults, games) = (faults.count(), results.games().len() as u64);
            let message = format!("{faults} of {} games ended in a fault: {first}", games + faults);
            return Err(Failure::failed(message));
        }
        let tiles = &setting.game.rules.description().tiles;
        let evaluated = Evaluated {
            game: setting.game.spec.to_string(),
            agent: setting.player.spec.to_string(),
            seed: seed.0,
            seconds: elapsed.as_secs_f64(),
            interrupted,
            given_up,
            summary: results.summary(tiles, 0),
        };
        Ok((json(&evaluated), results.games().to_vec()))
    })?;
    games.sort_by_key(|game| game.number);
    let result = from_json(py, &text)?;
    let scores = games.iter().map(|game| game.score).collect();
    result.set_item("scores", PyArray1::from_vec(py, scores))?;
    let moves = games.iter().map(|game| game.moves).collect();
    result.set_item("lengths", PyArray1::from_vec(py, moves))?;
    let tiles = games.iter().map(|game| game.max_tile.unwrap_or(0)).collect();
    result.set_item("max_tiles", PyArray1::from_vec(py, tiles))?;
    Ok(result)
}

#[derive(Serialize)]
struct Line {
    text: String,
    seconds: f64,
}

#[derive(Serialize)]
struct Evaluated {
    game: String,
    agent: String,
    seed: u64,
    seconds: f64,
    interrupted: bool,
    given_up: u64,
    #[serde(flatten)]
    summary: runner_stats::Summary,
}

/// Plays games of two players until it is known which one scores more.
#[pyfunction]
#[pyo3(signature = (
    a, b, game, *, margin = 0.02, games = 100_000, seed = 1, threads = None, callback = None
))]
#[allow(clippy::too_many_arguments)]
pub fn compare<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    game: &Bound<'py, PyAny>,
    margin: f64,
    games: u64,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = allowed(threads)?;
    let (game, specs) = (parse_spec(game)?, [parse_spec(a)?, parse_spec(b)?]);
    if !(1e-5..=0.99).contains(&margin) {
        return Err(PyValueError::new_err("`margin` is a share from 0.00001 to 0.99"));
    }
    let registry = registry();
    let result = interruptible(py, callback, |stop, latest| {
        let threads = Threads::new(threads)?;
        let game = registry.game(&game)?;
        let cell = |index: usize| -> Result<Cell, Failure> {
            let player = NamedPlayer::trained(&registry, &specs[index], &game, &threads)?;
            // The streams of `runner compare`.
            let seed = Random::stream(Seed(seed), index as u64).word() >> 11;
            Ok(Cell::new(&game, player, Seed(seed), Limits::default()))
        };
        let cells = [cell(0)?, cell(1)?];
        let mut watch = |progress: &runner_play::comparison::Progress| {
            let text = format!("{} games of each", progress.games);
            *locked(latest) = Some(json(&Line { text, seconds: 0.0 }));
        };
        let compared = play_both(&cells, &threads, margin, games, stop, &mut watch)?;
        if let Some(Forfeited { player, number, fault }) = &compared.forfeited {
            let fault = attributed(&fault.0, &[&cells[*player].game.label, &cells[*player].label]);
            let name = ["A", "B"][*player];
            let message = format!("game {number} of {name} ended in a fault: {fault}");
            return Err(Failure::failed(message));
        }
        Ok(json(&Compared {
            game: game.spec.to_string(),
            a: specs[0].to_string(),
            b: specs[1].to_string(),
            games: compared.games,
            mean_of_a: compared.mean_of_b + compared.difference,
            mean_of_b: compared.mean_of_b,
            difference: compared.difference,
            ci95: compared.interval,
            margin,
            verdict: compared.verdict,
            interrupted: compared.interrupted,
        }))
    })?;
    from_json(py, &result)
}

#[derive(Serialize)]
struct Compared {
    game: String,
    a: String,
    b: String,
    games: u64,
    mean_of_a: f64,
    mean_of_b: f64,
    difference: f64,
    ci95: Option<[f64; 2]>,
    margin: f64,
    verdict: Verdict,
    interrupted: bool,
}

/// Solves a small game exactly. `out` is the file of the values for `exact(model: "FILE")`.
#[pyfunction]
#[pyo3(signature = (game, out = None, *, state = None, memory = None, threads = None, callback = None))]
pub fn solve<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    out: Option<PathBuf>,
    state: Option<&Bound<'py, PyAny>>,
    memory: Option<u64>,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let threads = allowed(threads)?;
    let rules = Rules::new(&parse_spec(game)?)?;
    let state = state.map(|state| rules.state(state)).transpose()?;
    let options = SolveOptions { state, keep_afterstates: out.is_some() };
    let solution = interruptible(py, callback, |stop, latest| {
        if let Some(out) = &out {
            can_be_written(out)?;
        }
        let loaded = &rules.loaded;
        let threads = Threads::new(threads)?;
        let services = Services::new(&threads, &rules.registry, loaded);
        let call = loaded.calls.enter(&loaded.label, "solve");
        let report = |progress: SolveProgress| {
            call.progress();
            // Reports come thousands of times a second.
            if let Ok(mut latest) = latest.try_lock()
                && latest.is_none()
            {
                let text = match progress {
                    SolveProgress::Enumerating { states, .. } => format!("{states} states found"),
                    SolveProgress::Evaluating { done, total } => {
                        format!("{done} of {total} states")
                    }
                    SolveProgress::Iterating { sweeps, .. } => format!("{sweeps} sweeps"),
                };
                *latest = Some(json(&Line { text, seconds: 0.0 }));
            }
            if stop.load(Relaxed) { Control::Stop } else { Control::Continue }
        };
        let limit = memory.unwrap_or_else(memory::spare);
        let resources =
            runner_solver::Resources { host: &services, memory: limit, report: &report };
        let solution = with_rules!(rules, |game| solve_game(game, &options, &resources));
        let solution = solution.map_err(|error| match error {
            SolveError::Interrupted => Failure::Interrupted("nothing is saved".into()),
            error => Failure::failed(format!("{}: {error}", loaded.spec)),
        })?;
        if let (Some(out), Some(values)) = (&out, &solution.afterstate_values) {
            let mut facts = vec![("states", solution.states.to_string())];
            facts.extend(solution.value.map(|value| ("expected score", value.to_string())));
            runner_solver::save(out, &loaded.spec.to_string(), &facts, values)?;
        }
        Ok(solution)
    })?;
    let dict = PyDict::new(py);
    dict.set_item("game", rules.loaded.spec.to_string())?;
    dict.set_item("states", solution.states)?;
    dict.set_item("value", solution.value)?;
    if let Some(value) = solution.state_value {
        dict.set_item("state_value", value.value)?;
        dict.set_item("best_action", value.best_action.map(|action| action.0))?;
    }
    Ok(dict)
}
