//! Comparisons, tournaments, analyses and experiments: arguments of Python for the jobs of the
//! program. They are named as its options, and read as those are.

use crate::arrays::number;
use crate::error::raise;
use crate::game::{allowed, parse_spec, spec_text};
use crate::jobs::{interruptible, starts_of, warn};
use crate::{registry, to_result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use runner_core::{Seed, Spec, SpecError};
use runner_experiment::{
    Experiment, ExperimentChanges, ExperimentFolder, ExperimentResults, ExperimentRun, Records,
};
use runner_files::{OutputError, Outputs};
use runner_play::analysis::analyse as analyse_positions;
use runner_play::comparison::{Margin, Opponents, Terms, check_players, check_tile, load_players};
use runner_play::failure::{Failure, attributed};
use runner_play::inputs::ReplacedInput;
use runner_play::kept::{Job, Kept};
use runner_play::learners;
use runner_play::player::NamedPlayer;
use runner_play::registry::Registry;
use runner_play::review::{GameReview, PlayedGame};
use runner_play::setting::Resources;
use runner_play::threads::Threads;
use runner_spec::quantity::{Count, PositiveNumber, PositiveTime};
use runner_stats::BATCH;
use runner_stats::report::Report;
use runner_tournament::{
    AgentEntry, BuiltTournament, GameEntry, RoundRange, Rounds, Tournament, TournamentFolder,
    play_and_report,
};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

type Argument<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Reads an argument as the program reads the option of its name.
fn option<T: FromStr<Err: Display>>(name: &str, given: Argument<'_, '_>) -> PyResult<Option<T>> {
    let Some(given) = given else { return Ok(None) };
    let read = given.str()?.to_cow()?.parse();
    read.map(Some).map_err(|error| PyValueError::new_err(format!("`{name}`: {error}")))
}

fn entries<T: FromStr<Err = SpecError>>(given: Argument<'_, '_>) -> PyResult<Vec<T>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let all: Vec<_> = match given.try_iter() {
        Ok(entries) if !given.is_instance_of::<PyString>() => entries.collect::<PyResult<_>>()?,
        _ => vec![given.clone()],
    };
    let entry = |given: &Bound<'_, PyAny>| {
        spec_text(given)?.parse().map_err(|error| raise(Failure::from(error)))
    };
    all.iter().map(entry).collect()
}

/// Compares two players until it is known who scores more.
#[pyfunction]
#[pyo3(signature = (
    a, b, game = None, *, margin = None, games = None, tile = None, starts = None, luck = None, seed = 1,
    threads = None, out = None, resume = false, accept_changes = false
))]
pub fn compare<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    game: Argument<'_, 'py>,
    margin: Argument<'_, 'py>,
    games: Argument<'_, 'py>,
    tile: Argument<'_, 'py>,
    starts: Argument<'_, 'py>,
    luck: Argument<'_, 'py>,
    #[pyo3(from_py_with = number)] seed: u64,
    #[pyo3(from_py_with = number)] threads: Option<usize>,
    out: Option<PathBuf>,
    resume: bool,
    accept_changes: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (threads, seed) = (allowed(threads)?, Seed(seed));
    needs_out(resume, out.as_ref())?;
    let specs = [parse_spec(a)?, parse_spec(b)?];
    let registry = registry();
    check_players([("`a`", &specs[0]), ("`b`", &specs[1])], &registry).map_err(raise)?;
    let game = game.map_or_else(|| default_game(&specs), parse_spec)?;
    let margin = option("margin", margin)?.unwrap_or(Margin::DEFAULT).get();
    let most = option::<Count<BATCH>>("games", games)?.map_or(Terms::GAMES, Count::get);
    let tile = option::<Count>("tile", tile)?.map(Count::get);
    let luck = luck.map(parse_spec).transpose()?;
    if tile.is_some() && luck.is_some() {
        return Err(PyValueError::new_err("`tile` and `luck` exclude each other"));
    }
    let starts = starts_of(&game, starts)?;
    let document = interruptible(py, None, move |shared, _| {
        let (game, threads) = (registry.game(&game)?, Threads::new(threads)?);
        tile.map_or(Ok(()), |tile| check_tile(tile, &game)).map_err(|wrong| wrong.of("`tile`"))?;
        let [a, b] = &specs;
        let players = load_players([("`a`", a), ("`b`", b)], |player| {
            NamedPlayer::trained(&registry, player, &game, &threads)
        })?;
        let luck = luck.as_ref();
        let opponents = Opponents::new(&game, players, &starts, luck, seed, &threads, &registry)
            .map_err(|failure| failure.of("`luck`"))?;
        let mut job = opponents.job(margin, tile, None);
        if !starts.is_empty() {
            let texts: Vec<_> = starts.iter().map(|state| state.bits().to_string()).collect();
            job.settings.push(("starts", Some(texts.join(" "))));
        }
        let replaced = replaced(accept_changes);
        let kept = match &out {
            Some(out) => Some(keep(out, &job, resume, replaced, &registry)?),
            None => None,
        };
        let terms = Terms { margin, most, tile, kept: kept.as_ref() };
        let compared = opponents.compare(&threads, &terms, &shared.stop, &mut |_| {})?;
        Ok(Report::of(&opponents.result(&compared, &terms)))
    })?;
    to_result(py, document.json(), &[])
}

