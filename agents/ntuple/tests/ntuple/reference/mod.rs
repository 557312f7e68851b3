//! Networks by their definition: a slow reference for the lookup.

pub mod learner;
pub mod lookup;

use agent_ntuple_network::{Feature, Lookup, Network, Tuple};
use runner_core::geometry::Geometry;
use runner_core::{Action, Afterstate};

/// A weight: the number of its table, and the content of the tuple's cells and extra fields, or
/// the counts of the feature. Tuples come before features. If each action has its own tables,
/// these are numbered on from one action to the next, and so from stage to stage.
pub type Key = (usize, Vec<u8>);

/// Returns the weights of a position and an action, which a symmetry maps to another action: each
/// tuple read on each image of the board, or on the board itself if the tuple is fixed. Pass the
/// first action if all actions share their tables.
pub fn keys_for(
    network: &Network,
    board: &Geometry,
    position: Afterstate,
    action: Action,
) -> Vec<Key> {
    let mut ranks: Vec<u8> = (0..board.cells()).map(|k| board.rank(position.bits(), k)).collect();
    let text = network.stages().map(|stages| stages.text());
    let text = text.map(|text| lower(text, &mut ranks, board));
    let position = (0..board.cells())
        .zip(&ranks)
        .fold(position.bits(), |bits, (cell, &rank)| board.with_rank(bits, cell, rank));
    let position = Afterstate::from_bits(position);
    let (stage, cap) = match text {
        Some(text) if !text.is_empty() => stage(text, &ranks, board),
        _ => (0, u8::MAX),
    };
    let top = cap.min(15);
    let mut keys = Vec::new();
    for (number, tuple) in network.tuples().iter().enumerate() {
        let images = if tuple.fixed { 1 } else { board.symmetries.len() };
        for symmetry in 0..images {
            let image = board.transform(position.bits(), symmetry);
            let cells = tuple.cells.iter().map(|&cell| board.rank(image, cell.into()));
            let extra_fields = tuple.extra_fields.iter().map(|&field| {
                let field = &board.extra_fields[field];
                (position.bits() >> field.bit) as u8 & ((1 << field.bits) - 1) as u8
            });
            let there = match network.actions() {
                1 => 0,
                _ => board.symmetries[symmetry].actions[action.index()].index(),
            };
            let content = cells.map(|rank| rank.min(top)).chain(extra_fields).collect();
            let tables = stage * network.actions() + there;
            keys.push((tables * tables_of(network) + number, content));
        }
    }
    let there = if network.actions() == 1 { 0 } else { action.index() };
    let ranks: Vec<u8> = ranks.iter().map(|&rank| rank.min(top)).collect();
    for (number, &feature) in (network.tuples().len()..).zip(network.features()) {
        let tables = stage * network.actions() + there;
        let content = counts(feature, &ranks, board);
        keys.push((tables * tables_of(network) + number, content));
    }
    keys
}

pub fn tables_of(network: &Network) -> usize {
    network.tuples().len() + network.features().len()
}

fn counts(feature: Feature, ranks: &[u8], board: &Geometry) -> Vec<u8> {
    let count = |rank: u8| ranks.iter().filter(|&&other| other == rank).count() as u8;
    let last = board.values.len().min(16) as u8;
    // Cells that differ by one step in one direction; each pair comes up twice.
    let pairs = |related: &dyn Fn(u8, u8) -> bool| {
        let mut found = 0;
        for (a, &one) in ranks.iter().enumerate() {
            for (b, &other) in ranks.iter().enumerate() {
                let rows = (a / board.cols).abs_diff(b / board.cols);
                let cols = (a % board.cols).abs_diff(b % board.cols);
                found += u8::from(rows + cols == 1 && related(one, other));
            }
        }
        found / 2
    };
    let value = |rank: u8| board.values[usize::from(rank)];
    match feature {
        Feature::Large(least) => (least..last).map(|rank| count(rank).min(4)).collect(),
        Feature::Empty => vec![count(0)],
        Feature::Distinct => vec![(1..32).filter(|&rank| count(rank) > 0).count() as u8],
        Feature::Pairs => {
            vec![pairs(&|a, b| board.merges.contains(&(a, b)) || board.merges.contains(&(b, a)))]
        }
        Feature::Neighbours => vec![pairs(&|a, b| {
            let (a, b) = (value(a), value(b));
            a != b && (a == 2 * b || b == 2 * a)
        })],
    }
}

/// Lowers ranks as the first word of the stages says, and returns the other words.
fn lower<'a>(text: &'a str, ranks: &mut [u8], board: &Geometry) -> &'a str {
    let Some(text) = text.strip_prefix("downgrade@") else { return text };
    let (tile, rest) = text.split_once(' ').unwrap_or((text, ""));
    let kept = rank(tile, board);
    // From the lowest one on, each becomes a rank that is not above it and that no other has.
    let distinct = (kept + 1..32).filter(|rank| ranks.contains(rank)).collect::<Vec<_>>();
    for (to, from) in (kept + 1..).zip(distinct) {
        ranks.iter_mut().filter(|rank| **rank == from).for_each(|rank| *rank = to);
    }
    rest
}

