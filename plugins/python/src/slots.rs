//! The games of a batch: how they begin, and how a step moves them.

use crate::game::{Rules, with_rules};
use crate::outputs::Part;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use runner_core::rows::nth_set_bit;
use runner_core::{
    Action, Fault, Game as Law, Random, Seed, Start, State, Successors, catch, scale,
};
use std::sync::Arc;

/// When a game that is over is followed by another, as gymnasium names it.
#[derive(Clone, Copy, PartialEq)]
pub enum Autoreset {
    /// In the next step, whose action is ignored.
    NextStep,
    /// At once. The last position is in the arrays `final_boards` and `final_extras`.
    SameStep,
    /// Never: a step of a game that is over is refused.
    Disabled,
}

/// What all games of a batch have in common.
pub struct BatchOptions {
    pub rules: Arc<Rules>,
    pub autoreset: Autoreset,
    /// An illegal action changes nothing, and is no error.
    pub ignores_illegal: bool,
    pub max_steps: u64,
    /// First positions, of which each game draws one. If empty, games begin as the rules say.
    pub starts: Vec<State>,
}

pub struct Slot {
    random: Random,
    pub state: State,
    /// The legal actions, one bit for each.
    legal: u64,
    pub score: f64,
    /// The reward of the start position, which the first step adds to its own.
    pending: f64,
    pub steps: u64,
    is_over: bool,
    /// The seed of the run whose games follow each other in this slot.
    seed: Seed,
    /// Number of the next game.
    next: u64,
    /// Distance to the number of the game after it.
    stride: u64,
}

impl Slot {
    /// Returns a slot in which no game has begun.
    pub fn new(index: usize, games: usize) -> Self {
        Self {
            random: Random::from_word(0),
            state: State::RESERVED,
            legal: 0,
            score: 0.0,
            pending: 0.0,
            steps: 0,
            is_over: false,
            seed: Seed(0),
            next: index as u64,
            stride: games as u64,
        }
    }

    pub fn set_run(&mut self, seed: u64, next: usize, stride: usize) {
        (self.seed, self.next, self.stride) = (Seed(seed), next as u64, stride as u64);
    }

    #[inline(always)]
    fn list<G: Law>(&mut self, game: &G, successors: &mut Successors) {
        game.successors(self.state, successors);
        self.legal = successors.iter().fold(0, |legal, s| legal | 1 << s.action.0);
        self.is_over = self.legal == 0;
    }

    /// Returns true if the game is over, or has reached the limit of steps.
    #[inline(always)]
    fn is_ended(&self, options: &BatchOptions) -> bool {
        self.is_over || self.steps >= options.max_steps
    }
}

impl BatchOptions {
    /// Starts the next game of a slot, at a position if one is given.
    fn begin<G: Law>(&self, game: &G, slot: &mut Slot, given: Option<State>) {
        slot.random = Random::stream(slot.seed, slot.next);
        slot.next += slot.stride;
        let start = match given {
            Some(state) => Start { state, score: 0.0 },
            None if self.starts.is_empty() => Start::new(game, game.start(slot.random.word())),
            None => {
                let place = slot.random.unit() * self.starts.len() as f64;
                Start { state: self.starts[place as usize], score: 0.0 }
            }
        };
        slot.state = start.state;
        slot.score = start.score;
        slot.pending = start.score;
        slot.steps = 0;
        slot.list(game, &mut Successors::new());
    }

    /// Starts the next game of a slot, and writes its first position.
    pub fn reset(&self, part: &mut Part<'_, Slot>, index: usize, state: Option<State>) {
        with_rules!(self.rules, |game| self.begin(game, &mut part.slots[index], state));
        (part.rewards[index], part.truncated[index]) = (0.0, false);
        part.terminated[index] = part.slots[index].is_over;
        self.observe(part, index);
    }

