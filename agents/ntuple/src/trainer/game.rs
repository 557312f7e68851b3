//! One game in training.

use crate::rule::Rule;
use crate::starts::{NewGame, Origin, Waypoints};
use crate::update::{TrainingContext, Trajectory};
use agent_ntuple_network::{ValueFunction, WeightIndex, position};
use runner_core::{Game, Random, Seed, State, Successors};
use std::slice::Chunks;

/// A game in training. The alignment keeps games of different threads on different cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub struct TrainingGame {
    pub state: State,
    pub random: Random,
    pub score: f64,
    /// Reward since the last step of the trajectory: the reward of the chance outcome, and, if
    /// states or actions are learned, the reward of the action before it.
    pub reward: f32,
    /// The legal actions in `state` and their afterstates.
    pub successors: Successors,
    /// The weight indices of all afterstates of `successors`, one after the other. If states or
    /// actions are learned, a buffer for the indices of one position.
    pub indices: Vec<WeightIndex>,
    pub trajectory: Trajectory,
    pub origin: Origin,
    pub moves: u64,
    /// Positions before moves; none unless `restarts` is `middle`.
    pub waypoints: Waypoints,
    /// Index of the first weight of the next stage. The weights of a stage follow those of the
    /// stage before, so a position with a weight from here on is in a stage that the game has not
    /// entered.
    pub next_stage_begin: usize,
    /// False before the game has begun, and when no other game follows it.
    pub under_way: bool,
}

impl TrainingGame {
    pub fn new(per_step: usize, kept_steps: usize) -> Self {
        Self {
            state: State::default(),
            random: Random::stream(Seed(0), 0),
            score: 0.0,
            reward: 0.0,
            successors: Successors::new(),
            indices: Vec::new(),
            trajectory: Trajectory::new(per_step, kept_steps),
            origin: Origin::Whole,
            moves: 0,
            waypoints: Waypoints::default(),
            next_stage_begin: 0,
            under_way: false,
        }
    }

    /// Returns the game for a part of the lookup, see [`Trajectory::part`]. The caller lists its
    /// actions.
    pub fn part(&self, numbers: &[usize]) -> Self {
        Self {
            state: self.state,
            random: self.random.clone(),
            score: self.score,
            reward: self.reward,
            successors: Successors::new(),
            indices: Vec::new(),
            trajectory: self.trajectory.part(numbers),
            origin: self.origin,
            moves: self.moves,
            waypoints: self.waypoints.clone(),
            next_stage_begin: self.next_stage_begin,
            under_way: self.under_way,
        }
    }

    /// Replaces the game by two parts of it, each with the numbers of its weights. The caller lists
    /// its actions.
    pub fn set_parts(
        &mut self,
        [(first, first_numbers), (second, second_numbers)]: [(Self, &[usize]); 2],
    ) {
        self.trajectory.set_part(&first.trajectory, first_numbers);
        self.trajectory.set_part(&second.trajectory, second_numbers);
        let trajectory = std::mem::replace(&mut self.trajectory, first.trajectory);
        *self = Self { trajectory, ..first };
    }

    /// Replaces the game by a new one. Without a new one, it is not under way any more.
    pub fn replace<G: Game, R: Rule>(
        &mut self,
        new: Option<NewGame>,
        game: &G,
        context: &TrainingContext<'_, R>,
    ) {
        self.under_way = new.is_some();
        let Some(NewGame { start, random, origin }) = new else { return };
        self.random = random;
        self.state = start.state;
        self.score = start.score;
        self.reward = 0.0;
        self.trajectory.clear();
        self.origin = origin;
        self.moves = 0;
        self.waypoints.clear();
        self.enter(context.lookup.stage(position(start.state)), context);
        self.list_actions(game, context);
    }

    pub fn enter<R: Rule>(&mut self, stage: usize, context: &TrainingContext<'_, R>) {
        self.next_stage_begin = (stage + 1) * context.lookup.per_stage();
    }

    /// Lists the legal actions, with the weight indices of their afterstates.
    #[inline(always)]
    pub fn list_actions<G: Game, R: Rule>(&mut self, game: &G, context: &TrainingContext<'_, R>) {
        game.successors(self.state, &mut self.successors);
        let n = context.lookup.per_position();
        let learns_afterstates = context.learns == ValueFunction::Afterstates;
        let needed = if learns_afterstates { self.successors.len() * n } else { n };
        if self.indices.len() < needed {
            self.indices.resize(needed, WeightIndex::default());
        }
        if learns_afterstates {
            let afterstates = self.successors.iter().map(|successor| successor.afterstate);
            context.lookup.indices_of_all(afterstates, &mut self.indices[..needed]);
        }
    }

    /// Returns the weight indices of each afterstate of `successors`.
    #[inline(always)]
    pub fn afterstate_indices(&self, per_position: usize) -> Chunks<'_, WeightIndex> {
        self.indices[..self.successors.len() * per_position].chunks(per_position)
    }
}
