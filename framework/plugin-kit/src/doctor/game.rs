//! Tests a game: random games, then the laws.

use runner_core::wrappers::Limited;
use runner_core::{Fault, Random, Seed, catch, play};
use runner_laws::doubles::Uniform;
use runner_laws::{Effort, check};
use runner_play::calls::Calls;
use runner_play::registry::LoadedGame;
use runner_play::watched::WatchedGame;
use std::sync::atomic::AtomicBool;

const GAMES: u64 = 4;
/// Most moves of a random game.
const MOVES: u64 = 10_000;

/// Tests a game. Returns a summary, or the first defect.
pub fn examine(game: &LoadedGame, subject: &str, calls: &Calls) -> Result<String, String> {
    let rules = WatchedGame::new(&*game.rules, subject, calls);
    let ends = |number| {
        let mut player = Limited::to_moves(Uniform, MOVES);
        let mut random = Random::stream(Seed(1), number);
        play(&rules, &mut player, &mut random, &AtomicBool::new(false)).finished
    };
    if !catch(|| (0..GAMES).any(ends)).map_err(|Fault(message)| message)? {
        return Err(format!("none of {GAMES} random games ended within {MOVES} moves"));
    }
    let checked = check(&rules, &Effort::default());
    checked.map(|summary| summary.to_string()).map_err(|violation| violation.to_string())
}
