//! A game in progress, for loops that play many games in turn.

use crate::{Game, Random, Start, State, Successor, Successors};

/// A game in progress with its own random stream.
///
/// ```
/// # use runner_core::*;
/// # fn example<G: Game>(game: &G) {
/// let mut playing = GameInProgress::from_rules(game, Random::stream(Seed(1), 0));
/// while playing.list_actions(game) {
///     let first = playing.successors[0];
///     playing.apply(game, first);
/// }
/// println!("{} points in {} moves", playing.score, playing.moves);
/// # }
/// ```
#[derive(Debug)]
pub struct GameInProgress {
    /// The random stream of the rest of the game.
    pub random: Random,
    /// The position.
    pub state: State,
    /// The score: that of the start, and all rewards since then.
    pub score: f64,
    /// The number of moves made.
    pub moves: u64,
    /// The legal actions of the position, after [`list_actions`](Self::list_actions).
    pub successors: Successors,
    has_chance_rewards: bool,
}

impl GameInProgress {
    /// Begins a game at a position.
    pub fn new<G: Game>(game: &G, Start { state, score }: Start, random: Random) -> Self {
        let has_chance_rewards = game.has_chance_rewards();
        Self { random, state, score, moves: 0, successors: Successors::new(), has_chance_rewards }
    }

    /// Begins a game at a start position of the rules.
    pub fn from_rules<G: Game>(game: &G, mut random: Random) -> Self {
        let start = Start::new(game, game.start(random.word()));
        Self::new(game, start, random)
    }

    /// Lists the legal actions of the position. Returns false if there are none: the game is
    /// over.
    pub fn list_actions<G: Game>(&mut self, game: &G) -> bool {
        game.successors(self.state, &mut self.successors);
        !self.successors.is_empty()
    }

    /// Makes a move, draws its chance outcome, and returns the reward of that outcome.
    pub fn apply<G: Game>(&mut self, game: &G, chosen: Successor) -> f32 {
        self.state = game.spawn(chosen.afterstate, self.random.word());
        self.score += f64::from(chosen.reward);
        self.moves += 1;
        if !self.has_chance_rewards {
            return 0.0;
        }
        let reward = game.chance_reward(Some(chosen.afterstate), self.state);
        self.score += f64::from(reward);
        reward
    }
}
