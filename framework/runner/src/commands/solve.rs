//! `runner solve`: the exact value of a small game, by backward induction or by value
//! iteration (Algorithm 2 of the tree-search paper on 2048).

use crate::context::{Context, Execute};
use crate::failure::{Failure, attributed};
use crate::interrupt;
use crate::memory::spare;
use crate::notes::note;
use crate::options::{InputOutputOptions, Options, Size, ThreadCount};
use crate::position;
use crate::progress::ProgressLine;
use crate::report::wrap;
use crate::setting::missing_game;
use crate::threads::{Services, Threads};
use clap::Args;
use runner_core::{Control, Game, State, catch};
use runner_files::can_be_written;
use runner_plugin::{LoadedGame, TableGame};
use runner_solver::{
    AfterstateValues, Resources, Solution, SolveError, SolveOptions, SolveProgress, StateValue,
    solve,
};
use runner_spec::Spec;
use runner_spec::quantity::{counted, grouped, memory, precise, rate, time};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Serialize)]
struct Report {
    game: String,
    states: u64,
    value: Option<f64>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<OfState>,
}

#[derive(Serialize)]
struct OfState {
    text: String,
    value: f64,
    action: Option<String>,
}

/// Compute the exact value of a small game, and the table that plays it perfectly
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolveCommand {
    /// Game: a name, with parameters if wanted, like '2048(rows: 2, cols: 3)'
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
    /// Position as text, to print its value and its best action too
    #[arg(long, value_name = "TEXT")]
    state: Option<String>,
    /// Most memory to use, like 200M or 4G [default: 7/8 of the free memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,
    /// Save the table of best play to this file, for `exact(model: "FILE")`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Overwrite the file of --save
    #[arg(long)]
    force: bool,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<ThreadCount>,
    /// Configuration file and output.
    #[command(flatten)]
    #[serde(rename = "..io")]
    io: InputOutputOptions,
}

impl Options for SolveCommand {
    fn config(&self) -> Option<&Path> {
        self.io.config.as_deref()
    }
}

impl Execute for SolveCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        run(&context.resolve(self)?, context)
    }
}

fn run(command: &SolveCommand, context: &Context) -> Result<(), Failure> {
    let registry = context.registry();
    let game = command.game.as_ref().ok_or_else(|| missing_game(registry))?;
    let game = registry.game(game)?;
    let state = command.state.as_ref().map(|text| position::parse(&game, text)).transpose()?;
    let threads = Threads::new(command.threads.map(|threads| threads.get() as usize))?;
    let limit = command.memory.map_or_else(spare, |Size(bytes)| bytes);
    if let Some(path) = &command.save {
        if path.exists() && !command.force {
            return Err(Failure::exists(path));
        }
        can_be_written(path)?;
    }
    interrupt::listen();
    let began = Instant::now();
    let options = SolveOptions { state, keep_afterstates: command.save.is_some() };
    let solution = solved(&game, &options, &Services::new(&threads, registry, &game), limit)?;
    let elapsed = began.elapsed();
    let saved = command.save.as_ref().zip(solution.afterstate_values.as_ref());
    let saved = saved.map(|(path, worths)| save(path, &game, &solution, worths)).transpose()?;
    let report = Report {
        game: game.spec.to_string(),
        states: solution.states,
        value: solution.value,
        seconds: elapsed.as_secs_f64(),
        state: state
            .zip(solution.state_value)
            .map(|(state, answer)| told(&game, state, answer))
            .transpose()?,
    };
    let mut out = io::stdout().lock();
    if command.io.json {
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    } else {
        report.print(&mut out, elapsed, threads.count())?;
    }
    out.flush()?;
    if let Some(saved) = saved {
        note(saved);
    }
    Ok(())
}

/// Writes the worths of all afterstates, and says how to play by them.
fn save(
    path: &Path,
    game: &LoadedGame,
    solution: &Solution,
    worths: &AfterstateValues,
) -> Result<String, Failure> {
    let mut facts = vec![("states", solution.states.to_string())];
    facts.extend(solution.value.map(|value| ("expected score", value.to_string())));
    let bytes = runner_solver::save(path, &game.spec.to_string(), &facts, worths)?;
    Ok(format!(
        "table: {}, {}; play it with --agent 'exact(model: {:?})'",
        counted(worths.len() as u64, "position"),
        memory(bytes),
        path.display().to_string()
    ))
}

