//! Each value compared with its definition, on single boards and on random ones.

use super::*;
use game_2048::Game2048;
use game_threes::Threes;
use proptest::prelude::*;
use runner_core::{
    Afterstate, BuildContext, BuildError, Game, Host, Plugin, SingleThread, Spec, Value,
    ValuePlugin, ValueScale,
};
use std::sync::Arc;

fn build<V: ValuePlugin>(game: &impl Game, spec: &str) -> Result<V, BuildError> {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let spec: Spec = spec.parse().unwrap();
    let config = spec.read().map_err(|error| BuildError::new(error.message))?;
    V::new(config, &BuildContext { game: game.description(), game_spec: "2048", host: &host })
}

fn board(rows: usize, cols: usize) -> Game2048 {
    let spec: Spec = format!("2048(rows: {rows}, cols: {cols})").parse().unwrap();
    Game2048::new(spec.read().unwrap()).unwrap()
}

fn value_of(game: &impl Game, value: &impl Value, text: &str) -> f32 {
    let state = game.parse(text).unwrap();
    let mut values = [0.0];
    value.evaluate(&[Afterstate::from_bits(state.bits())], &mut values);
    values[0]
}

fn of<V: ValuePlugin>(rows: usize, cols: usize, spec: &str, text: &str) -> f32 {
    let game = board(rows, cols);
    value_of(&game, &build::<V>(&game, spec).unwrap(), text)
}

#[test]
fn rows_is_a_sum_of_four_terms() {
    let rows = |weights: &str, text: &str| {
        let others = "empty: 0, merges: 0, order: 0, sum: 0";
        let others =
            others.split(", ").filter(|part| !weights.contains(part.split(':').next().unwrap()));
        let all = others.chain([weights]).collect::<Vec<_>>().join(", ");
        of::<Rows>(4, 4, &format!("rows({all})"), text) - 8.0 * 200_000.0
    };
    let text = "2,2,0,2/0,4,8,4/16,0,0,16/0,0,0,0";
    // Every cell is in a row and in a column.
    assert_eq!(rows("empty: 1", text), 2.0 * 8.0);
    // Three tiles and two in rows, with empty cells between; none in columns.
    assert_eq!(rows("merges: 1", text), 5.0);
    assert_eq!(rows("sum: 1, sum_power: 1", "8,2,0,0/0,0,0,0/0,0,0,0/0,0,0,4"), -12.0);
    // 2 8 4 in squared ranks ascends by 9 - 1 and descends by 9 - 4 + 4; columns only descend.
    assert_eq!(rows("order: 1, order_power: 2", "2,8,4,0/0,0,0,0/0,0,0,0/0,0,0,0"), -8.0);
}

fn merges(game: &impl Game, text: &str) -> f32 {
    let spec = "rows(empty: 0, merges: 1, order: 0, sum: 0)";
    value_of(game, &build::<Rows>(game, spec).unwrap(), text) - 8.0 * 200_000.0
}

#[test]
fn merges_in_threes_are_a_one_with_a_two_and_equal_tiles_from_three_on() {
    let game = Threes::new(Default::default()).unwrap();
    let count =
        |row: &str| merges(&game, &format!("{row}/0,0,0,0/0,0,0,0/0,0,0,0 next=1 bag=3,4,4"));
    assert_eq!(count("1,1,0,0"), 0.0);
    assert_eq!(count("2,2,0,0"), 0.0);
    assert_eq!(count("1,2,1,0"), 3.0);
    assert_eq!(count("3,3,0,6"), 2.0);
    assert_eq!(count("2,0,1,6"), 2.0, "only empty cells lie between");
    assert_eq!(count("6144,6144,3,1"), 0.0, "6144 is the top tile");
}

