//! The recursion of expectimax: the expectation over chance outcomes of the best action.
//!
//! If the value has an upper bound, chance nodes are cut off by it: Star1 of Ballard (*The
//! \*-Minimax Search Procedure for Trees Containing Chance Nodes*, 1983). A node is left as soon
//! as the bound for the outcomes that are not searched yet cannot raise its expectation above
//! alpha. Move ordering by static evaluation makes cutoffs likelier. No node minimizes, so there
//! is no beta, and Star2's probing for lower bounds cannot cut.
//!
//! With the bound of `rows`, Star1 cuts one node in ten without a transposition table, and
//! gains nothing with one, because nodes that were cut are searched again whenever a later
//! visit needs a tighter bound. So pruning is off by default.

use crate::last_ply::{LastPly, PartialExpectation};
use crate::leaf_batch::LeafBatch;
use crate::scratch::{Level, Scratch, SearchStats};
use crate::transposition::{Bound, TranspositionTable};
use runner_core::{
    Afterstate, Game, Outcome, State, Successor, Successors, Value, ValueScale, order_by_value,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// A search to one depth: what its threads share.
pub struct Search<'a, G, V> {
    pub game: &'a G,
    pub value: &'a V,
    pub exact: Option<&'a dyn Value>,
    /// The tables of the last ply, if game and value have tables.
    pub last_ply: Option<&'a LastPly>,
    /// A position that is reached with a lower probability is evaluated statically.
    pub min_probability: f64,
    pub table: Option<&'a TranspositionTable>,
    /// Prunes with the bounds of the value, if its scale has bounds.
    pub prune: bool,
    pub age: u8,
    pub deadline: Option<Instant>,
    /// The action that the root searches first: the best of the previous depth.
    pub first: Option<usize>,
    /// Set when the deadline has passed. Values that are found after that are meaningless.
    pub aborted: &'a AtomicBool,
    scale: ValueScale,
    chance_rewards: bool,
}

#[derive(Clone, Copy)]
pub struct NodePath {
    /// Remaining depth in plies.
    pub plies: u8,
    /// The probability of the chance outcomes on the path from the root.
    pub probability: f64,
}

impl NodePath {
    #[inline(always)]
    fn after(self, probability: f64) -> Self {
        Self { plies: self.plies - 1, probability: self.probability * probability }
    }
}

/// Number of nodes after which a thread checks the clock. It also does after each
/// evaluation, which may take long.
const NODES_PER_CLOCK_CHECK: u64 = 16;

impl<'a, G: Game, V: Value> Search<'a, G, V> {
    /// Creates a search without a table, without pruning and without a deadline.
    pub fn new(game: &'a G, value: &'a V, aborted: &'a AtomicBool) -> Self {
        Self {
            game,
            value,
            exact: None,
            last_ply: None,
            min_probability: 0.0,
            table: None,
            prune: false,
            age: 0,
            deadline: None,
            first: None,
            aborted,
            scale: value.scale(),
            chance_rewards: game.has_chance_rewards(),
        }
    }

    /// Returns the upper bound of all values, if pruning can use it.
    fn upper_bound(&self) -> Option<f32> {
        match self.scale {
            ValueScale::Rating { max, .. } if self.prune => Some(max),
            _ => None,
        }
    }

    /// Replaces `values` by the value of each successor at this depth and returns the index
    /// of the best one; there is at least one. The values passed in order the moves.
    ///
    /// If the search is aborted, returns the best of the successors that were searched before,
    /// if there are any, and leaves the values of the others.
    ///
    /// If the search prunes, only the best action's value is exact; the others are upper
    /// bounds, which may equal it.
    pub fn search_root(
        &self,
        scratch: &mut Scratch,
        successors: &Successors,
        plies: u8,
        values: &mut [f32],
    ) -> Option<usize> {
        let Scratch { levels, stats } = scratch;
        let order = self.search_order(values);
        let path = NodePath { plies: plies - 1, probability: 1.0 };
        if plies == 1 {
            values.copy_from_slice(self.evaluate_successors(levels, stats, successors));
        }
        let (mut best, mut alpha) = (None, f32::NEG_INFINITY);
        for k in order {
            if plies > 1 {
                let from = successors[k].afterstate;
                let value = self.chance_node(levels, stats, from, path, alpha);
                if self.aborted.load(Relaxed) {
                    break;
                }
                values[k] = value;
            }
            values[k] += self.reward(&successors[k]);
            if best.is_none_or(|best: usize| values[k] > values[best]) {
                best = Some(k);
                // Values with an upper bound have no rewards, which alpha would contain.
                alpha = if self.upper_bound().is_some() { values[k] } else { alpha };
            }
        }
        best
    }

