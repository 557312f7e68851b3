//! The last ply by tables.

use crate::{action_values, agent, close, game_2048};
use agent_expectimax::SearchOptions;
use game_1024::Game1024;
use game_threes::Threes;
use runner_core::lines::LineValues;
use runner_core::rows::ROWS;
use runner_core::{Afterstate, Game, Random, State, Value, ValueScale};
use runner_laws::positions_of_games as positions;
use std::sync::Arc;

/// A sum over lines with distinct values, which may offer its tables or not.
pub struct Lines {
    values: LineValues,
    has_tables: bool,
}

impl Lines {
    pub fn new(rows: usize, cols: usize, has_tables: bool) -> Self {
        let table = |seed: u64| -> Arc<[f32; ROWS]> {
            let mut random = Random::from_word(seed);
            let table: Vec<f32> = (0..ROWS).map(|_| random.below(1000) as f32 / 7.0).collect();
            Arc::new(table.try_into().unwrap())
        };
        Self { values: LineValues::new(rows, cols, table(1), table(2), 100.0), has_tables }
    }
}

impl Value for Lines {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            let high_ranks = afterstate.hi.count_ones() as f32;
            *value = self.values.of(afterstate.lo) + high_ranks;
        }
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: -5.0, max: 2000.0 }
    }

    fn tables(&self) -> Option<&LineValues> {
        self.has_tables.then_some(&self.values)
    }
}

fn tables_change_no_value<G: Game>(game: &G, positions: &[State]) {
    let board = game.description().geometry.as_ref().unwrap();
    for (k, &state) in positions.iter().enumerate() {
        let min_probability = [0.0, 0.02][k % 2];
        let options = SearchOptions {
            min_probability,
            // With `min_probability`, entries depend on the path to a position.
            table_bytes: (min_probability == 0.0).then_some(1 << 16),
            ..SearchOptions::plies([2, 3, 3, 4][k / 2 % 4])
        };
        let found = [false, true].map(|has_tables| {
            let value = Lines::new(board.rows, board.cols, has_tables);
            action_values(game, &mut agent(value, options.clone()), state)
        });
        assert!(close(&found[0], &found[1]), "{}: {found:?}", game.write(state));
    }
}

#[test]
fn tables_change_no_value_of_sliding_games() {
    for spec in ["2048", "2048(rows: 2, cols: 3)", "2048(rows: 4, cols: 3)"] {
        let game = game_2048(spec);
        tables_change_no_value(&game, &positions(&game, 48));
    }
    let game = Game1024::new(Default::default()).unwrap();
    tables_change_no_value(&game, &positions(&game, 48));
}

#[test]
fn a_game_without_row_tables_is_searched_without_tables() {
    let game = Threes::new(Default::default()).unwrap();
    tables_change_no_value(&game, &positions(&game, 12));
}

#[test]
fn ranks_beyond_the_tables_are_left_to_the_game() {
    let game = game_2048("2048");
    let texts = [
        "32768,32768,2,4/0,0,0,0/2,0,0,4/0,0,0,8",
        "32768,0,32768,4/2,0,0,2/2,0,0,4/4,0,0,8",
        "32768,8,0,4/32768,0,0,2/2,0,0,4/4,0,0,8",
        "65536,8,0,4/32768,0,0,2/2,0,0,4/4,0,0,8",
    ];
    tables_change_no_value(&game, &texts.map(|text| game.parse(text).unwrap()));
}

#[test]
fn tables_of_one_game_are_not_used_for_another() {
    let games = ["2048", "2048(four: 0.5)", "2048(rows: 4, cols: 3)"].map(game_2048);
    // The same two agents search all games.
    let mut agents = [false, true]
        .map(|has_tables| agent(Lines::new(4, 4, has_tables), SearchOptions::plies(2)));
    for game in &games {
        for state in positions(game, 20) {
            let [plain, by_tables] =
                agents.each_mut().map(|agent| action_values(game, agent, state));
            assert!(close(&plain, &by_tables), "{}: {plain:?} {by_tables:?}", game.write(state));
        }
    }
}
