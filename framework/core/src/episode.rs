//! One game from start to end.

use crate::{Agent, Fault, Game, Random, State, Successors, Turn};
use std::sync::atomic::{AtomicBool, Ordering};

/// A game that was played.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Episode {
    /// The sum of all rewards.
    pub score: f64,
    /// How many actions were taken.
    pub moves: u64,
    /// The position in which it ended.
    pub last: State,
    /// Whether the rules ended it, rather than the agent or the wish to stop.
    pub finished: bool,
}

/// Plays one game. `stop` ends it early, wherever it is.
///
/// A fault of the game or of the agent is raised (see [`Fault::raise`]); so is an
/// action that is not legal. [`catch`](crate::catch) turns both into a `Result`.
///
/// ```
/// # use runner_core::*;
/// # fn example<G: Game, A: Agent>(game: &G, agent: &mut A) {
/// let never = std::sync::atomic::AtomicBool::new(false);
/// let episode = play(game, agent, &mut Random::stream(Seed(1), 0), &never);
/// println!("{} points in {} moves", episode.score, episode.moves);
/// # }
/// ```
pub fn play<G: Game, A: Agent>(
    game: &G,
    agent: &mut A,
    random: &mut Random,
    stop: &AtomicBool,
) -> Episode {
    let chance_rewards = game.has_chance_rewards();
    let mut state = game.start(random.word());
    let mut episode = Episode { score: 0.0, moves: 0, last: state, finished: false };
    if chance_rewards {
        episode.score += f64::from(game.chance_reward(None, state));
    }
    let mut successors = Successors::new();
    agent.begin(game, state);
    loop {
        game.successors(state, &mut successors);
        if successors.is_empty() {
            episode.finished = true;
            break;
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let turn = Turn { state, successors: &successors, random: random.word() };
        let Some(action) = agent.act(game, &turn) else { break };
        let Some(chosen) = successors.of(action) else {
            illegal(game, state, action);
        };
        let next = game.spawn(chosen.afterstate, random.word());
        episode.score += f64::from(chosen.reward);
        if chance_rewards {
            episode.score += f64::from(game.chance_reward(Some(chosen.afterstate), next));
        }
        episode.moves += 1;
        state = next;
    }
    episode.last = state;
    agent.end(game, state);
    episode
}

#[cold]
fn illegal<G: Game>(game: &G, state: State, action: crate::Action) -> ! {
    let name = game.description().action_name(action);
    Fault::new(format!("the agent chose `{name}`, which is not legal in {}", game.write(state)))
        .raise()
}
