//! Perft counts, kept in a file that the slow reference generates.
//!
//! A line is `spec | position | depth | count`. `RUNNER_BLESS=1` in the environment
//! regenerates the file: it keeps comments, and counts each spec and position from depth 1 up
//! to the depth that is still fast enough for a test.

use runner_core::{Game, GamePlugin, Outcomes, Spec, State, Successors};
use std::fmt::Write;

/// The reference is tested on trees below this size.
const MAX_REFERENCE: u64 = 20_000;

/// Returns the number of sequences of (action, chance outcome) of this length.
pub fn perft<G: Game>(game: &G, state: State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.successors(state, &mut successors);
    let mut count = 0;
    for successor in successors.iter() {
        game.outcomes(successor.afterstate, &mut outcomes);
        count += outcomes.iter().map(|o| perft(game, o.state, depth - 1)).sum::<u64>();
    }
    count
}

/// Asserts that a game has the counts of a file, and its reference the small ones.
///
/// # Panics
///
/// If they differ, or the file cannot be read.
pub fn assert_counts<G: GamePlugin, R: Game>(path: &str, reference: impl Fn(&G, &G::Config) -> R) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    if std::env::var_os("RUNNER_BLESS").is_some() {
        std::fs::write(path, regenerated(&text, &reference)).unwrap();
        return;
    }
    let mut lines = 0;
    for line in content(&text) {
        let [spec, position, depth, count] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{path}: not spec | position | depth | count: {line}");
        };
        let (game, slow) = both(spec, &reference);
        let state = game.parse(position).unwrap_or_else(|error| panic!("{line}: {error}"));
        let depth = depth.parse().expect("a depth");
        let count: u64 = count.parse().expect("a count");
        assert_eq!(perft(&game, state, depth), count, "{line}");
        if count < MAX_REFERENCE {
            assert_eq!(perft(&slow, state, depth), count, "the reference, {line}");
        }
        lines += 1;
    }
    assert!(lines > 0, "{path} has no counts");
}

fn content(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn both<G: GamePlugin, R: Game>(spec: &str, reference: impl Fn(&G, &G::Config) -> R) -> (G, R) {
    let spec: Spec = spec.parse().unwrap_or_else(|error| panic!("{error}"));
    let config = || spec.read::<G::Config>().unwrap_or_else(|error| panic!("{error}"));
    let game = G::alone(config()).unwrap_or_else(|error| panic!("{spec}: {error}"));
    let slow = reference(&game, &config());
    (game, slow)
}

fn regenerated<G: GamePlugin, R: Game>(
    text: &str,
    reference: impl Fn(&G, &G::Config) -> R,
) -> String {
    let mut out = String::new();
    let mut known = Vec::new();
    for line in text.lines() {
        if content(line).next().is_none() {
            writeln!(out, "{line}").unwrap();
            continue;
        }
        let parts: Vec<&str> = line.split(" | ").take(2).collect();
        let [spec, position] = parts[..] else { panic!("not spec | position: {line}") };
        if known.contains(&(spec, position)) {
            continue;
        }
        known.push((spec, position));
        let (game, slow) = both(spec, &reference);
        let state = game.parse(position).unwrap_or_else(|error| panic!("{line}: {error}"));
        for depth in 1..=6 {
            let count = perft(&slow, state, depth);
            writeln!(out, "{spec} | {position} | {depth} | {count}").unwrap();
            if count > 30_000 || count == 0 {
                break;
            }
        }
    }
    out
}

/// Compares the counts in `tests/perft.txt` of a game with those of its reference, and the games in
/// `tests/transcripts` with its rules.
#[macro_export]
macro_rules! files_agree {
    ($reference:expr, $game:expr) => {
        #[test]
        fn perft_counts_agree_with_the_file() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/perft.txt");
            $crate::perft::assert_counts(path, $reference);
        }

        #[test]
        fn transcripts_agree() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
            ::runner_laws::transcript::assert_matches(folder, $game);
        }
    };
}
