//! Tests a game: each call on the positions of random games, then the laws.

use super::watchdog::Watchdog;
use runner_core::{Fault, Game, Outcomes, Random, Seed, Successors, catch};
use runner_laws::{Effort, check};
use runner_plugin::LoadedGame;

/// Number of random games.
const GAMES: u64 = 4;
/// Most moves of a random game.
const MOVES: u64 = 10_000;

/// Tests a game. Returns a summary, or the first defect.
pub fn examine(game: &LoadedGame, subject: &str, watchdog: &Watchdog) -> Result<String, String> {
    let ended = catch(|| call_all(&*game.rules, subject, watchdog));
    if ended.map_err(|Fault(message)| message)? == 0 {
        return Err(format!("none of {GAMES} random games ended within {MOVES} moves"));
    }
    let effort = Effort::default();
    let checked = watchdog.watch(&format!("{subject}: laws"), || check(&*game.rules, &effort));
    checked.map(|summary| summary.to_string()).map_err(|violation| violation.to_string())
}

/// Makes every call of random games under its own name, so that an endless loop is found
/// where it is. Returns how many games ended.
fn call_all<G: Game>(rules: &G, subject: &str, watchdog: &Watchdog) -> u64 {
    let named = |call: &str| format!("{subject}: {call}");
    let [start, successors_of, outcomes_of, spawn, write, parse, max_tile] =
        ["start", "successors", "outcomes", "spawn", "write", "parse", "max_tile"].map(named);
    let mut ended = 0;
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(rules.description().max_outcomes);
    for number in 0..GAMES {
        let mut random = Random::stream(Seed(1), number);
        let mut state = watchdog.watch(&start, || rules.start(random.word()));
        for _ in 0..MOVES {
            watchdog.watch(&successors_of, || rules.successors(state, &mut successors));
            let text = watchdog.watch(&write, || rules.write(state));
            // The laws say what a wrong text is.
            let _ = watchdog.watch(&parse, || rules.parse(&text));
            watchdog.watch(&max_tile, || rules.max_tile(state));
            if successors.is_empty() {
                ended += 1;
                break;
            }
            let chosen = successors[random.below(successors.len() as u32) as usize];
            let afterstate = chosen.afterstate;
            watchdog.watch(&outcomes_of, || rules.outcomes(afterstate, &mut outcomes));
            state = watchdog.watch(&spawn, || rules.spawn(afterstate, random.word()));
        }
    }
    ended
}
