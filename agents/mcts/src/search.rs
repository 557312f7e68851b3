//! The simulations: from the root to a leaf, and the return of the leaf's value.

use crate::evaluation::{Buffers, Evaluator};
use crate::leaves::{LeafBatch, PathStep};
use crate::options::{Backup, Budget, Growth, SearchOptions};
use crate::selection::select;
use crate::tree::{Edge, NONE, Tree};
use runner_core::{Action, Game, Random, State, Successors, Value};
use std::time::Instant;

/// Shares of settled simulations up to which the mean over the actions counts in a backup, and from
/// which on the best action alone counts.
const SETTLED: std::ops::Range<f64> = 0.5..0.8;
/// Number of recent simulations of which a tree knows the share of settled ones.
const RECENT: f64 = 64.0;

#[derive(Clone, Debug)]
pub struct SearchTree {
    pub tree: Tree,
    pub stats: SearchStats,
    /// Simulations that have begun since the search began.
    pub begun: u64,
    /// Share of the recent simulations that the tree followed to the end of the game.
    settled: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchStats {
    pub simulations: u64,
    /// Leaves that were evaluated; the other simulations ended in terminal positions.
    pub leaves: u64,
    /// Actions on the longest path from the root to a leaf.
    pub depth: u64,
    /// Leaves that did not fit into the tree.
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

#[derive(Debug, Default)]
pub struct Worker {
    /// The leaves that wait for their evaluation, or have it.
    pub batch: LeafBatch,
    pub buffers: Buffers,
    successors: Successors,
}

pub struct Search<'a, G, V: ?Sized> {
    game: &'a G,
    options: &'a SearchOptions,
    evaluator: Evaluator<'a, V>,
    reward_weight: f64,
    chance_rewards: bool,
}

impl<'a, G: Game, V: Value + ?Sized> Search<'a, G, V> {
    pub fn new(game: &'a G, options: &'a SearchOptions, evaluator: Evaluator<'a, V>) -> Self {
        let reward_weight = evaluator.reward_weight();
        let chance_rewards = game.has_chance_rewards() && reward_weight != 0.0;
        Self { game, options, evaluator, reward_weight, chance_rewards }
    }

    /// Searches until the budget, which began at a time, is spent.
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

    /// Makes `state` the root: keeps its subtree if it follows `last`, and otherwise
    /// begins a new tree, whose root this evaluates.
    pub fn set_root(
        &self,
        tree: &mut SearchTree,
        worker: &mut Worker,
        last: Option<Action>,
        state: State,
        random: &mut Random,
    ) {
        (tree.stats, tree.begun) = (SearchStats::default(), 0);
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

    /// Follows up to `count` paths from the root to leaves, which then wait for their
    /// evaluation. Simulations that end in terminal positions are complete.
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

    /// Follows one path. Returns false if it led to a leaf that waits for its evaluation in
    /// the same batch: the simulation is given up.
    fn follow(&self, tree: &mut SearchTree, worker: &mut Worker, random: &mut Random) -> bool {
        let Worker { batch, successors, .. } = worker;
        let begin = batch.steps.len();
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
            // A game whose positions come back, and which share their nodes, leads in a circle.
            let is_circle = batch.steps.len() - begin > tree.tree.nodes();
            let here = tree.tree.node_mut(node);
            if !here.expanded || is_circle {
                // A second evaluation in the same batch would learn nothing from the first.
                let complete = here.visits + here.pending > self.options.growth.evaluations();
                let waits = batch.leaves().iter().any(|leaf| leaf.node == node);
                if complete && waits {
                    here.pending -= 1;
                    tree.give_up(&batch.steps[begin..]);
                    batch.steps.truncate(begin);
                    return false;
                }
                batch.push(node, state);
                return true;
            }
            if here.edges == 0 {
                let value = self.evaluator.terminal_value();
                let path = &batch.steps[begin..];
                tree.stats.depth = tree.stats.depth.max(path.len() as u64);
                tree.note_end(added == 0);
                let weight = self.weight_of_best(tree);
                tree.back_up(weight, node, path, value);
                batch.steps.truncate(begin);
                return true;
            }
            let here = tree.tree.node(node);
            // A playout begins with a random action.
            let place = if is_new {
                random.below(here.edges.into()) as usize
            } else {
                select(&self.options.selection, &tree.tree, here)
            };
            let edge = here.first_edge + place as u32;
            tree.tree.edge_mut(edge).pending += 1;
            let Edge { afterstate, reward, .. } = *tree.tree.edge(edge);
            state = self.game.spawn(afterstate, random.word());
            let found = tree.child(edge, state);
            let child = found.map(|link| tree.tree.link(link).node);
            let mut total = f64::from(reward);
            if self.chance_rewards {
                total += f64::from(self.game.chance_reward(Some(afterstate), state));
            }
            let link = found.unwrap_or(NONE);
            batch.steps.push(PathStep { node, edge, link, reward: self.reward_weight * total });
            match child {
                Some(child) => node = child,
                None => {
                    tree.stats.full += 1;
                    batch.push(NONE, state);
                    return true;
                }
            }
        }
    }

    /// Returns the weight of the best action in the value of a node; the rest is that of the mean.
    ///
    /// With [`Growth::Before`] it grows from 0 to 1 with the share of simulations that end in the
    /// tree, since the maximum of few playouts is too high. All nodes have the same weight, because
    /// an action whose value is a maximum and one whose value is a mean cannot be compared.
    fn weight_of_best(&self, tree: &SearchTree) -> f64 {
        match (self.options.backup, self.options.growth) {
            (Backup::Mean, _) => 0.0,
            (Backup::Max, Growth::After(_)) => 1.0,
            (Backup::Max, Growth::Before(_)) => {
                ((tree.settled - SETTLED.start) / (SETTLED.end - SETTLED.start)).clamp(0.0, 1.0)
            }
        }
    }

