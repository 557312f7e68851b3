//! The luck of a game: what its chance events gave, in the opinion of a value V.
//!
//! Let Q(s) = V(s) + the chance reward of s. V(s) is the value of the best action in s, and 0 at
//! the end of a game. A chance event that leads to s has the luck Q(s) - E[Q(s')], where s' is
//! drawn from the outcomes of the event. The expected luck is 0 for every V that was fixed before
//! the game. So score less luck has the mean of the score. The better V predicts the player's
//! scores, the less variance it has: none, if V is the exact value of the player's policy.

use crate::failure::Failure;
use crate::player::NamedPlayer;
use crate::registry::{LoadedGame, Registry};
use crate::threads::{KnownValue, Threads};
use runner_core::wrappers::Transcript;
use runner_core::{
    Afterstate, Fault, Game, Outcome, Outcomes, Spec, State, Successors, Value, ValueScale, catch,
};
use runner_plugin::DynValue;
use runner_spec::quantity::{grouped, number};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Maximum number of outcomes of a chance event that are enumerated.
pub const MOST_OUTCOMES: usize = 1024;

/// A value that measures luck in a game. A [`Meter`] uses it on each thread.
#[derive(Clone)]
pub struct Luck {
    /// Spec of the value, defaults included.
    pub spec: Spec,
    value: DynValue,
    /// True if the games begin as the rules say, and not at given positions.
    starts_of_rules: bool,
    /// The draw of the first position; `None` if its outcomes cannot be listed or are too many.
    first: Option<First>,
}

/// The positions of which a game draws its first one.
#[derive(Clone)]
struct First {
    states: Vec<State>,
    /// Their mean value.
    mean: f64,
}

impl Luck {
    /// Builds the value that a spec names, or takes it from a player that uses it. Each game draws
    /// its first position from `starts`; if that is empty, games begin as the rules say.
    pub fn new(
        registry: &Arc<Registry>,
        spec: &Spec,
        game: &LoadedGame,
        starts: &[State],
        players: &[&NamedPlayer],
        threads: &Threads,
    ) -> Result<Arc<Self>, Failure> {
        refuse_large_chance(game)?;
        let mut values = players.iter().filter_map(|player| player.value.as_ref());
        let known = match values.find(|value| value.typed == *spec) {
            Some(value) => value.clone(),
            None => {
                registry.value_plugin(spec.name())?;
                let player = NamedPlayer::trained(registry, spec, game, threads)?;
                player.value.expect("a value plays by itself")
            }
        };
        Ok(Self::of(known, game, starts)?)
    }

    /// Returns what measures luck by the value that a player plays or searches with. `None` if the
    /// player has no value of afterstates in points, or if chance events have too many outcomes.
    pub fn of_player(game: &LoadedGame, player: &NamedPlayer) -> Option<Arc<Self>> {
        let known = player.value.clone()?;
        if refuse_large_chance(game).is_err()
            || known.value.scale() != ValueScale::Points
            || known.value.estimates_actions()
        {
            return None;
        }
        Self::of(known, game, &[]).ok()
    }

    fn of(known: KnownValue, game: &LoadedGame, starts: &[State]) -> Result<Arc<Self>, Fault> {
        let KnownValue { spec, value, .. } = known;
        let luck = Self { spec, value, starts_of_rules: starts.is_empty(), first: None };
        let first = catch(|| {
            let outcomes: Vec<Outcome> = if starts.is_empty() {
                game.rules.starts()?
            } else {
                let probability = 1.0 / starts.len() as f64;
                starts.iter().map(|&state| Outcome { state, probability }).collect()
            };
            if outcomes.len() > MOST_OUTCOMES {
                return None;
            }
            let mut meter = Meter::new(Arc::new(luck.clone()), &*game.rules);
            meter.states.extend(outcomes.iter().map(|outcome| outcome.state));
            meter.set_values(&*game.rules, None);
            Some(First { mean: mean(&outcomes, &meter.values), states: meter.states })
        })?;
        Ok(Arc::new(Self { first, ..luck }))
    }
}