/// Opens the file that keeps the games of a job.
fn keep(
    out: &Path,
    job: &Job<'_>,
    resume: bool,
    replaced: ReplacedInput<'_>,
    registry: &Registry,
) -> Result<Kept, Failure> {
    if resume && !out.exists() {
        let file = out.display();
        return Err(Failure::usage(format!("{file} does not exist: begin without `resume`")));
    }
    let inputs = job.input_files(registry);
    let outputs = Outputs::default().reads(inputs.paths()).writes("the games", out);
    outputs.check(resume).map_err(|error| match error {
        OutputError::Exists(_) => Failure::usage(format!("{error}: `resume` continues it")),
        _ => Failure::usage(error),
    })?;
    Kept::open(out, job, resume, replaced, registry)
}

fn needs_out(resume: bool, out: Option<&PathBuf>) -> PyResult<()> {
    if resume && out.is_none() {
        return Err(PyValueError::new_err("`resume` needs `out`, which it continues"));
    }
    Ok(())
}

/// Returns the game of the first model of a player, or else the default.
fn default_game<'a>(players: impl IntoIterator<Item = &'a Spec>) -> PyResult<Spec> {
    let of_model = players.into_iter().find_map(learners::game_of);
    of_model.unwrap_or_else(|| Ok(runner_plugins::EXAMPLE_GAME.parse()?)).map_err(raise)
}

/// Plays every agent in every game.
#[pyfunction]
#[pyo3(signature = (
    agent = None, game = None, games = None, *, rounds = None, move_limit = None, game_time = None,
    luck = None, anchor = None, title = None, seed = None, threads = None, out = None, resume = false,
    accept_changes = false
))]
pub fn tournament<'py>(
    py: Python<'py>,
    agent: Argument<'_, 'py>,
    game: Argument<'_, 'py>,
    games: Argument<'_, 'py>,
    rounds: Argument<'_, 'py>,
    move_limit: Argument<'_, 'py>,
    game_time: Argument<'_, 'py>,
    luck: Argument<'_, 'py>,
    anchor: Option<String>,
    title: Option<String>,
    seed: Argument<'_, 'py>,
    #[pyo3(from_py_with = number)] threads: Option<usize>,
    out: Option<PathBuf>,
    resume: bool,
    accept_changes: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = allowed(threads)?;
    let given = Tournament {
        title,
        games: entries::<GameEntry>(game)?,
        agents: entries::<AgentEntry>(agent)?,
        rounds: option::<Rounds>("games", games)?,
        part: option::<RoundRange>("rounds", rounds)?,
        seed: option("seed", seed)?,
        move_limit: option("move_limit", move_limit)?,
        game_time: option::<PositiveTime>("game_time", game_time)?,
        luck: luck.map(parse_spec).transpose()?,
        anchor,
        ..Tournament::default()
    };
    needs_out(resume, out.as_ref())?;
    let registry = registry();
    let (document, warning) = interruptible(py, None, move |shared, _| {
        let mut tournament = match &out {
            Some(out) => TournamentFolder::to_continue(out, resume, "`resume`", given)?,
            None => given,
        };
        if tournament.games.is_empty() {
            tournament.games.push(runner_plugins::EXAMPLE_GAME.parse()?);
        }
        let built = BuiltTournament::new(tournament, threads, &registry)?;
        let (out, replaced) = (out.as_deref(), replaced(accept_changes));
        let command = "runner.tournament in Python".to_owned();
        let (report, _) =
            play_and_report(&built, out, replaced, command, &shared.stop, &mut |_| {})?;
        Ok((Report::of(&report), report.refuse_forfeits().err()))
    })?;
    warn(py, warning)?;
    to_result(py, document.json(), &["rows"])
}

