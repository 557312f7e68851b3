//! The simulations. Each follows a path from the root to a leaf, and adds the return to the nodes
//! and edges of the path.
//!
//! Leaves are evaluated in batches. [`Search::collect`] follows paths until a batch is full, the
//! evaluator finds the values of its leaves, and [`Search::absorb`] adds their returns. Between
//! the two, a simulation is *pending* in the nodes and edges of its path.

use crate::evaluation::{Buffers, Evaluator};
use crate::leaves::{LeafBatch, PathStep};
use crate::options::{Backup, Budget, Growth, SearchOptions};
use crate::selection::select;
use crate::tree::{Edge, NONE, Tree};
use runner_core::{Action, Game, Random, State, Successors, Value};
use std::time::Instant;

/// Shares of settled simulations between which a backup changes from the mean over the actions to
/// the best action. See [`Search::weight_of_best`].
const SETTLED: std::ops::Range<f64> = 0.5..0.8;
/// Number of recent simulations over which the share of settled ones is averaged.
const RECENT: f64 = 64.0;

/// A tree with the counters of the search of a move.
#[derive(Clone, Debug)]
pub struct SearchTree {
    pub tree: Tree,
    pub stats: SearchStats,
    /// Number of simulations that have begun since the search began.
    pub begun: u64,
    /// Share of settled simulations among the recent ones, 0 to 1. A simulation is settled if it
    /// followed the tree to the end of the game, without a playout and without a new node.
    settled: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchStats {
    /// Number of simulations that have ended.
    pub simulations: u64,
    /// Number of leaves that were evaluated; the other simulations ended in terminal positions.
    pub leaves: u64,
    /// Number of actions on the longest path from the root to a leaf.
    pub depth: u64,
    /// Number of leaves that did not fit into the tree.
    pub full: u64,
}

impl SearchStats {
    pub fn add(&mut self, other: Self) {
        self.simulations += other.simulations;
        self.leaves += other.leaves;
        self.depth = self.depth.max(other.depth);
        self.full += other.full;
    }
}

/// The batch and the buffers of a thread.
#[derive(Debug, Default)]
pub struct Worker {
    pub batch: LeafBatch,
    pub buffers: Buffers,
    successors: Successors,
}

/// The search of a move: what its threads share.
pub struct Search<'a, G, V: ?Sized> {
    game: &'a G,
    options: &'a SearchOptions,
    evaluator: Evaluator<'a, V>,
    /// Weight of rewards in returns, by the scale of the value.
    reward_weight: f64,
    has_chance_rewards: bool,
}

impl<'a, G: Game, V: Value + ?Sized> Search<'a, G, V> {
    pub fn new(game: &'a G, options: &'a SearchOptions, evaluator: Evaluator<'a, V>) -> Self {
        let reward_weight = evaluator.reward_weight();
        let has_chance_rewards = game.has_chance_rewards() && reward_weight != 0.0;
        Self { game, options, evaluator, reward_weight, has_chance_rewards }
    }

    /// Searches until the budget is spent. The time of the search began at `began`.
    pub fn work(
        &self,
        tree: &mut SearchTree,
        worker: &mut Worker,
        random: &mut Random,
        budget: Budget,
        began: Instant,
    ) {
        worker.batch.clear();
        loop {
            self.absorb(tree, worker);
            let begun = tree.begun;
            // The first batch has no deadline.
            let is_late = begun > 0 && budget.time.is_some_and(|time| began.elapsed() >= time);
            let left = budget.simulations.map_or(u64::MAX, |limit| limit.saturating_sub(begun));
            if is_late || left == 0 {
                return;
            }
            let count = left.min(self.options.batch as u64) as usize;
            self.collect(tree, worker, count, random);
            self.evaluate(worker, random);
        }
    }

    pub fn evaluate(&self, worker: &mut Worker, random: &mut Random) {
        if !worker.batch.leaves().is_empty() {
            self.evaluator.evaluate(self.game, &mut worker.batch, &mut worker.buffers, random);
        }
    }

