//! `runner replay`: recorded games, verified against the rules, printed, and exchanged with other
//! programs.

mod export;
mod import;
mod positions;

use crate::context::{Context, Execute};
use clap::Subcommand;
use export::{ExportOptions, export};
use import::{ImportOptions, import};
use positions::{PositionsOptions, positions};
use runner_console::output::{Align, Table, print_json};
use runner_core::{Game, catch};
use runner_play::brief::brief;
use runner_play::failure::Failure;
use runner_play::position::{PassedGames, Reader, open};
use runner_plugin::{LoadedGame, Registry};
use runner_records::{GameRecord, Metadata, replay};
use runner_spec::quantity::{Count, counted, number};
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Verify, print or exchange recorded games
#[derive(Debug, Clone, Subcommand)]
pub enum ReplayCommand {
    /// Check every move of every game against the rules
    Verify {
        /// File of recorded games
        file: PathBuf,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Print games move by move
    Show {
        /// File of recorded games
        file: PathBuf,
        /// Print only the game with this number, counted from 0
        #[arg(long, value_name = "N")]
        game_number: Option<Count>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Print recorded games as lines for other programs
    Export(ExportOptions),
    /// Read games of other programs, one a line, and check them against the rules
    ///
    /// The format is that of `replay export --format episodes`, the text of 2048-Framework and of
    /// its variant for Threes. Its times are not kept.
    Import(ImportOptions),
    /// Print the first position of each game with given tiles, for --starts
    Positions(PositionsOptions),
}

impl Execute for ReplayCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Verify { file, json } => verify(&file, json, context.registry()),
            Self::Show { file, game_number, json } => {
                let number = game_number.map(Count::get);
                let selection = Selection { file: &file, number };
                match json {
                    true => selection.print_json(context.registry()),
                    false => selection.print(context.registry()),
                }
            }
            Self::Export(options) => export(&options, context.registry()),
            Self::Import(options) => import(&options, context.registry()),
            Self::Positions(options) => positions(&options, context.registry()),
        }
    }
}

#[derive(Serialize)]
struct Verified<'a> {
    file: &'a Path,
    game: String,
    games: u64,
    moves: u64,
}

fn verify(file: &Path, json: bool, registry: &Registry) -> Result<(), Failure> {
    let (reader, game) = open(file, registry)?;
    let mut verified = Verified { file, game: game.spec.to_string(), games: 0, moves: 0 };
    for record in reader {
        let record = record?;
        catch(|| replay(&*game.rules, &record).verify())?
            .map_err(|error| Failure::in_file(file, error))?;
        verified.games += 1;
        verified.moves += record.moves();
    }
    if json {
        return Ok(print_json(&verified)?);
    }
    let (games, moves) = (counted(verified.games, "game"), counted(verified.moves, "move"));
    writeln!(
        std::io::stdout(),
        "{}: {games} of {}, {moves}, all legal",
        file.display(),
        brief(&game.spec, registry)
    )?;
    Ok(())
}

struct Selection<'a> {
    file: &'a Path,
    /// Only the game with this number.
    number: Option<u64>,
}

#[derive(Serialize)]
struct ShownFile {
    game: String,
    agent: String,
    seed: u64,
    games: Vec<ShownGame>,
}

#[derive(Serialize)]
struct ShownGame {
    number: u64,
    score: f64,
    finished: bool,
    start: String,
    moves: Vec<ShownMove>,
}

#[derive(Serialize)]
struct ShownMove {
    action: String,
    /// Rewards of the action and of the chance event after it.
    reward: f64,
    /// Position after the chance event.
    state: String,
}

impl Selection<'_> {
    fn print_json(&self, registry: &Registry) -> Result<(), Failure> {
        let (reader, game) = open(self.file, registry)?;
        let Metadata { agent, seed, game: spec, .. } = reader.metadata().clone();
        let mut shown = ShownFile { game: spec, agent, seed: seed.0, games: Vec::new() };
        self.for_each(reader, &game, |game| {
            shown.games.push(game);
            Ok(())
        })?;
        Ok(print_json(&shown)?)
    }

    fn print(&self, registry: &Registry) -> Result<(), Failure> {
        let (reader, game) = open(self.file, registry)?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        let Metadata { agent, seed, .. } = reader.metadata();
        // The agent's plugin need not be there.
        let agent = agent.parse().map_or(agent.clone(), |spec| brief(&spec, registry).to_string());
        writeln!(out, "{} played by {agent}, seed {}", brief(&game.spec, registry), seed.0)?;
        self.for_each(reader, &game, |game| {
            let ShownGame { number: name, score, start, moves, .. } = game;
            let count = counted(moves.len() as u64, "move");
            writeln!(out, "\ngame {name}: {} points, {count}", number(score))?;
            let mut table =
                Table::new(&[Align::Right, Align::Left, Align::Left]).with_widths(&[6, 0, 0]);
            table.row(["0", &start, ""]);
            for (i, ShownMove { action, reward, state }) in moves.iter().enumerate() {
                table.row([&(i + 1).to_string(), state, &format!("{action} {reward:+}")]);
            }
            Ok(write!(out, "{table}")?)
        })?;
        Ok(out.flush()?)
    }

    fn for_each(
        &self,
        reader: Reader,
        game: &LoadedGame,
        mut print: impl FnMut(ShownGame) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut is_found = false;
        let mut passed = PassedGames::default();
        for record in reader {
            let record = record?;
            passed.add(record.number);
            if self.number.is_none_or(|number| number == record.number) {
                is_found = true;
                print(self.shown(&record, game)?)?;
            }
        }
        match self.number {
            Some(_) if !is_found => Err(passed.not_found(self.file, self.number)),
            _ => Ok(()),
        }
    }

    fn shown(&self, record: &GameRecord, game: &LoadedGame) -> Result<ShownGame, Failure> {
        let rules = &*game.rules;
        let mut moves = Vec::new();
        for ply in replay(rules, record) {
            let ply = ply.map_err(|error| Failure::in_file(self.file, error))?;
            moves.push(ShownMove {
                action: rules.description().action_name(ply.action),
                reward: f64::from(ply.reward) + f64::from(ply.chance_reward),
                state: catch(|| rules.write(ply.next))?,
            });
        }
        Ok(ShownGame {
            number: record.number,
            score: record.score,
            finished: record.finished,
            start: catch(|| rules.write(record.start))?,
            moves,
        })
    }
}
