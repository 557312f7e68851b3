//! The selection of an action in a node.

use crate::options::{FirstPlay, Rule, Scale, Selection};
use crate::tree::{Node, Tree};

/// Weight of the variance of the root in other nodes, as a number of returns.
const ROOT_RETURNS: f64 = 2.0;

/// Returns the unit of exploration in a node. It is above 0, so that of actions with equal means
/// the one with fewer visits is selected.
#[inline(always)]
fn scale_of(scale: Scale, tree: &Tree, node: &Node) -> f64 {
    let unit = match scale {
        Scale::Deviation => {
            let root = tree.node(tree.root());
            let variance = root.squares / f64::from(root.visits.max(1));
            let returns = f64::from(node.visits) + ROOT_RETURNS;
            ((node.squares + ROOT_RETURNS * variance) / returns).sqrt()
        }
        Scale::Points => 1.0,
    };
    unit.max(1e-9 * node.mean.abs().max(1.0))
}

/// Returns the place of the most urgent edge among the edges of a node, the first one of equally
/// urgent ones. See [`Selection`] for the equations.
#[inline(always)]
pub fn select(selection: &Selection, tree: &Tree, node: &Node) -> usize {
    let edges = tree.edges_of(node);
    // c s.
    let unit = scale_of(selection.scale, tree, node) * selection.exploration;
    let node_visits = f64::from((node.visits + node.pending).max(1));
    let (node_log, node_sqrt) = (node_visits.ln(), node_visits.sqrt());
    let unvisited_mean = if selection.first_play == FirstPlay::Zero { 0.0 } else { node.mean };
    let tries_all = selection.first_play == FirstPlay::TryAll;
    let (mut best, mut best_urgency) = (0, f64::NEG_INFINITY);
    for (place, edge) in edges.iter().enumerate() {
        let visits = edge.visits + edge.pending;
        if visits == 0 && tries_all {
            return place;
        }
        let mean = edge.value().unwrap_or(unvisited_mean);
        let n = f64::from(visits);
        let bonus = match selection.rule {
            // Unless all actions are tried first, each counts as visited once more: n may be 0.
            Rule::Uct => (node_log / (n + f64::from(u8::from(!tries_all)))).sqrt(),
            Rule::Puct => f64::from(edge.prior) * node_sqrt / (1.0 + n),
        };
        let urgency = mean + unit * bonus;
        if urgency > best_urgency {
            (best, best_urgency) = (place, urgency);
        }
    }
    best
}
