//! Golden transcripts: a seeded random game as a text file, so that every change of a
//! game's behaviour changes a file.
//!
//! A file begins with the spec of the game, which determines the rest:
//!
//! ```text
//! spec: 2048(rows: 3, cols: 3)
//! ```
//!
//! To add a transcript, write this line into a new file of the folder that is passed to
//! [`assert_matches`], and run the test with `RUNNER_BLESS=1` in the environment, which
//! rewrites all files of the folder.

use crate::doubles::Uniform;
use runner_core::wrappers::{Limited, Recorder, Step};
use runner_core::{
    Afterstate, BuildError, Description, Game, GamePlugin, Outcomes, Random, Seed, Spec, State,
    Successors, play,
};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::{env, fs};

/// Number of moves that are written with all legal actions and chance outcomes.
const FULL_MOVES: usize = 10;
/// Number of moves after these that are written on one line each. The rest is omitted.
const SHORT_MOVES: usize = 100;
const MAX_MOVES: u64 = 10_000;

/// Compares the transcripts in a folder with the behaviour of the game that `build` returns.
/// If the environment variable `RUNNER_BLESS` is set, rewrites them instead.
///
/// # Panics
///
/// Panics if a transcript differs, cannot be read or is of another game, or if the folder
/// has none.
#[track_caller]
pub fn assert_matches<G: GamePlugin>(
    folder: impl AsRef<Path>,
    build: impl Fn(G::Config) -> Result<G, BuildError>,
) {
    let folder = folder.as_ref();
    let paths = files(folder);
    assert!(!paths.is_empty(), "no transcript of `{}` in {}", G::NAME, folder.display());
    for path in paths {
        let file = path.display();
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let spec = spec(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(spec.name(), G::NAME, "{file}: the transcript is of another game");
        let config: G::Config = spec.read().unwrap_or_else(|error| panic!("{file}: {error}"));
        let resolved = Spec::resolved(G::NAME, &config).expect("a configuration can be written");
        let game = build(config).unwrap_or_else(|error| panic!("{file}: {error}"));
        let now = write(&spec, &resolved, &game);
        if env::var_os("RUNNER_BLESS").is_some() {
            fs::write(&path, now).unwrap_or_else(|error| panic!("{file}: {error}"));
        } else if let Err(difference) = compare(&text, &now) {
            panic!(
                "{file}: {difference}\nto accept this, run the test with RUNNER_BLESS=1 in the \
                 environment"
            );
        }
    }
}

/// Returns the transcripts in a folder, sorted by name; none if the folder is missing.
pub fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    paths
}

/// Returns the spec on the first line of a transcript.
pub fn spec(transcript: &str) -> Result<Spec, String> {
    let line = transcript.lines().next().unwrap_or_default();
    let Some(spec) = line.strip_prefix("spec: ") else {
        return Err(format!("expected a first line `spec: ...`, found {line:?}"));
    };
    spec.parse().map_err(|error| format!("{error}"))
}

/// Compares two transcripts. The error names the first line that differs.
pub fn compare(expected: &str, found: &str) -> Result<(), String> {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    for number in 1.. {
        let (expected, found) = (expected.next(), found.next());
        if expected != found {
            let shown = |line: Option<&str>| line.map_or("nothing".into(), |l| format!("`{l}`"));
            let (expected, found) = (shown(expected), shown(found));
            return Err(format!("line {number}: expected {expected}, found {found}"));
        }
        if expected.is_none() {
            break;
        }
    }
    Ok(())
}

