use super::*;
use crate::index::WeightIndex;
use crate::promotion::{Inheritance, Initial};
use crate::stages::Stages;
use crate::value_function::ValueFunction;
use runner_core::geometry::Geometry;
use runner_core::{Action, Afterstate, Game, Random, Seed, SingleThread};

/// Returns boards with all that networks depend on: square and rectangular, small and large,
/// with extra fields, with ranks above those that a cell distinguishes.
fn boards() -> Vec<Geometry> {
    let game_2048 = [(2, 3), (3, 3), (4, 4), (4, 4), (5, 5)].map(|(rows, cols)| {
        let config = game_2048::Config { rows, cols, ..Default::default() };
        game_2048::Game2048::new(config).unwrap().description().geometry.clone().unwrap()
    });
    let threes = [(2, 3), (4, 4)].map(|(rows, cols)| {
        let config = game_threes::Config { rows, cols, ..Default::default() };
        game_threes::Threes::new(config).unwrap().description().geometry.clone().unwrap()
    });
    game_2048.into_iter().chain(threes).collect()
}

fn random_tuples(board: &Geometry, random: &mut Random) -> String {
    let mut tuples: Vec<Vec<u8>> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for _ in 0..2 + random.below(4) {
        let mut cells: Vec<u8> = match tuples.last() {
            Some(last) if random.below(3) > 0 => {
                let symmetry = random.below(board.symmetries.len() as u32) as usize;
                last.iter().map(|&c| board.symmetries[symmetry].cells[usize::from(c)]).collect()
            }
            _ => (0..board.cells() as u8).collect(),
        };
        let count = 1 + random.below(3) as usize;
        while cells.len() > count {
            cells.swap_remove(random.below(cells.len() as u32) as usize);
        }
        cells.sort_unstable();
        let names: Vec<String> = cells.iter().map(u8::to_string).collect();
        let mut word = format!("({})", names.join(","));
        if !board.extra_fields.is_empty() && random.below(2) == 0 {
            word += "+next";
        }
        if random.below(3) == 0 {
            word += "!";
        }
        if !words.contains(&word) {
            words.push(word);
            tuples.push(cells);
        }
    }
    if random.below(4) == 0 {
        words.push("empty".to_owned());
    }
    words.join(" ")
}

fn value(shape: &Shape<'_>, records: &[Record<()>], position: Afterstate, action: Action) -> f64 {
    let mut indices = vec![WeightIndex::default(); shape.lookup.per_position()];
    shape.lookup.indices_for(position, action, &mut indices);
    let promotion = shape.promotion();
    let weight = |index: &WeightIndex| match promotion {
        Some(promotion) => promotion.weight(records, index.index()),
        None => records[index.index()].weight.get(),
    };
    indices.iter().map(|index| f64::from(weight(index))).sum()
}

fn random_position(board: &Geometry, random: &mut Random) -> Afterstate {
    let ranks = [3, 5, board.values.len() as u32][random.below(3) as usize];
    let extras = if board.extra_fields.is_empty() { 0 } else { u128::from(random.word()) << 100 };
    let bits = (0..board.cells())
        .fold(extras, |bits, cell| board.with_rank(bits, cell, random.below(ranks) as u8));
    Afterstate::from_bits(bits)
}