    /// Makes `state` the root, and evaluates it if it has no edges. If `state` follows the action
    /// `last` in the tree, its subtree is kept; otherwise the tree is replaced.
    pub fn set_root(
        &self,
        tree: &mut SearchTree,
        worker: &mut Worker,
        last: Option<Action>,
        state: State,
        random: &mut Random,
    ) {
        tree.begun = 0;
        match last.and_then(|action| tree.find(action, state)) {
            Some(node) => tree.tree.move_root(node),
            None => tree.plant(state),
        }
        self.expand_root(tree, worker, random);
        if !tree.tree.node(tree.tree.root()).expanded {
            // The kept subtree left no room for the edges of the root.
            tree.plant(state);
            self.expand_root(tree, worker, random);
        }
        // The evaluation of the root does not count.
        tree.stats = SearchStats::default();
    }

    /// Evaluates and expands the root, if it has no edges.
    fn expand_root(&self, tree: &mut SearchTree, worker: &mut Worker, random: &mut Random) {
        let root = tree.tree.root();
        if !tree.tree.node(root).expanded {
            worker.batch.clear();
            worker.batch.push(root, tree.tree.node(root).state);
            tree.tree.node_mut(root).pending += 1;
            self.evaluate(worker, random);
            self.absorb(tree, worker);
        }
    }

    /// Begins up to `count` simulations. The batch then has their leaves. Simulations that end in
    /// terminal positions have no leaf and are complete.
    pub fn collect(
        &self,
        tree: &mut SearchTree,
        worker: &mut Worker,
        count: usize,
        random: &mut Random,
    ) {
        worker.batch.clear();
        for _ in 0..count {
            tree.begun += 1;
            if !self.follow(tree, worker, random) {
                tree.begun -= 1;
                break;
            }
        }
    }

    /// Follows the path of one simulation from the root to a leaf or a terminal position. Returns
    /// false if the simulation is given up, because its leaf already waits for its evaluation in
    /// this batch.
    fn follow(&self, tree: &mut SearchTree, worker: &mut Worker, random: &mut Random) -> bool {
        let Worker { batch, successors, .. } = worker;
        let begin = batch.steps.len();
        // Number of positions that this simulation has expanded.
        let mut added = 0;
        let mut node = tree.tree.root();
        let mut state = tree.tree.node(node).state;
        loop {
            let here = tree.tree.node_mut(node);
            here.pending += 1;
            let mut is_new = false;
            if let Growth::Before(positions) = self.options.growth
                && !here.expanded
                && added < positions
            {
                self.game.successors(state, successors);
                is_new = self.expand(tree, node, successors, None, None);
                added += 1;
            }
            // If positions repeat in a game and share their nodes, a path can lead in a circle.
            let is_circle = batch.steps.len() - begin > tree.tree.nodes();
            let here = tree.tree.node_mut(node);
            if !here.expanded || is_circle {
                // The evaluations that are pending suffice: one more in the same batch would learn
                // nothing from them.
                let is_enough = self.options.growth.is_enough(here.visits + here.pending - 1);
                if is_enough && batch.leaves().iter().any(|leaf| leaf.node == node) {
                    here.pending -= 1;
                    tree.give_up(&batch.steps[begin..]);
                    batch.steps.truncate(begin);
                    return false;
                }
                batch.push(node, state);
                return true;
            }
            if here.edges == 0 {
                let (path, value) = (&batch.steps[begin..], self.evaluator.terminal_value());
                let is_settled = added == 0;
                self.end_simulation(tree, node, path, value, is_settled);
                batch.steps.truncate(begin);
                return true;
            }
            let here = tree.tree.node(node);
            // A new node has no statistics.
            let place = if is_new {
                random.below(here.edges.into()) as usize
            } else {
                select(&self.options.selection, &tree.tree, here)
            };
            let edge = here.first_edge + place as u32;
            tree.tree.edge_mut(edge).pending += 1;
            let Edge { afterstate, reward, .. } = *tree.tree.edge(edge);
            state = self.game.spawn(afterstate, random.word());
            let mut total = f64::from(reward);
            if self.has_chance_rewards {
                total += f64::from(self.game.chance_reward(Some(afterstate), state));
            }
            let reward = self.reward_weight * total;
            let Some(link) = tree.find_or_add_child(edge, state) else {
                tree.stats.full += 1;
                batch.steps.push(PathStep { node, edge, link: NONE, reward });
                batch.push(NONE, state);
                return true;
            };
            batch.steps.push(PathStep { node, edge, link, reward });
            node = tree.tree.link(link).node;
        }
    }

