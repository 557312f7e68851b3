//! One game in training.

use crate::rule::Rule;
use crate::starts::{NewGame, Origin, Waypoints};
use crate::update::{TrainingContext, Trajectory};
use agent_ntuple_network::{ValueFunction, WeightIndex, position};
use runner_core::{Game, Random, Seed, State, Successors};
use std::slice::Chunks;

/// A game in training. The alignment keeps games of different threads on different cache
/// lines.
#[derive(Debug)]
#[repr(align(128))]
pub struct TrainingGame {
    pub state: State,
    pub random: Random,
    pub score: f64,
    /// Reward since the last step of the trajectory: that of the chance outcome, and, if states
    /// or actions are learned, that of the action before it.
    pub reward: f32,
    pub successors: Successors,
    /// The weight indices of all afterstates of `successors`, or room for those of the state if
    /// states or actions are learned.
    pub indices: Vec<WeightIndex>,
    pub trajectory: Trajectory,
    pub origin: Origin,
    pub moves: u64,
    /// Positions before moves, if restarts need them.
    pub waypoints: Waypoints,
    /// The first index of a weight of the stages that the game has not entered.
    pub next_stage: usize,
    pub under_way: bool,
}

impl TrainingGame {
    /// Creates a game that has not begun.
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
            next_stage: 0,
            under_way: false,
        }
    }

    /// Returns the game with these of the weights of each position alone. Its actions are not
    /// listed.
    pub fn part(&self, positions: &[usize]) -> Self {
        Self {
            state: self.state,
            random: self.random.clone(),
            score: self.score,
            reward: self.reward,
            successors: Successors::new(),
            indices: Vec::new(),
            trajectory: self.trajectory.part(positions),
            origin: self.origin,
            moves: self.moves,
            waypoints: self.waypoints.clone(),
            next_stage: self.next_stage,
            under_way: self.under_way,
        }
    }

    /// Replaces the game by two parts of it. Its actions are not listed.
    pub fn set_parts(&mut self, [(first, of_first), (second, of_second)]: [(Self, &[usize]); 2]) {
        self.trajectory.set_part(&first.trajectory, of_first);
        self.trajectory.set_part(&second.trajectory, of_second);
        let trajectory = std::mem::replace(&mut self.trajectory, first.trajectory);
        *self = Self { trajectory, successors: Successors::new(), indices: Vec::new(), ..first };
    }

    /// Begins a new game in place of this one.
    pub fn begin<G: Game, R: Rule>(
        &mut self,
        NewGame { start, random, origin }: NewGame,
        game: &G,
        context: &TrainingContext<'_, R>,
    ) {
        self.under_way = true;
        self.random = random;
        self.state = start.state;
        self.score = start.score;
        self.reward = 0.0;
        self.trajectory.clear();
        self.origin = origin;
        self.moves = 0;
        self.waypoints.clear();
        self.enter(context.lookup.stage(position(start.state)), context);
        self.find_actions(game, context);
    }

    /// Notes that the game has reached a stage.
    pub fn enter<R: Rule>(&mut self, stage: usize, context: &TrainingContext<'_, R>) {
        self.next_stage = (stage + 1) * context.lookup.per_stage();
    }

    /// Lists the legal actions, with the weight indices of their afterstates.
    #[inline(always)]
    pub fn find_actions<G: Game, R: Rule>(&mut self, game: &G, context: &TrainingContext<'_, R>) {
        game.successors(self.state, &mut self.successors);
        let n = context.lookup.per_position();
        let afterstates = context.learns == ValueFunction::Afterstates;
        let needed = if afterstates { self.successors.len() * n } else { n };
        if self.indices.len() < needed {
            self.indices.resize(needed, WeightIndex::default());
        }
        if afterstates {
            let all = self.successors.iter().map(|successor| successor.afterstate);
            context.lookup.indices_of_all(all, &mut self.indices[..needed]);
        }
    }

    /// Returns the weight indices of each afterstate of `successors`.
    #[inline(always)]
    pub fn afterstate_indices(&self, per_position: usize) -> Chunks<'_, WeightIndex> {
        self.indices[..self.successors.len() * per_position].chunks(per_position)
    }
}