#[test]
fn weights_of_alpha_and_beta_fall_from_the_upper_right_corner() {
    let corner = "0,0,2/0,0,0";
    assert_eq!(of::<Alpha>(2, 3, "alpha", corner), 6.0);
    assert_eq!(of::<Alpha>(2, 3, "alpha", "0,0,0/4,0,0"), 0.0);
    assert_eq!(of::<Beta>(2, 3, "beta", corner), 2.0);
    // Second on the horizontal snake, fourth on the vertical one.
    assert_eq!(of::<Beta>(2, 3, "beta", "0,2,0/0,0,0"), 1.0);
    // Second on the vertical snake.
    assert_eq!(of::<Beta>(2, 3, "beta", "0,0,0/0,0,2"), 1.0);
    assert_eq!(of::<Alpha>(2, 3, "alpha", "2,0,0/4,0,8"), 2.0 + 16.0);
}

#[test]
fn snakes_have_the_published_weights() {
    let ten = 10f32.exp();
    let found = of::<SnakeExp>(4, 4, "snake-exp", "2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0");
    assert!((found - (2.0 * ten + 225.0)).abs() < 0.01, "{found}");
    // The path that begins in the lower right corner and goes up.
    let found = of::<SnakePaths>(2, 3, "snake-paths(ratio: 0.5)", "0,4,16/0,8,32");
    assert_eq!(found, 32.0 + 8.0 + 1.0 + 1.0);
}

#[test]
fn smooth_is_a_sum_of_four_terms() {
    // Differences: 2 and 1 in the row, 3 in the column from 4 to 32. Disorder: rows ascend by 2 and
    // descend by 1, columns only ascend. Two cells are empty, and 32 is 2^5.
    let expected = 2.7 * 2f64.ln() + 5.0 - 0.1 * 6.0 - 1.0;
    assert!((f64::from(of::<Smooth>(2, 3, "smooth", "2,8,4/0,0,32")) - expected).abs() < 1e-6);
}

#[test]
fn wrong_parameters_are_refused_by_name() {
    fn refused<V: ValuePlugin>(spec: &str, parameter: &str, part: &str) {
        let error = build::<V>(&board(4, 4), spec).err().expect(spec);
        let named = error.parameter.as_deref() == Some(parameter);
        assert!(named || error.message.contains(&format!("`{parameter}`")), "{error:?}");
        assert!(error.message.contains(part), "{error}");
    }
    // Some of these are finite as an `f64`, but not as an `f32`.
    for (weight, part) in [("inf", "inf"), ("NaN", "NaN"), ("-1e300", "-1e12 to 1e12")] {
        refused::<Rows>(&format!("rows(empty: {weight})"), "empty", part);
    }
    refused::<Rows>("rows(sum_power: 11)", "sum_power", "0 to 10");
    refused::<SnakePaths>("snake-paths(ratio: 0)", "ratio", "not above 0");
    let error = build::<SnakeExp>(&board(3, 3), "snake-exp").err().unwrap();
    assert!(error.message.contains("4 x 4 cells"), "{error}");
}

