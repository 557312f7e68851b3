//! The luck of a game: what its chance events gave, in the opinion of a value.
//!
//! The luck of a chance event is V(position that came) less the mean of V over the positions that
//! could have come, each with its reward of chance. V of a position is the value of its best
//! action, and that of the end of a game 0. The mean of each term is 0 whatever V is, if V was
//! fixed before the game. So score less luck has the mean of the score, and less variance the
//! better V knows the player: if V is the exact value of the player's own policy, all that is left
//! is a constant.

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

/// The most outcomes of a chance event that are enumerated.
pub const MOST_OUTCOMES: usize = 1024;

/// A value that measures luck in a game.
#[derive(Clone)]
pub struct Luck {
    /// Spec of the value, defaults included.
    pub spec: Spec,
    value: DynValue,
    /// True if the games begin as the rules say.
    starts_of_rules: bool,
    /// The chance event before the first move; `None` if its outcomes cannot be listed.
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
    /// Builds the value that a spec names, unless one of the players has it. `starts` are the
    /// positions of which each game draws its first one; if empty, games begin as the rules say.
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

    /// Returns what measures the luck of a player's games by the value that it plays or searches
    /// with, if that estimates points, and chance can be enumerated.
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
            let probability = 1.0 / starts.len() as f64;
            let outcomes: Vec<Outcome> = if starts.is_empty() {
                game.rules.starts()?
            } else {
                starts.iter().map(|&state| Outcome { state, probability }).collect()
            };
            let mut meter = Meter::new(Arc::new(luck.clone()), &*game.rules);
            (outcomes.len() <= MOST_OUTCOMES).then(|| First {
                mean: meter.mean(&*game.rules, None, &outcomes),
                states: outcomes.iter().map(|outcome| outcome.state).collect(),
            })
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

/// Measures luck on one thread.
pub struct Meter {
    luck: Arc<Luck>,
    outcomes: Box<Outcomes>,
    successors: Successors,
    states: Vec<State>,
    /// The afterstates of all states, with the rewards that lead to them.
    afterstates: Vec<Afterstate>,
    rewards: Vec<f32>,
    /// Number of afterstates of each state.
    counts: Vec<usize>,
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

    /// Returns the luck of a whole game.
    pub fn game<G: Game>(&mut self, game: &G, played: &Transcript) -> f64 {
        let first = self.start(game, played.start);
        let steps = played.steps.iter();
        first + steps.map(|step| self.event(game, step.afterstate, step.next)).sum::<f64>()
    }

    /// Returns the luck of the first position; 0 if chance did not draw it, or if the others
    /// cannot be listed.
    pub fn start<G: Game>(&mut self, game: &G, start: State) -> f64 {
        let first = self.luck.first.as_ref().filter(|first| first.states.contains(&start));
        let Some(mean) = first.map(|first| first.mean) else { return 0.0 };
        self.mean(game, None, &[Outcome { state: start, probability: 1.0 }]) - mean
    }

    /// Returns the luck of a chance event.
    pub fn event<G: Game>(&mut self, game: &G, afterstate: Afterstate, came: State) -> f64 {
        let mut outcomes = std::mem::replace(&mut self.outcomes, Outcomes::with_capacity(0));
        outcomes.clear();
        game.outcomes(afterstate, &mut outcomes);
        let mean = self.mean(game, Some(afterstate), &outcomes);
        let place = outcomes.iter().position(|outcome| outcome.state == came);
        self.outcomes = outcomes;
        let Some(place) = place else {
            let (text, after) = (game.write(came), game.write_afterstate(afterstate));
            Fault::new(format!("{text} is none of the outcomes of {after}")).raise()
        };
        f64::from(self.values[place]) - mean
    }

    /// Returns the mean value of states, and leaves the value of each in `values`.
    fn mean<G: Game>(&mut self, game: &G, from: Option<Afterstate>, outcomes: &[Outcome]) -> f64 {
        self.states.clear();
        self.states.extend(outcomes.iter().map(|outcome| outcome.state));
        self.evaluate(game);
        let counts_chance = from.is_some() || self.luck.starts_of_rules;
        if counts_chance && game.has_chance_rewards() {
            for (value, &state) in self.values.iter_mut().zip(&self.states) {
                *value += game.chance_reward(from, state);
            }
        }
        let terms = outcomes.iter().zip(&self.values);
        let mean: f64 = terms.map(|(outcome, &value)| outcome.probability * f64::from(value)).sum();
        // The sum of the probabilities may be rounded.
        mean / outcomes.iter().map(|outcome| outcome.probability).sum::<f64>()
    }

    /// Writes the value of each of `states` to `values`.
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
        let mut from = 0;
        for &count in &*counts {
            let worths = (from..from + count).map(|k| estimates[k] + weight * rewards[k]);
            let best = worths.reduce(f32::max);
            values.push(best.unwrap_or_else(|| value.scale().terminal_value()));
            from += count;
        }
    }
}

/// The luck of the chance events of a game that is shown.
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

    /// Forgets the events after this many moves.
    pub fn truncate(&mut self, moves: usize) {
        self.lucks.truncate(moves);
    }

    /// Measures the events that follow those that are measured, until a time: that of the first
    /// position of the game, and those of its moves, of each the afterstate and the position that
    /// came.
    pub fn measure<G: Game>(
        &mut self,
        game: &G,
        start: State,
        moves: impl Iterator<Item = (Afterstate, State)>,
        until: Option<Instant>,
    ) {
        self.first.get_or_insert_with(|| self.meter.start(game, start));
        for (afterstate, came) in moves.skip(self.lucks.len()) {
            self.lucks.push(self.meter.event(game, afterstate, came));
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
    }

    /// Returns the luck of the first position and of this many moves; `None` if not all of it is
    /// measured.
    pub fn summary(&self, moves: usize) -> Option<Summary> {
        let (first, lucks) = (self.first?, self.lucks.get(..moves)?);
        let numbered = (1..).zip(lucks).map(|(number, &luck)| Worst { number, luck });
        let negative = numbered.filter(|event| event.luck < 0.0);
        let worst = negative.min_by(|a, b| a.luck.total_cmp(&b.luck));
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