    /// Returns true if a node gets its edges after this evaluation. The root gets them after the
    /// first.
    fn is_complete(&self, tree: &SearchTree, node: u32) -> bool {
        let here = tree.tree.node(node);
        let evaluated = here.visits + 1 >= self.options.growth.evaluations();
        !here.expanded && (evaluated || node == tree.tree.root())
    }

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

    /// Expands the evaluated leaves of a worker and adds their values to the nodes on their
    /// paths.
    pub fn absorb(&self, tree: &mut SearchTree, worker: &mut Worker) {
        let batch = &worker.batch;
        let (mut first_action, mut first_step) = (0, 0);
        for leaf in batch.leaves() {
            let count = leaf.successors.len();
            let own = first_action..first_action + count;
            first_action = own.end;
            let (estimates, priors) = (batch.estimates.get(own.clone()), batch.priors.get(own));
            let steps = &batch.steps[first_step..leaf.steps_end];
            first_step = leaf.steps_end;
            if leaf.node != NONE && self.is_complete(tree, leaf.node) {
                self.expand(tree, leaf.node, &leaf.successors, estimates, priors);
            }
            tree.stats.leaves += 1;
            tree.stats.depth = tree.stats.depth.max(steps.len() as u64);
            tree.note_end(false);
            let weight = self.weight_of_best(tree);
            tree.back_up(weight, leaf.node, steps, leaf.value);
        }
        worker.batch.clear();
    }
}

impl SearchTree {
    pub fn new(limit: usize, shared: bool) -> Self {
        let stats = SearchStats::default();
        Self { tree: Tree::new(limit, shared), stats, begun: 0, settled: 0.0 }
    }

    fn plant(&mut self, state: State) {
        self.tree.plant(state);
        self.settled = 0.0;
    }

    /// Makes the position after `last` the root without a search, or removes all nodes if
    /// the tree does not have it.
    pub fn advance(&mut self, last: Option<Action>, state: State) {
        match last.and_then(|action| self.find(action, state)) {
            Some(node) => self.tree.move_root(node),
            None => self.tree.clear(),
        }
    }

    fn find(&self, action: Action, state: State) -> Option<u32> {
        let root = Some(self.tree.root()).filter(|root| *root != NONE)?;
        let edges = self.tree.edges_of(self.tree.node(root));
        let edge = edges.iter().find(|edge| edge.action == action)?;
        let is_it = |child: &u32| self.tree.node(*child).state == state;
        self.tree.links(edge).map(|link| self.tree.link(link).node).find(is_it)
    }

    /// Returns the link to an outcome, which is added if it is new, or `None` if the tree is full.
    #[inline(always)]
    fn child(&mut self, edge: u32, drawn: State) -> Option<u32> {
        let state = |link: u32| self.tree.node(self.tree.link(link).node).state;
        let known = self.tree.links(self.tree.edge(edge)).find(|link| state(*link) == drawn);
        known.or_else(|| self.tree.add_child(edge, drawn))
    }

    /// Notes if the tree followed a simulation to the end of the game.
    fn note_end(&mut self, is_settled: bool) {
        self.settled += (f64::from(u8::from(is_settled)) - self.settled) / RECENT;
    }

    /// Adds the return of a leaf to its node, unless it is [`NONE`], and to those on its path.
    #[inline(always)]
    fn back_up(&mut self, weight_of_best: f64, leaf: u32, steps: &[PathStep], value: f64) {
        let mut value = value;
        let mut below = if leaf == NONE { value } else { self.add(weight_of_best, leaf, value) };
        for step in steps.iter().rev() {
            value += step.reward;
            // By how much the sum over all visits of this outcome grows.
            let mut change = below;
            if step.link != NONE {
                let link = self.tree.link_mut(step.link);
                change += f64::from(link.visits) * (below - link.value);
                (link.visits, link.value) = (link.visits + 1, below);
            }
            let edge = self.tree.edge_mut(step.edge);
            edge.pending -= 1;
            edge.add(change + step.reward);
            below = self.add(weight_of_best, step.node, value);
        }
        self.stats.simulations += 1;
    }

    /// Adds the return of a simulation to a node, and returns the node's new value.
    #[inline(always)]
    fn add(&mut self, weight_of_best: f64, node: u32, value: f64) -> f64 {
        let here = self.tree.node_mut(node);
        here.pending -= 1;
        here.add(value);
        let here = self.tree.node(node);
        let mut found = here.mean;
        if weight_of_best > 0.0 {
            let (mut best, mut sum, mut weights) = (f64::NEG_INFINITY, 0.0, 0.0);
            for edge in self.tree.edges_of(here) {
                let Some(value) = edge.value() else { continue };
                let weight = f64::from(edge.visits + u32::from(edge.estimated));
                best = best.max(value);
                sum += weight * value;
                weights += weight;
            }
            if weights > 0.0 {
                found = weight_of_best * best + (1.0 - weight_of_best) * (sum / weights);
            }
        }
        self.tree.node_mut(node).value = found;
        found
    }

    /// Takes back a simulation that found no leaf.
    fn give_up(&mut self, steps: &[PathStep]) {
        for step in steps {
            self.tree.edge_mut(step.edge).pending -= 1;
            self.tree.node_mut(step.node).pending -= 1;
        }
    }
}
