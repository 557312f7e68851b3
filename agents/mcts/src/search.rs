//! The simulations: from the root to a leaf, and the return of the leaf's value.

use crate::evaluation::{Buffers, Evaluator};
use crate::leaves::{Leaf, LeafBatch, Step};
use crate::options::{Backup, Chance, SearchOptions};
use crate::selection::{Range, select};
use crate::tree::{Edge, NONE, Tree};
use runner_core::{Action, Game, Random, State, Successors, Value};

#[derive(Clone, Debug)]
pub struct SearchTree {
    pub tree: Tree,
    range: Range,
    pub stats: SearchStats,
    /// Simulations that have begun since the search began.
    pub begun: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchStats {
    pub simulations: u64,
    /// Leaves that were evaluated; the other simulations ended in terminal positions.
    pub leaves: u64,
    pub nodes: u64,
    /// Actions on the longest path from the root to a leaf.
    pub depth: u64,
    /// Leaves that did not fit into the tree.
    pub full: u64,
}

impl SearchStats {
    pub fn add(&mut self, other: Self) {
        self.simulations += other.simulations;
        self.leaves += other.leaves;
        self.nodes += other.nodes;
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
        match last.and_then(|action| tree.find(self.options.chance, action, state)) {
            Some(node) => tree.keep(node, state),
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
        let open = self.options.chance == Chance::Open;
        let begin = batch.steps_len();
        let mut node = tree.tree.root();
        let mut state = tree.tree.node(node).state;
        loop {
            let here = tree.tree.node_mut(node);
            here.pending += 1;
            if !here.expanded {
                // A second evaluation in the same batch would learn nothing from the first.
                let complete = here.visits + here.pending > self.options.expand_after;
                let waits = batch.leaves().iter().any(|leaf| leaf.node == node);
                if complete && waits {
                    here.pending -= 1;
                    tree.give_up(&batch.steps()[begin..]);
                    batch.drop_path(begin);
                    return false;
                }
                batch.push(node, state);
                return true;
            }
            let legal = if open {
                self.game.successors(state, successors);
                successors.iter().fold(0, |legal, s| legal | 1 << s.action.index())
            } else {
                u64::MAX.checked_shr(64 - u32::from(here.edges)).unwrap_or(0)
            };
            if legal == 0 {
                let value = self.evaluator.terminal_value();
                let path = &batch.steps()[begin..];
                tree.stats.depth = tree.stats.depth.max(path.len() as u64);
                tree.back_up(self.options.backup, node, path, value);
                batch.drop_path(begin);
                return true;
            }
            let here = tree.tree.node(node);
            let place = select(&self.options.selection, &tree.tree, here, &tree.range, legal);
            let edge = here.first_edge + place as u32;
            tree.tree.edge_mut(edge).pending += 1;
            let (afterstate, reward) = if open {
                let action = tree.tree.edge(edge).action;
                let chosen = successors.of(action).expect("the action is legal");
                (chosen.afterstate, chosen.reward)
            } else {
                let edge = tree.tree.edge(edge);
                (edge.afterstate, edge.reward)
            };
            let drawn = self.game.spawn(afterstate, random.word());
            let child = tree.child(self.options.chance, edge, drawn, random);
            if let Some(child) = child
                && !open
            {
                state = tree.tree.node(child).state;
            } else {
                state = drawn;
            }
            let mut reward = f64::from(reward);
            if self.chance_rewards {
                reward += f64::from(self.game.chance_reward(Some(afterstate), state));
            }
            batch.push_step(Step { node, edge, reward: self.reward_weight * reward });
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

    /// Returns true if a node gets its edges after this evaluation. The root gets them after the
    /// first.
    fn is_complete(&self, tree: &SearchTree, node: u32) -> bool {
        let here = tree.tree.node(node);
        let evaluated = here.visits + 1 >= self.options.expand_after;
        !here.expanded && (evaluated || node == tree.tree.root())
    }

    fn expand(
        &self,
        tree: &mut SearchTree,
        leaf: &Leaf,
        estimates: Option<&[f32]>,
        priors: Option<&[f32]>,
    ) {
        let count = leaf.successors.len();
        let uniform = 1.0 / count.max(1) as f32;
        let edge = |place: usize| {
            let successor = &leaf.successors[place];
            let mut edge = Edge::new(successor.action);
            (edge.afterstate, edge.reward) = (successor.afterstate, successor.reward);
            edge.prior = priors.map_or(uniform, |priors| priors[place]);
            if let Some(estimates) = estimates {
                (edge.estimated, edge.mean) = (true, estimates[place].into());
            }
            edge
        };
        if self.options.chance == Chance::Open {
            // Other outcomes may have other legal actions.
            let actions = self.game.description().actions.len();
            let edges = (0..actions).map(|index| {
                let action = Action(index as u8);
                let place = leaf.successors.iter().position(|s| s.action == action);
                place
                    .map_or_else(|| Edge { prior: 1.0 / actions as f32, ..Edge::new(action) }, edge)
            });
            tree.tree.expand(leaf.node, edges);
        } else {
            tree.tree.expand(leaf.node, (0..count).map(edge));
        }
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
            let steps = &batch.steps()[first_step..leaf.steps_end];
            first_step = leaf.steps_end;
            if leaf.node != NONE && self.is_complete(tree, leaf.node) {
                self.expand(tree, leaf, estimates, priors);
            }
            tree.stats.leaves += 1;
            tree.stats.depth = tree.stats.depth.max(steps.len() as u64);
            tree.back_up(self.options.backup, leaf.node, steps, leaf.value);
        }
        worker.batch.clear();
    }
}

impl SearchTree {
    /// Creates an empty tree of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let (range, stats) = (Range::default(), SearchStats::default());
        Self { tree: Tree::new(limit), range, stats, begun: 0 }
    }

    /// Replaces the tree by a root without edges.
    fn plant(&mut self, state: State) {
        self.tree.plant(state);
        self.range = Range::default();
    }

    fn keep(&mut self, node: u32, state: State) {
        self.tree.move_root(node);
        self.tree.node_mut(0).state = state;
    }

    /// Makes the position after `last` the root without a search, or removes all nodes if
    /// the tree does not have it.
    pub fn advance(&mut self, chance: Chance, last: Option<Action>, state: State) {
        match last.and_then(|action| self.find(chance, action, state)) {
            Some(node) => self.keep(node, state),
            None => self.tree.clear(),
        }
    }

    fn find(&self, chance: Chance, action: Action, state: State) -> Option<u32> {
        let root = Some(self.tree.root()).filter(|root| *root != NONE)?;
        let edges = self.tree.edges_of(self.tree.node(root));
        let edge = edges.iter().find(|edge| edge.action == action)?;
        let is_it = |child: &u32| chance == Chance::Open || self.tree.node(*child).state == state;
        self.tree.children(edge).find(is_it)
    }

    /// Returns the node of an outcome, which is added if it is new; with progressive
    /// widening, that of another outcome if there are too many. Returns `None` if the tree
    /// is full.
    #[inline(always)]
    fn child(
        &mut self,
        chance: Chance,
        edge: u32,
        drawn: State,
        random: &mut Random,
    ) -> Option<u32> {
        let from = self.tree.edge(edge);
        let known = match chance {
            Chance::Open => Some(from.child).filter(|child| *child != NONE),
            Chance::Closed { .. } => {
                self.tree.children(from).find(|child| self.tree.node(*child).state == drawn)
            }
        };
        if known.is_some() {
            return known;
        }
        if let Chance::Closed { widening: Some(widening) } = chance
            && from.children > 0
            && from.children >= widening.limit(from.visits + from.pending)
        {
            return Some(self.visited_child(edge, random));
        }
        let added = self.tree.add_child(edge, drawn)?;
        self.stats.nodes += 1;
        Some(added)
    }

    /// Draws one of the outcomes of a chance node by their numbers of visits.
    fn visited_child(&self, edge: u32, random: &mut Random) -> u32 {
        let edge = self.tree.edge(edge);
        let visits = |child: u32| {
            let node = self.tree.node(child);
            node.visits + node.pending
        };
        let total = self.tree.children(edge).map(visits).sum::<u32>().max(1);
        let mut left = random.below(total);
        for child in self.tree.children(edge) {
            match left.checked_sub(visits(child)) {
                Some(less) => left = less,
                None => return child,
            }
        }
        edge.child
    }

    /// Adds the return of a leaf to its node, unless it is [`NONE`], and to those on its path.
    #[inline(always)]
    fn back_up(&mut self, backup: Backup, leaf: u32, steps: &[Step], value: f64) {
        let mut value = value;
        let mut change = if leaf == NONE { value } else { self.add(backup, leaf, value) };
        for step in steps.iter().rev() {
            value += step.reward;
            change += step.reward;
            let edge = self.tree.edge_mut(step.edge);
            edge.pending -= 1;
            edge.add(change);
            let mean = edge.mean;
            self.range.add(mean);
            change = self.add(backup, step.node, value);
        }
        self.stats.simulations += 1;
    }

    /// Adds the return of a simulation to a node. Returns by how much the product of the node's
    /// visits and its value grows: the share of the node in the mean of the action before it.
    #[inline(always)]
    fn add(&mut self, backup: Backup, node: u32, value: f64) -> f64 {
        let here = self.tree.node_mut(node);
        here.pending -= 1;
        let before = f64::from(here.visits) * here.value;
        here.add(value);
        if backup == Backup::Mean {
            return value;
        }
        let here = self.tree.node(node);
        let values = self.tree.edges_of(here).iter().filter_map(Edge::value);
        let best = values.reduce(f64::max).unwrap_or(here.mean);
        let here = self.tree.node_mut(node);
        here.value = best;
        f64::from(here.visits) * best - before
    }

    /// Takes back a simulation that found no leaf.
    fn give_up(&mut self, steps: &[Step]) {
        for step in steps {
            self.tree.edge_mut(step.edge).pending -= 1;
            self.tree.node_mut(step.node).pending -= 1;
        }
    }
}
