//! `runner replay`: recorded games, held against the rules or shown.

use crate::cli::Replay;
use crate::failure::Failure;
use runner_core::{Game, catch};
use runner_plugin::{LoadedGame, Registry};
use runner_records::{RecordReader, replay};
use runner_spec::quantity::{grouped, number};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

type Reader = RecordReader<BufReader<File>>;

pub(super) fn run(command: &Replay, registry: &Arc<Registry>) -> Result<(), Failure> {
    match command {
        Replay::Verify { file } => verify(file, registry),
        Replay::Show { file, number } => show(file, *number, registry),
    }
}

fn open(file: &Path, registry: &Arc<Registry>) -> Result<(Reader, LoadedGame), Failure> {
    let reader = RecordReader::open(file)?;
    let of_file =
        |error: &dyn std::fmt::Display| Failure::failed(format!("{}: {error}", file.display()));
    let spec = reader.metadata().game.parse().map_err(|error| of_file(&error))?;
    let game = registry.game(&spec).map_err(|error| of_file(&error))?;
    reader.metadata().check_actions(game.rules.description()).map_err(|e| of_file(&e))?;
    Ok((reader, game))
}

fn verify(file: &Path, registry: &Arc<Registry>) -> Result<(), Failure> {
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

fn show(file: &Path, wanted: Option<u64>, registry: &Arc<Registry>) -> Result<(), Failure> {
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
        Some(number) if !found => {
            Err(Failure::failed(format!("{}: there is no game {number} in it", file.display())))
        }
        _ => Ok(()),
    }
}
