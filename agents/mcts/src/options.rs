//! The options of a search.

use crate::tree::Tree;
use runner_core::words;
use std::time::Duration;

#[derive(Clone, PartialEq, Debug)]
pub struct SearchOptions {
    pub budget: Budget,
    pub selection: Selection,
    pub backup: Backup,
    pub growth: Growth,
    /// Number of random games at each leaf; without effect if there is a value.
    pub playouts: u32,
    /// Number of leaves that a thread evaluates at a time.
    pub batch: usize,
    /// Maximum size of all trees in bytes.
    pub memory: usize,
    /// Number of threads, each with a tree.
    pub threads: usize,
}

impl SearchOptions {
    /// Returns the default options of a search by playouts with this number of simulations.
    pub fn simulations(simulations: u64) -> Self {
        Self {
            budget: Budget { simulations: Some(simulations), time: None },
            selection: Selection::default(),
            backup: Backup::Mean,
            growth: Growth::After(16),
            playouts: 1,
            batch: 32,
            memory: 64 << 20,
            threads: 1,
        }
    }

    /// Returns the default options of a search by a value. An estimate has no noise, so a position
    /// is evaluated once. Estimates vary less than the scores of playouts, so exploration has less
    /// weight.
    pub fn by_value(simulations: u64) -> Self {
        let growth = Growth::After(1);
        let mut options = Self { growth, batch: 8, ..Self::simulations(simulations) };
        options.selection.exploration = 0.5;
        options
    }

    /// Returns the default options of a search of a game with few positions by playouts.
    pub fn of_small_game(simulations: u64) -> Self {
        let mut options = Self::simulations(simulations);
        options.growth = Growth::Before(8);
        options.selection.exploration = 8.0;
        options.backup = Backup::Max;
        options
    }

    /// Returns true if a position has one node, whatever path led to it.
    pub fn shares_nodes(&self) -> bool {
        matches!(self.growth, Growth::Before(_))
    }

    /// Returns the maximum size of a tree in bytes. The tree is copied when its root moves.
    pub fn tree_bytes(&self) -> usize {
        self.memory / self.threads / 2
    }

    /// Returns the memory that all trees need for their roots, in a game with this number of
    /// actions.
    pub fn min_memory(&self, actions: usize) -> usize {
        Tree::min_bytes(actions) * self.threads * 2
    }
}

/// The limits of the search of a move. `None` is no limit. The search ends at the first limit that
/// is reached.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Budget {
    pub simulations: Option<u64>,
    pub time: Option<Duration>,
}

impl Budget {
    /// Returns the budget of one of `threads` threads, which divide the simulations equally. The
    /// first threads take the remainder.
    pub fn share(self, thread: u64, threads: u64) -> Self {
        let simulations =
            self.simulations.map(|all| all / threads + u64::from(thread < all % threads));
        Self { simulations, ..self }
    }
}

/// How an action is selected in a node. With Q the mean return of the action, n its visits,
/// N the visits of the node, P its prior, and s the scale of the returns:
///
/// | rule | urgency |
/// |---|---|
/// | UCT | Q + c s sqrt(ln N / n) |
/// | PUCT | Q + c s P sqrt(N) / (1 + n) |
///
/// UCT is that of Kocsis and Szepesvári (*Bandit Based Monte-Carlo Planning*, 2006), PUCT that of
/// Silver and others (*Mastering the Game of Go without Human Knowledge*, 2017).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Selection {
    pub rule: Rule,
    /// The weight c of exploration.
    pub exploration: f64,
    pub first_play: FirstPlay,
    /// The scale s of the returns.
    pub scale: Scale,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            rule: Rule::Uct,
            exploration: 2.0,
            first_play: FirstPlay::TryAll,
            scale: Scale::Deviation,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Upper confidence bounds for trees.
    Uct,
    /// The same with the priors of a policy.
    Puct,
}

/// The urgency of an action without visits. Where the value estimates actions, Q is the estimate in
/// place of that of `Parent` and `Zero`, and counts as one return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstPlay {
    /// Infinite: every action is tried once before the first is repeated.
    TryAll,
    /// Q is the mean return of the node.
    Parent,
    /// Q is 0.
    Zero,
}

/// The unit of exploration. Scores have no bound, so a fixed weight of exploration would suit only
/// one game, and only one part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// The standard deviation of the returns of the node. For a node with few returns it is
    /// uncertain, so the deviation of the root counts as two more returns.
    Deviation,
    /// One point.
    Points,
}

/// When the actions of a position are added to the tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Growth {
    /// After this number of evaluations of the position: the mean of few playouts says little.
    After(u32),
    /// Before the evaluation, when a simulation reaches the position. A simulation adds up to this
    /// number of positions before its playout. A position has one node, whatever path led to it,
    /// so that the tree of a small game soon holds all its positions.
    Before(u32),
}

impl Growth {
    /// Returns true if the actions of a position are added after this number of its evaluations.
    pub fn is_enough(self, evaluations: u32) -> bool {
        match self {
            Self::After(needed) => evaluations >= needed,
            Self::Before(_) => false,
        }
    }
}

words! {
    /// How the returns of leaves become the values of the nodes above them. The value of an action
    /// is the mean over its outcomes in any case.
    #[derive(Copy)]
    pub enum Backup {
        /// The value of a node is the mean return of all its simulations, also of those that
        /// explore.
        Mean = "mean",
        /// The value of a node is that of its best action, as in MaxUCT (Keller and Helmert,
        /// *Trial-Based Heuristic Tree Search for Finite Horizon MDPs*, 2013). With
        /// [`Growth::Before`] it tends from the mean to that as more simulations end in the tree.
        Max = "max",
    }
}
