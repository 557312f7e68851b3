//! The leaves that one thread evaluates at a time.

use runner_core::{State, Successors};

/// A step from a node to an outcome of one of its actions.
#[derive(Clone, Copy, Debug)]
pub struct PathStep {
    pub node: u32,
    pub edge: u32,
    /// The link to the outcome, or [`NONE`](crate::tree::NONE) if the tree is full.
    pub link: u32,
    /// The rewards of the action and of chance, as they count in returns.
    pub reward: f64,
}

#[derive(Debug)]
pub struct Leaf {
    /// Its node, or [`NONE`](crate::tree::NONE) if the tree is full.
    pub node: u32,
    pub state: State,
    /// The place after its last step; the steps begin where those of the leaf before end.
    pub steps_end: usize,
    /// Its legal actions, once it is evaluated.
    pub successors: Successors,
    pub value: f64,
}

/// Leaves with the paths on which they were reached and, after their evaluation, estimates
/// and priors of their actions.
#[derive(Debug, Default)]
pub struct LeafBatch {
    leaves: Vec<Leaf>,
    count: usize,
    /// The steps of all leaves and of the path that is being followed.
    pub steps: Vec<PathStep>,
    /// The estimates of the actions of all leaves, in the order of their successors; empty
    /// if there are none.
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
