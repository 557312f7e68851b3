//! `greedy`: takes the action with the largest immediate reward.
//!
//! ```
//! # use runner_core::{Game, Random, Seed, play};
//! # fn example(game: &impl Game) {
//! let never = std::sync::atomic::AtomicBool::new(false);
//! let mut agent = agent_baselines::Greedy;
//! let episode = play(game, &mut agent, &mut Random::stream(Seed(1), 0), &never);
//! # }
//! ```

use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Game, Plugin, Turn, best_action,
};

/// Takes the action with the largest reward, of equal ones the first in the game's list of
/// actions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Agent for Greedy {
    #[inline]
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        best_action(turn.successors.iter().map(|s| (s.action, s.reward)))
    }
}

impl Plugin for Greedy {
    const NAME: &'static str = "greedy";
    const ABOUT: &'static str = "takes the action with the largest immediate reward";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = ();
}

impl AgentPlugin for Greedy {
    fn new((): (), _: &BuildContext<'_>) -> Result<Self, BuildError> {
        Ok(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_core::{Afterstate, State, Successors};

    /// The agent does not look at the rules.
    fn game() -> Game2048 {
        Game2048::new(Default::default()).unwrap()
    }

    fn choice(rewards: &[(u8, f32)]) -> Action {
        let mut successors = Successors::new();
        for &(action, reward) in rewards {
            successors.push(Action(action), Afterstate::default(), reward);
        }
        let turn = Turn { state: State::default(), successors: &successors, random: 0 };
        Greedy.act(&game(), &turn).unwrap()
    }

    #[test]
    fn the_largest_reward_is_taken() {
        assert_eq!(choice(&[(0, 4.0), (1, 16.0), (3, 8.0)]), Action(1));
        assert_eq!(choice(&[(2, -4.0), (3, -1.0)]), Action(3));
        assert_eq!(choice(&[(2, 0.0)]), Action(2));
    }

    #[test]
    fn ties_go_to_the_first_action() {
        assert_eq!(choice(&[(1, 0.0), (2, 8.0), (3, 8.0)]), Action(2));
    }
}
