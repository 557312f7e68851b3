//! The one who decides.

use crate::lines::LineValues;
use crate::{
    Action, Afterstate, Analysis, Game, MAX_ACTIONS, State, Successors, Value, ValueScale,
};
use std::hint::select_unpredictable;

/// A player. Each is used by one thread at a time.
pub trait Agent: Send {
    /// Chooses among the legal actions, of which there is at least one; `None`
    /// ends the game where it stands.
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action>;

    /// What it thinks of a position, for people to read: by default no more than what
    /// it would do.
    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        Analysis { choice: self.act(game, turn), ..Analysis::default() }
    }

    /// Called before the first action of each game. What an agent remembers
    /// from game to game must not change what it does: results would depend on
    /// the number of threads.
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        let _ = (game, start);
    }

    /// Called after the last action of each game.
    fn end<G: Game>(&mut self, game: &G, last: State) {
        let _ = (game, last);
    }

    /// How many threads of the [`Host`](crate::Host) it sets to work on one decision: so
    /// many times fewer games are played at once, so that they do not wait for one
    /// another.
    fn threads(&self) -> usize {
        1
    }
}

/// An agent that is lent is an agent: wrappers take it so.
impl<A: Agent> Agent for &mut A {
    #[inline]
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        (**self).act(game, turn)
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        (**self).analyse(game, turn)
    }

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        (**self).begin(game, start);
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        (**self).end(game, last);
    }

    fn threads(&self) -> usize {
        (**self).threads()
    }
}

/// What an agent decides on.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The position.
    pub state: State,
    /// The legal actions and what they lead to; never empty.
    pub successors: &'a Successors,
    /// 64 random bits for this decision; [`Random::from_word`](crate::Random::from_word)
    /// makes more of them.
    pub random: u64,
}

/// The player that takes the action that is worth most, the first of equals: what a
/// value becomes where an agent is expected. An action is worth its reward, if the value
/// counts points, and the estimate of the afterstate, or what the value
/// [weighs](Value::action_values) it.
#[derive(Clone, Debug)]
pub struct GreedyPolicy<V>(pub V);

impl<V: Value> Agent for GreedyPolicy<V> {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let mut worths = [0.0; MAX_ACTIONS];
        let worths = &mut worths[..turn.successors.len()];
        self.0.action_values(game, turn.state, turn.successors, worths);
        best_action(turn.successors.iter().zip(worths).map(|(s, worth)| (s.action, *worth)))
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let mut worths = vec![0.0; turn.successors.len()];
        self.0.action_values(game, turn.state, turn.successors, &mut worths);
        let worths = turn.successors.iter().zip(worths).map(|(s, worth)| (s.action, worth));
        let worths: Vec<_> = worths.collect();
        Analysis { choice: best_action(worths.iter().copied()), worths, facts: vec![] }
    }
}

/// A value behind a pointer is a value.
macro_rules! pointer {
    ($pointer:ty) => {
        impl<V: Value + ?Sized> Value for $pointer {
            fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
                (**self).evaluate(afterstates, values);
            }

            fn exact_values(&self, afterstates: &[Afterstate], worths: &mut [f32]) {
                (**self).exact_values(afterstates, worths);
            }

            fn scale(&self) -> ValueScale {
                (**self).scale()
            }

            fn estimates_actions(&self) -> bool {
                (**self).estimates_actions()
            }

            fn action_values(
                &self,
                game: &dyn Game,
                state: State,
                all: &Successors,
                worths: &mut [f32],
            ) {
                (**self).action_values(game, state, all, worths);
            }

            fn line_values(&self) -> Option<&LineValues> {
                (**self).line_values()
            }
        }
    };
}

pointer!(&V);
pointer!(std::sync::Arc<V>);

/// The action with the largest worth, the first of equals.
pub fn best_action(choices: impl Iterator<Item = (Action, f32)>) -> Option<Action> {
    // Which of two is better is as good as random: a branch would be mispredicted.
    let better = |best: (Action, f32), next: (Action, f32)| {
        select_unpredictable(next.1 > best.1, next, best)
    };
    choices.reduce(better).map(|(action, _)| action)
}

/// The places of so many actions in their list, that of the largest worth first; equals
/// stay in their order.
#[inline]
pub fn order_by_value(
    count: usize,
    worth: &dyn Fn(usize) -> f32,
) -> impl Iterator<Item = usize> + use<> {
    let mut order = [0u8; MAX_ACTIONS];
    let places = &mut order[..count];
    places.iter_mut().zip(0..).for_each(|(place, k)| *place = k);
    places.sort_by(|&a, &b| worth(usize::from(b)).total_cmp(&worth(usize::from(a))));
    order.into_iter().take(count).map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_comes_first_and_equals_in_their_order() {
        let worths = [2.0, -1.0, 3.0, 2.0, f32::NEG_INFINITY];
        let order: Vec<usize> = order_by_value(worths.len(), &|k| worths[k]).collect();
        assert_eq!(order, [2, 0, 3, 1, 4]);
        assert_eq!(order_by_value(0, &|_| 0.0).count(), 0);
        assert!(order_by_value(MAX_ACTIONS, &|_| 1.0).eq(0..MAX_ACTIONS));
    }
}
