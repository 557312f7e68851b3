//! `random`: plays uniformly random legal actions, as a baseline.
//!
//! ```
//! # use runner_core::{Game, Random, Seed, play};
//! # fn example(game: &impl Game) {
//! let never = std::sync::atomic::AtomicBool::new(false);
//! let mut agent = agent_baselines::RandomAgent;
//! let episode = play(game, &mut agent, &mut Random::stream(Seed(1), 0), &never);
//! # }
//! ```

use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Game, Plugin, Turn, scale,
};

/// Plays uniformly random legal actions. It draws from the turn's random word alone, so the
/// same random stream plays the same game.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomAgent;

impl Agent for RandomAgent {
    #[inline]
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let drawn = scale((turn.random >> 32) as u32, turn.successors.len() as u32);
        Some(turn.successors[drawn as usize].action)
    }
}

impl Plugin for RandomAgent {
    const NAME: &'static str = "random";
    const ABOUT: &'static str = "plays uniformly random legal actions";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ();
}

impl AgentPlugin for RandomAgent {
    fn new((): (), _: &BuildContext<'_>) -> Result<Self, BuildError> {
        Ok(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_core::{Afterstate, Random, Seed, State, Successors};

    /// The agent does not look at the rules.
    fn game() -> Game2048 {
        Game2048::new(Default::default()).unwrap()
    }

    #[test]
    fn legal_actions_are_equally_likely() {
        let mut successors = Successors::new();
        for action in [0, 2, 3] {
            successors.push(Action(action), Afterstate::default(), f32::from(action));
        }
        let mut random = Random::stream(Seed(1), 0);
        let (game, mut counts) = (game(), [0u32; 4]);
        for _ in 0..30_000 {
            let turn =
                Turn { state: State::default(), successors: &successors, random: random.word() };
            counts[RandomAgent.act(&game, &turn).unwrap().index()] += 1;
        }
        // 408 is five standard deviations of 30,000 draws with probability 1/3.
        assert_eq!(counts[1], 0);
        for action in [0, 2, 3] {
            assert!(counts[action].abs_diff(10_000) < 408, "{counts:?}");
        }
    }

    #[test]
    fn the_action_depends_on_the_random_word_alone() {
        let mut successors = Successors::new();
        (0..4).for_each(|a| successors.push(Action(a), Afterstate::default(), 0.0));
        let act = |random| {
            let turn = Turn { state: State::default(), successors: &successors, random };
            RandomAgent.act(&game(), &turn).unwrap()
        };
        assert_eq!(act(0), Action(0));
        assert_eq!(act(u64::MAX), Action(3));
        assert_eq!(act(1 << 62), act(1 << 62));
    }
}
