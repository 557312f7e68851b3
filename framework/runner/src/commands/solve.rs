//! `runner solve`: computes the exact value of a small game, and a table of optimal play.

use crate::context::{Context, Execute};
use crate::options::game_or_default;
use clap::Args;
use runner_console::interrupt;
use runner_console::output::{Report, Table, print_report};
use runner_console::progress::{ProgressLine, filled_bar};
use runner_core::{Control, Game, State, catch, locked};
use runner_files::{Outputs, can_be_written};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_play::memory::spare;
use runner_play::position;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::solving::{SolveOptionNames, save_solution, solve_failure};
use runner_play::threads::{Services, Threads};
use runner_solver::{
    Solution, SolveOptions, SolveProgress, SolveResources, StateValue, refuse_large, solve,
};
use runner_spec::Spec;
use runner_spec::quantity::{Size, ThreadCount, counted, grouped, memory, precise, rate, time};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Compute the exact value of a small game, and save the table of optimal play
#[derive(Debug, Clone, Default, Args)]
pub struct SolveCommand {
    /// Game, like '2048(rows: 2, cols: 3)' [default: 2048]
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
    /// Also print the value and the best action of this position, given as text
    #[arg(long, value_name = "TEXT")]
    state: Option<String>,
    /// Memory limit, like 200M or 4G [default: 7/8 of the free memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,
    /// Save the table of optimal play to this file, for `exact(model: "FILE")`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file of --out
    #[arg(long)]
    force: bool,
    /// Solve a game with more than 1G states
    #[arg(long)]
    large: bool,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<ThreadCount>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for SolveCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let registry = context.registry();
        let spec = game_or_default(self.game.as_ref(), [], &context.linked)?;
        let game = registry.game(&spec)?;
        let state = match &self.state {
            Some(text) => Some(position::parse(&game, text, registry)?),
            None => None,
        };
        let threads = Threads::new(self.threads.map(|threads| threads.get() as usize))?;
        let limit = self.memory.map_or_else(spare, |Size(bytes)| bytes);
        if let Some(path) = &self.out {
            let inputs = InputFiles::find([&game.spec], [], &[], registry);
            let outputs = Outputs::default().writes("the table", path);
            context.check_outputs(inputs, outputs, self.force)?;
            can_be_written(path)?;
        }
        interrupt::listen();
        if !self.large {
            check_size(&game, state)?;
        }
        let began = Instant::now();
        let options = SolveOptions { state, keep_afterstates: self.out.is_some() };
        let services = Services::new(&threads, registry, &game);
        let solution = solve_game(&game, &options, &services, limit)?;
        let elapsed = began.elapsed();
        // The table first: a report that fails must not lose it.
        let mut saved = None;
        if let (Some(path), Some(values)) = (&self.out, &solution.afterstate_values) {
            let bytes = save_solution(path, &game, &solution, values)?;
            saved = Some(format!(
                "table: {}, {}; play it with --agent 'exact(model: {:?})'",
                counted(values.len() as u64, "position"),
                memory(bytes),
                path.display().to_string()
            ));
        }
        let mut report = solution_report(&game, state, &solution, elapsed, &threads, registry)?;
        if let Some(saved) = saved {
            report.note(saved);
        }
        Ok(print_report(&report, self.json)?)
    }
}

fn solution_report(
    game: &LoadedGame,
    state: Option<State>,
    solution: &Solution,
    elapsed: Duration,
    threads: &Threads,
    registry: &Registry,
) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.field("game", game.spec.to_string()).field("states", solution.states);
    report.field("value", solution.value).field("seconds", elapsed.as_secs_f64());
    let speed = rate(solution.states as f64 / elapsed.as_secs_f64().max(1e-9));
    let states = counted(solution.states, "state");
    let with = counted(threads.count() as u64, "thread");
    report.line(brief::game(&game.spec, registry));
    report.line(format!("{states} in {} on {with}, {speed}", time(elapsed)));
    let mut table = Table::of_pairs();
    if let Some(value) = solution.value {
        table.row(["expected score of optimal play", &precise(value)]);
    }
    if let Some((state, StateValue { value, best_action })) = state.zip(solution.state_value) {
        let action = best_action.map(|action| game.rules.description().action_name(action));
        table.row(["from the given position", &precise(value)]);
        table.row(["best action there", action.as_deref().unwrap_or("none, the game is over")]);
        let text = catch(|| game.rules.write(state))?;
        report.field("state", StateReport { text, value, action });
    }
    report.section().table(table);
    Ok(report)
}

/// The options that errors of the solver name.
const OPTION_NAMES: SolveOptionNames =
    SolveOptionNames { state: "--state", large: "--large", memory: "--memory" };

/// The value of the position of --state.
#[derive(Serialize)]
struct StateReport {
    text: String,
    value: f64,
    action: Option<String>,
}

/// Refuses a game with too many states, which would take hours.
fn check_size(game: &LoadedGame, state: Option<State>) -> Result<(), Failure> {
    let call = game.calls.enter(&game.label, "solve");
    let progress = || call.progress();
    let checked = match game.rules.with_tables() {
        Some(rules) => refuse_large(&rules, state, progress),
        None => refuse_large(&*game.rules, state, progress),
    };
    checked.map_err(|error| solve_failure(error, game, OPTION_NAMES))
}

/// Solves a game, by its row tables if it has them. `limit` is that of memory in bytes.
fn solve_game(
    game: &LoadedGame,
    options: &SolveOptions,
    services: &Services,
    limit: u64,
) -> Result<Solution, Failure> {
    let line = Mutex::new(ProgressLine::new(true));
    let call = game.calls.enter(&game.label, "solve");
    let report = |progress| {
        call.progress();
        let mut line = locked(&line);
        if line.is_due() {
            line.show(&progress_text(progress));
        }
        if interrupt::requested() { Control::Stop } else { Control::Continue }
    };
    let resources = SolveResources { host: services, memory: limit, report: &report };
    let solution = match game.rules.with_tables() {
        Some(rules) => solve(&rules, options, &resources),
        None => solve(&*game.rules, options, &resources),
    };
    solution.map_err(|error| solve_failure(error, game, OPTION_NAMES))
}

/// Returns what the progress line says.
fn progress_text(progress: SolveProgress) -> String {
    match progress {
        SolveProgress::Enumerating { states, layer } => {
            let layer = layer.map(|layer| format!(", layer {}", grouped(layer)));
            format!("{} states found{}", grouped(states), layer.unwrap_or_default())
        }
        SolveProgress::Evaluating { done, total } => {
            let part = done as f64 / total.max(1) as f64;
            let percent = 100.0 * part;
            format!("{} {percent:3.0}% of {} states evaluated", filled_bar(part), grouped(total))
        }
        SolveProgress::Iterating { sweeps, change } => {
            format!("{} sweeps, values change by {change:.1e}", grouped(sweeps))
        }
    }
}
