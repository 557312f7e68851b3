//! The leaves that one thread evaluates at a time.

use runner_core::{State, Successors};

/// A step from a node to an outcome of one of its actions. Nodes, edges and links are indices in
/// the [`tree`](crate::tree).
#[derive(Clone, Copy, Debug)]
pub struct PathStep {
    pub node: u32,
    pub edge: u32,
    /// The link to the outcome, or [`NONE`](crate::tree::NONE) if it is not in the tree, which is
    /// full.
    pub link: u32,
    /// The rewards of the action and of chance, weighted for the value's scale.
    pub reward: f64,
}

#[derive(Debug)]
pub struct Leaf {
    /// Its node, or [`NONE`](crate::tree::NONE) if it is not in the tree, which is full.
    pub node: u32,
    pub state: State,
    /// The end of its steps in the batch, which begin at the end of those of the leaf before.
    pub steps_end: usize,
    /// Its legal actions, once it is evaluated.
    pub successors: Successors,
    pub value: f64,
}

/// Leaves with the paths on which they were reached and, after their evaluation, estimates
/// and priors of their actions.
#[derive(Debug, Default)]
pub struct LeafBatch {
    /// The first `count` are in the batch. The others keep their memory.
    leaves: Vec<Leaf>,
    count: usize,
    /// The steps of all leaves, and then of the simulation that is at work.
    pub steps: Vec<PathStep>,
    /// The estimates of the actions of all leaves, in the order of their successors; empty
    /// if the value estimates no actions.
    pub estimates: Vec<f32>,
    /// The priors of the actions, in the same order; empty if there are none.
    pub priors: Vec<f32>,
}

impl LeafBatch {
    pub fn clear(&mut self) {
        self.count = 0;
        self.steps.clear();
        self.estimates.clear();
        self.priors.clear();
    }

    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves[..self.count]
    }

    pub fn leaves_mut(&mut self) -> &mut [Leaf] {
        &mut self.leaves[..self.count]
    }

    /// Returns the leaves that have a legal action, once the successors of all are listed.
    pub fn nonterminal(&self) -> impl Iterator<Item = &Leaf> {
        self.leaves().iter().filter(|leaf| !leaf.successors.is_empty())
    }

    pub fn nonterminal_mut(&mut self) -> impl Iterator<Item = &mut Leaf> {
        self.leaves_mut().iter_mut().filter(|leaf| !leaf.successors.is_empty())
    }

    /// Adds a leaf, whose steps are the last ones.
    pub fn push(&mut self, node: u32, state: State) {
        if self.count == self.leaves.len() {
            let (steps_end, successors) = (0, Successors::new());
            self.leaves.push(Leaf { node, state, steps_end, successors, value: 0.0 });
        }
        let leaf = &mut self.leaves[self.count];
        (leaf.node, leaf.state, leaf.steps_end) = (node, state, self.steps.len());
        self.count += 1;
    }
}
