//! `runner bench`: what the plugin boundary costs on this machine. Each piece of
//! work is done on rules and agent compiled together and on the loaded ones, in
//! turns, so that a machine that speeds up or slows down does so for both.

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::options::PositiveTime;
use crate::threads::{Services, Threads};
use clap::Args;
use runner_core::{Fault, Seed, catch};
use runner_laws::workload::{self, Workload};
use runner_plugin::{DynAgent, DynValue, LoadedGame, Registry, TableGame};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How many turns each side has; their median counts.
const TURNS: u32 = 9;

/// Searches, by the names of the work on what is compiled in: a loaded value within a
/// loaded agent.
const SEARCHES: [(&str, &str); 2] = [
    ("search of rows, 3 plies", "expectimax(depth: 3, value: rows)"),
    ("search of tc-ntuple, 2 plies", "expectimax(depth: 2, value: tc-ntuple)"),
];

/// Measure what the plugin boundary costs on this machine
#[derive(Debug, Clone, Args)]
pub struct BenchOptions {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Time of each measurement
    #[arg(long, value_name = "TIME", default_value = "500ms")]
    time: PositiveTime,
}

impl Execute for BenchOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        run(&self, context.registry(), context.linked.workloads)
    }
}

#[derive(Serialize)]
struct Row {
    name: String,
    unit: &'static str,
    static_per_second: f64,
    plugin_per_second: f64,
    ratio: f64,
}

fn run(
    bench: &BenchOptions,
    registry: &Arc<Registry>,
    linked: fn() -> Vec<Workload>,
) -> Result<(), Failure> {
    let threads = Threads::new(Some(1))?;
    let game = registry.game(&"2048".parse()?)?;
    let services = Services::new(&threads, registry, &game);
    let agent = registry.agent(&"greedy".parse()?, &game, &services.share())?.agent;
    let origin = registry.player_kind("greedy")?.origin;
    let mut rows = Vec::new();
    let mut out = std::io::stdout().lock();
    if !bench.json {
        writeln!(out, "{} and greedy, compiled together against loaded ({origin})", game.spec)?;
        writeln!(out, "{:28} {:>14} {:>14}  ratio", "one thread", "static", "plugin")?;
    }
    let learner = || -> Result<DynValue, Failure> {
        Ok(registry.value(&"tc-ntuple".parse()?, &game, &services.share())?.value)
    };
    let mut workloads = plugin_workloads(&game, &agent);
    workloads.push(("training of tc-ntuple".to_owned(), {
        workload::training(game.rules.clone(), learner()?)
    }));
    let rules = game.rules.clone();
    workloads.push((
        "play of tc-ntuple".to_owned(),
        match TableGame::over(&rules) {
            Some(table) => workload::interleaved_games(Arc::new(table), learner()?),
            None => workload::interleaved_games(rules, learner()?),
        },
    ));
    for (name, agent) in SEARCHES {
        let agent = registry.agent(&agent.parse()?, &game, &services.share())?.agent;
        let decisions = workload::decisions(name, game.rules.clone(), agent);
        workloads.push((name.to_owned(), decisions));
    }
    let mut linked = linked();
    for (name, mut plugin) in workloads {
        let Some(linked) = linked.iter_mut().find(|linked| linked.name == plugin.name) else {
            continue;
        };
        let row = catch(|| compare(name, linked, &mut plugin, bench.time.get()))?;
        if !bench.json {
            let (a, b) =
                (tell(row.static_per_second, row.unit), tell(row.plugin_per_second, row.unit));
            writeln!(out, "{:28} {a:>14} {b:>14}  {:.3}", row.name, row.ratio)?;
            out.flush()?;
        }
        rows.push(row);
    }
    if bench.json {
        serde_json::to_writer(&mut out, &rows)?;
        writeln!(out)?;
    } else {
        writeln!(
            out,
            "(ns where a state is one; k/s, M/s: thousands, millions a second; medians of {TURNS} turns)"
        )?;
        writeln!(out, "run it again with: runner bench --time 2s")?;
    }
    Ok(())
}

/// The work on loaded plugins, each under the name that says which way it takes.
fn plugin_workloads(game: &LoadedGame, agent: &DynAgent) -> Vec<(String, Workload)> {
    let rules = &game.rules;
    let mut list = vec![
        ("successors".to_owned(), workload::successors(rules.clone())),
        ("outcomes".to_owned(), workload::outcomes(rules.clone())),
        ("random playouts, game's side".to_owned(), workload::playouts(rules.clone())),
    ];
    if let Some(table) = TableGame::over(rules) {
        list.push(("successors, own tables".to_owned(), workload::successors(Arc::new(table))));
    }
    let (there, mut player) = (rules.clone(), agent.clone());
    let never = AtomicBool::new(false);
    let as_eval = workload::episodes(move |k| {
        player.play(&*there, Seed(1), k, &never).unwrap_or_else(|fault| Fault::raise(fault))
    });
    list.push(("greedy episodes, as in eval".to_owned(), as_eval));
    let host_s = workload::host_episodes(rules.clone(), agent.clone());
    list.push(("greedy episodes, host's side".to_owned(), host_s));
    list
}

/// Does both kinds of the work in turns and takes the medians; the ratio is the
/// median of the turns' ratios.
fn compare(name: String, a: &mut Workload, b: &mut Workload, time: Duration) -> Row {
    let turn = time / TURNS;
    let mut speeds = Vec::new();
    // The first turn warms up and does not count.
    for _ in 0..=TURNS {
        speeds.push((speed(a, turn), speed(b, turn)));
    }
    speeds.remove(0);
    Row {
        name,
        unit: a.unit,
        static_per_second: median(speeds.iter().map(|(a, _)| *a)),
        plugin_per_second: median(speeds.iter().map(|(_, b)| *b)),
        ratio: median(speeds.iter().map(|(a, b)| b / a)),
    }
}

/// The best speed of a turn's passes: they are short, so that some are not
/// disturbed by whatever else the machine does.
fn speed(work: &mut Workload, time: Duration) -> f64 {
    let turn = Instant::now();
    let mut best: f64 = 0.0;
    while turn.elapsed() < time {
        let pass = Instant::now();
        let done = (work.run)() as f64;
        best = best.max(done / pass.elapsed().as_secs_f64());
    }
    best
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn tell(per_second: f64, unit: &str) -> String {
    match unit {
        "states" => format!("{:.1} ns", 1e9 / per_second),
        _ if per_second < 1e6 => format!("{:.1} k/s", per_second / 1e3),
        _ => format!("{:.1} M/s", per_second / 1e6),
    }
}
