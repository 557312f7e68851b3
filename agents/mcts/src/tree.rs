//! The tree: nodes, edges and links in lists of bounded size.
//!
//! A node is a position, an edge is an action, and a link is a chance outcome of an action. Each
//! is named by its index in its list. The edges of a node are consecutive; the links of an edge
//! are a linked list. If the tree is shared, all paths to a position lead to one node, so it is a
//! directed graph.

use runner_core::{Action, Afterstate, State};

/// The index of no node, and of no link.
pub const NONE: u32 = u32::MAX;

/// A position in which the player moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node {
    pub state: State,
    /// Mean return of the simulations from here on.
    pub mean: f64,
    /// Sum of the squared differences of the returns from their mean.
    pub squares: f64,
    /// The mean, or with [`Backup::Max`](crate::Backup::Max) the value of the best action.
    pub value: f64,
    /// Number of simulations that reached it and have ended.
    pub visits: u32,
    /// Number of simulations that reached it and have no result yet.
    pub pending: u32,
    pub first_edge: u32,
    /// The next node with the same hash, or [`NONE`].
    next: u32,
    /// Number of edges.
    pub edges: u8,
    /// False until the node has its edges.
    pub expanded: bool,
}

/// An action in a node, and the chance node behind it.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub afterstate: Afterstate,
    /// Mean return of the simulations, with the reward of the action. An estimate counts as the
    /// return of one simulation.
    pub mean: f64,
    /// Number of simulations that took it and have ended.
    pub visits: u32,
    /// Number of simulations that took it and have no result yet.
    pub pending: u32,
    pub prior: f32,
    pub reward: f32,
    /// The link to the first outcome, or [`NONE`].
    pub link: u32,
    pub children: u32,
    pub action: Action,
    /// True if `mean` began with an estimate.
    pub estimated: bool,
}

impl Node {
    /// Adds the return of a simulation.
    pub fn add(&mut self, value: f64) {
        self.visits += 1;
        let difference = value - self.mean;
        self.mean += difference / f64::from(self.visits);
        self.squares += difference * (value - self.mean);
    }
}

impl Edge {
    /// Adds a simulation. The sum of all returns grows by `value`.
    pub fn add(&mut self, value: f64) {
        self.visits += 1;
        self.mean += (value - self.mean) / self.weight();
    }

    /// Returns the number of returns in the mean.
    pub fn weight(&self) -> f64 {
        f64::from(self.visits + u32::from(self.estimated))
    }

    pub fn value(&self) -> Option<f64> {
        (self.visits > 0 || self.estimated).then_some(self.mean)
    }
}

/// An outcome of an action. In a shared tree, several links may lead to the same node.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub node: u32,
    /// The link to the next outcome of this action, or [`NONE`].
    pub next: u32,
    /// Number of simulations that drew this outcome and have ended.
    pub visits: u32,
    /// Value of the node after the last of these simulations.
    pub value: f64,
}

/// Nodes, edges and links. Nothing is allocated once they have grown to their size.
#[derive(Clone, Debug)]
pub struct Tree {
    lists: Lists,
    /// The lists into which a subtree is copied when the root moves. Then both lists change places.
    spare: Lists,
    /// A hash table of the nodes of a shared tree: for each hash the first node, or [`NONE`]. Its
    /// length is a power of two, or 0 at first.
    table: Vec<u32>,
    /// While a subtree is copied: for each node its index in the copy, or [`NONE`].
    moved: Vec<u32>,
    /// True if a position has one node, whatever path led to it.
    shared: bool,
    /// Maximum size of the nodes, edges and links in bytes.
    limit: usize,
    /// [`NONE`] if the tree is empty.
    root: u32,
}

#[derive(Clone, Debug, Default)]
struct Lists {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    links: Vec<Link>,
}

impl Lists {
    fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.links.clear();
    }
}

impl Tree {
    /// Creates an empty tree of at most `limit` bytes. If the root [moves](Self::move_root), twice
    /// as much is used. If `shared` is true, a position has one node, whatever path led to it.
    pub fn new(limit: usize, shared: bool) -> Self {
        let (lists, spare) = Default::default();
        Self { lists, spare, table: vec![], moved: vec![], shared, limit, root: NONE }
    }

    /// Returns the size in bytes of a node with this number of actions, and of the link to it.
    pub const fn min_bytes(actions: usize) -> usize {
        NODE_BYTES + size_of::<Link>() + actions * size_of::<Edge>()
    }

    pub fn clear(&mut self) {
        self.lists.clear();
        self.table.fill(NONE);
        self.root = NONE;
    }

    /// Replaces the tree by a root with this position.
    pub fn plant(&mut self, state: State) {
        self.clear();
        self.root = self.add_node(state);
    }

    pub fn root(&self) -> u32 {
        self.root
    }

    pub fn nodes(&self) -> usize {
        self.lists.nodes.len()
    }

    pub fn bytes(&self) -> usize {
        let Lists { nodes, edges, links } = &self.lists;
        nodes.len() * NODE_BYTES + size_of_val(&edges[..]) + size_of_val(&links[..])
    }

    #[inline(always)]
    pub fn node(&self, index: u32) -> &Node {
        &self.lists.nodes[index as usize]
    }

