//! Golden transcripts: one seeded random game as text, so that a change of what a
//! game does, however small, shows as a change of a file.
//!
//! A file begins with the spec of the game, and the rest follows from that:
//!
//! ```text
//! spec: 2048(rows: 3, cols: 3)
//! ```
//!
//! To add one, write this line into a new file of the folder that [`assert_holds`] is
//! given, and run the test with `RUNNER_BLESS=1` in the environment, which writes
//! all files of the folder anew.

use runner_core::wrappers::{MoveLimit, Recorder, Step};
use runner_core::{
    Action, Agent, Description, Game, GamePlugin, Outcomes, Random, Seed, Spec, State, Successors,
    Turn, play, scale,
};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::{env, fs};

/// So many moves are told with everything that could have happened,
const IN_FULL: usize = 10;
/// and after these so many in a line each; then comes the end.
const IN_SHORT: usize = 100;
/// A game that has not ended by itself is broken off.
const MOST_MOVES: u64 = 10_000;

/// Compares the transcripts in a folder with what the game does now, or writes
/// them anew if the environment variable `RUNNER_BLESS` is set. For tests.
///
/// # Panics
///
/// If a transcript differs, cannot be read, or is of another game, or if there is
/// none.
#[track_caller]
pub fn assert_matches<G: GamePlugin>(folder: impl AsRef<Path>) {
    let folder = folder.as_ref();
    let paths = files(folder);
    assert!(!paths.is_empty(), "there is no transcript of `{}` in {}", G::NAME, folder.display());
    for path in paths {
        let place = path.display();
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{place}: {error}"));
        let spec = spec(&text).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_eq!(spec.name(), G::NAME, "{place} is of another game");
        let config: G::Config = spec.read().unwrap_or_else(|error| panic!("{place}: {error}"));
        let resolved = Spec::resolved(G::NAME, &config).expect("a configuration can be written");
        let game = G::alone(config).unwrap_or_else(|error| panic!("{place}: {error}"));
        let now = write(&spec, &resolved, &game);
        if env::var_os("RUNNER_BLESS").is_some() {
            fs::write(&path, now).unwrap_or_else(|error| panic!("{place}: {error}"));
        } else if let Err(difference) = compare(&text, &now) {
            panic!(
                "{place}: {difference}\nif this is meant, run the test with RUNNER_BLESS=1 in \
                 the environment"
            );
        }
    }
}

/// The transcripts in a folder, which need not exist, by name.
pub fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    paths.sort();
    paths
}

/// The spec with which a transcript begins.
pub fn spec(transcript: &str) -> Result<Spec, String> {
    let line = transcript.lines().next().unwrap_or_default();
    let spec = line.strip_prefix("spec: ");
    let spec = spec.ok_or_else(|| format!("the first line is `spec: ...`, not {line:?}"))?;
    spec.parse().map_err(|error| format!("{error}"))
}

/// The first line in which two transcripts differ, if they do.
pub fn compare(expected: &str, found: &str) -> Result<(), String> {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    for number in 1.. {
        let (expected, found) = (expected.next(), found.next());
        if expected != found {
            let told = |line: Option<&str>| line.map_or("nothing".into(), |l| format!("`{l}`"));
            let (expected, found) = (told(expected), told(found));
            return Err(format!("line {number} is {expected}, and now {found}"));
        }
        if expected.is_none() {
            break;
        }
    }
    Ok(())
}

/// The transcript of a game: its spec as it was asked for and with all defaults,
/// its description, and a game of uniformly random moves.
///
/// It is the same through a plugin's boundary.
pub fn write<G: Game>(spec: &Spec, resolved: &Spec, game: &G) -> String {
    let mut text = format!("spec: {spec}\nresolved: {resolved}\n");
    write_description(game.description(), &mut text);

    let mut agent = Recorder::new(MoveLimit::new(Uniform, MOST_MOVES));
    let never = AtomicBool::new(false);
    let episode = play(game, &mut agent, &mut Random::stream(Seed(1), 0), &never);
    let mut teller = Teller { game, text: &mut text };
    let mut state = agent.transcript.start;
    teller.line(format_args!("\nstart{}: {}", teller.points(None, state), game.write(state)));
    for (number, step) in agent.transcript.steps.iter().enumerate() {
        if number < IN_FULL {
            teller.full(number + 1, state, step);
        } else if number < IN_FULL + IN_SHORT {
            teller.short(number + 1, state, step);
        }
        state = step.next;
    }
    let ended = if episode.finished { "over" } else { "broken off" };
    let (score, moves) = (episode.score, episode.moves);
    teller.line(format_args!("\n{ended}: {}", game.write(state)));
    teller.line(format_args!("score {score} in {moves} moves"));
    if let Some(tile) = game.max_tile(state) {
        teller.line(format_args!("greatest tile {tile}"));
    }
    text
}

