//! Agents, which choose the actions, and the greedy policy of a value.

use crate::{Action, Analysis, Facts, Game, MAX_ACTIONS, State, Successors, Value};
use std::hint::select_unpredictable;

/// A player. Each instance is used by one thread at a time.
pub trait Agent: Send {
    /// Chooses one of the legal actions. There is at least one. `None` ends the game.
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action>;

    /// Returns what the agent computes about a position, for people to read. By default
    /// only its choice.
    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        Analysis { choice: self.act(game, turn), ..Analysis::default() }
    }

    /// Called before the first action of each game. State that an agent keeps between
    /// games must not change its choices: results would depend on the number of threads.
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        let _ = (game, start);
    }

    /// Called after the last action of each game.
    fn end<G: Game>(&mut self, game: &G, last: State) {
        let _ = (game, last);
    }

    /// Returns the number of threads of the [`Host`](crate::Host) that one decision uses.
    /// The program plays that many times fewer games at once.
    fn threads(&self) -> usize {
        1
    }
}

/// Implements the named methods of [`Agent`] by calling the same method of another agent.
/// Wrappers use it for all methods that they do not change.
///
/// ```
/// use runner_core::{Action, Agent, Game, Turn, forward_agent};
/// struct Silent<A>(A);
/// impl<A: Agent> Agent for Silent<A> {
///     forward_agent!(|this| this.0; act begin end threads);
/// }
/// ```
#[macro_export]
macro_rules! forward_agent {
    (|$this:ident| $agent:expr; $($method:ident)+) => {
        $($crate::forward_agent!(@ $method |$this| $agent);)+
    };
    // `@ method` adds the signature of the method, and `#` defines it.
    (@ act $($to:tt)+) => {
        $crate::forward_agent!(# $($to)+; act(turn: &$crate::Turn<'_>) -> Option<$crate::Action>);
    };
    (@ analyse $($to:tt)+) => {
        $crate::forward_agent!(# $($to)+; analyse(turn: &$crate::Turn<'_>) -> $crate::Analysis);
    };
    (@ begin $($to:tt)+) => {
        $crate::forward_agent!(# $($to)+; begin(start: $crate::State) -> ());
    };
    (@ end $($to:tt)+) => {
        $crate::forward_agent!(# $($to)+; end(last: $crate::State) -> ());
    };
    (@ threads |$this:ident| $agent:expr) => {
        #[inline]
        fn threads(&self) -> usize {
            let $this = self;
            $agent.threads()
        }
    };
    (# |$this:ident| $agent:expr; $method:ident($argument:ident: $type:ty) -> $result:ty) => {
        #[inline]
        fn $method<G: $crate::Game>(&mut self, game: &G, $argument: $type) -> $result {
            let $this = self;
            $agent.$method(game, $argument)
        }
    };
}

#[warn(clippy::missing_trait_methods)]
impl<A: Agent> Agent for &mut A {
    forward_agent!(|this| (**this); act analyse begin end threads);
}

/// The input of a decision.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Turn<'a> {
    /// The position.
    pub state: State,
    /// The legal actions with their rewards and afterstates; never empty.
    pub successors: &'a Successors,
    /// 64 random bits for this decision; [`Random::from_word`](crate::Random::from_word)
    /// makes more of them.
    pub random: u64,
}

/// An agent of any type, such as one that was built by name.
pub struct AnyAgent(Box<dyn ErasedAgent>);

impl AnyAgent {
    /// Wraps an agent.
    pub fn new(agent: impl Agent + Clone + 'static) -> Self {
        Self(Box::new(agent))
    }
}

impl Clone for AnyAgent {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Agent for AnyAgent {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.0.act_in(game, turn)
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        self.0.analyse_in(game, turn)
    }

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.0.begin_in(game, start);
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        self.0.end_in(game, last);
    }

    fn threads(&self) -> usize {
        self.0.thread_count()
    }
}

/// [`Agent`] with `dyn Game` in place of the type parameter, so that it can be a trait
/// object. Its methods have other names than those of [`Agent`]: equal names would be ambiguous.
trait ErasedAgent: Send {
    fn act_in(&mut self, game: &dyn Game, turn: &Turn<'_>) -> Option<Action>;
    fn analyse_in(&mut self, game: &dyn Game, turn: &Turn<'_>) -> Analysis;
    fn begin_in(&mut self, game: &dyn Game, start: State);
    fn end_in(&mut self, game: &dyn Game, last: State);
    fn thread_count(&self) -> usize;
    fn copy(&self) -> Box<dyn ErasedAgent>;
}

impl<A: Agent + Clone + 'static> ErasedAgent for A {
    fn act_in(&mut self, game: &dyn Game, turn: &Turn<'_>) -> Option<Action> {
        self.act(&game, turn)
    }

    fn analyse_in(&mut self, game: &dyn Game, turn: &Turn<'_>) -> Analysis {
        self.analyse(&game, turn)
    }

    fn begin_in(&mut self, game: &dyn Game, start: State) {
        self.begin(&game, start);
    }

    fn end_in(&mut self, game: &dyn Game, last: State) {
        self.end(&game, last);
    }

    fn thread_count(&self) -> usize {
        self.threads()
    }

    fn copy(&self) -> Box<dyn ErasedAgent> {
        Box::new(self.clone())
    }
}

/// The agent that takes the action with the largest value, the first of equals. If a spec names
/// a value instead of an agent, the value plays by this policy. The value of an action is its
/// reward plus the estimate of its afterstate, unless the value estimates actions (see
/// [`Value::action_values`]).
#[derive(Clone, Debug)]
pub struct GreedyPolicy<V>(pub V);

impl<V: Value> Agent for GreedyPolicy<V> {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let mut buffer = [0.0; MAX_ACTIONS];
        let values = &mut buffer[..turn.successors.len()];
        self.0.action_values(game, turn.state, turn.successors, values);
        best_action(turn.successors.iter().zip(values).map(|(s, value)| (s.action, *value)))
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let mut values = vec![0.0; turn.successors.len()];
        self.0.action_values(game, turn.state, turn.successors, &mut values);
        let actions = turn.successors.iter().map(|successor| successor.action);
        let action_values: Vec<_> = actions.zip(values).collect();
        let choice = best_action(action_values.iter().copied());
        // The values of actions may be probabilities, to which the unit of the value does not
        // apply.
        let facts = if self.0.estimates_actions() {
            Vec::new()
        } else {
            value_facts(&self.0, turn, choice)
        };
        Analysis { choice, action_values, facts }
    }
}

/// Returns the facts of a value for an [`Analysis`]: the unit of its estimates, and its own facts
/// about the position after the chosen action.
pub fn value_facts<V: Value + ?Sized>(value: &V, turn: &Turn<'_>, choice: Option<Action>) -> Facts {
    let mut facts = vec![value.scale().unit()];
    if let Some(chosen) = choice.and_then(|action| turn.successors.of(action)) {
        facts.extend(value.facts(chosen.afterstate));
    }
    facts
}

/// Returns the action with the largest value, the first of equals. NaN is below every number.
pub fn best_action(choices: impl Iterator<Item = (Action, f32)>) -> Option<Action> {
    // A branch would be mispredicted, because either of two can be the better one.
    let better = |best: (Action, f32), next: (Action, f32)| {
        select_unpredictable((next.1 > best.1) | best.1.is_nan(), next, best)
    };
    choices.reduce(better).map(|(action, _)| action)
}

/// Returns the indices 0 to `count` - 1, ordered by descending value. Equal values keep
/// their order; NaN is last.
#[inline]
pub fn order_by_value(
    count: usize,
    value: &dyn Fn(usize) -> f32,
) -> impl Iterator<Item = usize> + use<> {
    let mut order = [0u8; MAX_ACTIONS];
    let indices = &mut order[..count];
    for (k, index) in indices.iter_mut().enumerate() {
        *index = k as u8;
    }
    let key = |index: u8| {
        let value = value(usize::from(index));
        if value.is_nan() { f32::NEG_INFINITY } else { value }
    };
    indices.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
    order.into_iter().take(count).map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_below_every_number() {
        let best = |values: [f32; 3]| best_action((0..).map(Action).zip(values)).unwrap().0;
        assert_eq!(best([f32::NAN, f32::NEG_INFINITY, -1.0]), 2);
        assert_eq!(best([f32::NAN, 1.0, f32::NAN]), 1);
        assert_eq!(best([2.0, 2.0, f32::NAN]), 0);
    }

    #[test]
    fn the_largest_value_comes_first_and_equals_keep_their_order() {
        let order =
            |values: &[f32]| order_by_value(values.len(), &|k| values[k]).collect::<Vec<_>>();
        assert_eq!(order(&[2.0, -1.0, 3.0, 2.0, f32::NEG_INFINITY]), [2, 0, 3, 1, 4]);
        assert_eq!(order(&[f32::NAN, 1.0, 2.0]), [2, 1, 0]);
        assert_eq!(order_by_value(0, &|_| 0.0).count(), 0);
        assert!(order_by_value(MAX_ACTIONS, &|_| 1.0).eq(0..MAX_ACTIONS));
    }
}