#[test]
fn folded_networks_have_equal_values_on_all_positions() {
    let mut random = Random::stream(Seed(3), 0);
    let boards = boards();
    let (mut redundant, mut with_stages, mut with_actions) = (0, 0, 0);
    for _ in 0..400 {
        let board = &boards[random.below(boards.len() as u32) as usize];
        let text = random_tuples(board, &mut random);
        let actions = [1, 1, 4][random.below(3) as usize];
        let tile = |rank: usize| board.values[rank];
        let stages = match random.below(3) {
            0 => format!("{} {}@{1} {}", tile(2), tile(3), tile(4)),
            1 => format!("1@{0} {0} {1}", tile(3), tile(4)),
            _ => String::new(),
        };
        let stages = (!stages.is_empty()).then(|| Stages::read(&stages, board).unwrap());
        let network = Network::read(&text, board).unwrap();
        let network = &network.with_actions(actions).with_stages(stages);
        let lookup = &Lookup::new(network, board).unwrap();
        let inheritance =
            [Inheritance::None, Inheritance::Weights][usize::from(random.below(3) > 0)];
        let learns = ValueFunction::Afterstates;
        let (game, host) = ("game", &SingleThread);
        let shape = Shape { network, learns, lookup, inheritance, board, game, host };
        let initial = [0.0, 10.0][random.below(2) as usize];
        let records = Region::<Record<()>>::new(lookup.weights()).unwrap();
        Initial::new(initial, inheritance, lookup).store(&records);
        // A fifth of the weights is touched, so that every combination occurs.
        for Record { weight, .. } in records.iter() {
            let word = random.word();
            if word.is_multiple_of(5) {
                weight.touch((word >> 40) as f32 / 65536.0 - 128.0);
            }
        }
        let Some(folding) = Folding::new(network, board) else { continue };
        let folded = fold(&shape, folding, &records, initial).unwrap();
        let there = Shape { network: &folded.network, lookup: &folded.lookup, ..shape };
        assert!(there.lookup.per_position() < lookup.per_position(), "{text}");
        assert!(Folding::new(&folded.network, board).is_none(), "{text}: all is folded");
        for _ in 0..100 {
            let position = random_position(board, &mut random);
            for action in (0..actions).map(|action| Action(action as u8)) {
                let expected = value(&shape, &records, position, action);
                let found = value(&there, &folded.records, position, action);
                let rounding = 1e-6 * 256.0 * lookup.per_position() as f64;
                assert!(
                    (found - expected).abs() < rounding,
                    "{text}, {actions} actions: {found} instead of {expected} at {position:?}"
                );
            }
        }
        redundant += 1;
        with_stages += usize::from(shape.promotion().is_some());
        with_actions += usize::from(actions > 1);
    }
    let counts = [redundant, with_stages, with_actions];
    assert!(counts.into_iter().all(|count| count > 10), "{counts:?}");
}

fn folding(text: &str) -> Option<(String, Vec<(usize, usize)>)> {
    let board = &boards()[2];
    let network = Network::read(text, board).unwrap();
    Folding::new(&network, board).map(|folding| {
        let all = folding.kept.iter().flat_map(|&to| folding.additions(to));
        let mut additions: Vec<_> = all.map(|addition| (addition.from, addition.to)).collect();
        additions.sort_unstable();
        (folding.network.text().to_owned(), additions)
    })
}

#[test]
fn small_tuples_lie_within_few_large_ones() {
    let (network, additions) = folding("42-33-4-22-3").unwrap();
    assert_eq!(network, "012345 456789 89abcd 012456 45689a");
    let from: Vec<usize> = additions.iter().map(|addition| addition.0).collect();
    assert_eq!(from, [5, 6, 7, 8, 9, 10, 11], "each of them once");
    let to: std::collections::BTreeSet<usize> =
        additions.iter().map(|addition| addition.1).collect();
    assert_eq!(to.len(), 3);
    assert_eq!(folding("42-33-4-22").unwrap().0, network);
}

#[test]
fn only_tuples_that_are_read_as_often_as_others_are_redundant() {
    // Images of each other: the first remains.
    assert_eq!(folding("0123 cdef").unwrap(), ("0123".to_owned(), vec![(1, 0)]));
    // A chain.
    assert_eq!(folding("0 01 012").unwrap(), ("012".to_owned(), vec![(0, 2), (1, 2)]));
    // Fixed tuples are read once.
    assert_eq!(folding("01! 012"), None);
    assert_eq!(folding("01! cd!"), None);
    assert_eq!(folding("01! 012!").unwrap(), ("012!".to_owned(), vec![(0, 1)]));
    assert_eq!(folding("0 03! c! f!"), None);
    assert_eq!(folding("4x6"), None);
}

#[test]
fn weights_of_later_stages_stay_untouched_where_all_of_the_sum_are() {
    let board = &boards()[2];
    let stages = Some(Stages::read("16", board).unwrap());
    let network = &Network::read("012 01", board).unwrap().with_stages(stages);
    let lookup = &Lookup::new(network, board).unwrap();
    let (learns, inheritance) = (ValueFunction::Afterstates, Inheritance::Weights);
    let (game, host) = ("2048", &SingleThread);
    let shape = Shape { network, learns, lookup, inheritance, board, game, host };
    let records = Region::<Record<()>>::new(lookup.weights()).unwrap();
    // One weight of each tuple in the second stage.
    records[lookup.per_stage() + 7].weight.touch(2.0);
    records[lookup.per_stage() + lookup.ranges()[1].start + 9].weight.touch(-3.0);
    let folding = Folding::new(shape.network, shape.board).unwrap();
    let folded = fold(&shape, folding, &records, 0.0).unwrap();
    let (first, second) = folded.records.split_at(folded.lookup.per_stage());
    assert!(first.iter().all(|record| record.weight.is_untouched()));
    let touched = second.iter().filter(|record| !record.weight.is_untouched()).count();
    // The small tuple's weight belongs to 16 contents of the large one.
    assert!((16..=17).contains(&touched), "{touched}");
}
