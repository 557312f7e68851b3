//! A lower bound for the number of states of a game, before its solve.

use crate::bellman::Bellman;
use crate::error::SolveError;
use runner_core::{Fault, Game, Random, Seed, State, Successors, catch};
use std::collections::BTreeMap;

/// Number of games of the first sample; each sample is twice as large as the one before.
const GAMES: u64 = 1024;
/// Maximum number of games.
const MOST_GAMES: u64 = 1 << 18;
/// Number of states that take hours.
const LARGE: u64 = 1_000_000_000;
/// Minimum memory of a state: its key and its value.
const BYTES_OF_STATE: u64 = 12;

/// Refuses a game that would be solved for hours, or until there is no memory left, as far as
/// [`at_least`] finds that. `progress` is called after each game.
pub fn refuse_large<G: Game>(
    game: &G,
    from: Option<State>,
    progress: impl Fn(),
) -> Result<(), SolveError> {
    if from.is_none() && catch(|| game.starts())?.is_none() {
        return Err(SolveError::NoStarts);
    }
    match at_least(game, from, LARGE, progress)? {
        Some(least) if least > LARGE => {
            Err(SolveError::Large { states: LARGE, memory: LARGE * BYTES_OF_STATE })
        }
        _ => Ok(()),
    }
}

/// Returns a number of states that a game has at least, or `None` if it has no layers. It is exact
/// only in its order of magnitude, and no more games are sampled once it is larger than `enough`.
///
/// States of random games are sampled. From the number of equal pairs among those of a layer
/// follows how many there are, as the number of people in a room with a common birthday depends on
/// the length of the year. States that random play seldom reaches are missing in it.
///
/// `progress` is called after each game.
pub fn at_least<G: Game>(
    game: &G,
    from: Option<State>,
    enough: u64,
    progress: impl Fn(),
) -> Result<Option<u64>, Fault> {
    catch(|| {
        let bellman = Bellman::new(game);
        let mut layers: BTreeMap<u64, Vec<State>> = BTreeMap::new();
        let (mut played, mut games, mut before) = (0, GAMES, 0.0);
        loop {
            for number in played..games {
                sample(&bellman, from, Random::stream(Seed(1), number), &mut layers)?;
                progress();
            }
            let states: f64 = layers.values_mut().map(|states| distinct(states)).sum();
            // Later samples only make it more precise.
            let is_settled = states < 1.5 * before;
            if is_settled || states > enough as f64 || games >= MOST_GAMES {
                return Some(states as u64);
            }
            (played, games, before) = (games, 2 * games, states);
        }
    })
}

/// Adds the states of a random game to those of their layers; `None` if the game has no layers.
fn sample<G: Game>(
    bellman: &Bellman<'_, G>,
    from: Option<State>,
    mut random: Random,
    layers: &mut BTreeMap<u64, Vec<State>>,
) -> Option<()> {
    let mut successors = Successors::new();
    let mut state = from.unwrap_or_else(|| bellman.game.start(random.word()));
    loop {
        layers.entry(bellman.game.layer(state)?).or_default().push(bellman.canonical(state));
        bellman.game.successors(state, &mut successors);
        if successors.is_empty() {
            return Some(());
        }
        let chosen = successors[random.below(successors.len() as u32) as usize];
        state = bellman.game.spawn(chosen.afterstate, random.word());
    }
}

/// Returns how many states there are at least, of which these were drawn.
fn distinct(drawn: &mut [State]) -> f64 {
    drawn.sort_unstable_by_key(|state| state.bits());
    let pairs = |count: usize| (count * count.saturating_sub(1)) as f64 / 2.0;
    let equal: f64 = drawn.chunk_by(|a, b| a == b).map(|same| pairs(same.len())).sum();
    // Three standard deviations more equal pairs than were drawn.
    let equal = equal + 3.0 * (equal + 1.0).sqrt() + 2.0;
    (pairs(drawn.len()) / equal).max(1.0)
}
