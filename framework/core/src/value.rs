//! Values, which estimate positions.

use crate::lines::LineValues;
use crate::{Afterstate, Fact, Facts, Game, MAX_ACTIONS, State, Successors};

/// An estimate of the future rewards of an afterstate.
pub trait Value: Send + Sync {
    /// Writes the estimate of each afterstate to its place in `values`. Both slices have
    /// the same length. Callers pass many afterstates at a time, so that an
    /// implementation can overlap its memory reads.
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]);

    /// Returns true if this value estimates actions instead of afterstates. It then
    /// plays by [`action_values`](Value::action_values), and
    /// [`evaluate`](Value::evaluate) raises a fault.
    fn estimates_actions(&self) -> bool {
        false
    }

    /// Writes the value of each action of a state: its reward and all future rewards. By
    /// default this is the reward and the estimate of the afterstate. `values` is as long
    /// as the list of successors.
    ///
    /// A value that estimates actions and has priors is a policy. Its action values are
    /// probabilities or shares of visits in [0, 1]; its [`scale`](Value::scale) is that of its
    /// values of states.
    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let _ = (game, state);
        afterstate_action_values(self, successors, values);
    }

    /// Returns true if [`evaluate_states`](Value::evaluate_states) has action priors of
    /// its own. The default priors are uniform.
    fn has_priors(&self) -> bool {
        false
    }

    /// Writes the value of each state and the prior probability of each of its actions,
    /// for tree search. Callers pass many states at a time.
    ///
    /// `values` is as long as `states`. `priors` has one row for each state with one entry
    /// for each action of the game's list; illegal actions have the prior 0, and the
    /// priors of the legal ones sum to 1.
    ///
    /// By default the value of a state is that of its best action, and the priors are
    /// uniform. The value of a terminal state is
    /// [`terminal_value`](ValueScale::terminal_value).
    fn evaluate_states(
        &self,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        uniform_priors(self, game, states, priors, values);
    }

    /// Writes the exact value of each afterstate under optimal play, or NaN where it is
    /// not known. Searches ask for these before they search further.
    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let _ = afterstates;
        values.fill(f32::NAN);
    }

    /// Returns true if the estimates of these afterstates are guesses, because nothing like them
    /// occurred in training; `None` if the value cannot tell. A search may then use another value.
    fn is_guess(&self, afterstates: &[Afterstate]) -> Option<bool> {
        let _ = afterstates;
        None
    }

    /// Returns what the estimates mean.
    fn scale(&self) -> ValueScale {
        ValueScale::Points
    }

    /// Returns what else the value knows about an afterstate, for people to read: named facts,
    /// such as the source of the estimate.
    fn facts(&self, afterstate: Afterstate) -> Facts {
        let _ = afterstate;
        Vec::new()
    }

    /// Returns the estimates of boards as tables. Searches that hold them evaluate many times as
    /// fast.
    fn tables(&self) -> Option<&LineValues> {
        None
    }
}

/// The scale of the estimates of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueScale {
    /// Future rewards in points. Rewards are added on the way, and a terminal state has
    /// the value 0.
    Points,
    /// A rating of the position on any scale. Rewards are not added to it.
    Rating {
        /// The value of a terminal state, and the lower bound of all estimates.
        min: f32,
        /// The upper bound of all estimates.
        max: f32,
    },
}

impl ValueScale {
    /// Returns the factor by which rewards are added to an estimate: 1, or 0 for a rating.
    pub fn reward_weight(self) -> f32 {
        match self {
            Self::Points => 1.0,
            Self::Rating { .. } => 0.0,
        }
    }

    /// Returns the unit of estimates, as a fact of an [`Analysis`](crate::Analysis).
    pub fn unit(self) -> (String, Fact) {
        let unit = match self {
            Self::Points => "points to come",
            Self::Rating { .. } => "rating, not points",
        };
        ("unit".to_owned(), unit.into())
    }

