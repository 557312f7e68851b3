//! Tests a game: random games, then the laws.

use runner_core::{Fault, Game, Random, Seed, Successors, catch};
use runner_laws::{Effort, check};
use runner_play::calls::WatchedGame;
use runner_plugin::LoadedGame;
use runner_plugin::calls::Calls;

const GAMES: u64 = 4;
/// Most moves of a random game.
const MOVES: u64 = 10_000;

/// Tests a game. Returns a summary, or the first defect.
pub fn examine(game: &LoadedGame, subject: &str, calls: &Calls) -> Result<String, String> {
    let rules = WatchedGame::new(&*game.rules, subject, calls);
    if catch(|| ended(&rules)).map_err(|Fault(message)| message)? == 0 {
        return Err(format!("none of {GAMES} random games ended within {MOVES} moves"));
    }
    let checked = check(&rules, &Effort::default());
    checked.map(|summary| summary.to_string()).map_err(|violation| violation.to_string())
}

/// Plays random games, and returns how many ended.
fn ended<G: Game>(rules: &G) -> u64 {
    let mut ended = 0;
    let mut successors = Successors::new();
    for number in 0..GAMES {
        let mut random = Random::stream(Seed(1), number);
        let mut state = rules.start(random.word());
        for _ in 0..MOVES {
            rules.successors(state, &mut successors);
            if successors.is_empty() {
                ended += 1;
                break;
            }
            let chosen = successors[random.below(successors.len() as u32) as usize];
            state = rules.spawn(chosen.afterstate, random.word());
        }
    }
    ended
}