fn refuse_large_chance(game: &LoadedGame) -> Result<(), Failure> {
    let outcomes = game.rules.description().max_outcomes;
    if outcomes <= MOST_OUTCOMES {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "a chance event of {} has up to {} outcomes, and luck is measured with at most {}: leave it out",
        game.name,
        grouped(outcomes as u64),
        grouped(MOST_OUTCOMES as u64)
    )))
}

/// Measures luck on one thread. The vectors are about one chance event, and kept for their memory.
pub struct Meter {
    luck: Arc<Luck>,
    outcomes: Box<Outcomes>,
    successors: Successors,
    states: Vec<State>,
    /// The afterstates of the first state, then those of the second, and so on.
    afterstates: Vec<Afterstate>,
    /// The reward that leads to each afterstate.
    rewards: Vec<f32>,
    /// Number of afterstates of each state.
    counts: Vec<usize>,
    /// Q of each state.
    values: Vec<f32>,
}

impl Meter {
    pub fn new<G: Game>(luck: Arc<Luck>, game: &G) -> Self {
        Self {
            luck,
            outcomes: Outcomes::with_capacity(game.description().max_outcomes),
            successors: Successors::new(),
            states: Vec::new(),
            afterstates: Vec::new(),
            rewards: Vec::new(),
            counts: Vec::new(),
            values: Vec::new(),
        }
    }

    pub fn game<G: Game>(&mut self, game: &G, played: &Transcript) -> f64 {
        let first = self.start(game, played.start);
        let steps = played.steps.iter();
        first + steps.map(|step| self.event(game, step.afterstate, step.next)).sum::<f64>()
    }

    /// Returns the luck of the first position; 0 if chance did not draw it, or if the others
    /// cannot be listed.
    pub fn start<G: Game>(&mut self, game: &G, start: State) -> f64 {
        let Some(First { ref states, mean }) = self.luck.first else { return 0.0 };
        if !states.contains(&start) {
            return 0.0;
        }
        self.states.clear();
        self.states.push(start);
        self.set_values(game, None);
        f64::from(self.values[0]) - mean
    }

    /// Returns the luck of the chance event that led from an afterstate to `next`.
    pub fn event<G: Game>(&mut self, game: &G, afterstate: Afterstate, next: State) -> f64 {
        self.outcomes.clear();
        game.outcomes(afterstate, &mut self.outcomes);
        self.states.clear();
        self.states.extend(self.outcomes.iter().map(|outcome| outcome.state));
        self.set_values(game, Some(afterstate));
        let Some(index) = self.states.iter().position(|&state| state == next) else {
            let (text, after) = (game.write(next), game.write_afterstate(afterstate));
            Fault::new(format!("{text} is none of the outcomes of {after}")).raise()
        };
        f64::from(self.values[index]) - mean(&self.outcomes, &self.values)
    }

    /// Writes Q of each of `states` to `values`. The draw of the first position is from no
    /// afterstate.
    fn set_values<G: Game>(&mut self, game: &G, from: Option<Afterstate>) {
        self.evaluate(game);
        // A given first position has no chance reward.
        let has_reward = from.is_some() || self.luck.starts_of_rules;
        if has_reward && game.has_chance_rewards() {
            for (value, &state) in self.values.iter_mut().zip(&self.states) {
                *value += game.chance_reward(from, state);
            }
        }
    }

