//! Start positions: tiles from the bag, each on a random empty cell, and the first
//! announcement.

use crate::bag::Bag;
use crate::chance::Draws;
use crate::layout::Announcement;
use crate::rules::Threes;
use runner_core::rows::nth_set_bit;
use runner_core::{Outcome, Random, State};

/// The greatest number of start positions that are listed.
const MAX_STARTS: f64 = 100_000.0;

impl Threes {
    pub(crate) fn draw_start(&self, random: u64) -> State {
        let mut random = Random::from_word(random);
        let mut board = 0;
        let mut known = Announcement { next: 0, bag: self.full, bonus: 0 };
        for _ in 0..self.start_tiles {
            let mut draws = Draws(random.word());
            let cell = self.empty_cell(board, &mut draws);
            known = self.draw_next(board, known, &mut draws);
            board |= u128::from(known.next + 1) << cell;
        }
        let known = self.draw_next(board, known, &mut Draws(random.word()));
        State::from_bits(board | known.bits())
    }

    /// Returns the lowest bit of a random empty cell.
    fn empty_cell(&self, board: u128, draws: &mut Draws) -> u32 {
        let empty = self.board.empty(board);
        let (low, high) = (empty as u64, (empty >> 64) as u64);
        let n = draws.below(empty.count_ones());
        match n.checked_sub(low.count_ones()) {
            None => nth_set_bit(low, n),
            Some(n) => 64 + nth_set_bit(high, n),
        }
    }

    pub(crate) fn list_starts(&self) -> Option<Vec<Outcome>> {
        let cells = self.board.geometry().cells() as u32;
        let tiles = self.start_tiles as u32;
        let places = binomial(cells, tiles);
        let mut starts = Vec::new();
        let mut count = 0.0;
        for (probability, kinds, bag) in self.first_draws() {
            // All orders of these tiles on all choices of cells are equally likely, since every
            // tile goes to a random cell.
            let orders = binomial(tiles, kinds[0]) * binomial(tiles - kinds[0], kinds[1]);
            count += places * orders * bag.counts().iter().filter(|&&n| n > 0).count() as f64;
            if count > MAX_STARTS {
                return None;
            }
            let of_each = probability / (places * orders);
            let nothing = Outcome { state: State::default(), probability: of_each };
            self.arrange(nothing, 0, kinds, bag, &mut starts);
        }
        Some(starts)
    }

    /// Returns the possible numbers of 1s, 2s and 3s at the start, each with its probability and
    /// the remaining bag.
    fn first_draws(&self) -> Vec<(f64, [u32; 3], Bag)> {
        let of_each = self.full.counts()[0];
        let tiles = self.start_tiles as u32;
        // Emptied bags contribute equal numbers of each kind; the last bag contributes the rest.
        let (bags, rest) = (tiles / (3 * of_each), tiles % (3 * of_each));
        let mut all = Vec::new();
        for ones in 0..=rest.min(of_each) {
            for twos in 0..=(rest - ones).min(of_each) {
                let drawn = [ones, twos, rest - ones - twos];
                if drawn[2] > of_each {
                    continue;
                }
                let ways: f64 = drawn.map(|n| binomial(of_each, n)).iter().product();
                let left = Bag::of(drawn.map(|n| of_each - n));
                let kinds = drawn.map(|n| n + bags * of_each);
                all.push((ways / binomial(3 * of_each, rest), kinds, left));
            }
        }
        all
    }

    /// Appends every way to place these tiles on the cells from number `cell` on, with every
    /// announcement.
    fn arrange(&self, on: Outcome, cell: usize, kinds: [u32; 3], bag: Bag, out: &mut Vec<Outcome>) {
        let board = on.state.bits();
        let left: u32 = kinds.iter().sum();
        if left == 0 {
            for (probability, known) in self.announcements(board, bag) {
                let state = State::from_bits(board | known.bits());
                out.push(Outcome { state, probability: on.probability * probability });
            }
            return;
        }
        let geometry = self.board.geometry();
        for kind in (0..3).filter(|&kind| kinds[kind] > 0) {
            let mut kinds = kinds;
            kinds[kind] -= 1;
            let state = State::from_bits(geometry.with_rank(board, cell, kind as u8 + 1));
            self.arrange(Outcome { state, ..on }, cell + 1, kinds, bag, out);
        }
        if geometry.cells() - cell > left as usize {
            self.arrange(on, cell + 1, kinds, bag, out);
        }
    }
}

fn binomial(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |ways, i| ways * f64::from(n - i) / f64::from(i + 1)).round()
}
