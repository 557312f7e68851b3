//! `runner replay`: verifies recorded games against the rules, prints and exports them.

mod export;

use crate::context::{Context, Execute};
use clap::Subcommand;
use export::{ExportOptions, export};
use runner_console::notes::note;
use runner_console::output::{Align, Report, Table, print_report};
use runner_core::{Game, catch};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::position::{find, open};
use runner_play::registry::{LoadedGame, Registry};
use runner_records::{GameRecord, Metadata, RecordError, replay};
use runner_spec::quantity::{Count, counted, number};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Verify, print or export recorded games
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
    },
    /// Print recorded games as JSON lines for other programs
    Export(ExportOptions),
}

impl Execute for ReplayCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Verify { file, json } => verify(&file, json, context.registry()),
            Self::Show { file, game_number } => {
                show(&file, game_number.map(Count::get), context.registry())
            }
            Self::Export(options) => export(&options, context.registry()),
        }
    }
}

fn verify(file: &Path, json: bool, registry: &Registry) -> Result<(), Failure> {
    let (reader, game) = open(file, registry)?;
    let (mut games, mut moves) = (0, 0);
    for record in reader {
        let record = record?;
        catch(|| replay(&*game.rules, &record).verify())?
            .map_err(|error| Failure::in_file(file, error))?;
        games += 1;
        moves += record.moves();
    }
    let mut report = Report::default();
    report.field("file", file).field("game", game.spec.to_string());
    report.field("games", games).field("moves", moves);
    report.whole_line(format!(
        "{}: {} of {}, {}, all legal",
        file.display(),
        counted(games, "game"),
        brief::game(&game.spec, registry),
        counted(moves, "move")
    ));
    Ok(print_report(&report, json)?)
}

/// Returns a complete game, or `None` with a note if the file is cut off in this game.
fn complete(record: Result<GameRecord, RecordError>) -> Result<Option<GameRecord>, Failure> {
    match record {
        Err(error) if error.lacks_end() => {
            note(format!("note: {error}"));
            Ok(None)
        }
        record => Ok(Some(record?)),
    }
}

/// Prints the games of a file, or the one with this number.
fn show(file: &Path, number: Option<u64>, registry: &Registry) -> Result<(), Failure> {
    let (reader, game) = open(file, registry)?;
    let Metadata { agent, seed, .. } = reader.metadata().clone();
    let mut out = BufWriter::new(std::io::stdout().lock());
    // The agent may be of a plugin that is not loaded, and its spec may not be one of this version.
    let agent = agent.parse().map_or(agent, |spec| brief::player(&spec, registry).to_string());
    writeln!(out, "{} played by {agent}, seed {}", brief::game(&game.spec, registry), seed.0)?;
    if number.is_some() {
        write_game(&mut out, file, &find(reader, file, number)?, &game)?;
    } else {
        for record in reader {
            let Some(record) = complete(record)? else { break };
            write_game(&mut out, file, &record, &game)?;
        }
    }
    Ok(out.flush()?)
}

fn write_game(
    out: &mut impl Write,
    file: &Path,
    record: &GameRecord,
    game: &LoadedGame,
) -> Result<(), Failure> {
    let (rules, count) = (&*game.rules, counted(record.moves(), "move"));
    writeln!(out, "\ngame {}: {} points, {count}", record.number, number(record.score))?;
    let mut table = Table::new(&[Align::Right, Align::Left, Align::Left]).with_widths(&[6, 0, 0]);
    table.row(["0", &catch(|| rules.write(record.start))?, ""]);
    for (made, move_number) in replay(rules, record).zip(1..) {
        let made = made.map_err(|error| Failure::in_file(file, error))?;
        let action = rules.description().action_name(made.action);
        let reward = f64::from(made.reward) + f64::from(made.chance_reward);
        let state = catch(|| rules.write(made.next))?;
        table.row([&format!("{move_number}"), &state, &format!("{action} {reward:+}")]);
    }
    Ok(write!(out, "{table}")?)
}
