//! `runner replay`: recorded games, held against the rules or shown.

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::position::{not_found, open};
use clap::Subcommand;
use runner_core::{Game, catch};
use runner_plugin::Registry;
use runner_records::replay;
use runner_spec::quantity::{grouped, number};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Verify or print recorded games
#[derive(Debug, Clone, Subcommand)]
pub enum ReplayCommand {
    /// Check every move of every game against the rules
    Verify {
        /// File of games
        file: PathBuf,
    },
    /// Print games move by move
    Show {
        /// File of games
        file: PathBuf,
        /// Print only the game with this number
        #[arg(long, value_name = "N")]
        number: Option<u64>,
    },
}

impl Execute for ReplayCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Verify { file } => verify(&file, context.registry()),
            Self::Show { file, number } => show(&file, number, context.registry()),
        }
    }
}

fn verify(file: &Path, registry: &Registry) -> Result<(), Failure> {
    let (reader, game) = open(file, registry)?;
    let (mut games, mut moves) = (0u64, 0u64);
    for record in reader {
        let record = record?;
        catch(|| replay(&*game.rules, &record).verify())?
            .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
        games += 1;
        moves += record.moves();
    }
    let (games, moves) = (grouped(games), grouped(moves));
    writeln!(
        std::io::stdout(),
        "{}: {games} games of {}, {moves} moves, all as the rules allow",
        file.display(),
        game.spec
    )?;
    Ok(())
}

fn show(file: &Path, wanted: Option<u64>, registry: &Registry) -> Result<(), Failure> {
    let (reader, game) = open(file, registry)?;
    let rules = &*game.rules;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let metadata = reader.metadata();
    writeln!(out, "{} played by {}, seed {}", metadata.game, metadata.agent, metadata.seed.0)?;
    let mut found = false;
    for record in reader {
        let record = record?;
        if wanted.is_some_and(|wanted| wanted != record.number) {
            continue;
        }
        found = true;
        writeln!(
            out,
            "\ngame {}: {} points, {} moves",
            record.number,
            number(record.score),
            grouped(record.moves())
        )?;
        writeln!(out, "{:>6}  {}", 0, catch(|| rules.write(record.start))?)?;
        for (i, ply) in replay(rules, &record).enumerate() {
            let ply =
                ply.map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
            let action = rules.description().action_name(ply.action);
            let reward = f64::from(ply.reward) + f64::from(ply.chance_reward);
            let state = catch(|| rules.write(ply.next))?;
            writeln!(out, "{:>6}  {state}  {action} {:+}", i + 1, reward)?;
        }
    }
    out.flush()?;
    match wanted {
        Some(_) if !found => Err(not_found(file, wanted)),
        _ => Ok(()),
    }
}
