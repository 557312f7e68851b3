//! The fields of `--config`: those of the flags, of which each wins over the file.

use crate::cli::{Train, pause, positive};
use crate::failure::Failure;
use crate::setting::{Text, or, read_config};
use runner_core::Spec;
use runner_spec::quantity::{count, duration};
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    game: Option<Spec>,
    agent: Option<Spec>,
    #[serde(rename = "for")]
    time: Option<Text>,
    moves: Option<Text>,
    episodes: Option<Text>,
    model: Option<PathBuf>,
    resume: bool,
    force: bool,
    threads: Option<usize>,
    seed: Option<u64>,
    seeds: Option<Text>,
    checkpoint: Option<Text>,
    evaluate: Option<Text>,
    evaluate_games: Option<Text>,
    evaluate_with: Vec<Spec>,
    curve: Option<PathBuf>,
    json: bool,
}

/// What was typed, and what the file says besides.
pub fn with_file(typed: &Train) -> Result<Train, Failure> {
    let mut train = typed.clone();
    if let Some(path) = &typed.config {
        fill(&mut train, read_config(path)?)?;
    }
    if train.resume && train.force {
        return Err(Failure::usage("--resume and --force exclude each other"));
    }
    if train.evaluate.is_none()
        && (train.evaluate_games.is_some() || !train.evaluate_with.is_empty())
    {
        return Err(Failure::usage(
            "--evaluate-games and --evaluate-with need --evaluate MOVES: after how many moves",
        ));
    }
    Ok(train)
}

fn fill(train: &mut Train, file: Config) -> Result<(), Failure> {
    let times = |text, name| Text::read::<Duration>(text, name, duration);
    or(&mut train.game, file.game.map(|spec| spec.to_string()));
    or(&mut train.agent, file.agent.map(|spec| spec.to_string()));
    // Whoever types a budget means that one alone.
    if train.time.is_none() && train.moves.is_none() && train.episodes.is_none() {
        train.time = times(file.time, "for")?;
        train.moves = Text::read(file.moves, "moves", count)?;
        train.episodes = Text::read(file.episodes, "episodes", count)?;
    }
    or(&mut train.model, file.model);
    or(&mut train.threads, file.threads);
    or(&mut train.seed, file.seed);
    or(&mut train.seeds, Text::read(file.seeds, "seeds", positive)?);
    or(&mut train.checkpoint, Text::read(file.checkpoint, "checkpoint", pause)?);
    or(&mut train.evaluate, Text::read(file.evaluate, "evaluate", positive)?);
    or(&mut train.evaluate_games, Text::read(file.evaluate_games, "evaluate_games", positive)?);
    or(&mut train.curve, file.curve);
    if train.evaluate_with.is_empty() {
        train.evaluate_with = file.evaluate_with.iter().map(Spec::to_string).collect();
    }
    train.json |= file.json;
    // Of these two, the typed one wins.
    if !train.resume && !train.force {
        (train.resume, train.force) = (file.resume, file.force);
    }
    Ok(())
}