/// The greatest weights, on the largest board with the greatest tiles.
#[test]
fn all_allowed_weights_yield_finite_values() {
    fn assert_finite<V: ValuePlugin>(spec: &str) {
        let game = board(5, 5);
        let value = build::<V>(&game, spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let ValueScale::Rating { min, max } = value.scale() else { panic!("{spec} is in points") };
        let full = ["131072,4,131072,2,131072"; 5].join("/");
        let boards = ["2,2,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0", &full];
        for number in boards.map(|text| value_of(&game, &value, text)).into_iter().chain([min, max])
        {
            assert!(number.is_finite(), "{spec}: {number}");
        }
    }
    for weight in ["1e12", "-1e12"] {
        assert_finite::<Rows>(&format!(
            "rows(empty: {weight}, merges: {weight}, order: {weight}, order_power: 10, \
             sum: {weight}, sum_power: 10)"
        ));
    }
}

fn keeps_its_bounds<V: ValuePlugin>(game: &impl Game, bits: &[u128]) {
    keeps_the_bounds_of::<V>(game, V::NAME, bits);
}

fn keeps_the_bounds_of<V: ValuePlugin>(game: &impl Game, spec: &str, bits: &[u128]) {
    let value = build::<V>(game, spec).unwrap();
    let ValueScale::Rating { min, max } = value.scale() else { panic!("{} is in points", V::NAME) };
    let afterstates: Vec<_> = bits.iter().map(|&bits| Afterstate::from_bits(bits)).collect();
    let mut values = vec![f32::NAN; bits.len()];
    value.evaluate(&afterstates, &mut values);
    for value in values {
        assert!((min..=max).contains(&value), "{}: {value}, {min}, {max}", V::NAME);
    }
}

proptest! {
    // Each case builds a dozen values.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn default_values_are_within_their_bounds(
        cells in prop::collection::vec(0u8..18, 16), threes in prop::collection::vec(0u8..15, 16)
    ) {
        let write = |game: &dyn Fn(u128, usize, u8) -> u128, cells: &[u8]| {
            cells.iter().enumerate().fold(0, |bits, (cell, &rank)| game(bits, cell, rank))
        };
        for (rows, cols) in [(4, 4), (2, 3), (3, 4)] {
            let game = board(rows, cols);
            let geometry = game.description().geometry.as_ref().unwrap();
            let set = |bits, cell, rank| geometry.with_rank(bits, cell, rank);
            let bits = [write(&set, &cells[..rows * cols]), 0];
            keeps_its_bounds::<Rows>(&game, &bits);
            keeps_its_bounds::<Alpha>(&game, &bits);
            keeps_its_bounds::<Beta>(&game, &bits);
            keeps_its_bounds::<SnakePaths>(&game, &bits);
            keeps_its_bounds::<Smooth>(&game, &bits);
        }
        let game = Threes::new(Default::default()).unwrap();
        let geometry = game.description().geometry.as_ref().unwrap();
        let set = |bits, cell, rank| geometry.with_rank(bits, cell, rank);
        let bits = [write(&set, &threes), 3 << 100 | write(&set, &threes)];
        keeps_its_bounds::<Rows>(&game, &bits);
        keeps_its_bounds::<SnakeExp>(&game, &bits);
        keeps_its_bounds::<Smooth>(&game, &bits);
    }

    #[test]
    fn tables_agree_with_lines(cells in prop::collection::vec(0u8..16, 16)) {
        for (rows, cols) in [(4, 4), (2, 3), (4, 3)] {
            let game = board(rows, cols);
            let value: Rows = build(&game, Rows::NAME).unwrap();
            let geometry = game.description().geometry.as_ref().unwrap();
            let bits = (0..rows * cols).fold(0, |b, cell| geometry.with_rank(b, cell, cells[cell]));
            let afterstate = Afterstate::from_bits(bits);
            let mut by_table = [0.0];
            value.evaluate(&[afterstate], &mut by_table);
            let by_lines = value.evaluate_lines(afterstate);
            prop_assert!((by_table[0] - by_lines).abs() <= 1e-6 * by_lines.abs() + 0.5);
        }
    }
}

proptest! {
    // Each case builds three tables.
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn bounds_of_rows_hold_for_weights_of_either_sign(
        cells in prop::collection::vec(0u8..18, 25),
        weights in prop::collection::vec(-1e4..1e4f64, 4),
    ) {
        let [empty, merges, order, sum] = weights[..] else { unreachable!() };
        let spec = format!(
            "rows(empty: {empty}, merges: {merges}, order: {order}, order_power: 2, \
             sum: {sum}, sum_power: 2)"
        );
        for (rows, cols) in [(4, 4), (2, 3), (5, 5)] {
            let game = board(rows, cols);
            let geometry = game.description().geometry.as_ref().unwrap();
            let bits = (0..rows * cols).fold(0, |b, cell| geometry.with_rank(b, cell, cells[cell]));
            keeps_the_bounds_of::<Rows>(&game, &spec, &[bits, 0]);
        }
    }
}