fn write_description(description: &Description, text: &mut String) {
    let Description { actions, max_outcomes, tiles, goal, geometry } = description;
    let mut line = |name: &str, value: String| *text += &format!("{name}: {value}\n");
    line("actions", actions.join(" "));
    line("most outcomes", max_outcomes.to_string());
    line("tiles", tiles.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
    line("goal", goal.map_or("none".into(), |goal| goal.to_string()));
    if let Some(board) = geometry {
        let (rows, cols, symmetries) = (board.rows, board.cols, board.symmetries.len());
        line("board", format!("{rows} x {cols}, {symmetries} symmetries"));
    }
}

/// Writes moves.
struct Teller<'a, G> {
    game: &'a G,
    text: &'a mut String,
}

impl<G: Game> Teller<'_, G> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{line}").expect("writing to a string does not fail");
    }

    /// What chance gives, where a game has such.
    fn points(&self, from: Option<runner_core::Afterstate>, to: State) -> String {
        if !self.game.has_chance_rewards() {
            return String::new();
        }
        format!(" {:+}", self.game.chance_reward(from, to))
    }

    /// A move with all that were possible, and all that chance could do.
    fn full(&mut self, number: usize, state: State, step: &Step) {
        let game = self.game;
        self.line(format_args!("\nmove {number}"));
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        for successor in successors.iter() {
            let name = game.description().action_name(successor.action);
            let mark = if successor.action == step.action { '>' } else { ' ' };
            let after = game.write_afterstate(successor.afterstate);
            self.line(format_args!("{mark} {name} {:+}: {after}", successor.reward));
        }
        let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
        game.outcomes(step.afterstate, &mut outcomes);
        for outcome in outcomes.iter() {
            let mark = if outcome.state == step.next { '>' } else { ' ' };
            let points = self.points(Some(step.afterstate), outcome.state);
            let next = game.write(outcome.state);
            self.line(format_args!("  {mark} {}{points}: {next}", outcome.probability));
        }
    }

    /// A move, and what chance did.
    fn short(&mut self, number: usize, state: State, step: &Step) {
        let game = self.game;
        let name = game.description().action_name(step.action);
        let reward = game.successor(state, step.action).map_or(0.0, |successor| successor.reward);
        let points = self.points(Some(step.afterstate), step.next);
        let next = game.write(step.next);
        let space = if number == IN_FULL + 1 { "\n" } else { "" };
        self.line(format_args!("{space}{number} {name} {reward:+}{points}: {next}"));
    }
}

/// Plays any legal action, each as likely.
#[derive(Clone, Debug)]
struct Uniform;

impl Agent for Uniform {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let drawn = scale((turn.random >> 32) as u32, turn.successors.len() as u32);
        Some(turn.successors[drawn as usize].action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_told_with_its_line() {
        assert_eq!(compare("a\nb\n", "a\nb\n"), Ok(()));
        let difference = compare("a\nb\nc\n", "a\nx\nc\n").unwrap_err();
        assert_eq!(difference, "line 2 is `b`, and now `x`");
        assert_eq!(compare("a\n", "a\nb\n").unwrap_err(), "line 2 is nothing, and now `b`");
        assert_eq!(compare("a\nb\n", "a\n").unwrap_err(), "line 2 is `b`, and now nothing");
    }

    #[test]
    fn a_transcript_begins_with_a_spec() {
        assert_eq!(spec("spec: 2048(rows: 3)\nmore").unwrap().name(), "2048");
        assert!(spec("2048\n").unwrap_err().contains("first line"));
        assert!(spec("").is_err() && spec("spec: (").is_err());
    }
}
