//! The learning algorithms as Jaśkowski (2018) and Mahmood and others (2012) print them, on weights
//! in a hash map: a slow reference for the learners.
//!
//! Names are theirs: t counts the moves of a game from 1 on, s(t) is the afterstate
//! of move t, r(t) the reward since the previous one. If states are learned, s(t) is the state
//! in which move t is made; if actions are learned, that state and the move.

use super::{Key, keys_for, tables_of};
use agent_ntuple_network::{Inheritance, Network, ValueFunction, position};
use runner_core::geometry::Geometry;
use runner_core::{Game, Outcomes, State, Successor, Successors};
use std::cell::{RefCell, RefMut};
use std::collections::{BTreeMap, HashMap};

/// How a weight changes by an error.
#[derive(Clone, Copy)]
pub enum Rule {
    /// One step size for all weights.
    Td {
        alpha: f64,
    },
    /// Temporal coherence: Algorithm 2 adds the whole error to the sums.
    Tc {
        beta: f64,
    },
    Autostep {
        mu: f64,
        tau: f64,
        initial: f64,
    },
}

/// Which steps an error updates, and when.
#[derive(Clone, Copy, Debug)]
pub enum Scheme {
    /// Algorithms 1 and 2: TD(lambda) and TC(lambda).
    Forward {
        lambda: f64,
        h: usize,
    },
    /// Algorithms 3 and 4: delayed TD(lambda) and TC(lambda).
    Delayed {
        lambda: f64,
        h: usize,
    },
    NStep {
        n: usize,
    },
    /// Formula 6 of multi-stage TD, after the game, first move first.
    MeanReturn,
    /// After the game, last move first, to the lambda-return.
    Backward {
        lambda: f64,
    },
}

/// A weight with the memory of every rule.
#[derive(Clone, Copy)]
pub struct Record {
    pub weight: f64,
    /// TC's sum of errors, and that of their absolute values.
    e: f64,
    a: f64,
    /// Autostep's step size and traces.
    alpha: f64,
    h: f64,
    v: f64,
}

#[derive(Default)]
pub struct Trajectory {
    /// The weights of s(t), at t - 1.
    s: Vec<Vec<Key>>,
    /// r(t), at t - 1.
    r: Vec<f64>,
    /// The error of s(t), at t - 1.
    delta: Vec<f64>,
}

impl Trajectory {
    fn t(&self) -> usize {
        self.s.len()
    }

    fn s(&self, t: usize) -> &[Key] {
        &self.s[t - 1]
    }
}

pub struct Learner {
    pub learns: ValueFunction,
    pub network: Network,
    pub board: Geometry,
    pub rule: Rule,
    pub scheme: Scheme,
    pub initial: f64,
    pub inheritance: Inheritance,
    /// Weights that were touched. Promotion touches weights when they are read.
    pub records: RefCell<HashMap<Key, Record>>,
}

impl Learner {
    pub fn keys(&self, state: State, taken: &Successor) -> Vec<Key> {
        let position = match self.learns {
            ValueFunction::Afterstates => taken.afterstate,
            ValueFunction::States | ValueFunction::Actions => position(state),
        };
        keys_for(&self.network, &self.board, position, taken.action)
    }

    pub fn action_value<G: Game>(&self, game: &G, state: State, taken: &Successor) -> f64 {
        match self.learns {
            ValueFunction::Afterstates => {
                f64::from(taken.reward) + self.v(&self.keys(state, taken))
            }
            ValueFunction::Actions => self.v(&self.keys(state, taken)),
            ValueFunction::States => {
                let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
                game.outcomes(taken.afterstate, &mut outcomes);
                let after = |next: State| {
                    let mut successors = Successors::new();
                    game.successors(next, &mut successors);
                    let reward = f64::from(game.chance_reward(Some(taken.afterstate), next));
                    // Every action of a state reads the same weights.
                    reward + successors.first().map_or(0.0, |any| self.v(&self.keys(next, any)))
                };
                let expected = outcomes.iter().map(|o| o.probability * after(o.state));
                f64::from(taken.reward) + expected.sum::<f64>()
            }
        }
    }

