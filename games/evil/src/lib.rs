//! `evil`: another game whose chance works against the player.
//!
//! With probability p a chance event is one of the outcomes that are worst for the player;
//! otherwise it is drawn by the rules of the other game. At p = 0 this is the other game, at
//! p = 1 an adversary.
//!
//! The worst outcomes are found by looking one action ahead. An outcome that ends the game is the
//! worst. On a board the next ones are those after which no action leads to a well ordered board:
//! one with many empty cells, neighbours that merge, and small differences between the others.
//! Ties, and all outcomes of games without a board, are decided by the number of legal actions,
//! then by the best reward, then by the sum of rewards. Equally bad outcomes keep the ratios of
//! their probabilities, so symmetries of the other game are symmetries of this one.
//!
//! ```
//! use game_2048::{Config, Game2048};
//! use game_evil::Evil;
//! use runner_core::{Game, Outcomes, Probability};
//!
//! let game = Game2048::new(Config { rows: 2, cols: 2, ..Config::default() })?;
//! let after = game.successor(game.parse("8,2/8,0").unwrap(), runner_core::Action(0)).unwrap();
//! assert_eq!(game.write_afterstate(after.afterstate), "16,2/0,0");
//!
//! let evil = Evil::new(game, Probability::new(1.0).unwrap());
//! let mut outcomes = Outcomes::with_capacity(evil.description().max_outcomes);
//! evil.outcomes(after.afterstate, &mut outcomes);
//! // A 2 could merge, at once or after a move to the right. A 4 cannot.
//! let texts: Vec<String> = outcomes.iter().map(|o| evil.write(o.state)).collect();
//! assert_eq!(texts, ["16,2/4,0", "16,2/0,4"]);
//! # Ok::<(), runner_core::BuildError>(())
//! ```
#![forbid(unsafe_code)]

mod order;

use order::Order;
use runner_core::{
    Afterstate, BuildError, Game, GameContext, GamePlugin, Outcome, Outcomes, Plugin, Probability,
    Random, Spec, State, Successors, forward_game, parameters,
};
use std::sync::Arc;

parameters! {
    /// The parameters of [`Evil`].
    pub struct Config {
        /// Game whose chance events are replaced
        pub game: Spec = "2048".parse().expect("a name is a spec"), game();
        /// Probability that a chance event is one of the worst ones for the player
        pub probability: Probability = Probability::new(1.0).expect("it is from 0 to 1");
    }
}

/// A game whose chance works against the player.
pub struct Evil<G = Arc<dyn Game>> {
    game: G,
    probability: f64,
    /// Measures the order of boards; none for games without a board.
    order: Option<Order>,
}

/// The prospects of the player after a chance outcome. The least is the worst.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Prospects {
    /// True if there is a legal action.
    continues: bool,
    /// Best order of the board after an action; 0 without a board.
    order: i32,
    actions: usize,
    /// Reward of the outcome and of the best action.
    best: f32,
    /// Sum of the rewards of all actions.
    total: f64,
}

impl<G: Game> Evil<G> {
    /// Wraps a game. A chance event is one of the worst outcomes with this probability.
    pub fn new(game: G, probability: Probability) -> Self {
        let order = game.description().geometry.as_ref().and_then(Order::new);
        Self { game, probability: probability.get(), order }
    }

    fn prospects(&self, from: Afterstate, state: State, buffer: &mut Successors) -> Prospects {
        self.game.successors(state, buffer);
        let rewards = || buffer.iter().map(|successor| successor.reward);
        let best = rewards().reduce(f32::max).unwrap_or(0.0);
        let order = self
            .order
            .as_ref()
            .and_then(|order| buffer.iter().map(|successor| order.of(successor.afterstate)).max());
        Prospects {
            continues: !buffer.is_empty(),
            order: order.unwrap_or(0),
            actions: buffer.len(),
            best: best + self.game.chance_reward(Some(from), state),
            total: rewards().map(f64::from).sum(),
        }
    }

    fn worst(&self, from: Afterstate, outcomes: &[Outcome]) -> (Vec<Outcome>, f64) {
        let mut buffer = Successors::new();
        let mut worst: Vec<Outcome> = Vec::with_capacity(outcomes.len());
        let mut least = None;
        for &outcome in outcomes {
            let prospects = self.prospects(from, outcome.state, &mut buffer);
            if least.is_none_or(|least| prospects < least) {
                least = Some(prospects);
                worst.clear();
            }
            if least == Some(prospects) {
                worst.push(outcome);
            }
        }
        let total = worst.iter().map(|outcome| outcome.probability).sum();
        (worst, total)
    }
}

impl<G: Game> Game for Evil<G> {
    forward_game!(|this| this.game;
        description, start, successors, successor, write, write_afterstate, parse, chance_reward,
        has_chance_rewards, starts, max_tile, layer, transform, transform_afterstate,
        canonical_states, canonical_afterstates
    );

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.game.outcomes(afterstate, out);
        if self.probability == 0.0 {
            return;
        }
        let fair = out.to_vec();
        let (worst, total) = self.worst(afterstate, &fair);
        out.clear();
        // `worst` is in the order of `fair`.
        let mut worst = worst.into_iter().peekable();
        for outcome in fair {
            let mut probability = outcome.probability * (1.0 - self.probability);
            if worst.next_if(|next| next.state == outcome.state).is_some() {
                probability += outcome.probability / total * self.probability;
            }
            if probability > 0.0 {
                out.push(probability, outcome.state);
            }
        }
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        if self.probability == 0.0 {
            return self.game.spawn(afterstate, random);
        }
        let mut random = Random::from_word(random);
        if random.unit() >= self.probability {
            return self.game.spawn(afterstate, random.word());
        }
        let mut outcomes = Outcomes::with_capacity(self.description().max_outcomes);
        self.game.outcomes(afterstate, &mut outcomes);
        let (worst, total) = self.worst(afterstate, &outcomes);
        let mut left = random.unit() * total;
        let drawn = worst.iter().find(|outcome| {
            left -= outcome.probability;
            left < 0.0
        });
        // Rounding can leave a little after the last one.
        drawn.or(worst.last()).expect("a game has chance outcomes").state
    }

    // Row tables and playouts of the game would ignore the changed chance events.
}

impl Plugin for Evil {
    const NAME: &'static str = "evil";
    const ABOUT: &'static str = "another game, whose chance works against the player";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl GamePlugin for Evil {
    fn new(config: Config, context: &GameContext<'_>) -> Result<Self, BuildError> {
        Ok(Self::new(context.game("game", &config.game)?, config.probability))
    }
}
