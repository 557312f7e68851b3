//! Comparison of the lookup with the slow reference.

use super::{keys_for, weight_index};
use crate::support::board_of;
use agent_ntuple_network::{Lookup, Network, WeightIndex};
use runner_core::geometry::Geometry;
use runner_core::{Action, Afterstate, Game, Random, Seed};
use std::collections::HashMap;

/// Returns a position with random ranks, and random bits outside the cells.
pub fn random_position(board: &Geometry, random: &mut Random) -> Afterstate {
    // Few ranks give symmetric boards, many give ranks above those that a cell distinguishes.
    let ranks = [2, 4, board.values.len() as u32][random.below(3) as usize];
    let extras = if board.extra_fields.is_empty() { 0 } else { u128::from(random.word()) << 100 };
    let bits = (0..board.cells())
        .fold(extras, |bits, cell| board.with_rank(bits, cell, random.below(ranks) as u8));
    Afterstate::from_bits(bits)
}

pub fn indices(lookup: &Lookup, position: Afterstate) -> Vec<usize> {
    let mut indices = vec![WeightIndex::default(); lookup.per_position()];
    lookup.indices(position, &mut indices);
    indices.iter().map(|index| index.index()).collect()
}

pub fn indices_for(lookup: &Lookup, position: Afterstate, action: Action) -> Vec<usize> {
    let mut indices = vec![WeightIndex::default(); lookup.per_position()];
    lookup.indices_for(position, action, &mut indices);
    indices.iter().map(|index| index.index()).collect()
}

/// Compares the lookup of a network with the reference, for every action with its own tables,
/// and for every image of the board.
pub fn network_equals_reference<G: Game>(game: &G, network: Network) {
    let (board, text) = (board_of(game), network.text().to_owned());
    let mut random = Random::stream(Seed(1), 0);
    let actions = (0..network.actions()).map(|action| Action(action as u8));
    let mut known = HashMap::new();
    for action in actions {
        let lookup = Lookup::new(&network, &board).unwrap();
        // If actions have their own tables, features are read in those of the action itself only.
        let are_read_once = !network.features().is_empty() && network.actions() > 1;
        let is_free = !are_read_once && network.tuples().iter().all(|tuple| !tuple.fixed);
        for _ in 0..500 {
            let position = random_position(&board, &mut random);
            let keys = keys_for(&network, &board, position, action);
            let mut found = indices_for(&lookup, position, action);
            if action == Action(0) {
                assert_eq!(found, indices(&lookup, position));
            }
            let index = |key| lookup.index_of(weight_index(&network, &board, key) as usize);
            let mut expected: Vec<usize> = keys.iter().map(index).collect();
            for (key, &index) in keys.into_iter().zip(&expected) {
                assert!(index < lookup.weights());
                // No two weights share an index.
                assert_eq!(known.entry(index).or_insert_with(|| key.clone()), &key);
            }
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}: {position:?}");
            if is_free {
                for symmetry in 0..board.symmetries.len() {
                    let image = game.transform_afterstate(position, symmetry);
                    let action = match network.actions() {
                        1 => action,
                        _ => board.symmetries[symmetry].actions[action.index()],
                    };
                    let mut there = indices_for(&lookup, image, action);
                    there.sort_unstable();
                    assert_eq!(there, found, "{text}: {position:?} and {image:?}");
                }
            }
        }
    }
}