    /// Ends a simulation: adds its return to `leaf`, which may be [`NONE`], and to the path.
    /// `value` is the value of the leaf. For `is_settled` see [`SearchTree`].
    #[inline(always)]
    fn end_simulation(
        &self,
        tree: &mut SearchTree,
        leaf: u32,
        path: &[PathStep],
        value: f64,
        is_settled: bool,
    ) {
        tree.stats.depth = tree.stats.depth.max(path.len() as u64);
        tree.settled += (f64::from(u8::from(is_settled)) - tree.settled) / RECENT;
        let weight_of_best = self.weight_of_best(tree);
        tree.back_up(weight_of_best, leaf, path, value);
    }

    /// Returns the weight of the best action in the value of a node, 0 to 1. The mean over the
    /// actions has the remaining weight.
    ///
    /// With [`Growth::Before`] the weight grows from 0 to 1 with the share of settled simulations,
    /// because the maximum of few playouts is too high. All nodes have the same weight, because an
    /// action whose value is a maximum cannot be compared with one whose value is a mean.
    fn weight_of_best(&self, tree: &SearchTree) -> f64 {
        match (self.options.backup, self.options.growth) {
            (Backup::Mean, _) => 0.0,
            (Backup::Max, Growth::After(_)) => 1.0,
            (Backup::Max, Growth::Before(_)) => {
                ((tree.settled - SETTLED.start) / (SETTLED.end - SETTLED.start)).clamp(0.0, 1.0)
            }
        }
    }

    /// Returns true if a node gets its edges after this evaluation. The root gets them after its
    /// first evaluation.
    fn needs_edges(&self, tree: &SearchTree, node: u32) -> bool {
        let here = tree.tree.node(node);
        let is_enough = self.options.growth.is_enough(here.visits + 1);
        !here.expanded && (is_enough || node == tree.tree.root())
    }

    /// Gives a node the edges of its successors and returns true, or returns false if the tree is
    /// full. `estimates` and `priors` are in the order of the successors. Without priors, all are
    /// equal.
    fn expand(
        &self,
        tree: &mut SearchTree,
        node: u32,
        successors: &Successors,
        estimates: Option<&[f32]>,
        priors: Option<&[f32]>,
    ) -> bool {
        let count = successors.len();
        let uniform = 1.0 / count.max(1) as f32;
        let edge = |place: usize| {
            let successor = &successors[place];
            Edge {
                afterstate: successor.afterstate,
                mean: estimates.map_or(0.0, |estimates| estimates[place].into()),
                visits: 0,
                pending: 0,
                prior: priors.map_or(uniform, |priors| priors[place]),
                reward: successor.reward,
                link: NONE,
                children: 0,
                action: successor.action,
                estimated: estimates.is_some(),
            }
        };
        tree.tree.expand(node, (0..count).map(edge))
    }

    /// Ends the simulations of an evaluated batch, and expands its leaves if it is time to. Then
    /// clears the batch.
    pub fn absorb(&self, tree: &mut SearchTree, worker: &mut Worker) {
        let batch = &worker.batch;
        let (mut first_action, mut first_step) = (0, 0);
        for leaf in batch.leaves() {
            let actions = first_action..first_action + leaf.successors.len();
            first_action = actions.end;
            let path = &batch.steps[first_step..leaf.steps_end];
            first_step = leaf.steps_end;
            if leaf.node != NONE && self.needs_edges(tree, leaf.node) {
                // `get` returns `None` if there are no estimates or priors.
                let estimates = batch.estimates.get(actions.clone());
                let priors = batch.priors.get(actions);
                self.expand(tree, leaf.node, &leaf.successors, estimates, priors);
            }
            tree.stats.leaves += 1;
            self.end_simulation(tree, leaf.node, path, leaf.value, false);
        }
        worker.batch.clear();
    }
}

