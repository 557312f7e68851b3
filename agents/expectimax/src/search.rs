//! The search: the mean over what chance does of the best that can be done then.
//!
//! Where no estimate is above a known bound, a mean is not worked out to its end once
//! even the bound for all that is left would not make it more than what another action
//! is already worth (Star1); what looks best is looked into first, for the sake of that.
//! Nobody in these games wants the least, so the window of the search has no upper end,
//! and probing for lower bounds (Star2) would cut nothing.
//!
//! By the bound of `rows` that leaves one position in ten, and none where a table knows
//! most of them: what was cut is looked into again where more is wanted of it. So it is
//! for who asks.

use crate::lines::{LastPly, Looked, is_likely};
use crate::table::{Effort, Table, Worth};
use runner_core::{
    Afterstate, Game, Outcomes, State, Successor, Successors, Value, ValueScale, order_by_value,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// A search looks at most so many plies ahead.
pub const MAX_PLIES: u8 = 32;

/// What is left out of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cuts {
    /// A position that comes about less often than this is not looked into further.
    pub min_probability: f64,
    /// Only in so many plies does chance do what is rare.
    pub full_plies: u8,
}

impl Default for Cuts {
    fn default() -> Self {
        Self { min_probability: 0.0, full_plies: MAX_PLIES }
    }
}

/// What all threads of a search share.
pub struct Search<'a, G, V> {
    /// The rules.
    pub game: &'a G,
    /// What positions are worth where the search ends.
    pub value: &'a V,
    /// Who is asked first, for what it knows for certain.
    pub exact: Option<&'a dyn Value>,
    /// The last ply, where game and value are told as tables.
    pub last_ply: Option<&'a LastPly>,
    /// What is left out.
    pub cuts: Cuts,
    /// What was found out, if it is kept.
    pub table: Option<&'a Table>,
    /// Whether what is known of the images of a position is known of it.
    pub canonical: bool,
    /// Whether a deeper search than is wanted will do.
    pub deeper: bool,
    /// Whether to leave what cannot matter, where the value's scale allows that.
    pub prune: bool,
    /// The age of what is found now.
    pub age: u8,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Whether it was given up.
    pub given_up: &'a AtomicBool,
    scale: ValueScale,
    chance_rewards: bool,
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Positions looked into.
    pub nodes: u64,
    /// Positions estimated by the value.
    pub leaves: u64,
    /// Positions that the table knew.
    pub hits: u64,
    /// Positions that were left before their end.
    pub cut: u64,
}

impl Work {
    /// Adds what another thread did.
    pub fn add(&mut self, other: Work) {
        self.nodes += other.nodes;
        self.leaves += other.leaves;
        self.hits += other.hits;
        self.cut += other.cut;
    }
}

/// The lists that one thread needs, and what it did: in cache lines of its own, for it
/// counts all the time.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Scratch {
    levels: Vec<Level>,
    /// What was done with it.
    pub work: Work,
}

impl Scratch {
    /// Gets ready for a search of so many plies in a game with at most so many
    /// outcomes.
    pub fn prepare(&mut self, plies: u8, outcomes: usize) {
        let wanted = usize::from(plies) + 1;
        while self.levels.len() < wanted {
            self.levels.push(Level::new(outcomes));
        }
        self.work = Work::default();
    }
}

/// What one level of the search works on.
#[derive(Debug)]
struct Level {
    outcomes: Outcomes,
    successors: Successors,
    leaves: Leaves,
    branches: Branches,
}

impl Level {
    fn new(outcomes: usize) -> Self {
        Self {
            outcomes: Outcomes::with_capacity(outcomes),
            successors: Successors::new(),
            leaves: Leaves::default(),
            branches: Branches::default(),
        }
    }
}

/// What is looked into further, of what can follow on one afterstate: all of it is listed
/// before, so that what the table knows of it is on its way meanwhile.
#[derive(Debug, Default)]
struct Branches {
    successors: Vec<Successor>,
    /// For each outcome, its probability, and where its successors end.
    ends: Vec<(f64, usize)>,
}

impl Branches {
    fn clear(&mut self) {
        self.successors.clear();
        self.ends.clear();
    }

    /// Adds what can be done after an outcome.
    fn add(&mut self, probability: f64, successors: &[Successor]) {
        self.successors.extend_from_slice(successors);
        self.ends.push((probability, self.successors.len()));
    }
}