/// Solves a game over its tables, if it has them.
fn solved(
    game: &LoadedGame,
    options: &SolveOptions,
    services: &Services,
    limit: u64,
) -> Result<Solution, Failure> {
    let display = Mutex::new(Display::new());
    let report = |progress| {
        display.lock().unwrap_or_else(PoisonError::into_inner).update(progress);
        if interrupt::requested() { Control::Stop } else { Control::Continue }
    };
    let resources = Resources { host: services, memory: limit, report: &report };
    let solution = match TableGame::over(&game.rules) {
        Some(rules) => solve(&rules, options, &resources),
        None => solve(&*game.rules, options, &resources),
    };
    solution.map_err(|error| match error {
        SolveError::NoStarts => Failure::usage(format!(
            "{} does not list the positions in which it begins; give one with --state",
            game.spec
        )),
        SolveError::TooLarge { states, layer, needed, limit } => {
            let layer = layer.map(|layer| format!(", up to layer {}", grouped(layer)));
            Failure::failed(format!(
                "{} is too large: so far {} states are found{}, and these need {} at least, \
                 more than the {} that may be taken; solve a smaller board, or allow more with \
                 --memory",
                game.spec,
                grouped(states),
                layer.unwrap_or_default(),
                memory(needed),
                memory(limit)
            ))
        }
        SolveError::Interrupted => Failure::Interrupted(
            "nothing is kept of a solve that has not ended; the same command begins anew".into(),
        ),
        SolveError::Fault(fault) => Failure::failed(attributed(&fault.0, &[&game.label])),
        SolveError::Unsettled { .. } => Failure::failed(format!("{}: {error}", game.spec)),
    })
}

fn told(game: &LoadedGame, state: State, answer: StateValue) -> Result<OfState, Failure> {
    let action = answer.best_action.map(|action| game.rules.description().action_name(action));
    Ok(OfState { text: catch(|| game.rules.write(state))?, value: answer.value, action })
}

impl Report {
    fn print(&self, out: &mut impl Write, elapsed: Duration, threads: usize) -> io::Result<()> {
        let speed = rate(self.states as f64 / elapsed.as_secs_f64().max(1e-9));
        let states = counted(self.states, "state");
        let threads = counted(threads as u64, "thread");
        let mut title = String::new();
        wrap(&mut title, "", &self.game).expect("writing to a string does not fail");
        write!(out, "{title}")?;
        writeln!(out, "{states} in {} on {threads}, {speed}\n", time(elapsed))?;
        let mut rows = Vec::new();
        rows.extend(self.value.map(|value| ("expected score of the best play", precise(value))));
        if let Some(OfState { value, action, .. }) = &self.state {
            rows.push(("from the given position", precise(*value)));
            rows.push(("best action there", action.clone().unwrap_or("none, it is over".into())));
        }
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        rows.iter().try_for_each(|(name, told)| writeln!(out, "{name:<width$}  {told}"))
    }
}

/// The line that shows a solve.
struct Display {
    line: ProgressLine,
}

impl Display {
    fn new() -> Self {
        Self { line: ProgressLine::new(true) }
    }

    fn update(&mut self, progress: SolveProgress) {
        if !self.line.is_due() {
            return;
        }
        self.line.show(&match progress {
            SolveProgress::Enumerating { states, layer } => {
                let layer = layer.map(|layer| format!(", layer {}", grouped(layer)));
                format!("{} states found{}", grouped(states), layer.unwrap_or_default())
            }
            SolveProgress::Evaluating { done, total } => {
                let part = done as f64 / total.max(1) as f64;
                format!("{} {:3.0}% of {} states valued", bar(part), 100.0 * part, grouped(total))
            }
            SolveProgress::Iterating { sweeps, change } => {
                format!("{} sweeps, values change by {change:.1e}", grouped(sweeps))
            }
        });
    }
}

/// How much of something is done, as a bar.
fn bar(part: f64) -> String {
    const WIDTH: usize = 30;
    let done = ((part * WIDTH as f64) as usize).min(WIDTH);
    format!("[{}{}]", "#".repeat(done), ".".repeat(WIDTH - done))
}