    /// Writes V of each of `states` to `values`.
    fn evaluate<G: Game>(&mut self, game: &G) {
        let Self { luck, successors, states, afterstates, rewards, counts, values, .. } = self;
        let value = &luck.value;
        values.clear();
        if value.estimates_actions() || value.has_priors() {
            values.resize(states.len(), 0.0);
            let mut priors = vec![0.0; states.len() * game.description().actions.len()];
            return value.evaluate_states(game, states, &mut priors, values);
        }
        // All afterstates at once, so that their memory reads overlap.
        afterstates.clear();
        rewards.clear();
        counts.clear();
        for &state in &*states {
            game.successors(state, successors);
            afterstates.extend(successors.iter().map(|next| next.afterstate));
            rewards.extend(successors.iter().map(|next| next.reward));
            counts.push(successors.len());
        }
        let mut estimates = std::mem::take(values);
        estimates.resize(afterstates.len(), 0.0);
        value.evaluate(afterstates, &mut estimates);
        let weight = value.scale().reward_weight();
        let mut first = 0;
        for &count in &*counts {
            let action_values = (first..first + count).map(|k| estimates[k] + weight * rewards[k]);
            let best = action_values.reduce(f32::max);
            values.push(best.unwrap_or_else(|| value.scale().terminal_value()));
            first += count;
        }
    }
}

fn mean(outcomes: &[Outcome], values: &[f32]) -> f64 {
    let terms = outcomes.iter().zip(values);
    let sum: f64 = terms.map(|(outcome, &value)| outcome.probability * f64::from(value)).sum();
    // The probabilities sum to 1, except for rounding.
    sum / outcomes.iter().map(|outcome| outcome.probability).sum::<f64>()
}

/// The luck of the chance events of a game that is shown while it is played.
pub struct Events {
    meter: Meter,
    /// The luck of the first position, once it is measured.
    first: Option<f64>,
    /// The luck after each move.
    lucks: Vec<f64>,
}

/// The luck of the first position and of the first moves of a game, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub total: f64,
    /// The chance event after a move with the least luck, if that is negative.
    pub worst: Option<Worst>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// Number of the move before it, counted from 1.
    pub number: u64,
    pub luck: f64,
}

impl Events {
    pub fn new<G: Game>(luck: Arc<Luck>, game: &G) -> Self {
        Self { meter: Meter::new(luck, game), first: None, lucks: Vec::new() }
    }

    /// Begins another game.
    pub fn restart(&mut self) {
        self.first = None;
        self.lucks.clear();
    }

    /// Forgets the events after the first `moves` moves.
    pub fn truncate(&mut self, moves: usize) {
        self.lucks.truncate(moves);
    }

    /// Measures the events of a game that are not measured yet, or only as many as end before
    /// `until` and one more. `moves` are all moves of the game: the afterstate and the next
    /// position of each.
    pub fn measure<G: Game>(
        &mut self,
        game: &G,
        start: State,
        moves: impl Iterator<Item = (Afterstate, State)>,
        until: Option<Instant>,
    ) {
        self.first.get_or_insert_with(|| self.meter.start(game, start));
        for (afterstate, next) in moves.skip(self.lucks.len()) {
            self.lucks.push(self.meter.event(game, afterstate, next));
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
    }

    /// Returns the luck of the first position and of the first `moves` moves; `None` if these are
    /// not all measured.
    pub fn summary(&self, moves: usize) -> Option<Summary> {
        let first = self.first?;
        let lucks = self.lucks.get(..moves)?;
        let mut worst: Option<Worst> = None;
        for (number, &luck) in (1..).zip(lucks) {
            if luck < worst.map_or(0.0, |worst| worst.luck) {
                worst = Some(Worst { number, luck });
            }
        }
        Some(Summary { total: first + lucks.iter().sum::<f64>(), worst })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&signed(self.total))?;
        let Some(Worst { number, luck }) = self.worst else { return Ok(()) };
        write!(f, ", worst spawn: move {} ({})", grouped(number), signed(luck))
    }
}

/// Formats luck with its sign: `+12,300`.
pub fn signed(luck: f64) -> String {
    let plus = if luck > 0.0 { "+" } else { "" };
    let shown = if luck.abs() < 100.0 { luck } else { luck.round() };
    format!("{plus}{}", number(shown))
}