impl SearchTree {
    pub fn new(options: &SearchOptions) -> Self {
        let tree = Tree::new(options.tree_bytes(), options.shares_nodes());
        Self { tree, stats: SearchStats::default(), begun: 0, settled: 0.0 }
    }

    /// Replaces the tree by a root with this position.
    pub fn plant(&mut self, state: State) {
        self.tree.plant(state);
        self.settled = 0.0;
    }

    /// Makes `state` the root without a search, if it follows the action `last` in the tree.
    /// Otherwise removes all nodes.
    pub fn advance(&mut self, last: Option<Action>, state: State) {
        match last.and_then(|action| self.find(action, state)) {
            Some(node) => self.tree.move_root(node),
            None => self.tree.clear(),
        }
    }

    /// Returns the node of `state` if it follows an action of the root in the tree.
    fn find(&self, action: Action, state: State) -> Option<u32> {
        if self.tree.root() == NONE {
            return None;
        }
        let edges = self.tree.edges_of(self.tree.node(self.tree.root()));
        let edge = edges.iter().find(|edge| edge.action == action)?;
        let mut children = self.tree.links(edge).map(|link| self.tree.link(link).node);
        children.find(|&child| self.tree.node(child).state == state)
    }

    /// Returns the link to an outcome. Adds it if it is new; returns `None` if the tree is full.
    #[inline(always)]
    fn find_or_add_child(&mut self, edge: u32, drawn: State) -> Option<u32> {
        let state = |link: u32| self.tree.node(self.tree.link(link).node).state;
        let known = self.tree.links(self.tree.edge(edge)).find(|link| state(*link) == drawn);
        known.or_else(|| self.tree.add_child(edge, drawn))
    }

    /// Adds the return of a simulation to its leaf, unless that is [`NONE`], and to the nodes and
    /// edges on its path. The simulation is no longer pending in them.
    #[inline(always)]
    fn back_up(&mut self, weight_of_best: f64, leaf: u32, path: &[PathStep], leaf_value: f64) {
        let mut simulation_return = leaf_value;
        // The value of the position below the step.
        let mut below = if leaf == NONE {
            leaf_value
        } else {
            self.add_return(weight_of_best, leaf, leaf_value)
        };
        for step in path.iter().rev() {
            simulation_return += step.reward;
            // The growth of the sum over all visits of the edge: each visit of this outcome now
            // counts with the new value of the position.
            let mut growth = below;
            if step.link != NONE {
                let link = self.tree.link_mut(step.link);
                growth += f64::from(link.visits) * (below - link.value);
                link.visits += 1;
                link.value = below;
            }
            let edge = self.tree.edge_mut(step.edge);
            edge.pending -= 1;
            edge.add(growth + step.reward);
            below = self.add_return(weight_of_best, step.node, simulation_return);
        }
        self.stats.simulations += 1;
    }

    /// Adds the return of a simulation to a node, and returns the node's new value.
    #[inline(always)]
    fn add_return(&mut self, weight_of_best: f64, node: u32, simulation_return: f64) -> f64 {
        let here = self.tree.node_mut(node);
        here.pending -= 1;
        here.add(simulation_return);
        let here = self.tree.node(node);
        let mut new_value = here.mean;
        if weight_of_best > 0.0 {
            let (mut best, mut sum, mut weights) = (f64::NEG_INFINITY, 0.0, 0.0);
            for edge in self.tree.edges_of(here) {
                let Some(value) = edge.value() else { continue };
                best = best.max(value);
                sum += edge.weight() * value;
                weights += edge.weight();
            }
            if weights > 0.0 {
                new_value = weight_of_best * best + (1.0 - weight_of_best) * (sum / weights);
            }
        }
        self.tree.node_mut(node).value = new_value;
        new_value
    }

    /// Takes back a simulation: it is no longer pending on its path.
    fn give_up(&mut self, steps: &[PathStep]) {
        for step in steps {
            self.tree.edge_mut(step.edge).pending -= 1;
            self.tree.node_mut(step.node).pending -= 1;
        }
    }
}
