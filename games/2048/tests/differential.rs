//! The fast rules against the slow reference, on a million positions of all
//! sizes: from random play, and made up of tiles to 131072.

mod reference;

use game_2048::{Config, Game2048};
use reference::{Board, Reference, text};
use runner_core::board::Geometry;
use runner_core::{Game, GamePlugin, Outcomes, Random, Seed, State, Successors};

/// 16 sizes with so many each are more than a million.
const POSITIONS_OF_A_SIZE: usize = 63_000;

/// The two, and room for their answers.
struct Pair {
    fast: Game2048,
    slow: Reference,
    successors: Successors,
    outcomes: Outcomes,
}

impl Pair {
    fn new(rows: usize, cols: usize) -> Self {
        let fast = Game2048::new(Config { rows, cols, ..Config::default() }).unwrap();
        let outcomes = Outcomes::with_capacity(fast.description().max_outcomes);
        let slow = Reference::new(rows, cols, 0.1);
        Self { fast, slow, successors: Successors::new(), outcomes }
    }

    fn geometry(&self) -> &Geometry {
        self.fast.description().geometry.as_ref().unwrap()
    }

    fn board(&self, bits: u128) -> Board {
        let geometry = self.geometry();
        let value = |cell| match geometry.rank(bits, cell) {
            0 => 0,
            rank => 1 << rank,
        };
        let row = |row| (0..geometry.cols).map(|col| value(row * geometry.cols + col)).collect();
        (0..geometry.rows).map(row).collect()
    }

    fn state(&self, board: &Board) -> State {
        let cells = board.iter().flatten().enumerate();
        State::from_bits(cells.fold(0, |bits, (cell, &value)| {
            let rank = if value == 0 { 0 } else { value.trailing_zeros() as u8 };
            self.geometry().with_rank(bits, cell, rank)
        }))
    }

    /// Moves, one by one and together.
    fn compare_moves(&mut self, state: State) {
        let board = self.board(state.bits());
        let expected = self.slow.moves(&board);
        self.fast.successors(state, &mut self.successors);
        let found: Vec<_> = (self.successors.iter())
            .map(|s| (s.action.index(), self.board(s.afterstate.bits()), s.reward as u64))
            .collect();
        assert_eq!(found, expected, "the moves of {}", text(&board));
        for action in 0..4 {
            let action = runner_core::Action(action);
            let alone = self.fast.successor(state, action);
            assert_eq!(alone.as_ref(), self.successors.of(action), "of {}", text(&board));
        }
    }

    /// What chance makes of each of the state's afterstates, and one draw of it.
    fn compare_chance(&mut self, state: State, random: &mut Random) {
        self.fast.successors(state, &mut self.successors);
        for successor in self.successors.iter() {
            let after = self.board(successor.afterstate.bits());
            let expected = self.slow.spawns(&after);
            self.fast.outcomes(successor.afterstate, &mut self.outcomes);
            assert_eq!(self.outcomes.len(), expected.len(), "of {}", text(&after));
            for (found, (probability, next)) in self.outcomes.iter().zip(&expected) {
                assert_eq!(&self.board(found.state.bits()), next);
                assert!((found.probability - probability).abs() < 1e-12);
            }
            let drawn = self.fast.spawn(successor.afterstate, random.word());
            assert!(self.outcomes.iter().any(|o| o.state == drawn), "of {}", text(&after));
        }
    }
}

/// A made-up board: all cells random up to a random greatest tile, or of only
/// three kinds, so that there is much to merge at every rank.
fn made_up(slow: &Reference, random: &mut Random) -> Board {
    let top = 1 + random.below(17);
    if random.below(2) == 0 {
        return slow.random_board(top, random);
    }
    let kinds = [0, 1 << top, 1 << (1 + random.below(17))];
    let mut cell = || kinds[random.below(3) as usize];
    (0..slow.rows).map(|_| (0..slow.cols).map(|_| cell()).collect()).collect()
}

fn compare(rows: usize, cols: usize) {
    let mut pair = Pair::new(rows, cols);
    let mut random = Random::stream(Seed(2), (10 * rows + cols) as u64);
    let mut played = pair.fast.start(random.word());
    for k in 0..POSITIONS_OF_A_SIZE / 2 {
        let made_up = pair.state(&made_up(&pair.slow, &mut random));
        for state in [played, made_up] {
            pair.compare_moves(state);
            // Chance is simpler than moves, and its lists are long.
            if k % 32 == 0 {
                pair.compare_chance(state, &mut random);
            }
        }
        pair.fast.successors(played, &mut pair.successors);
        played = match pair.successors.len() as u32 {
            0 => pair.fast.start(random.word()),
            n => {
                let drawn = pair.successors[random.below(n) as usize];
                pair.fast.spawn(drawn.afterstate, random.word())
            }
        };
    }
}

/// One test for each number of rows, to run at the same time.
macro_rules! compare {
    ($($name:ident: $rows:expr;)*) => {$(
        #[test]
        fn $name() {
            (2..=5).for_each(|cols| compare($rows, cols));
        }
    )*};
}

compare! {
    two_rows_as_the_reference: 2;
    three_rows_as_the_reference: 3;
    four_rows_as_the_reference: 4;
    five_rows_as_the_reference: 5;
}