    /// Returns the order in which the root's actions are searched: a search that prunes or that
    /// may be aborted begins with the best. The first of equal values is the best: if the search
    /// prunes, later ones may be upper bounds.
    pub fn search_order(&self, values: &[f32]) -> impl Iterator<Item = usize> + use<G, V> {
        let by_value = self.upper_bound().is_some() || self.deadline.is_some();
        order_by_value(values.len(), &|k| {
            if !by_value {
                0.0
            } else if self.first == Some(k) {
                f32::INFINITY
            } else {
                values[k]
            }
        })
    }

    /// Returns true if a position that is reached with this probability is evaluated
    /// statically.
    #[inline(always)]
    fn is_unlikely(&self, probability: f64) -> bool {
        probability < self.min_probability
    }

    /// Returns the value of a state with a legal action: a subtree for one thread.
    pub fn search_state(&self, scratch: &mut Scratch, state: State, path: NodePath) -> f32 {
        let Scratch { levels, stats } = scratch;
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        self.game.successors(state, &mut level.successors);
        if path.plies == 1 || self.is_unlikely(path.probability) {
            level.leaves.clear();
            level.leaves.add(1.0, &level.successors);
            stats.leaves += level.leaves.len() as u64;
            level.leaves.evaluate(self.value, self.exact, self.table.is_some());
            return level.leaves.expectation(self.scale.reward_weight()) as f32;
        }
        let path = NodePath { plies: path.plies - 1, ..path };
        self.max_node(deeper, stats, &level.successors, path, f32::NEG_INFINITY)
    }

    /// Returns the value of the best of some successors: exact if it is above `alpha`,
    /// otherwise an upper bound.
    #[inline(always)]
    fn max_node(
        &self,
        levels: &mut [Level],
        stats: &mut SearchStats,
        successors: &[Successor],
        path: NodePath,
        mut alpha: f32,
    ) -> f32 {
        let search = |levels: &mut [Level], stats: &mut SearchStats, s: &Successor, alpha| {
            self.reward(s) + self.chance_node(levels, stats, s.afterstate, path, alpha)
        };
        let mut best = f32::NEG_INFINITY;
        if path.plies > 1 && self.upper_bound().is_some() {
            let estimates = self.evaluate_successors(levels, stats, successors);
            for k in order_by_value(successors.len(), &|k| estimates[k]) {
                best = best.max(search(levels, stats, &successors[k], alpha));
                alpha = alpha.max(best);
            }
        } else {
            for successor in successors {
                best = best.max(search(levels, stats, successor, alpha));
            }
        }
        best
    }

    /// Prefetches the table entries of some successors.
    #[inline(always)]
    fn prefetch(&self, successors: &[Successor]) {
        if let Some(table) = self.table {
            successors.iter().for_each(|successor| table.prefetch(successor.afterstate));
        }
    }

