//! Playing one game from start to end.

use crate::{Agent, Fault, Game, Random, Start, State, Stop, Successors, Turn};

/// The result of one game.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Episode {
    /// The sum of all rewards.
    pub score: f64,
    /// The number of moves.
    pub moves: u64,
    /// The last position.
    pub last: State,
    /// True if the rules ended the game, false if the agent or `stop` did.
    pub finished: bool,
}

/// Plays one game. The game ends early when `stop` asks for it.
///
/// Faults of the game or the agent are raised (see [`Fault::raise`]), and so are illegal
/// actions. [`catch`](crate::catch) turns them into a `Result`.
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
    stop: &impl Stop,
) -> Episode {
    let start = Start::new(game, game.start(random.word()));
    play_from(game, agent, start, random, stop)
}

/// Plays one game from a position. Its score counts from that of the start. Otherwise as
/// [`play`].
pub fn play_from<G: Game, A: Agent>(
    game: &G,
    agent: &mut A,
    Start { mut state, score }: Start,
    random: &mut Random,
    stop: &impl Stop,
) -> Episode {
    let chance_rewards = game.has_chance_rewards();
    let mut episode = Episode { score, moves: 0, last: state, finished: false };
    let mut successors = Successors::new();
    agent.begin(game, state);
    loop {
        game.successors(state, &mut successors);
        if successors.is_empty() {
            episode.finished = true;
            break;
        }
        if stop.is_requested() {
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
