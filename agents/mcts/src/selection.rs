//! The selection of an action in a node.

use crate::options::{FirstPlay, Rule, Scale, Selection};
use crate::tree::{Node, Tree};

/// Number of returns as which the standard deviation of the root counts in other nodes.
const PRIOR_RETURNS: f64 = 2.0;

/// Returns the unit of exploration in a node. It is above 0, so that of equal actions the
/// one with fewer visits is preferred.
#[inline(always)]
fn scale_of(scale: Scale, tree: &Tree, node: &Node) -> f64 {
    let unit = match scale {
        Scale::Deviation => {
            let root = tree.node(tree.root());
            let variance = root.squares / f64::from(root.visits.max(1));
            let returns = f64::from(node.visits) + PRIOR_RETURNS;
            ((node.squares + PRIOR_RETURNS * variance) / returns).sqrt()
        }
        Scale::Points => 1.0,
    };
    unit.max(1e-9 * node.mean.abs().max(1.0))
}

/// Returns the place of the most urgent edge of a node; the first of equals.
#[inline(always)]
pub fn select(selection: &Selection, tree: &Tree, node: &Node) -> usize {
    let edges = tree.edges_of(node);
    let unit = scale_of(selection.scale, tree, node) * selection.exploration;
    let of_node = f64::from((node.visits + node.pending).max(1));
    let (log, root) = (of_node.ln(), of_node.sqrt());
    let unvisited = if selection.first_play == FirstPlay::Zero { 0.0 } else { node.mean };
    let tries_all = selection.first_play == FirstPlay::TryAll;
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (place, edge) in edges.iter().enumerate() {
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
