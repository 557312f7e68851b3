//! `runner replay export`: recorded games as JSON lines for other programs.

use super::complete;
use clap::{Args, ValueEnum};
use runner_core::{Game, catch};
use runner_play::failure::Failure;
use runner_play::position::open;
use runner_play::registry::Registry;
use runner_records::replay;
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// The options of `replay export`.
#[derive(Debug, Clone, Args)]
pub struct ExportOptions {
    /// File of recorded games
    file: PathBuf,
    /// Content of a line
    #[arg(long, value_enum, default_value_t = Per::Game)]
    per: Per,
}

/// The content of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Per {
    /// A game
    Game,
    /// A move of a game
    Move,
}

#[derive(Serialize)]
struct GameLine<'a> {
    game: &'a str,
    agent: &'a str,
    number: u64,
    seed: u64,
    score: f64,
    max_tile: Option<u64>,
    moves: u64,
    finished: bool,
    /// The first position.
    start: String,
    /// The last position.
    last: String,
}

#[derive(Serialize)]
struct MoveLine {
    number: u64,
    /// Number of the move in its game, from 1.
    #[serde(rename = "move")]
    move_number: u64,
    state: String,
    action: String,
    /// Reward of the action.
    reward: f64,
    /// Reward of the chance event after it.
    chance_reward: f64,
    next: String,
}

pub(super) fn export(options: &ExportOptions, registry: &Registry) -> Result<(), Failure> {
    let ExportOptions { file, per } = options;
    let (reader, game) = open(file, registry)?;
    let (metadata, rules) = (reader.metadata().clone(), &*game.rules);
    let mut out = BufWriter::new(std::io::stdout().lock());
    for record in reader {
        let Some(record) = complete(record)? else { break };
        let mut last = record.start;
        for (step, move_number) in replay(rules, &record).zip(1..) {
            let step = step.map_err(|error| Failure::in_file(file, error))?;
            last = step.next;
            if *per == Per::Move {
                let line = MoveLine {
                    number: record.number,
                    move_number,
                    state: catch(|| rules.write(step.state))?,
                    action: rules.description().action_name(step.action),
                    reward: step.reward.into(),
                    chance_reward: step.chance_reward.into(),
                    next: catch(|| rules.write(step.next))?,
                };
                writeln!(out, "{}", serde_json::to_string(&line)?)?;
            }
        }
        if *per == Per::Game {
            let line = GameLine {
                game: &metadata.game,
                agent: &metadata.agent,
                number: record.number,
                seed: metadata.seed.0,
                score: record.score,
                max_tile: catch(|| rules.max_tile(last))?,
                moves: record.moves(),
                finished: record.finished,
                start: catch(|| rules.write(record.start))?,
                last: catch(|| rules.write(last))?,
            };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        }
    }
    Ok(out.flush()?)
}
