//! The fields of `--config`: those of the flags, of which each wins over the file.

use crate::cli::{Tune, positive};
use crate::failure::Failure;
use crate::setting::{Text, or, read_config};
use runner_core::Spec;
use runner_spec::quantity::{count, duration};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    game: Option<Spec>,
    agent: Option<Spec>,
    parameter: Vec<String>,
    out: Option<PathBuf>,
    generations: Option<Text>,
    budget: Option<Text>,
    #[serde(rename = "for")]
    time: Option<Text>,
    games: Option<Text>,
    population: Option<u64>,
    step: Option<f64>,
    evaluate_games: Option<Text>,
    resume: bool,
    force: bool,
    threads: Option<usize>,
    seed: Option<u64>,
    json: bool,
}

/// What was typed, and what the file says besides.
pub fn with_file(typed: &Tune) -> Result<Tune, Failure> {
    let mut tune = typed.clone();
    if let Some(path) = &typed.config {
        fill(&mut tune, read_config(path)?)?;
    }
    let wrong = |field: &str, allowed: &str| {
        Err(Failure::usage(format!("`{field}` of the configuration: {allowed}")))
    };
    // What the command line checks by itself.
    if tune.population.is_some_and(|population| !(2..=10_000).contains(&population)) {
        return wrong("population", "from 2 to 10000 are allowed");
    }
    if tune.step.is_some_and(|step| !(step > 0.0 && step <= 1e6)) {
        return wrong("step", "a number greater than 0 is needed");
    }
    if tune.resume && tune.force {
        return Err(Failure::usage("--resume and --force exclude each other"));
    }
    Ok(tune)
}

fn fill(tune: &mut Tune, file: Config) -> Result<(), Failure> {
    or(&mut tune.game, file.game.map(|spec| spec.to_string()));
    or(&mut tune.agent, file.agent.map(|spec| spec.to_string()));
    if tune.parameter.is_empty() {
        tune.parameter = file.parameter;
    }
    or(&mut tune.out, file.out);
    // Whoever types a budget means that one alone.
    if tune.generations.is_none() && tune.budget.is_none() && tune.time.is_none() {
        tune.generations = Text::read(file.generations, "generations", count)?;
        tune.budget = Text::read(file.budget, "budget", positive)?;
        tune.time = Text::read(file.time, "for", duration)?;
    }
    or(&mut tune.games, Text::read(file.games, "games", positive)?);
    or(&mut tune.population, file.population);
    or(&mut tune.step, file.step);
    or(&mut tune.evaluate_games, Text::read(file.evaluate_games, "evaluate_games", positive)?);
    or(&mut tune.threads, file.threads);
    or(&mut tune.seed, file.seed);
    tune.json |= file.json;
    // Of these two, the typed one wins.
    if !tune.resume && !tune.force {
        (tune.resume, tune.force) = (file.resume, file.force);
    }
    Ok(())
}
