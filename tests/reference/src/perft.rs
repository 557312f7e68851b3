//! Perft counts, kept in a file; the slow reference has the small ones too.
//!
//! A line is `spec | position | depth | count`.

use runner_core::{Game, GamePlugin, Outcomes, Spec, State, Successors};

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
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [spec, position, depth, count] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{path}: not spec | position | depth | count: {line}");
        };
        let spec: Spec = spec.parse().unwrap_or_else(|error| panic!("{error}"));
        let config = || spec.read::<G::Config>().unwrap_or_else(|error| panic!("{error}"));
        let game = G::alone(config()).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let slow = reference(&game, &config());
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
