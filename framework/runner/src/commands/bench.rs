//! `runner bench`: what the plugin boundary costs on this machine.
//!
//! Each task is measured on a game and a player that are compiled together and on loaded
//! plugins, in alternating turns, so that changes of the machine's speed affect both.

use crate::context::{Context, Execute};
use clap::Args;
use runner_console::output::{Align, Table, print_json};
use runner_core::{Fault, Pulse, Seed, catch};
use runner_laws::workload::{self, LinkedTask, LinkedTasks, Task, Workload};
use runner_play::brief::brief;
use runner_play::failure::Failure;
use runner_play::threads::{Services, Threads};
use runner_plugin::{DynAgent, DynValue, LoadedGame, Registry, TableGame};
use runner_spec::quantity::PositiveTime;
use serde::Serialize;
use std::io::{Write, stdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of turns of each side, of which the median counts.
const TURNS: u32 = 9;

/// Measure the cost of the plugin boundary on this machine
#[derive(Debug, Clone, Args)]
pub struct BenchOptions {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Time of each measurement
    #[arg(long, value_name = "TIME", default_value = "500ms")]
    time: PositiveTime,
}

#[derive(Serialize)]
struct Row {
    name: String,
    unit: &'static str,
    static_per_second: f64,
    plugin_per_second: f64,
    ratio: f64,
}

impl Execute for BenchOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let registry = context.registry();
        let LinkedTasks { game, tasks } = (context.linked.tasks)();
        let game = registry.game(&game.parse()?)?;
        let services = Services::new(&Threads::new(Some(1))?, registry, &game);
        let plugins = Plugins { registry, game, services };
        let table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Right])
            .with_widths(&[52, 9, 9, 5]);
        if !self.json {
            let game = brief(&plugins.game.spec, registry);
            writeln!(stdout(), "{game}, one thread, compiled together and loaded")?;
            write!(stdout(), "{}", table.line(["task", "static", "plugin", "ratio"]))?;
        }
        let mut rows = Vec::new();
        for LinkedTask { task, workload: mut linked } in tasks {
            for (name, mut plugin) in plugins.workloads(&task)? {
                let row = catch(|| compare(name, &mut linked, &mut plugin, self.time.get()))?;
                if !self.json {
                    write!(stdout(), "{}", table.line(row.cells()))?;
                }
                rows.push(row);
            }
        }
        if self.json {
            return Ok(print_json(&rows)?);
        }
        writeln!(
            stdout(),
            "(ns per state, or thousands or millions per second; medians of {TURNS} turns)"
        )?;
        Ok(())
    }
}

struct Plugins<'a> {
    registry: &'a Arc<Registry>,
    game: LoadedGame,
    services: Services,
}

impl Plugins<'_> {
    /// Returns the workloads of a task on loaded plugins, with their names: one for each
    /// way in which the program does the task.
    fn workloads(&self, task: &Task) -> Result<Vec<(String, Workload)>, Failure> {
        let rules = || self.game.rules.clone();
        let one = |name: String, workload| Ok(vec![(name, workload)]);
        match task {
            Task::Successors => {
                let mut ways = vec![("successors".to_owned(), workload::successors(rules()))];
                if let Some(table) = TableGame::over(&self.game.rules) {
                    let over_table = workload::successors(Arc::new(table));
                    ways.push(("successors, from row tables".to_owned(), over_table));
                }
                Ok(ways)
            }
            Task::Outcomes => one("outcomes".into(), workload::outcomes(rules())),
            Task::Playouts => {
                one("random playouts in the game".into(), workload::playouts(rules()))
            }
            Task::Episodes(agent) => self.episodes(agent),
            Task::InterleavedGames(value) => {
                let player = self.value(value)?;
                let workload = match TableGame::over(&self.game.rules) {
                    Some(table) => workload::interleaved_games(Arc::new(table), player),
                    None => workload::interleaved_games(rules(), player),
                };
                one(format!("games of {value}"), workload)
            }
            Task::Training(learner) => {
                let workload = workload::training(rules(), self.value(learner)?);
                one(format!("training of {learner}"), workload)
            }
            Task::Decisions(agent) => {
                let workload = workload::decisions(rules(), self.agent(agent)?);
                one(format!("decisions of {agent}"), workload)
            }
        }
    }

    /// Returns the episode loops: that of `eval`, and that in the program.
    fn episodes(&self, spec: &str) -> Result<Vec<(String, Workload)>, Failure> {
        let agent = self.agent(spec)?;
        let never = Pulse::default();
        let (game, mut player) = (self.game.rules.clone(), agent.clone());
        let as_eval = workload::episodes(move |k| {
            player.play(&*game, Seed(1), k, &never).unwrap_or_else(|fault| Fault::raise(fault))
        });
        let in_program = workload::host_episodes(self.game.rules.clone(), agent);
        Ok(vec![
            (format!("games of {spec}, as in eval"), as_eval),
            (format!("games of {spec}, in the program"), in_program),
        ])
    }

    fn agent(&self, spec: &str) -> Result<DynAgent, Failure> {
        Ok(self.registry.agent(&spec.parse()?, &self.game, &self.services.share())?.agent)
    }

    fn value(&self, spec: &str) -> Result<DynValue, Failure> {
        Ok(self.registry.value(&spec.parse()?, &self.game, &self.services.share())?.value)
    }
}

impl Row {
    fn cells(&self) -> [String; 4] {
        let speed = |per_second| speed_text(per_second, self.unit);
        [
            self.name.clone(),
            speed(self.static_per_second),
            speed(self.plugin_per_second),
            format!("{:.3}", self.ratio),
        ]
    }
}

/// Runs both workloads in alternating turns. Returns the medians of the speeds and of the
/// turns' ratios.
fn compare(name: String, linked: &mut Workload, plugin: &mut Workload, time: Duration) -> Row {
    let turn = time / TURNS;
    let mut speeds = Vec::new();
    // The first turn warms up caches and does not count.
    for _ in 0..=TURNS {
        speeds.push((speed(linked, turn), speed(plugin, turn)));
    }
    speeds.remove(0);
    Row {
        name,
        unit: linked.unit,
        static_per_second: median(speeds.iter().map(|(linked, _)| *linked)),
        plugin_per_second: median(speeds.iter().map(|(_, plugin)| *plugin)),
        ratio: median(speeds.iter().map(|(linked, plugin)| plugin / linked)),
    }
}

/// Returns the best speed of a turn's passes, which are short, so that other work of the
/// machine leaves some undisturbed.
fn speed(work: &mut Workload, time: Duration) -> f64 {
    let turn = Instant::now();
    let mut best: f64 = 0.0;
    while turn.elapsed() < time || best == 0.0 {
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

fn speed_text(per_second: f64, unit: &str) -> String {
    match unit {
        "states" => format!("{:.1} ns", 1e9 / per_second),
        _ if per_second < 1e6 => format!("{:.1} k/s", per_second / 1e3),
        _ => format!("{:.1} M/s", per_second / 1e6),
    }
}