/// Positions to be estimated together: all that can follow on one afterstate.
#[derive(Debug, Default)]
struct Leaves {
    positions: Vec<Afterstate>,
    worths: Vec<f32>,
    /// What is known of them for certain.
    known: Vec<f32>,
    /// Which of the positions each action of each outcome leads to, and its reward.
    ways: Vec<(u32, f32)>,
    /// For each outcome, its probability, and where its ways end.
    ends: Vec<(f64, u32)>,
    seen: Seen,
}

impl Leaves {
    fn clear(&mut self) {
        self.positions.clear();
        self.ways.clear();
        self.ends.clear();
        self.seen.clear();
    }

    /// Adds what can be done after an outcome.
    #[inline(always)]
    fn add(&mut self, probability: f64, successors: &Successors) {
        for successor in successors.iter() {
            let number = self.seen.number(successor.afterstate, &mut self.positions);
            self.ways.push((number, successor.reward));
        }
        self.ends.push((probability, self.ways.len() as u32));
    }

    /// Estimates all positions.
    #[inline(always)]
    fn estimate<V: Value>(&mut self, value: &V, exact: Option<&dyn Value>) {
        self.worths.resize(self.positions.len(), 0.0);
        value.evaluate(&self.positions, &mut self.worths);
        if let Some(exact) = exact {
            self.known.resize(self.positions.len(), 0.0);
            exact.exact_values(&self.positions, &mut self.known);
            let known = self.worths.iter_mut().zip(&self.known).filter(|(_, w)| !w.is_nan());
            known.for_each(|(worth, known)| *worth = *known);
        }
    }

    /// What the positions, which are estimated, add to the mean.
    #[inline(always)]
    fn mean(&self, rewards: f32) -> f64 {
        let (mut sum, mut start) = (0.0, 0);
        for &(probability, end) in &self.ends {
            let ways = &self.ways[start..end as usize];
            let worth =
                |&(leaf, reward): &(u32, f32)| rewards * reward + self.worths[leaf as usize];
            let best = ways.iter().map(worth).fold(f32::NEG_INFINITY, f32::max);
            sum += probability * f64::from(best);
            start = end as usize;
        }
        sum
    }
}

/// Finds out which positions of a list have come up before: tiles that enter in one
/// line are pushed to one place, and it costs much less to see that than to estimate
/// the position again.
#[derive(Debug)]
struct Seen {
    /// By the low bits of a hash: the position's number, under the stamp of the list.
    slots: Box<[(u32, u32); SLOTS]>,
    stamp: u32,
}

const SLOTS: usize = 256;

impl Default for Seen {
    fn default() -> Self {
        Self { slots: Box::new([(0, 0); SLOTS]), stamp: 1 }
    }
}

impl Seen {
    fn clear(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            *self = Self::default();
        }
    }

    /// The number of a position in the list, to which it is added if it is not seen.
    #[inline(always)]
    fn number(&mut self, position: Afterstate, list: &mut Vec<Afterstate>) -> u32 {
        let mixed = (position.lo ^ position.hi).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(mixed >> 56) as usize];
        if slot.0 == self.stamp && list[slot.1 as usize] == position {
            return slot.1;
        }
        *slot = (self.stamp, list.len() as u32);
        list.push(position);
        slot.1
    }
}

/// After so many nodes a thread looks at the clock, and whenever it has asked the value,
/// which may take as long as it likes.
const LOOK: u64 = 16;

impl<'a, G: Game, V: Value> Search<'a, G, V> {
    /// A search without a table and without an end.
    pub fn new(game: &'a G, value: &'a V, given_up: &'a AtomicBool) -> Self {
        Self {
            game,
            value,
            exact: None,
            last_ply: None,
            cuts: Cuts::default(),
            table: None,
            canonical: false,
            deeper: false,
            prune: false,
            age: 0,
            deadline: None,
            given_up,
            scale: value.scale(),
            chance_rewards: game.has_chance_rewards(),
        }
    }

    /// What no position is worth more than, if that is of use.
    fn bound(&self) -> Option<f32> {
        match self.scale {
            ValueScale::Rating { max: most, .. } if self.prune => Some(most),
            _ => None,
        }
    }

    /// What each successor is worth, so many plies deep: one ply is the value itself.
    /// If it prunes, this is so of the best, and no other is worth more than is said.
    /// The worths that are given say which to look into first.
    pub fn worths(
        &self,
        scratch: &mut Scratch,
        successors: &Successors,
        plies: u8,
        worths: &mut [f32],
    ) {
        let Scratch { levels, work } = scratch;
        if plies == 1 {
            let leaves = &mut levels[0].leaves;
            self.glance(leaves, work, successors);
            worths.copy_from_slice(&leaves.worths);
        } else {
            let (mut alpha, bounded) = (f32::NEG_INFINITY, self.bound().is_some());
            for k in order_by_value(worths.len(), &|k| worths[k]) {
                let from = successors[k].afterstate;
                worths[k] = self.expect(levels, work, from, plies - 1, 1.0, 0, alpha);
                if bounded {
                    alpha = alpha.max(worths[k]);
                }
            }
        }
        for (worth, successor) in worths.iter_mut().zip(successors.iter()) {
            *worth += self.earned(successor);
        }
    }