    #[inline(always)]
    pub fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.lists.nodes[index as usize]
    }

    #[inline(always)]
    pub fn edge(&self, index: u32) -> &Edge {
        &self.lists.edges[index as usize]
    }

    #[inline(always)]
    pub fn edge_mut(&mut self, index: u32) -> &mut Edge {
        &mut self.lists.edges[index as usize]
    }

    #[inline(always)]
    pub fn link(&self, index: u32) -> &Link {
        &self.lists.links[index as usize]
    }

    #[inline(always)]
    pub fn link_mut(&mut self, index: u32) -> &mut Link {
        &mut self.lists.links[index as usize]
    }

    #[inline(always)]
    pub fn edges_of(&self, node: &Node) -> &[Edge] {
        let first = node.first_edge as usize;
        &self.lists.edges[first..first + usize::from(node.edges)]
    }

    /// Returns the indices of the links of an edge.
    pub fn links(&self, edge: &Edge) -> impl Iterator<Item = u32> {
        let next = |&link: &u32| Some(self.link(link).next).filter(|next| *next != NONE);
        std::iter::successors(Some(edge.link).filter(|link| *link != NONE), next)
    }

    /// Adds a link to an edge and returns its index, or returns `None` if the tree is full. It
    /// leads to the node of the position in a shared tree that has one, else to a new node.
    pub fn add_child(&mut self, edge: u32, state: State) -> Option<u32> {
        if self.bytes() + NODE_BYTES + size_of::<Link>() > self.limit {
            return None;
        }
        let known = if self.shared { self.find(state) } else { NONE };
        let node = if known == NONE { self.add_node(state) } else { known };
        let index = self.lists.links.len() as u32;
        let parent = &mut self.lists.edges[edge as usize];
        self.lists.links.push(Link { node, next: parent.link, visits: 0, value: 0.0 });
        parent.link = index;
        parent.children += 1;
        Some(index)
    }

    /// Returns the node of a position in a shared tree, or [`NONE`].
    fn find(&self, state: State) -> u32 {
        let mut index = self.table[table_place(state, self.table.len())];
        while index != NONE && self.node(index).state != state {
            index = self.node(index).next;
        }
        index
    }

    fn add_node(&mut self, state: State) -> u32 {
        let index = self.lists.nodes.len() as u32;
        self.lists.nodes.push(Node { state, next: NONE, ..Node::default() });
        if self.shared {
            if index as usize >= self.table.len() {
                let size = 2 * self.table.len().max(128);
                self.table.clear();
                self.table.resize(size, NONE);
                (0..index).for_each(|node| self.enter_in_table(node));
            }
            self.enter_in_table(index);
        }
        index
    }

    fn enter_in_table(&mut self, node: u32) {
        let place = table_place(self.node(node).state, self.table.len());
        self.node_mut(node).next = std::mem::replace(&mut self.table[place], node);
    }

    /// Gives a node its edges and returns true, or returns false if the tree is full.
    pub fn expand(&mut self, node: u32, edges: impl ExactSizeIterator<Item = Edge>) -> bool {
        let (first, count) = (self.lists.edges.len(), edges.len());
        if self.bytes() + count * size_of::<Edge>() > self.limit {
            return false;
        }
        self.lists.edges.extend(edges);
        let here = self.node_mut(node);
        (here.first_edge, here.edges, here.expanded) = (first as u32, count as u8, true);
        true
    }

    /// Makes a node the root and removes all nodes that are not below it.
    pub fn move_root(&mut self, to: u32) {
        let (mut copy, old) = (std::mem::take(&mut self.spare), &self.lists);
        copy.clear();
        self.moved.clear();
        self.moved.resize(old.nodes.len(), NONE);
        self.moved[to as usize] = 0;
        copy.nodes.push(old.nodes[to as usize]);
        // The nodes of the copy are a queue. `first_edge` of a node in the queue is an index of
        // the old lists.
        let mut done = 0;
        while let Some(&Node { first_edge, edges: count, .. }) = copy.nodes.get(done) {
            let old_edges = first_edge as usize..first_edge as usize + usize::from(count);
            copy.nodes[done].first_edge = copy.edges.len() as u32;
            for edge in &old.edges[old_edges] {
                let first_link = copy.links.len() as u32;
                let mut old_link = edge.link;
                // NONE is no index, so it ends the loop.
                while let Some(link) = old.links.get(old_link as usize) {
                    old_link = link.next;
                    let node = &mut self.moved[link.node as usize];
                    if *node == NONE {
                        *node = copy.nodes.len() as u32;
                        copy.nodes.push(old.nodes[link.node as usize]);
                    }
                    let next = if link.next == NONE { NONE } else { copy.links.len() as u32 + 1 };
                    copy.links.push(Link { node: *node, next, ..*link });
                }
                let link = if edge.link == NONE { NONE } else { first_link };
                copy.edges.push(Edge { link, ..*edge });
            }
            done += 1;
        }
        self.spare = std::mem::replace(&mut self.lists, copy);
        self.root = 0;
        self.table.fill(NONE);
        if self.shared {
            (0..self.lists.nodes.len() as u32).for_each(|node| self.enter_in_table(node));
        }
    }
}

/// Size of a node in bytes, with two entries of the table and one of the list of moved nodes.
const NODE_BYTES: usize = size_of::<Node>() + 3 * size_of::<u32>();

/// Returns the place of a position in a table of this size, which is a power of two.
#[inline(always)]
fn table_place(state: State, size: usize) -> usize {
    let word = state.lo ^ state.hi.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = word.wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as usize & (size - 1)
}
