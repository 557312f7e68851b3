//! Playing one game from start to end.

use crate::{Agent, Fault, Game, GameInProgress, Random, Start, State, Stop, Turn};

/// The result of one game.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Episode {
    /// The sum of all rewards, and of the score of the start if the game was played from one.
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

/// As [`play`], but from a given start. The rewards are added to the score of the start.
pub fn play_from<G: Game, A: Agent>(
    game: &G,
    agent: &mut A,
    start: Start,
    random: &mut Random,
    stop: &impl Stop,
) -> Episode {
    let mut playing = GameInProgress::new(game, start, random.clone());
    agent.begin(game, playing.state);
    let finished = loop {
        if !playing.list_actions(game) {
            break true;
        }
        if stop.is_requested() {
            break false;
        }
        let GameInProgress { state, random: stream, successors, .. } = &mut playing;
        let turn = Turn { state: *state, successors, random: stream.word() };
        let Some(action) = agent.act(game, &turn) else { break false };
        let Some(&chosen) = successors.of(action) else {
            illegal(game, *state, action);
        };
        playing.apply(game, chosen);
    };
    let GameInProgress { state: last, score, moves, .. } = playing;
    // The stream of the caller continues where the game ended.
    *random = playing.random;
    agent.end(game, last);
    Episode { score, moves, last, finished }
}

#[cold]
fn illegal<G: Game>(game: &G, state: State, action: crate::Action) -> ! {
    let name = game.description().action_name(action);
    Fault::new(format!("the agent chose `{name}`, which is not legal in {}", game.write(state)))
        .raise()
}