    /// Whether what comes about with this probability is not looked into further.
    #[inline(always)]
    fn is_unlikely(&self, probability: f64) -> bool {
        probability < self.cuts.min_probability
    }

    /// What a position is worth whose best action counts, so many plies deep, on the
    /// way of this probability, behind so many plies: a part of the search for one
    /// thread.
    pub fn worth_of(
        &self,
        scratch: &mut Scratch,
        state: State,
        plies: u8,
        probability: f64,
        behind: u8,
    ) -> f32 {
        let Scratch { levels, work } = scratch;
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        self.game.successors(state, &mut level.successors);
        if plies == 1 || self.is_unlikely(probability) {
            level.leaves.clear();
            if level.successors.is_empty() {
                return self.scale.terminal_value();
            }
            level.leaves.add(1.0, &level.successors);
            work.leaves += level.leaves.positions.len() as u64;
            level.leaves.estimate(self.value, self.exact);
            return level.leaves.mean(self.scale.reward_weight()) as f32;
        }
        let all = f32::NEG_INFINITY;
        self.best(deeper, work, &level.successors, plies - 1, probability, behind, all)
    }

    /// What the best of some successors is worth, exactly if that is more than `alpha`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn best(
        &self,
        levels: &mut [Level],
        work: &mut Work,
        successors: &[Successor],
        plies: u8,
        probability: f64,
        behind: u8,
        mut alpha: f32,
    ) -> f32 {
        let look_into = |levels: &mut [Level], work: &mut Work, successor: &Successor, alpha| {
            let from = successor.afterstate;
            let rest = self.expect(levels, work, from, plies, probability, behind, alpha);
            self.earned(successor) + rest
        };
        let mut best = f32::NEG_INFINITY;
        if plies > 1 && self.bound().is_some() {
            // The sooner something good is found, the more of the others can be left.
            let leaves = &mut levels[0].leaves;
            self.glance(leaves, work, successors);
            for k in order_by_value(successors.len(), &|k| leaves.worths[k]) {
                best = best.max(look_into(levels, work, &successors[k], alpha));
                alpha = alpha.max(best);
            }
        } else {
            for successor in successors.iter() {
                best = best.max(look_into(levels, work, successor, alpha));
            }
        }
        match successors.is_empty() {
            true => self.scale.terminal_value(),
            false => best,
        }
    }

    /// Asks for what the table knows of some successors to be fetched.
    #[inline(always)]
    fn prefetch(&self, successors: &[Successor]) {
        if let Some(table) = self.table
            && !self.canonical
        {
            successors.iter().for_each(|successor| table.prefetch(successor.afterstate));
        }
    }

    /// Estimates the positions of some successors, one after the other in the list.
    #[inline(always)]
    fn glance(&self, leaves: &mut Leaves, work: &mut Work, successors: &[Successor]) {
        leaves.positions.clear();
        leaves.positions.extend(successors.iter().map(|successor| successor.afterstate));
        leaves.estimate(self.value, self.exact);
        work.leaves += leaves.positions.len() as u64;
    }

    /// The mean over all that chance does, exactly if that is more than `alpha`.
    #[allow(clippy::too_many_arguments)]
    fn expect(
        &self,
        levels: &mut [Level],
        work: &mut Work,
        afterstate: Afterstate,
        plies: u8,
        probability: f64,
        behind: u8,
        alpha: f32,
    ) -> f32 {
        if self.given_up.load(Relaxed) || work.nodes.is_multiple_of(LOOK) && self.is_late() {
            return 0.0;
        }
        work.nodes += 1;
        if let Some(exact) = self.exact {
            let mut worth = [0.0];
            exact.exact_values(&[afterstate], &mut worth);
            if !worth[0].is_nan() {
                return worth[0];
            }
        }
        let full = self.cuts.full_plies.saturating_sub(behind).min(plies);
        let effort = Effort { plies, full };
        let known = match self.canonical && self.table.is_some() {
            true => self.game.canonical_afterstate(afterstate),
            false => afterstate,
        };
        if let Some(table) = self.table {
            match table.get(known, effort, self.deeper) {
                Some(Worth::AtMost(worth)) if worth > alpha => {}
                Some(Worth::Is(worth) | Worth::AtMost(worth)) => {
                    work.hits += 1;
                    return worth;
                }
                None => {}
            }
        }
        let mut looked = Looked::default();
        if let Some(last_ply) = self.last_ply {
            let is_last = |part: f64| plies == 1 || self.is_unlikely(probability * part);
            let (rare, end) = (full > 0, self.scale.terminal_value());
            if let Some(found) = last_ply.look(afterstate, rare, end, is_last) {
                work.leaves += found.positions;
                if last_ply.is_all(&found, rare) {
                    return self.keep(known, effort, Worth::Is(found.sum as f32));
                }
                looked = found;
            }
        }
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        self.game.outcomes(afterstate, &mut level.outcomes);
        level.leaves.clear();
        level.branches.clear();
        let mut mean = looked.sum;
        // The probability of what the mean does not have yet.
        let mut rest = 1.0 - looked.probability;
        for (part, state) in self.counted(&level.outcomes, behind) {
            if looked.has(afterstate, state) {
                continue;
            }
            mean += part * f64::from(self.given(afterstate, state));
            self.game.successors(state, &mut level.successors);
            if level.successors.is_empty() {
                mean += part * f64::from(self.scale.terminal_value());
                rest -= part;
            } else if plies == 1 || self.is_unlikely(probability * part) {
                level.leaves.add(part, &level.successors);
            } else {
                level.branches.add(part, &level.successors);
                self.prefetch(&level.successors);
            }
        }
        // What all that is to be added adds at most.
        let bound = self.bound().map(f64::from);
        let mut start = 0;
        for &(part, end) in &level.branches.ends {
            let successors = &level.branches.successors[start..end];
            start = end;
            rest -= part;
            let others = bound.map_or(f64::INFINITY, |bound| mean + rest.max(0.0) * bound);
            // With less than this, the whole is no more than alpha.
            let needed = ((f64::from(alpha) - others) / part) as f32;
            let (plies, behind, probability) = (plies - 1, behind + 1, probability * part);
            let best = self.best(deeper, work, successors, plies, probability, behind, needed);
            mean += part * f64::from(best);
            let most = (others + part * f64::from(best)) as f32;
            if best <= needed || most <= alpha {
                work.cut += 1;
                return self.keep(known, effort, Worth::AtMost(most.min(alpha)));
            }
        }
        if !level.leaves.ends.is_empty() && !self.given_up.load(Relaxed) {
            work.leaves += level.leaves.positions.len() as u64;
            level.leaves.estimate(self.value, self.exact);
            mean += level.leaves.mean(self.scale.reward_weight());
            self.is_late();
        }
        self.keep(known, effort, Worth::Is(mean as f32))
    }

    /// Keeps what was found out; what was not finished is worth nothing.
    #[inline(always)]
    fn keep(&self, known: Afterstate, effort: Effort, worth: Worth) -> f32 {
        if let Some(table) = self.table
            && !self.given_up.load(Relaxed)
        {
            table.set(known, effort, worth, self.age);
        }
        let (Worth::Is(number) | Worth::AtMost(number)) = worth;
        number
    }

    /// What counts of what chance can do behind so many plies: each state with its
    /// probability. What is less than half as likely as the likeliest is rare.
    #[inline(always)]
    pub fn counted(&self, outcomes: &Outcomes, behind: u8) -> impl Iterator<Item = (f64, State)> {
        let (mut likeliest, mut share) = (0.0, 1.0);
        if behind >= self.cuts.full_plies {
            likeliest = outcomes.iter().map(|o| o.probability).fold(0.0, f64::max);
            let likely = outcomes.iter().map(|o| o.probability);
            share = 1.0 / likely.filter(|&p| is_likely(p, likeliest)).sum::<f64>();
        }
        let counts = outcomes.iter().filter(move |o| is_likely(o.probability, likeliest));
        counts.map(move |outcome| (outcome.probability * share, outcome.state))
    }

    /// What chance gave on the way, as far as that counts.
    #[inline(always)]
    pub fn given(&self, from: Afterstate, to: State) -> f32 {
        match self.chance_rewards {
            true => self.scale.reward_weight() * self.game.chance_reward(Some(from), to),
            false => 0.0,
        }
    }

    /// What the action earned, as far as that counts.
    #[inline(always)]
    pub fn earned(&self, successor: &Successor) -> f32 {
        self.scale.reward_weight() * successor.reward
    }

    /// Looks at the clock, and gives up the search if its time is over.
    #[inline]
    fn is_late(&self) -> bool {
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late {
            self.given_up.store(true, Relaxed);
        }
        late
    }
}
