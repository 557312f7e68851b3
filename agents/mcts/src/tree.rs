//! The tree: nodes and edges in two lists of bounded size.

use runner_core::{Action, Afterstate, State};

/// The index of no node.
pub const NONE: u32 = u32::MAX;

/// A position in which the player moves; in an open loop, a sequence of actions.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The position; in an open loop, the one for which the node was made.
    pub state: State,
    pub mean: f64,
    /// Sum of the squared differences from the mean.
    pub squares: f64,
    /// Value of the best action with [`Backup::Max`](crate::Backup::Max); 0 otherwise.
    pub value: f64,
    /// Simulations that reached it and have ended.
    pub visits: u32,
    /// Simulations through here that have no result yet.
    pub pending: u32,
    /// The index of the first edge; all edges are consecutive.
    pub first_edge: u32,
    /// The next outcome in the list of the chance node, or [`NONE`].
    pub sibling: u32,
    pub edges: u8,
    /// False until the node has its edges.
    pub expanded: bool,
}

/// An action in a node, and the chance node behind it.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The position after the action; in an open loop, not used.
    pub afterstate: Afterstate,
    /// Mean return of the simulations, the reward of the action included. An estimate counts
    /// as one of them.
    pub mean: f64,
    /// Simulations through here that have ended.
    pub visits: u32,
    /// Simulations through here that have no result yet.
    pub pending: u32,
    pub prior: f32,
    /// Reward of the action; in an open loop, that of the first outcome.
    pub reward: f32,
    /// The first outcome, or [`NONE`].
    pub child: u32,
    pub children: u32,
    pub action: Action,
    /// True if `mean` began with an estimate.
    pub estimated: bool,
}

impl Node {
    /// Creates a node without edges.
    pub fn new(state: State) -> Self {
        Self {
            state,
            mean: 0.0,
            squares: 0.0,
            value: 0.0,
            visits: 0,
            pending: 0,
            first_edge: 0,
            sibling: NONE,
            edges: 0,
            expanded: false,
        }
    }

    pub fn add(&mut self, value: f64) {
        self.visits += 1;
        let off = value - self.mean;
        self.mean += off / f64::from(self.visits);
        self.squares += off * (value - self.mean);
    }
}

impl Edge {
    /// Creates an edge without visits.
    pub fn new(action: Action) -> Self {
        Self {
            afterstate: Afterstate::default(),
            mean: 0.0,
            visits: 0,
            pending: 0,
            prior: 0.0,
            reward: 0.0,
            child: NONE,
            children: 0,
            action,
            estimated: false,
        }
    }

    pub fn add(&mut self, value: f64) {
        self.visits += 1;
        self.mean += (value - self.mean) / f64::from(self.visits + u32::from(self.estimated));
    }

    pub fn value(&self) -> Option<f64> {
        (self.visits > 0 || self.estimated).then_some(self.mean)
    }
}

/// Nodes and edges. Nothing is allocated once they have grown to their size.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The lists into which a subtree is copied when the root moves.
    spare: (Vec<Node>, Vec<Edge>),
    /// Maximum size of the nodes and edges in bytes.
    limit: usize,
    root: u32,
}

impl Tree {
    /// Creates a tree without a root, of at most `limit` bytes. If the root
    /// [moves](Self::move_root), twice as much is used.
    pub fn new(limit: usize) -> Self {
        Self { nodes: vec![], edges: vec![], spare: (vec![], vec![]), limit, root: NONE }
    }

    /// Returns the size in bytes of a tree that is a root with this number of actions.
    pub const fn min_bytes(actions: usize) -> usize {
        size_of::<Node>() + actions * size_of::<Edge>()
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.root = NONE;
    }

    /// Replaces the tree by a root without edges.
    pub fn plant(&mut self, state: State) {
        self.clear();
        self.nodes.push(Node::new(state));
        self.root = 0;
    }

    pub fn root(&self) -> u32 {
        self.root
    }

    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges.len() * size_of::<Edge>()
    }

    #[inline(always)]
    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    #[inline(always)]
    pub fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    #[inline(always)]
    pub fn edge(&self, index: u32) -> &Edge {
        &self.edges[index as usize]
    }

    #[inline(always)]
    pub fn edge_mut(&mut self, index: u32) -> &mut Edge {
        &mut self.edges[index as usize]
    }

    #[inline(always)]
    pub fn edges_of(&self, node: &Node) -> &[Edge] {
        let first = node.first_edge as usize;
        &self.edges[first..first + usize::from(node.edges)]
    }

    pub fn children(&self, edge: &Edge) -> impl Iterator<Item = u32> {
        let next = |&child: &u32| Some(self.node(child).sibling).filter(|next| *next != NONE);
        std::iter::successors(Some(edge.child).filter(|child| *child != NONE), next)
    }

    /// Adds an outcome to the chance node behind an edge and returns its index, or `None` if
    /// the tree is full.
    pub fn add_child(&mut self, edge: u32, state: State) -> Option<u32> {
        let index = self.nodes.len() as u32;
        if self.bytes() + size_of::<Node>() > self.limit || index == NONE {
            return None;
        }
        let parent = &mut self.edges[edge as usize];
        self.nodes.push(Node { sibling: parent.child, ..Node::new(state) });
        parent.child = index;
        parent.children += 1;
        Some(index)
    }

    /// Gives a node its edges and returns true, or returns false if the tree is full.
    pub fn expand(&mut self, node: u32, edges: impl ExactSizeIterator<Item = Edge>) -> bool {
        let (first, count) = (self.edges.len(), edges.len());
        let after = self.bytes() + count * size_of::<Edge>();
        if after > self.limit || first + count >= NONE as usize {
            return false;
        }
        self.edges.extend(edges);
        let node = self.node_mut(node);
        (node.first_edge, node.edges, node.expanded) = (first as u32, count as u8, true);
        true
    }

    /// Makes a node the root and removes all nodes that are not below it.
    pub fn move_root(&mut self, to: u32) {
        let (mut nodes, mut edges) = std::mem::take(&mut self.spare);
        nodes.clear();
        edges.clear();
        nodes.push(Node { sibling: NONE, ..*self.node(to) });
        // The copies are the queue: their links are those of the old lists until they are
        // reached here.
        let mut copied = 0;
        while let Some(&Node { first_edge, edges: count, .. }) = nodes.get(copied) {
            let old = first_edge as usize..first_edge as usize + usize::from(count);
            nodes[copied].first_edge = edges.len() as u32;
            for edge in &self.edges[old] {
                let mut last = NONE;
                for child in self.children(edge) {
                    let index = nodes.len() as u32;
                    nodes.push(Node { sibling: NONE, ..*self.node(child) });
                    if last != NONE {
                        nodes[last as usize].sibling = index;
                    }
                    last = index;
                }
                let first = match edge.child {
                    NONE => NONE,
                    _ => last + 1 - edge.children,
                };
                edges.push(Edge { child: first, ..*edge });
            }
            copied += 1;
        }
        self.spare =
            (std::mem::replace(&mut self.nodes, nodes), std::mem::replace(&mut self.edges, edges));
        self.root = 0;
    }
}
