//! `runner replay export`: recorded games as lines for other programs.

use clap::{Args, ValueEnum};
use runner_console::output::csv_field;
use runner_core::{Game, State, catch};
use runner_play::failure::Failure;
use runner_play::position::open;
use runner_plugin::{LoadedGame, Registry};
use runner_records::{EpisodeText, GameRecord, Metadata, ReplayedMove, replay};
use serde::Serialize;
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// The options of `replay export`.
#[derive(Debug, Clone, Args)]
pub struct ExportOptions {
    /// File of recorded games
    file: PathBuf,
    /// Format of the lines
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Content of a line; a line of the format `episodes` is always a game
    #[arg(long, value_enum, default_value_t = Per::Game)]
    per: Per,
}

/// The format of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values, with a header
    Csv,
    /// The text of 2048-Framework, or of its variant for Threes: moves, placements and rewards
    Episodes,
}

/// The content of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Per {
    /// A game
    Game,
    /// A move of a game
    Move,
}

/// The fields of a [`GameLine`], in the order of CSV.
const GAME_FIELDS: &[&str] =
    &["game", "agent", "number", "seed", "score", "max_tile", "moves", "finished", "start", "last"];
/// The fields of a [`MoveLine`], in the order of CSV.
const MOVE_FIELDS: &[&str] =
    &["number", "move", "state", "action", "reward", "chance_reward", "next"];

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
    start: String,
    last: String,
}

/// A move as a line.
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
    let ExportOptions { file, format, per } = options;
    if (*format, *per) == (Format::Episodes, Per::Move) {
        return Err(Failure::usage("a line of the format `episodes` is a game: leave out --per"));
    }
    let (reader, game) = open(file, registry)?;
    let metadata = reader.metadata().clone();
    let episodes = match format {
        Format::Episodes => {
            Some(EpisodeText::new(&*game.rules).map_err(|error| Failure::in_file(file, error))?)
        }
        Format::Jsonl | Format::Csv => None,
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let fields = match per {
        Per::Game => GAME_FIELDS,
        Per::Move => MOVE_FIELDS,
    };
    if *format == Format::Csv {
        writeln!(out, "{}", fields.join(","))?;
    }
    let names = names(&metadata.agent, &metadata.game);
    for record in reader {
        let record = record?;
        if let Some(text) = &episodes {
            let line = catch(|| text.write(&record, &names.0, &names.1))?;
            writeln!(out, "{}", line.map_err(|error| Failure::in_file(file, error))?)?;
            continue;
        }
        let mut last = record.start;
        for (step, move_number) in replay(&*game.rules, &record).zip(1..) {
            let step = step.map_err(|error| Failure::in_file(file, error))?;
            last = step.next;
            if *per == Per::Move {
                let line = move_line(&game, record.number, move_number, &step)?;
                write(&mut out, &line, *format, fields)?;
            }
        }
        if *per == Per::Game {
            let line = game_line(&game, &metadata, &record, last)?;
            write(&mut out, &line, *format, fields)?;
        }
    }
    Ok(out.flush()?)
}

/// Returns the names of an episode: the player and the game, and the game, which moves last.
fn names(agent: &str, game: &str) -> (String, String) {
    let name = |spec: &str| spec.split('(').next().unwrap_or_default().replace(['@', '|'], "-");
    let game = name(game);
    (format!("{}:{game}", name(agent)), game)
}

fn game_line<'a>(
    game: &LoadedGame,
    metadata: &'a Metadata,
    record: &GameRecord,
    last: State,
) -> Result<GameLine<'a>, Failure> {
    let rules = &game.rules;
    Ok(GameLine {
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
    })
}

fn move_line(
    game: &LoadedGame,
    number: u64,
    move_number: u64,
    step: &ReplayedMove,
) -> Result<MoveLine, Failure> {
    let rules = &game.rules;
    Ok(MoveLine {
        number,
        move_number,
        state: catch(|| rules.write(step.state))?,
        action: rules.description().action_name(step.action),
        reward: step.reward.into(),
        chance_reward: step.chance_reward.into(),
        next: catch(|| rules.write(step.next))?,
    })
}

/// Writes a line of JSON or of comma-separated values.
fn write(
    out: &mut impl Write,
    line: &impl Serialize,
    format: Format,
    fields: &[&str],
) -> Result<(), Failure> {
    match format {
        Format::Csv => writeln!(out, "{}", csv_line(&serde_json::to_value(line)?, fields))?,
        Format::Jsonl | Format::Episodes => writeln!(out, "{}", serde_json::to_string(line)?)?,
    }
    Ok(())
}

/// Returns the line of a CSV file with these fields of an object.
fn csv_line(line: &Value, fields: &[&str]) -> String {
    let values: Vec<_> = fields.iter().map(|name| csv(&line[*name])).collect();
    values.join(",")
}

/// Returns a value as a field of a CSV line; what is not there is empty.
fn csv(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => csv_field(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn csv_fields_are_quoted_where_they_must_be() {
        let fields = [json!("2,4/0,0"), json!("up"), json!(1.5), json!(null), json!(true)];
        let fields = fields.map(|value| csv(&value));
        assert_eq!(fields, ["\"2,4/0,0\"", "up", "1.5", "", "true"]);
    }

    #[test]
    fn names_of_an_episode_hold_no_separators() {
        assert_eq!(names("odd@a|b", "2048(rows: 2)"), ("odd-a-b:2048".into(), "2048".into()));
    }
}