fn replaced(accept_changes: bool) -> ReplacedInput<'static> {
    if accept_changes {
        ReplacedInput::Accepted
    } else {
        ReplacedInput::RefusedOr("set `accept_changes`")
    }
}

/// Judges the moves of a game that was played, by a player.
#[pyfunction]
#[pyo3(signature = (file, agent = None, *, game = None, game_number = None, seed = 1, threads = None))]
pub fn analyse<'py>(
    py: Python<'py>,
    file: PathBuf,
    agent: Argument<'_, 'py>,
    game: Argument<'_, 'py>,
    game_number: Argument<'_, 'py>,
    #[pyo3(from_py_with = number)] seed: u64,
    #[pyo3(from_py_with = number)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (threads, seed) = (allowed(threads)?, Seed(seed));
    let [agent, game] = [agent, game].map(|spec| spec.map(parse_spec).transpose());
    let (agent, game) = (agent?, game?);
    let number = option::<Count>("game_number", game_number)?.map(Count::get);
    let registry = registry();
    let document = interruptible(py, None, move |shared, _| {
        let default_game = || Ok(runner_plugins::EXAMPLE_GAME.parse()?);
        let played = PlayedGame::open(&file, number, game.as_ref(), default_game, &registry)?;
        let (game, threads) = (&played.game, Threads::new(threads)?);
        let strongest = || Ok(runner_plugins::strong_agent(&game.spec.to_string()).0.parse()?);
        let agent = agent.map_or_else(strongest, Ok::<Spec, Failure>)?;
        let player = NamedPlayer::trained(&registry, &agent, game, &threads)?;
        let (positions, stop) = (played.positions(), &shared.stop);
        let analyses = analyse_positions(game, &player, &positions, seed, &threads, stop, &|_| {})
            .map_err(|fault| Failure::failed(attributed(&fault.0, &[&game.label, &player.label])))?
            .ok_or_else(|| Failure::Interrupted("not all moves were analysed".into()))?;
        Ok(Report::of(&GameReview::new(&played, &player, &analyses, &registry)?))
    })?;
    to_result(py, document.json(), &["moves"])
}

/// Trains and evaluates the configurations of a file with several seeds.
#[pyfunction]
#[pyo3(signature = (
    file, out = None, *, resume = false, accept_changes = false, scale = None, seeds = None,
    max_games = None, only = Vec::new(), delete_models = false, dry_run = false, threads = None
))]
pub fn experiment<'py>(
    py: Python<'py>,
    file: PathBuf,
    out: Option<PathBuf>,
    resume: bool,
    accept_changes: bool,
    scale: Argument<'_, 'py>,
    seeds: Argument<'_, 'py>,
    max_games: Argument<'_, 'py>,
    only: Vec<String>,
    delete_models: bool,
    dry_run: bool,
    #[pyo3(from_py_with = number)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let resources = Resources { threads: allowed(threads)?, ..Resources::default() };
    let scale = option::<PositiveNumber>("scale", scale)?;
    let (seeds, max_games) = (option("seeds", seeds)?, option("max_games", max_games)?);
    let out = out.unwrap_or_else(|| file.file_stem().unwrap_or_default().into());
    let (registry, replaced) = (registry(), replaced(accept_changes));
    let (document, warning) = interruptible(py, None, move |shared, _| {
        let changes = ExperimentChanges { scale, seeds, max_games, only: &only };
        let experiment = Experiment::open(&file, &changes, &registry)?;
        ExperimentFolder::check(&out, resume, "`resume`")?;
        let records = Records::read(&out, &experiment, replaced)?;
        if dry_run {
            let results = ExperimentResults::new(&experiment, &records, &only, false);
            return Ok((Report::of(&results), None));
        }
        let mut run = ExperimentRun {
            experiment: &experiment,
            folder: ExperimentFolder::open(&out, &experiment, replaced)?,
            resources,
            deletes_models: delete_models,
            registry: &registry,
            stop: &shared.stop,
            watch: &mut |_| {},
        };
        let parts = experiment.parts(&only);
        run.check_models(&parts)?;
        let is_done = run.run(&parts)?;
        let results = ExperimentResults::new(&experiment, &run.folder.records, &only, !is_done);
        Ok((Report::of(&results), results.refuse_faults(&out).err()))
    })?;
    warn(py, warning)?;
    to_result(py, document.json(), &["configurations.evaluations.seeds"])
}
