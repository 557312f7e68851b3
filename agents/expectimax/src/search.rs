//! The recursion of expectimax: the expectation over chance outcomes of the best action.
//!
//! No bounds of values are used: with the bound of `rows`, Star1 of Ballard (*The \*-Minimax Search
//! Procedure for Trees Containing Chance Nodes*, 1983) cuts one node in ten without a transposition
//! table, and gains nothing with one, because a node that was cut is searched again whenever a later
//! visit needs a tighter bound.

use crate::last_ply::{LastPly, PartialExpectation};
use crate::leaf_batch::LeafBatch;
use crate::scratch::{Level, Scratch, SearchStats};
use crate::transposition::TranspositionTable;
use runner_core::rows::{Entry, RowTables};
use runner_core::{
    Afterstate, Game, MAX_ACTIONS, Outcome, Outcomes, State, Successor, Successors, Value,
    ValueScale, order_by_value,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// A search to one depth: what its threads share.
pub struct Search<'a, G, V> {
    pub game: &'a G,
    pub value: &'a V,
    pub exact: Option<&'a dyn Value>,
    /// The tables of the game, if it has tables.
    row_tables: Option<&'a RowTables>,
    /// The tables of the last ply, if game and value have tables.
    pub last_ply: Option<&'a LastPly>,
    /// A position that is reached with a lower probability is evaluated statically.
    pub min_probability: f64,
    pub table: Option<&'a TranspositionTable>,
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
    /// Creates a search without a table and without a deadline.
    pub fn new(game: &'a G, value: &'a V, aborted: &'a AtomicBool) -> Self {
        Self {
            game,
            value,
            exact: None,
            // Leaves from tables leave out the rewards of chance.
            row_tables: game.tables().filter(|_| !game.has_chance_rewards()),
            last_ply: None,
            min_probability: 0.0,
            table: None,
            age: 0,
            deadline: None,
            first: None,
            aborted,
            scale: value.scale(),
            chance_rewards: game.has_chance_rewards(),
        }
    }

    /// Replaces `values` by the value of each successor at this depth and returns the index
    /// of the best one; there is at least one. With a deadline, the values passed in order the moves.
    ///
    /// If the search is aborted, returns the best of the successors that were searched before,
    /// if there are any, and leaves the values of the others.
    pub fn search_root(
        &self,
        scratch: &mut Scratch,
        successors: &Successors,
        plies: u8,
        values: &mut [f32],
    ) -> Option<usize> {
        self.search_from(scratch, successors, NodePath { plies, probability: 1.0 }, values)
    }

    /// Does what [`search_root`](Self::search_root) does, at a position that is reached by `path`.
    fn search_from(
        &self,
        scratch: &mut Scratch,
        successors: &Successors,
        path: NodePath,
        values: &mut [f32],
    ) -> Option<usize> {
        let Scratch { levels, stats } = scratch;
        let order = self.search_order(values);
        let is_leaf = path.plies == 1;
        if is_leaf {
            values.copy_from_slice(self.evaluate_successors(levels, stats, successors));
        }
        let below = NodePath { plies: path.plies - 1, ..path };
        let mut best = None;
        for k in order {
            if !is_leaf {
                let from = successors[k].afterstate;
                let value = self.chance_node(levels, stats, from, below);
                if self.aborted.load(Relaxed) {
                    break;
                }
                values[k] = value;
            }
            values[k] += self.reward(&successors[k]);
            if best.is_none_or(|best: usize| values[k] > values[best]) {
                best = Some(k);
            }
        }
        best
    }

    /// Returns the moves that a search to this depth expects after the first one, with the
    /// likeliest chance outcome between them, of equally likely ones the first: `left 2@4,1; up`.
    pub fn line(&self, scratch: &mut Scratch, first: Successor, plies: u8) -> String {
        let description = self.game.description();
        let mut outcomes = Outcomes::with_capacity(description.max_outcomes);
        let mut successors = Successors::new();
        let mut path = NodePath { plies, probability: 1.0 };
        let (mut made, mut steps) = (first, Vec::new());
        while path.plies > 1 {
            self.game.outcomes(made.afterstate, &mut outcomes);
            let likelier = |best: Outcome, next: Outcome| {
                if next.probability > best.probability { next } else { best }
            };
            let Some(Outcome { state, probability }) = outcomes.iter().copied().reduce(likelier)
            else {
                break;
            };
            steps.push(description.step(made.action, Some((made.afterstate, state))));
            path = path.after(probability);
            if self.is_unlikely(path.probability) {
                path.plies = 1;
            }
            self.game.successors(state, &mut successors);
            let mut buffer = [0.0; MAX_ACTIONS];
            let values = &mut buffer[..successors.len()];
            let Some(best) = self.search_from(scratch, &successors, path, values) else {
                return steps.join("; ");
            };
            made = successors[best];
        }
        steps.push(description.step(made.action, None));
        steps.join("; ")
    }

    /// Returns the order in which the root's actions are searched: a search that may be aborted begins
    /// with the best.
    pub fn search_order(&self, values: &[f32]) -> impl Iterator<Item = usize> + use<G, V> {
        order_by_value(values.len(), &|k| {
            if self.deadline.is_none() {
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
            level.leaves.add(1.0, &level.successors, self.scale.reward_weight());
            stats.leaves += level.leaves.len() as u64;
            level.leaves.evaluate(self.value, self.exact, self.table.is_some());
            return level.leaves.expectation(self.terminal_value()) as f32;
        }
        let path = NodePath { plies: path.plies - 1, ..path };
        self.max_node(deeper, stats, &level.successors, path)
    }

    /// Returns the value of the best of some successors.
    #[inline(always)]
    fn max_node(
        &self,
        levels: &mut [Level],
        stats: &mut SearchStats,
        successors: &[Successor],
        path: NodePath,
    ) -> f32 {
        successors.iter().fold(f32::NEG_INFINITY, |best, s| {
            best.max(self.reward(s) + self.chance_node(levels, stats, s.afterstate, path))
        })
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

    /// Returns the expectation over the chance outcomes of an afterstate.
    fn chance_node(
        &self,
        levels: &mut [Level],
        stats: &mut SearchStats,
        afterstate: Afterstate,
        path: NodePath,
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
        if let Some(table) = self.table
            && let Some(value) = table.get(afterstate, plies)
        {
            stats.hits += 1;
            return value;
        }
        let is_leaf = |part: f64| plies == 1 || self.is_unlikely(path.probability * part);
        let mut from_tables = PartialExpectation::default();
        if let Some(last_ply) = self.last_ply
            && let Some(found) = last_ply.expectation(afterstate, self.terminal_value(), is_leaf)
        {
            stats.leaves += found.leaves;
            if self.are_all_tiles(found.ranks) {
                return self.store(afterstate, plies, found.sum as f32);
            }
            from_tables = found;
        }
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        level.leaves.clear();
        level.interior.clear();
        let weight = self.scale.reward_weight();
        let mut mean = from_tables.sum;
        // Outcomes in which tiles of these ranks enter are in the mean or in the batch already.
        let mut ranks = from_tables.ranks;
        if let (Some(tables), 0) = (self.row_tables, ranks) {
            match level.leaves.fill_from_tables(tables, afterstate, weight, is_leaf) {
                Some(filled) => ranks = filled,
                None => level.leaves.clear(),
            }
        }
        if !self.are_all_tiles(ranks) {
            self.game.outcomes(afterstate, &mut level.outcomes);
            for &Outcome { probability: part, state } in level.outcomes.iter() {
                if ranks >> entered(afterstate, state) & 1 != 0 {
                    continue;
                }
                mean += part * f64::from(self.chance_reward(afterstate, state));
                self.game.successors(state, &mut level.successors);
                if level.successors.is_empty() {
                    mean += part * f64::from(self.terminal_value());
                } else if is_leaf(part) {
                    level.leaves.add(part, &level.successors, weight);
                } else {
                    level.interior.add(part, &level.successors);
                    self.prefetch(&level.successors);
                }
            }
        }
        let mut start = 0;
        for &(part, end) in &level.interior.outcomes {
            let successors = &level.interior.successors[start..end];
            start = end;
            mean += part * f64::from(self.max_node(deeper, stats, successors, path.after(part)));
        }
        if !level.leaves.is_empty() && !self.aborted.load(Relaxed) {
            stats.leaves += level.leaves.len() as u64;
            level.leaves.evaluate(self.value, self.exact, self.table.is_some());
            mean += level.leaves.expectation(self.terminal_value());
            self.check_deadline();
        }
        self.store(afterstate, plies, mean as f32)
    }

    /// Returns true if every tile of the game's tables has one of these ranks.
    #[inline(always)]
    fn are_all_tiles(&self, ranks: u32) -> bool {
        let is_among = |tile: &Entry| ranks >> tile.rank & 1 != 0;
        self.row_tables.is_some_and(|tables| tables.entries().iter().all(is_among))
    }

    /// Returns the exact value of an afterstate, if it is known.
    #[inline(always)]
    pub fn exact_value(&self, afterstate: Afterstate) -> Option<f32> {
        let mut value = [f32::NAN];
        self.exact?.exact_values(&[afterstate], &mut value);
        Some(value[0]).filter(|value| !value.is_nan())
    }

    /// Stores a value, unless the search was aborted, and returns it.
    #[inline(always)]
    fn store(&self, afterstate: Afterstate, plies: u8, value: f32) -> f32 {
        if let Some(table) = self.table
            && !self.aborted.load(Relaxed)
        {
            table.insert(afterstate, plies, value, self.age);
        }
        value
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

/// Returns the rank that has entered a narrow board.
#[inline(always)]
fn entered(before: Afterstate, after: State) -> u64 {
    let entered = before.lo ^ after.lo;
    entered >> (entered.trailing_zeros() & 60) & 15
}