    /// Returns the value of a terminal state.
    pub fn terminal_value(self) -> f32 {
        match self {
            Self::Points => 0.0,
            Self::Rating { min, .. } => min,
        }
    }
}

/// Raises a predicted value in points of a position in which the game continues above 0, the value
/// of a game that is over, so that a search prefers any move to the end of the game. Predictions
/// below 1 become values from 0 to 1 in the same order.
///
/// Only for games in which no reward is
/// [negative](crate::Description::rewards_never_negative).
#[inline]
pub fn above_end(prediction: f32) -> f32 {
    if prediction < 1.0 { 1.0 / (2.0 - prediction) } else { prediction }
}

/// Writes the reward plus the estimate of the afterstate of each action: the default of
/// [`Value::action_values`].
pub fn afterstate_action_values<V: Value + ?Sized>(
    value: &V,
    successors: &Successors,
    values: &mut [f32],
) {
    let mut afterstates = [Afterstate::default(); MAX_ACTIONS];
    for (afterstate, successor) in afterstates.iter_mut().zip(successors.iter()) {
        *afterstate = successor.afterstate;
    }
    value.evaluate(&afterstates[..successors.len()], values);
    let weight = value.scale().reward_weight();
    for (value, successor) in values.iter_mut().zip(successors.iter()) {
        *value += weight * successor.reward;
    }
}

/// Writes the value of the best action of each state and uniform priors: the default of
/// [`Value::evaluate_states`].
pub fn uniform_priors<V: Value + ?Sized>(
    value: &V,
    game: &dyn Game,
    states: &[State],
    priors: &mut [f32],
    values: &mut [f32],
) {
    let actions = game.description().actions.len();
    assert_eq!((priors.len(), values.len()), (states.len() * actions, states.len()));
    let mut successors = Successors::new();
    let mut buffer = [0.0; MAX_ACTIONS];
    let rows_of_priors = priors.chunks_mut(actions);
    for ((&state, priors), state_value) in states.iter().zip(rows_of_priors).zip(values) {
        game.successors(state, &mut successors);
        priors.fill(0.0);
        for successor in successors.iter() {
            priors[successor.action.index()] = 1.0 / successors.len() as f32;
        }
        let action_values = &mut buffer[..successors.len()];
        if !successors.is_empty() {
            value.action_values(game, state, &successors, action_values);
        }
        *state_value = action_values
            .iter()
            .copied()
            .reduce(f32::max)
            .unwrap_or_else(|| value.scale().terminal_value());
    }
}

macro_rules! value_behind {
    ($pointer:ty) => {
        #[warn(clippy::missing_trait_methods)]
        impl<V: Value + ?Sized> Value for $pointer {
            #[inline]
            fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
                (**self).evaluate(afterstates, values);
            }

            #[inline]
            fn estimates_actions(&self) -> bool {
                (**self).estimates_actions()
            }

            #[inline]
            fn action_values(
                &self,
                game: &dyn Game,
                state: State,
                successors: &Successors,
                values: &mut [f32],
            ) {
                (**self).action_values(game, state, successors, values);
            }

            #[inline]
            fn has_priors(&self) -> bool {
                (**self).has_priors()
            }

            #[inline]
            fn evaluate_states(
                &self,
                game: &dyn Game,
                states: &[State],
                priors: &mut [f32],
                values: &mut [f32],
            ) {
                (**self).evaluate_states(game, states, priors, values);
            }

            #[inline]
            fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
                (**self).exact_values(afterstates, values);
            }

            #[inline]
            fn is_guess(&self, afterstates: &[Afterstate]) -> Option<bool> {
                (**self).is_guess(afterstates)
            }

            #[inline]
            fn scale(&self) -> ValueScale {
                (**self).scale()
            }

            #[inline]
            fn facts(&self, afterstate: Afterstate) -> Facts {
                (**self).facts(afterstate)
            }

            #[inline]
            fn tables(&self) -> Option<&LineValues> {
                (**self).tables()
            }
        }
    };
}

value_behind!(&V);
value_behind!(std::sync::Arc<V>);
