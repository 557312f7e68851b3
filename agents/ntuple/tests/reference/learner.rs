//! The learning rules as the papers print them, on weights in a hash map: slow,
//! and what the learners are held against.
//!
//! Names are the papers': t counts the moves of a game from 1 on, s(t) is the
//! afterstate of move t, r(t) what was earned on the way to it. Where states are
//! learned, s(t) is the state in which move t is made; where actions are, that state
//! and the move.

use super::{Key, keys_for};
use agent_ntuple::learned::{Learns, position};
use agent_ntuple::network::Network;
use runner_core::board::Geometry;
use runner_core::{Game, Outcomes, State, Successor, Successors};
use std::collections::{BTreeMap, HashMap};

/// How a weight moves by an error.
#[derive(Clone, Copy)]
pub enum Rule {
    /// With one step size for all.
    Td { alpha: f64 },
    /// Temporal coherence. Algorithm 2 adds the error to the sums; its authors' program
    /// adds the decayed error.
    Tc { beta: f64, decayed: bool },
    /// Autostep.
    Autostep { mu: f64, tau: f64, initial: f64 },
}

/// Which estimates answer for which errors.
#[derive(Clone, Copy, Debug)]
pub enum Credit {
    /// Algorithms 1 and 2: TD(lambda) and TC(lambda).
    Forward { lambda: f64, h: usize },
    /// Algorithms 3 and 4: delayed TD(lambda) and TC(lambda).
    Delayed { lambda: f64, h: usize },
    /// n-step TD.
    NStep { n: usize },
    /// Formula 6 of multi-stage TD, after the game, first move first.
    MeanReturn,
    /// After the game, last move first.
    Backward,
}

/// A weight, and what the rules remember of it.
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

/// A game so far.
#[derive(Default)]
pub struct Course {
    /// The weights of s(t), at t - 1.
    s: Vec<Vec<Key>>,
    /// r(t), at t - 1.
    r: Vec<f64>,
    /// The error of s(t), at t - 1.
    delta: Vec<f64>,
}

impl Course {
    fn t(&self) -> usize {
        self.s.len()
    }

    fn s(&self, t: usize) -> &[Key] {
        &self.s[t - 1]
    }
}

/// Who learns.
pub struct Learner {
    pub learns: Learns,
    pub network: Network,
    pub board: Geometry,
    pub rule: Rule,
    pub credit: Credit,
    /// What every weight is at first.
    pub initial: f64,
    pub records: HashMap<Key, Record>,
}

impl Learner {
    /// What is learned of when this action is taken in this state.
    pub fn keys(&self, state: State, taken: &Successor) -> Vec<Key> {
        let position = match self.learns {
            Learns::Afterstates => taken.afterstate,
            Learns::States | Learns::Actions => position(state),
        };
        keys_for(&self.network, &self.board, position, taken.action)
    }

    /// What an action is worth.
    pub fn worth<G: Game>(&self, game: &G, state: State, taken: &Successor) -> f64 {
        match self.learns {
            Learns::Afterstates => f64::from(taken.reward) + self.v(&self.keys(state, taken)),
            Learns::Actions => self.v(&self.keys(state, taken)),
            Learns::States => {
                let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
                game.outcomes(taken.afterstate, &mut outcomes);
                let after = |next: State| {
                    let mut successors = Successors::new();
                    game.successors(next, &mut successors);
                    let given = f64::from(game.chance_reward(Some(taken.afterstate), next));
                    // Whatever is taken there, it is the state that is learned of.
                    given + successors.first().map_or(0.0, |any| self.v(&self.keys(next, any)))
                };
                let expected = outcomes.iter().map(|o| o.probability * after(o.state));
                f64::from(taken.reward) + expected.sum::<f64>()
            }
        }
    }

    fn record(&mut self, key: &Key) -> &mut Record {
        let alpha = match self.rule {
            Rule::Autostep { initial, .. } => initial,
            _ => 0.0,
        };
        let new = Record { weight: self.initial, e: 0.0, a: 0.0, alpha, h: 0.0, v: 0.0 };
        self.records.entry(key.clone()).or_insert(new)
    }

    /// V(s).
    pub fn v(&self, s: &[Key]) -> f64 {
        s.iter().map(|key| self.records.get(key).map_or(self.initial, |r| r.weight)).sum()
    }

    /// The player goes to the next afterstate, and earns `r` on the way.
    pub fn went(&mut self, course: &mut Course, r: f64, next: Vec<Key>) {
        let t = course.t();
        let v_next = self.v(&next);
        match self.credit {
            Credit::Forward { .. } | Credit::Delayed { .. } if t > 0 => {
                let delta = r + v_next - self.v(course.s(t));
                self.lambda_update(course, delta);
            }
            Credit::NStep { n } if t + 1 > n => {
                let k = t + 1 - n;
                let earned: f64 = course.r[k..].iter().sum();
                self.correct(course.s(k), earned + r + v_next);
            }
            _ => {}
        }
        course.s.push(next);
        course.r.push(r);
    }