/// Returns the transcript of a game: its spec as given and resolved, its description, and
/// a game of uniformly random moves.
///
/// A game that is loaded as a plugin gives the same transcript as the linked game.
pub fn write<G: Game>(spec: &Spec, resolved: &Spec, game: &G) -> String {
    let mut text = format!("spec: {spec}\nresolved: {resolved}\n");
    text += &description(game.description());

    let mut agent = Recorder::new(Limited::to_moves(Uniform, MAX_MOVES));
    let never = AtomicBool::new(false);
    let episode = play(game, &mut agent, &mut Random::stream(Seed(1), 0), &never);
    let mut state = agent.transcript.start;
    text += &format!("\nstart{}: {}\n", chance_reward(game, None, state), game.write(state));
    for (number, step) in agent.transcript.steps.iter().enumerate() {
        if number < FULL_MOVES {
            text += &format!("\nmove {}\n{}", number + 1, full_move(game, state, step));
        } else if number < FULL_MOVES + SHORT_MOVES {
            let separator = if number == FULL_MOVES { "\n" } else { "" };
            text += &format!("{separator}{} {}\n", number + 1, short_move(game, state, step));
        }
        state = step.next;
    }
    let ended = if episode.finished { "over" } else { "stopped" };
    let (score, moves) = (episode.score, episode.moves);
    text += &format!("\n{ended}: {}\nscore {score} in {moves} moves\n", game.write(state));
    if let Some(tile) = game.max_tile(state) {
        text += &format!("max tile {tile}\n");
    }
    text
}

fn description(description: &Description) -> String {
    let Description { actions, max_outcomes, tiles, goal, geometry, .. } = description;
    let tiles = tiles.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let goal = goal.map_or("none".into(), |goal| goal.to_string());
    let mut text = format!("actions: {}\nmax outcomes: {max_outcomes}\n", actions.join(" "));
    text += &format!("tiles: {tiles}\ngoal: {goal}\n");
    if let Some(board) = geometry {
        let (rows, cols, symmetries) = (board.rows, board.cols, board.symmetries.len());
        text += &format!("board: {rows} x {cols}, {symmetries} symmetries\n");
    }
    text
}

/// Formats the chance reward; empty if the game has none.
fn chance_reward<G: Game>(game: &G, from: Option<Afterstate>, to: State) -> String {
    if !game.has_chance_rewards() {
        return String::new();
    }
    format!(" {:+}", game.chance_reward(from, to))
}

/// Formats a move with all legal actions and all chance outcomes.
fn full_move<G: Game>(game: &G, state: State, step: &Step) -> String {
    let mut text = String::new();
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    for successor in successors.iter() {
        let name = game.description().action_name(successor.action);
        let mark = if successor.action == step.action { '>' } else { ' ' };
        let after = game.write_afterstate(successor.afterstate);
        text += &format!("{mark} {name} {:+}: {after}\n", successor.reward);
    }
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(step.afterstate, &mut outcomes);
    for outcome in outcomes.iter() {
        let mark = if outcome.state == step.next { '>' } else { ' ' };
        let points = chance_reward(game, Some(step.afterstate), outcome.state);
        let next = game.write(outcome.state);
        text += &format!("  {mark} {}{points}: {next}\n", outcome.probability);
    }
    text
}

fn short_move<G: Game>(game: &G, state: State, step: &Step) -> String {
    let name = game.description().action_name(step.action);
    let reward = game.successor(state, step.action).map_or(0.0, |successor| successor.reward);
    let points = chance_reward(game, Some(step.afterstate), step.next);
    format!("{name} {reward:+}{points}: {}", game.write(step.next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_difference_is_reported_with_its_line() {
        assert_eq!(compare("a\nb\n", "a\nb\n"), Ok(()));
        let difference = compare("a\nb\nc\n", "a\nx\nc\n").unwrap_err();
        assert_eq!(difference, "line 2: expected `b`, found `x`");
        assert_eq!(compare("a\n", "a\nb\n").unwrap_err(), "line 2: expected nothing, found `b`");
        assert_eq!(compare("a\nb\n", "a\n").unwrap_err(), "line 2: expected `b`, found nothing");
    }

    #[test]
    fn transcript_begins_with_a_spec() {
        assert_eq!(spec("spec: 2048(rows: 3)\nmore").unwrap().name(), "2048");
        assert!(spec("2048\n").unwrap_err().contains("first line"));
        assert!(spec("").is_err() && spec("spec: (").is_err());
    }
}
