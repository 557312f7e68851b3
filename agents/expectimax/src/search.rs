//! The recursion of expectimax: the expectation over chance outcomes of the value of the best
//! action.
//!
//! There is no pruning by bounds, because it gains nothing with a transposition table: a node that
//! was cut is searched again whenever a later visit needs a tighter bound. Without a table, Star1
//! of Ballard (*The \*-Minimax Search Procedure for Trees Containing Chance Nodes*, 1983) with the
//! bound of `rows` cuts one node in ten.

use crate::last_ply::{LastPly, PartialExpectation};
use crate::rank_set::RankSet;
use crate::scratch::{InteriorOutcome, Level, Scratch, SearchStats};
use crate::transposition::TranspositionTable;
use runner_core::rows::RowTables;
use runner_core::{
    Afterstate, Game, MAX_ACTIONS, Outcome, Outcomes, State, Successor, Successors, Value,
    ValueScale, order_by_value,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// A search to one depth: what its threads share.
pub struct Search<'a, G, V> {
    pub game: &'a G,
    /// The static evaluation of leaves.
    pub value: &'a V,
    /// The value of a solved game. Positions with an exact value are not searched further.
    pub exact: Option<&'a dyn Value>,
    /// The tables of the game, if it has tables and no rewards of chance.
    row_tables: Option<&'a RowTables>,
    /// The tables of the last ply, if game and value have tables.
    pub last_ply: Option<&'a LastPly>,
    /// A position that is reached with a lower probability is evaluated statically.
    pub min_probability: f64,
    pub table: Option<&'a TranspositionTable>,
    /// The age of new table entries.
    pub age: u8,
    pub deadline: Option<Instant>,
    /// The number of the successor that the root searches first: the best of the previous depth.
    pub first: Option<usize>,
    /// Set when the deadline has passed. Values that are found after that are meaningless.
    pub aborted: &'a AtomicBool,
    scale: ValueScale,
    has_chance_rewards: bool,
}

/// The path from the root to a node, and the depth below it.
#[derive(Clone, Copy)]
pub struct NodePath {
    /// Remaining depth in plies.
    pub plies: u8,
    /// The probability of all chance outcomes on the path.
    pub probability: f64,
}

impl NodePath {
    pub fn of_root(plies: u8) -> Self {
        Self { plies, probability: 1.0 }
    }

    /// Returns the path one ply deeper, after a chance outcome with this probability.
    #[inline(always)]
    fn after(self, probability: f64) -> Self {
        Self { plies: self.plies - 1, probability: self.probability * probability }
    }
}

/// Number of nodes after which a thread checks the clock. It also checks the clock after each
/// evaluation, which may take long.
const NODES_PER_CLOCK_CHECK: u64 = 16;

impl<'a, G: Game, V: Value> Search<'a, G, V> {
    /// Creates a search without a table and without a deadline.
    pub fn new(game: &'a G, value: &'a V, aborted: &'a AtomicBool) -> Self {
        Self {
            game,
            value,
            exact: None,
            row_tables: game.tables().filter(|_| !game.has_chance_rewards()),
            last_ply: None,
            min_probability: 0.0,
            table: None,
            age: 0,
            deadline: None,
            first: None,
            aborted,
            scale: value.scale(),
            has_chance_rewards: game.has_chance_rewards(),
        }
    }

