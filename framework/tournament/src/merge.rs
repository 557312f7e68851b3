//! Merges the parts of a tournament that were played apart, such as on several machines.

use super::definition::{RoundRange, Tournament};
use super::finished::{Games, count};
use super::folder::TournamentFolder;
use super::line::GameLine;
use super::report::{ReportRun, TournamentReport};
use super::resolved::BuiltTournament;
use runner_play::failure::Failure;
use runner_play::inputs::ReplacedInput;
use runner_play::registry::Registry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Part<'a> {
    path: &'a Path,
    definition: Tournament,
}

/// Adds the games of complete parts to the folder of the whole tournament, which need not exist,
/// and writes the report there. Games that are there already are not added again, so a killed merge
/// can be repeated.
pub fn merge_and_report(
    paths: &[PathBuf],
    out: &Path,
    replaced: ReplacedInput<'_>,
    command: String,
    registry: &Arc<Registry>,
) -> Result<TournamentReport, Failure> {
    let mut parts = Vec::new();
    for path in paths {
        let Some(definition) = TournamentFolder::held(path)? else {
            return Err(Failure::usage(format!("{} holds no tournament", path.display())));
        };
        parts.push(Part { path, definition });
    }
    parts.sort_by_key(|part| part.definition.part().first);
    let Some(first) = parts.first() else {
        return Err(Failure::usage("no part is named"));
    };
    let built = BuiltTournament::new(first.whole(), None, registry)?;
    for part in &parts {
        if let Some(difference) = built.tournament.difference_from(&part.whole(), replaced) {
            return Err(TournamentFolder::another(part.path, &difference));
        }
        // A resumed tournament may add games and agents to the folder; a part may not.
        if let Some(difference) = part.whole().difference_of_settings(&built.tournament) {
            return Err(TournamentFolder::another(first.path, &difference));
        }
    }
    check_rounds(&parts, built.tournament.rounds())?;
    let games = games(&parts, &built)?;
    let (mut folder, before) = TournamentFolder::open(out, &built, replaced, &mut |_| {})?;
    for round in 0..built.tournament.rounds() as usize {
        for (cell, of_cell) in games.iter().enumerate() {
            let game = &of_cell[round];
            if before[cell].binary_search_by_key(&game.number, |held| held.number).is_err() {
                folder.results.add(&GameLine::of(&built, cell, game));
            }
        }
    }
    folder.results.sync()?;
    let run = ReportRun::new(command, built.threads.count());
    let report = TournamentReport::new(&built, &games, true, run);
    report.write(&folder)?;
    Ok(report)
}

impl Part<'_> {
    fn whole(&self) -> Tournament {
        Tournament { part: None, ..self.definition.clone() }
    }
}

/// Refuses the parts unless each round is in exactly one of them. They must be sorted by their
/// first rounds.
fn check_rounds(parts: &[Part<'_>], rounds: u64) -> Result<(), Failure> {
    for pair in parts.windows(2) {
        let [before, part] = [&pair[0], &pair[1]];
        let first = part.definition.part().first;
        if first <= before.definition.part().last {
            return Err(Failure::usage(format!(
                "round {first} is in {} and in {}",
                before.path.display(),
                part.path.display()
            )));
        }
    }
    let mut next = 1;
    let after_last = RoundRange { first: rounds + 1, last: rounds + 1 };
    for part in parts.iter().map(|part| part.definition.part()).chain([after_last]) {
        if part.first > next {
            let missing = RoundRange { first: next, last: part.first - 1 };
            return Err(Failure::usage(format!("the rounds {missing} are in none of the parts")));
        }
        next = part.last + 1;
    }
    Ok(())
}

/// Reads the games of all parts, and refuses missing ones.
fn games(parts: &[Part<'_>], built: &BuiltTournament) -> Result<Games, Failure> {
    let mut all: Games = vec![Vec::new(); built.cells.len()];
    let mut incomplete = Vec::new();
    for Part { path, definition } in parts {
        let numbers = definition.numbers();
        let expected = built.games_of(&numbers);
        let games = TournamentFolder::games(path, built, numbers)?;
        if count(&games) < expected {
            incomplete.push(format!("{} ({} of {expected})", path.display(), count(&games)));
        }
        // The parts are in the order of their rounds, so the games stay sorted.
        for (of_cell, mut more) in all.iter_mut().zip(games) {
            of_cell.append(&mut more);
        }
    }
    if incomplete.is_empty() {
        return Ok(all);
    }
    Err(Failure::failed(format!(
        "games are missing in {}; resume that tournament first",
        incomplete.join(", ")
    )))
}
