//! The selection of an action in a node.

use crate::options::{FirstPlay, Rule, Scale, Selection};
use crate::tree::{Node, Tree};

/// Number of returns as which the standard deviation of the root counts in other nodes.
const PRIOR_RETURNS: f64 = 2.0;

/// The lowest and the highest mean return of all actions in a tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    min: f64,
    max: f64,
}

impl Default for Range {
    fn default() -> Self {
        Self { min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Range {
    pub fn add(&mut self, mean: f64) {
        self.min = self.min.min(mean);
        self.max = self.max.max(mean);
    }
}

/// Returns the unit of exploration in a node. It is above 0, so that of equal actions the
/// one with fewer visits is preferred.
#[inline(always)]
pub fn scale_of(scale: Scale, tree: &Tree, node: &Node, range: &Range) -> f64 {
    let unit = match scale {
        Scale::Deviation => {
            let root = tree.node(tree.root());
            let variance = root.squares / f64::from(root.visits.max(1));
            let returns = f64::from(node.visits) + PRIOR_RETURNS;
            ((node.squares + PRIOR_RETURNS * variance) / returns).sqrt()
        }
        Scale::Range => (range.max - range.min).max(0.0),
        Scale::Points => 1.0,
    };
    unit.max(1e-9 * node.mean.abs().max(1.0))
}

/// Returns the place of the most urgent edge among those of a node whose bits are set in
/// `legal`; the first of equals.
#[inline(always)]
pub fn select(
    selection: &Selection,
    tree: &Tree,
    node: &Node,
    range: &Range,
    mut legal: u64,
) -> usize {
    let edges = tree.edges_of(node);
    let unit = scale_of(selection.scale, tree, node, range) * selection.exploration;
    let visits = f64::from((node.visits + node.pending).max(1));
    let (log, root) = (visits.ln(), visits.sqrt());
    let unvisited = match selection.first_play {
        FirstPlay::TryAll | FirstPlay::Estimate => node.mean,
        FirstPlay::Zero => 0.0,
        FirstPlay::Parent => {
            let scale = scale_of(selection.scale, tree, node, range);
            node.mean - selection.first_play_reduction * scale
        }
    };
    let tries_all = selection.first_play == FirstPlay::TryAll;
    let (mut best, mut most) = (legal.trailing_zeros() as usize, f64::NEG_INFINITY);
    while legal != 0 {
        let place = legal.trailing_zeros() as usize;
        legal &= legal - 1;
        let edge = &edges[place];
        let visits = edge.visits + edge.pending;
        if visits == 0 && tries_all {
            return place;
        }
        let mean = edge.value().unwrap_or(unvisited);
        let n = f64::from(visits);
        let bonus = match selection.rule {
            // An action that is not tried first counts as visited once.
            Rule::Uct => (log / (n + f64::from(u8::from(!tries_all)))).sqrt(),
            Rule::Puct => f64::from(edge.prior) * root / (1.0 + n),
        };
        let urgency = mean + unit * bonus;
        if urgency > most {
            (best, most) = (place, urgency);
        }
    }
    best
}