    /// Refuses the actions of a step before any of them is made.
    pub fn check(&self, slots: &[Slot], actions: Option<&[i64]>) -> PyResult<()> {
        if self.autoreset == Autoreset::Disabled
            && let Some(k) = slots.iter().position(|slot| slot.is_ended(self))
        {
            return Err(PyValueError::new_err(format!("game {k} is over: reset it")));
        }
        let count = self.rules.actions() as i64;
        for (k, (slot, &action)) in slots.iter().zip(actions.unwrap_or(&[])).enumerate() {
            if slot.is_ended(self) {
                continue;
            }
            if !(0..count).contains(&action) {
                let wrong = format!("is {action}, which is not from 0 to {}", count - 1);
                return Err(PyValueError::new_err(format!("the action of game {k} {wrong}")));
            }
            if !self.ignores_illegal && slot.legal >> action & 1 == 0 {
                let state = self.rules.catch(|| self.rules.loaded.rules.write(slot.state))?;
                let name = self.rules.description().action_name(Action(action as u8));
                let wrong = format!("`{name}`, is not legal in {state}");
                return Err(PyValueError::new_err(format!("the action of game {k}, {wrong}")));
            }
        }
        Ok(())
    }

    /// Writes the position of a game.
    #[inline(always)]
    fn observe(&self, part: &mut Part<'_, Slot>, index: usize) {
        let Some(codec) = &self.rules.codec else { return };
        let (cells, fields) = (codec.cells(), codec.fields.len());
        let slot = &part.slots[index];
        codec.board(slot.state.bits(), &mut part.boards[index * cells..][..cells]);
        codec.extras(slot.state.bits(), &mut part.extras[index * fields..][..fields]);
        let actions = part.masks.len() / part.slots.len();
        for (action, legal) in part.masks[index * actions..][..actions].iter_mut().enumerate() {
            *legal = slot.legal >> action & 1 == 1;
        }
    }

    #[cold]
    fn keep_final(&self, part: &mut Part<'_, Slot>, index: usize) {
        let Some(codec) = &self.rules.codec else { return };
        let copy = |from: &[u8], to: &mut [u8], size: usize| {
            let range = index * size..(index + 1) * size;
            to[range.clone()].copy_from_slice(&from[range]);
        };
        copy(part.boards, part.final_boards, codec.cells());
        copy(part.extras, part.final_extras, codec.fields.len());
    }

    /// Makes a move in each game: the actions that are given, or random legal ones.
    pub fn step<G: Law>(
        &self,
        game: &G,
        part: &mut Part<'_, Slot>,
        actions: Option<&[i64]>,
    ) -> Result<(), Fault> {
        let has_chance_rewards = game.has_chance_rewards();
        let mut successors = Successors::new();
        catch(|| {
            for index in 0..part.slots.len() {
                let slot = &mut part.slots[index];
                part.truncated[index] = false;
                if slot.is_ended(self) {
                    self.begin(game, slot, None);
                    (part.rewards[index], part.terminated[index]) = (0.0, slot.is_over);
                    self.observe(part, index);
                    continue;
                }
                // A player draws before chance does, as in every game of the runner.
                let word = slot.random.word();
                let action = match actions {
                    Some(actions) => actions[index] as u8,
                    None => {
                        let drawn = scale((word >> 32) as u32, slot.legal.count_ones());
                        nth_set_bit(slot.legal, drawn) as u8
                    }
                };
                let mut reward = std::mem::take(&mut slot.pending);
                slot.steps += 1;
                if slot.legal >> action & 1 == 1 {
                    let Some(chosen) = game.successor(slot.state, Action(action)) else {
                        let message = "`successor` and `successors` list different actions";
                        Fault::new(message).raise()
                    };
                    let next = game.spawn(chosen.afterstate, slot.random.word());
                    let mut earned = f64::from(chosen.reward);
                    if has_chance_rewards {
                        earned += f64::from(game.chance_reward(Some(chosen.afterstate), next));
                    }
                    slot.state = next;
                    slot.score += earned;
                    reward += earned;
                    slot.list(game, &mut successors);
                }
                part.rewards[index] = reward;
                part.terminated[index] = slot.is_over;
                part.truncated[index] = slot.steps >= self.max_steps;
                if self.autoreset == Autoreset::SameStep && slot.is_ended(self) {
                    self.observe(part, index);
                    self.keep_final(part, index);
                    self.begin(game, &mut part.slots[index], None);
                }
                self.observe(part, index);
            }
        })
    }
}