fn rank(tile: &str, board: &Geometry) -> u8 {
    let tile: u64 = tile.parse().unwrap();
    board.values.iter().position(|&value| value == tile).unwrap() as u8
}

/// Returns the stage of a position by the text of its stages, and the highest rank that this
/// stage distinguishes, `u8::MAX` if it distinguishes all.
fn stage(text: &str, ranks: &[u8], board: &Geometry) -> (usize, u8) {
    let rank = |tile: &str| rank(tile, board);
    let mut descending = ranks.to_vec();
    descending.sort_unstable_by(|one, other| other.cmp(one));
    if let Some(digits) = text.strip_prefix("2^") {
        // Ranks from 15 on are equal.
        let has = |rank: u8| ranks.iter().any(|&other| other.min(15) == rank);
        let digits: u8 = digits.parse().unwrap();
        return ((0..digits).map(|k| usize::from(has(16 - digits + k)) << k).sum(), u8::MAX);
    }
    let (mut stage, mut cap) = (0, u8::MAX);
    let words: Vec<(&str, &str)> =
        text.split(' ').map(|word| word.split_once('@').unwrap_or((word, ""))).collect();
    let tiles = words.iter().filter(|word| word.0 != "1").flat_map(|word| word.0.split('+'));
    let least = tiles.map(rank).min();
    for (number, &(condition, its_cap)) in words.iter().enumerate() {
        // Lists of tiles, the largest first, are compared like words.
        let holds = condition == "1" && number == 0 || {
            let mut needed: Vec<u8> = condition.split('+').map(rank).collect();
            needed.sort_unstable_by(|one, other| other.cmp(one));
            let count = descending.iter().filter(|&&r| r >= least.unwrap()).count();
            descending[..count] >= needed[..]
        };
        if holds {
            stage = number + usize::from(!text.starts_with("1@"));
            cap = if its_cap.is_empty() { u8::MAX } else { rank(its_cap) };
        }
    }
    (stage, cap)
}

/// Returns the index of a weight. The tables follow each other. In a table, the lowest digits of
/// the index are the extra fields, then come the low two bits of every cell, then the high two bits
/// of every cell, with the cells in the order of the table.
pub fn weight_index(network: &Network, board: &Geometry, key: &Key) -> u64 {
    let bits = |field: usize| 1u64 << board.extra_fields[field].bits;
    let size = |tuple: &Tuple| {
        let extra_fields: u64 = tuple.extra_fields.iter().map(|&field| bits(field)).product();
        16u64.pow(tuple.cells.len() as u32) * extra_fields
    };
    let (number, content) = key;
    let tuples = network.tuples();
    // The number of values of each count of a feature.
    let radices = |table: usize| -> Vec<u64> {
        let pairs = (board.rows - 1) * board.cols + board.rows * (board.cols - 1);
        let values = board.values.len().min(16);
        match network.features()[table - tuples.len()] {
            Feature::Large(least) => vec![5; values - usize::from(least)],
            Feature::Empty => vec![board.cells() as u64 + 1],
            Feature::Distinct => vec![board.cells().min(values - 1) as u64 + 1],
            Feature::Pairs | Feature::Neighbours => vec![pairs as u64 + 1],
        }
    };
    let size_of = |number: usize| match number % tables_of(network) {
        table if table < tuples.len() => size(&tuples[table]),
        table => radices(table).into_iter().product(),
    };
    let start: u64 = (0..*number).map(size_of).sum();
    let number = number % tables_of(network);
    if number >= tuples.len() {
        let digits = content.iter().zip(radices(number)).rev();
        return start + digits.fold(0, |sum, (&digit, of)| sum * of + u64::from(digit));
    }
    let tuple = &tuples[number];
    let (cells, extra_fields) = content.split_at(tuple.cells.len());
    let lookup = Lookup::new(network, board).unwrap();
    let rank_of = |cell: &u8| cells[tuple.cells.iter().position(|other| other == cell).unwrap()];
    let cells: Vec<u8> = lookup.ordered_cells()[number].iter().map(rank_of).collect();
    let extra_fields =
        extra_fields.iter().zip(&tuple.extra_fields).map(|(&field, &k)| (field, bits(k)));
    // Each digit with its base.
    let mut digits: Vec<(u8, u64)> = extra_fields.collect();
    digits.extend(cells.iter().map(|rank| (rank & 3, 4)));
    digits.extend(cells.iter().map(|rank| (rank >> 2, 4)));
    let within = digits.iter().rev().fold(0, |sum, &(digit, of)| sum * of + u64::from(digit));
    start + within
}