    #[inline(always)]
    fn evaluate_successors<'l>(
        &self,
        levels: &'l mut [Level],
        stats: &mut SearchStats,
        successors: &[Successor],
    ) -> &'l [f32] {
        stats.leaves += successors.len() as u64;
        let leaves: &'l mut LeafBatch = &mut levels[0].leaves;
        leaves.evaluate_successors(successors, self.value, self.exact)
    }

    /// Returns the expectation over the chance outcomes of an afterstate: exact if it is
    /// above `alpha`, otherwise an upper bound.
    fn chance_node(
        &self,
        levels: &mut [Level],
        stats: &mut SearchStats,
        afterstate: Afterstate,
        path: NodePath,
        alpha: f32,
    ) -> f32 {
        let clock_check = stats.nodes.is_multiple_of(NODES_PER_CLOCK_CHECK);
        if self.aborted.load(Relaxed) || clock_check && self.check_deadline() {
            return 0.0;
        }
        stats.nodes += 1;
        if let Some(exact) = self.exact_value(afterstate) {
            return exact;
        }
        let plies = path.plies;
        if let Some(table) = self.table {
            match table.get(afterstate, plies) {
                Some(Bound::Upper(bound)) if bound > alpha => {}
                Some(bound) => {
                    stats.hits += 1;
                    return bound.value();
                }
                None => {}
            }
        }
        let mut from_tables = PartialExpectation::default();
        if let Some(last_ply) = self.last_ply {
            let is_leaf = |part: f64| plies == 1 || self.is_unlikely(path.probability * part);
            if let Some(found) = last_ply.expectation(afterstate, self.terminal_value(), is_leaf) {
                stats.leaves += found.leaves;
                if last_ply.is_complete(&found) {
                    return self.store(afterstate, plies, Bound::Exact(found.sum as f32));
                }
                from_tables = found;
            }
        }
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        self.game.outcomes(afterstate, &mut level.outcomes);
        level.leaves.clear();
        level.interior.clear();
        let mut mean = from_tables.sum;
        // The probability of the outcomes that `mean` does not contain yet.
        let mut rest = 1.0 - from_tables.probability;
        for &Outcome { probability: part, state } in level.outcomes.iter() {
            if from_tables.contains(afterstate, state) {
                continue;
            }
            mean += part * f64::from(self.chance_reward(afterstate, state));
            self.game.successors(state, &mut level.successors);
            if level.successors.is_empty() {
                mean += part * f64::from(self.terminal_value());
                rest -= part;
            } else if plies == 1 || self.is_unlikely(path.probability * part) {
                level.leaves.add(part, &level.successors);
            } else {
                level.interior.add(part, &level.successors);
                self.prefetch(&level.successors);
            }
        }
        let bound = self.upper_bound().map(f64::from);
        let mut start = 0;
        for &(part, end) in &level.interior.outcomes {
            let successors = &level.interior.successors[start..end];
            start = end;
            rest -= part;
            // The most that the expectation can be without this outcome.
            let others = bound.map_or(f64::INFINITY, |bound| mean + rest.max(0.0) * bound);
            // The expectation is above alpha only if this outcome's value is above this.
            let needed = ((f64::from(alpha) - others) / part) as f32;
            let best = self.max_node(deeper, stats, successors, path.after(part), needed);
            mean += part * f64::from(best);
            let max = (others + part * f64::from(best)) as f32;
            if best <= needed || max <= alpha {
                stats.cutoffs += 1;
                return self.store(afterstate, plies, Bound::Upper(max.min(alpha)));
            }
        }
        if !level.leaves.is_empty() && !self.aborted.load(Relaxed) {
            stats.leaves += level.leaves.len() as u64;
            level.leaves.evaluate(self.value, self.exact, self.table.is_some());
            mean += level.leaves.expectation(self.scale.reward_weight());
            self.check_deadline();
        }
        self.store(afterstate, plies, Bound::Exact(mean as f32))
    }

    /// Returns the exact value of an afterstate, if it is known.
    #[inline(always)]
    pub fn exact_value(&self, afterstate: Afterstate) -> Option<f32> {
        let mut value = [f32::NAN];
        self.exact?.exact_values(&[afterstate], &mut value);
        Some(value[0]).filter(|value| !value.is_nan())
    }

    /// Stores a bound, unless the search was aborted, and returns its value.
    #[inline(always)]
    fn store(&self, afterstate: Afterstate, plies: u8, bound: Bound) -> f32 {
        if let Some(table) = self.table
            && !self.aborted.load(Relaxed)
        {
            table.insert(afterstate, plies, bound, self.age);
        }
        bound.value()
    }

    /// Returns the reward of a chance outcome, weighted for the value's scale.
    #[inline(always)]
    pub fn chance_reward(&self, from: Afterstate, to: State) -> f32 {
        if self.chance_rewards {
            self.scale.reward_weight() * self.game.chance_reward(Some(from), to)
        } else {
            0.0
        }
    }

    #[inline(always)]
    pub fn terminal_value(&self) -> f32 {
        self.scale.terminal_value()
    }

    /// Returns the reward of an action, weighted for the value's scale.
    #[inline(always)]
    pub fn reward(&self, successor: &Successor) -> f32 {
        self.scale.reward_weight() * successor.reward
    }

    /// Checks the clock, aborts the search if the deadline has passed, and returns true if
    /// it has.
    #[inline]
    fn check_deadline(&self) -> bool {
        let passed = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if passed {
            self.aborted.store(true, Relaxed);
        }
        passed
    }
}