    /// Replaces `values` by the value of each successor of the root, or of another position that
    /// is reached by `path`. Returns the number of the best one, or `None` of no successors. With
    /// a deadline, the order of the search is by the previous `values`.
    ///
    /// If the search is aborted, returns the best of the successors that were searched before, if
    /// there are any, and leaves the values of the others.
    pub fn search_root(
        &self,
        scratch: &mut Scratch,
        successors: &Successors,
        path: NodePath,
        values: &mut [f32],
    ) -> Option<usize> {
        let Scratch { levels, stats } = scratch;
        let order = self.search_order(values);
        let are_leaves = path.plies == 1;
        if are_leaves {
            stats.leaves += successors.len() as u64;
            let leaves = &mut levels[0].leaves;
            values.copy_from_slice(leaves.evaluate_successors(successors, self.value, self.exact));
        }
        let below = NodePath { plies: path.plies - 1, ..path };
        let mut best = None;
        for k in order {
            if !are_leaves {
                let value = self.chance_node(levels, stats, successors[k].afterstate, below);
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

    /// Returns the actions that a search to this depth expects, beginning with `first`. Each is
    /// followed by its likeliest chance outcome, the first one of equally likely ones: `left
    /// 2@4,1; up`.
    pub fn line(&self, scratch: &mut Scratch, first: Successor, plies: u8) -> String {
        let description = self.game.description();
        let mut outcomes = Outcomes::with_capacity(description.max_outcomes);
        let mut successors = Successors::new();
        let mut path = NodePath::of_root(plies);
        let mut taken = first;
        let mut steps = Vec::new();
        while path.plies > 1 {
            self.game.outcomes(taken.afterstate, &mut outcomes);
            let likeliest = outcomes
                .iter()
                .reduce(|best, next| if next.probability > best.probability { next } else { best });
            let Some(&Outcome { state, probability }) = likeliest else { break };
            steps.push(description.step(taken.action, Some((taken.afterstate, state))));
            path = path.after(probability);
            if self.is_unlikely(path.probability) {
                path.plies = 1;
            }
            self.game.successors(state, &mut successors);
            let mut buffer = [0.0; MAX_ACTIONS];
            let values = &mut buffer[..successors.len()];
            let Some(best) = self.search_root(scratch, &successors, path, values) else {
                return steps.join("; ");
            };
            taken = successors[best];
        }
        steps.push(description.step(taken.action, None));
        steps.join("; ")
    }

    /// Returns the order in which the root's successors are searched. A search with a deadline
    /// begins with the best ones, because it may be aborted. Others keep the order of the list.
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

    /// Returns true if a position that is reached with this probability is evaluated statically.
    #[inline(always)]
    fn is_unlikely(&self, probability: f64) -> bool {
        probability < self.min_probability
    }

    /// Returns the value of a state with a legal action. This is the task of a thread, see
    /// `parallel`.
    pub fn search_state(&self, scratch: &mut Scratch, state: State, path: NodePath) -> f32 {
        let Scratch { levels, stats } = scratch;
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        self.game.successors(state, &mut level.successors);
        if path.plies == 1 || self.is_unlikely(path.probability) {
            level.leaves.clear();
            level.leaves.add(1.0, &level.successors, self.scale.reward_weight());
            stats.leaves += level.leaves.leaf_count() as u64;
            level.leaves.evaluate(self.value, self.exact, self.table.is_some());
            return level.leaves.expectation(self.terminal_value()) as f32;
        }
        let below = NodePath { plies: path.plies - 1, ..path };
        self.max_node(deeper, stats, &level.successors, below)
    }

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

    /// Returns the value of an afterstate: its exact value, that of the table, or the expectation
    /// over its chance outcomes.
    fn chance_node(
        &self,
        levels: &mut [Level],
        stats: &mut SearchStats,
        afterstate: Afterstate,
        path: NodePath,
    ) -> f32 {
        let is_clock_due = stats.nodes.is_multiple_of(NODES_PER_CLOCK_CHECK);
        if self.aborted.load(Relaxed) || is_clock_due && self.check_deadline() {
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
        let mean = self.expectation(levels, stats, afterstate, path);
        if let Some(table) = self.table
            && !self.aborted.load(Relaxed)
        {
            table.insert(afterstate, plies, mean, self.age);
        }
        mean
    }

    /// Returns the expectation over the chance outcomes of an afterstate. The last ply by tables
    /// gives the part of some tiles. The other outcomes are leaves, which are evaluated in one
    /// batch, or they are searched.
    #[inline(always)]
    fn expectation(
        &self,
        levels: &mut [Level],
        stats: &mut SearchStats,
        afterstate: Afterstate,
        path: NodePath,
    ) -> f32 {
        let is_leaf =
            |probability: f64| path.plies == 1 || self.is_unlikely(path.probability * probability);
        let mut from_tables = PartialExpectation::default();
        if let Some(last_ply) = self.last_ply
            && let Some(found) = last_ply.expectation(afterstate, self.terminal_value(), is_leaf)
        {
            stats.leaves += found.leaves;
            if self.are_all_tiles(found.ranks) {
                return found.sum as f32;
            }
            from_tables = found;
        }
        let Some((level, deeper)) = levels.split_first_mut() else { return 0.0 };
        level.leaves.clear();
        level.interior.clear();
        let reward_weight = self.scale.reward_weight();
        let mut mean = from_tables.sum;
        // The outcomes in which these ranks enter are in the mean or in the batch of leaves.
        let mut done = from_tables.ranks;
        if let Some(tables) = self.row_tables
            && done.is_empty()
        {
            match level.leaves.fill_from_tables(tables, afterstate, reward_weight, is_leaf) {
                Some(filled) => done = filled,
                None => level.leaves.clear(),
            }
        }
        if !self.are_all_tiles(done) {
            self.game.outcomes(afterstate, &mut level.outcomes);
            for &Outcome { probability, state } in level.outcomes.iter() {
                if done.contains(entered_rank(afterstate, state)) {
                    continue;
                }
                mean += probability * f64::from(self.chance_reward(afterstate, state));
                self.game.successors(state, &mut level.successors);
                if level.successors.is_empty() {
                    mean += probability * f64::from(self.terminal_value());
                } else if is_leaf(probability) {
                    level.leaves.add(probability, &level.successors, reward_weight);
                } else {
                    level.interior.add(probability, &level.successors);
                    if let Some(table) = self.table {
                        level.successors.iter().for_each(|s| table.prefetch(s.afterstate));
                    }
                }
            }
        }
        let mut start = 0;
        for &InteriorOutcome { probability, successors_end } in &level.interior.outcomes {
            let successors = &level.interior.successors[start..successors_end];
            start = successors_end;
            let value = self.max_node(deeper, stats, successors, path.after(probability));
            mean += probability * f64::from(value);
        }
        if level.leaves.has_outcomes() && !self.aborted.load(Relaxed) {
            stats.leaves += level.leaves.leaf_count() as u64;
            level.leaves.evaluate(self.value, self.exact, self.table.is_some());
            mean += level.leaves.expectation(self.terminal_value());
            self.check_deadline();
        }
        mean as f32
    }

    /// Returns true if these are the ranks of all tiles that can enter. Only the tables of a game
    /// tell, so the result is false without tables.
    #[inline(always)]
    fn are_all_tiles(&self, ranks: RankSet) -> bool {
        self.row_tables.is_some_and(|tables| ranks.contains_all(tables.entries()))
    }

    #[inline(always)]
    pub fn exact_value(&self, afterstate: Afterstate) -> Option<f32> {
        let mut value = [f32::NAN];
        self.exact?.exact_values(&[afterstate], &mut value);
        Some(value[0]).filter(|value| !value.is_nan())
    }

    /// Returns the reward of a chance outcome, weighted for the value's scale.
    #[inline(always)]
    pub fn chance_reward(&self, from: Afterstate, to: State) -> f32 {
        if self.has_chance_rewards {
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

    /// Aborts the search if the deadline has passed. Returns true if it has passed.
    #[inline]
    fn check_deadline(&self) -> bool {
        let has_passed = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if has_passed {
            self.aborted.store(true, Relaxed);
        }
        has_passed
    }
}

/// Returns the rank of the tile that has entered, on a board with 4 bits for each cell.
#[inline(always)]
fn entered_rank(before: Afterstate, after: State) -> u8 {
    let entered = before.lo ^ after.lo;
    // The shift of the first of the four bits: a multiple of 4.
    let cell_shift = entered.trailing_zeros() & 60;
    (entered >> cell_shift & 15) as u8
}