    fn record(&self, key: &Key) -> RefMut<'_, Record> {
        let new = self.new_record(key);
        RefMut::map(self.records.borrow_mut(), |all| all.entry(key.clone()).or_insert(new))
    }

    /// Returns the record of a weight that was not touched yet.
    fn new_record(&self, key: &Key) -> Record {
        let alpha = match self.rule {
            Rule::Autostep { initial, .. } => initial,
            _ => 0.0,
        };
        let fresh = Record { weight: self.initial, e: 0.0, a: 0.0, alpha, h: 0.0, v: 0.0 };
        let per_stage = tables_of(&self.network) * self.network.actions();
        if self.inheritance == Inheritance::None {
            return fresh;
        }
        // The nearest earlier stage with a touched weight.
        let mut source = key.clone();
        while source.0 >= per_stage {
            source.0 -= per_stage;
            match self.records.borrow().get(&source) {
                Some(&found) if self.inheritance == Inheritance::Weights => {
                    return Record { weight: found.weight, ..fresh };
                }
                Some(&found) => return found,
                None => {}
            }
        }
        fresh
    }

    pub fn v(&self, s: &[Key]) -> f64 {
        s.iter().map(|key| self.record(key).weight).sum()
    }

    /// Handles a move to the next afterstate, with the reward `r` since the last one.
    pub fn moved(&mut self, trajectory: &mut Trajectory, r: f64, next: Vec<Key>) {
        let t = trajectory.t();
        let v_next = self.v(&next);
        match self.scheme {
            Scheme::Forward { .. } | Scheme::Delayed { .. } if t > 0 => {
                let delta = r + v_next - self.v(trajectory.s(t));
                self.lambda_update(trajectory, delta);
            }
            Scheme::NStep { n } if t + 1 > n => {
                let k = t + 1 - n;
                let target = trajectory.r[k..].iter().sum::<f64>() + r + v_next;
                self.update_to(trajectory.s(k), target);
            }
            _ => {}
        }
        trajectory.s.push(next);
        trajectory.r.push(r);
    }

    /// Handles the end of the game, with the reward `last` since the last afterstate.
    pub fn ended(&mut self, trajectory: &mut Trajectory, last: f64) {
        let t = trajectory.t();
        if t == 0 {
            return;
        }
        match self.scheme {
            Scheme::Forward { .. } => {
                let delta = last - self.v(trajectory.s(t));
                self.lambda_update(trajectory, delta);
            }
            Scheme::Delayed { h, .. } => {
                let delta = last - self.v(trajectory.s(t));
                self.lambda_update(trajectory, delta);
                // The function FINALLY.
                for back in (0..h).rev().filter(|back| t > *back) {
                    self.delayed_update(trajectory, t - back, back);
                }
            }
            Scheme::NStep { n } => {
                for k in (1..=t).filter(|k| k + n > t) {
                    let target = self.n_step_return(trajectory, k, n, last);
                    self.update_to(trajectory.s(k), target);
                }
            }
            Scheme::MeanReturn => {
                for k in 1..=t {
                    let weights = [0.5, 0.25, 0.125, 0.0625, 0.0625];
                    let returns = (1..=5).map(|n| self.n_step_return(trajectory, k, n, last));
                    let target = weights.iter().zip(returns).map(|(weight, r)| weight * r).sum();
                    self.update_to(trajectory.s(k), target);
                }
            }
            Scheme::Backward { lambda } => {
                let mut target = last;
                self.update_to(trajectory.s(t), target);
                for k in (1..t).rev() {
                    let after = lambda * target + (1.0 - lambda) * self.v(trajectory.s(k + 1));
                    target = trajectory.r[k] + after;
                    self.update_to(trajectory.s(k), target);
                }
            }
        }
    }

    /// Returns the rewards of n steps after s(t), plus the value after them.
    fn n_step_return(&self, trajectory: &Trajectory, t: usize, n: usize, last: f64) -> f64 {
        match (n, t == trajectory.t()) {
            (0, _) => self.v(trajectory.s(t)),
            (_, true) => last,
            _ => trajectory.r[t] + self.n_step_return(trajectory, t + 1, n - 1, last),
        }
    }

    /// TD(lambda)Update and DelayedTD(lambda)Update.
    fn lambda_update(&mut self, trajectory: &mut Trajectory, delta: f64) {
        let t = trajectory.t();
        trajectory.delta.push(delta);
        match self.scheme {
            Scheme::Forward { lambda, h } => {
                for k in (t.saturating_sub(h).max(1)..=t).rev() {
                    self.update(trajectory.s(k), delta, lambda.powi((t - k) as i32));
                }
            }
            Scheme::Delayed { h, .. } if t > h => self.delayed_update(trajectory, t - h, h),
            _ => {}
        }
    }

    /// The one update of s(k), with its error and those of `later` more steps.
    fn delayed_update(&mut self, trajectory: &Trajectory, k: usize, later: usize) {
        let Scheme::Delayed { lambda, .. } = self.scheme else { unreachable!() };
        let errors = &trajectory.delta[k - 1..=k - 1 + later];
        let sum = errors.iter().zip(0..).map(|(delta, n)| delta * lambda.powi(n)).sum();
        self.update(trajectory.s(k), sum, 1.0);
    }

    fn update_to(&mut self, s: &[Key], target: f64) {
        let error = target - self.v(s);
        self.update(s, error, 1.0);
    }

    /// Updates the weights of a position by `factor` of a full update for an error.
    fn update(&mut self, s: &[Key], error: f64, factor: f64) {
        let m = s.len() as f64;
        match self.rule {
            Rule::Td { alpha } => {
                for key in s {
                    self.record(key).weight += alpha / m * error * factor;
                }
            }
            Rule::Tc { beta } => {
                for key in s {
                    let mut record = self.record(key);
                    let alpha = if record.a != 0.0 { record.e.abs() / record.a } else { 1.0 };
                    record.weight += beta * alpha / m * error * factor;
                    record.e += error;
                    record.a += error.abs();
                }
            }
            Rule::Autostep { mu, tau, .. } => self.autostep(s, error * factor, mu, tau),
        }
    }

    /// Table 1 of Mahmood and others, 2012, whose tau is the inverse of this one. The feature of
    /// a weight is how often the position reads it.
    fn autostep(&mut self, s: &[Key], delta: f64, mu: f64, tau: f64) {
        let mut features: BTreeMap<&Key, f64> = BTreeMap::new();
        for key in s {
            *features.entry(key).or_default() += 1.0;
        }
        let mut total = 0.0;
        for (key, x) in &features {
            let mut r = self.record(key);
            let gain = delta * x * r.h;
            r.v = gain.abs().max(r.v + tau * r.alpha * x * x * (gain.abs() - r.v));
            if r.v != 0.0 {
                r.alpha *= (mu * gain / r.v).exp();
            }
            total += r.alpha * x * x;
        }
        for (key, x) in &features {
            let mut r = self.record(key);
            r.alpha /= total.max(1.0);
            r.weight += r.alpha * delta * x;
            r.h = r.h * (1.0 - r.alpha * x * x) + r.alpha * delta * x;
        }
    }
}