    /// The game is over; `last` was earned after the last afterstate.
    pub fn over(&mut self, course: &mut Course, last: f64) {
        let t = course.t();
        if t == 0 {
            return;
        }
        match self.credit {
            Credit::Forward { .. } => {
                let delta = last - self.v(course.s(t));
                self.lambda_update(course, delta);
            }
            Credit::Delayed { h, .. } => {
                let delta = last - self.v(course.s(t));
                self.lambda_update(course, delta);
                // Finally.
                for back in (0..h).rev().filter(|back| t > *back) {
                    self.delayed_update(course, t - back, back);
                }
            }
            Credit::NStep { n } => {
                for k in (1..=t).filter(|k| k + n > t) {
                    let earned: f64 = course.r[k..].iter().sum();
                    self.correct(course.s(k), earned + last);
                }
            }
            Credit::MeanReturn => {
                for k in 1..=t {
                    let shares = [0.5, 0.25, 0.125, 0.0625, 0.0625];
                    let returns = (1..=5).map(|n| self.n_step_return(course, k, n, last));
                    let target = shares.iter().zip(returns).map(|(share, r)| share * r).sum();
                    self.correct(course.s(k), target);
                }
            }
            Credit::Backward => {
                self.correct(course.s(t), last);
                for k in (1..t).rev() {
                    self.correct(course.s(k), course.r[k] + self.v(course.s(k + 1)));
                }
            }
        }
    }

    /// What is earned in n steps after s(t), and what is expected from there on.
    fn n_step_return(&self, course: &Course, t: usize, n: usize, last: f64) -> f64 {
        match (n, t == course.t()) {
            (0, _) => self.v(course.s(t)),
            (_, true) => last,
            _ => course.r[t] + self.n_step_return(course, t + 1, n - 1, last),
        }
    }

    /// TD(lambda)Update and DelayedTD(lambda)Update.
    fn lambda_update(&mut self, course: &mut Course, delta: f64) {
        let t = course.t();
        course.delta.push(delta);
        match self.credit {
            Credit::Forward { lambda, h } => {
                for k in (t.saturating_sub(h).max(1)..=t).rev() {
                    self.update(course.s(k), delta, lambda.powi((t - k) as i32));
                }
            }
            Credit::Delayed { h, .. } if t > h => self.delayed_update(course, t - h, h),
            _ => {}
        }
    }

    /// The one update of s(k), with the errors of it and of `later` steps more.
    fn delayed_update(&mut self, course: &Course, k: usize, later: usize) {
        let Credit::Delayed { lambda, .. } = self.credit else { unreachable!() };
        let errors = &course.delta[k - 1..=k - 1 + later];
        let sum = errors.iter().zip(0..).map(|(delta, n)| delta * lambda.powi(n)).sum();
        self.update(course.s(k), sum, 1.0);
    }

    fn correct(&mut self, s: &[Key], target: f64) {
        let error = target - self.v(s);
        self.update(s, error, 1.0);
    }

    /// One error of one estimate, of which `factor` counts.
    fn update(&mut self, s: &[Key], error: f64, factor: f64) {
        let m = s.len() as f64;
        match self.rule {
            Rule::Td { alpha } => {
                for key in s {
                    self.record(key).weight += alpha / m * error * factor;
                }
            }
            Rule::Tc { beta, decayed } => {
                let accumulated = if decayed { error * factor } else { error };
                for key in s {
                    let record = self.record(key);
                    let alpha = if record.a != 0.0 { record.e.abs() / record.a } else { 1.0 };
                    record.weight += beta * alpha / m * error * factor;
                    record.e += accumulated;
                    record.a += accumulated.abs();
                }
            }
            Rule::Autostep { mu, tau, .. } => self.autostep(s, error * factor, mu, tau),
        }
    }

    /// Table 1 of Mahmood and others, 2012, whose tau is the inverse of this one. The
    /// feature of a weight is how often the position has it.
    fn autostep(&mut self, s: &[Key], delta: f64, mu: f64, tau: f64) {
        let mut features: BTreeMap<&Key, f64> = BTreeMap::new();
        for key in s {
            *features.entry(key).or_default() += 1.0;
        }
        let mut total = 0.0;
        for (key, x) in &features {
            let r = self.record(key);
            let gain = delta * x * r.h;
            r.v = gain.abs().max(r.v + tau * r.alpha * x * x * (gain.abs() - r.v));
            if r.v != 0.0 {
                r.alpha *= (mu * gain / r.v).exp();
            }
            total += r.alpha * x * x;
        }
        for (key, x) in &features {
            let r = self.record(key);
            r.alpha /= total.max(1.0);
            r.weight += r.alpha * delta * x;
            r.h = r.h * (1.0 - r.alpha * x * x) + r.alpha * delta * x;
        }
    }
}
