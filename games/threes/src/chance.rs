//! What chance does after a move: where the announced tile enters, what a bonus
//! turns out to be, and what is announced next.

use crate::bag::Bag;
use crate::game::Threes;
use crate::layout::{BONUS, Known, Moved, cells};
use crate::tiles::{bonus_rank, bonus_values};
use runner_core::rows::nth_set_bit;
use runner_core::{Afterstate, Outcomes, State};

/// A random word that several numbers are drawn from. Each takes the word's top
/// and leaves the rest, so that the bias of all together is that of one number
/// below the product of their bounds: 2^-40 at the most.
pub(crate) struct Draws(pub u64);

impl Draws {
    /// A uniform number below `bound`.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        let product = u128::from(self.0) * u128::from(bound);
        self.0 = product as u64;
        (product >> 64) as u32
    }
}

impl Threes {
    /// Draws what follows.
    #[inline(always)]
    pub(crate) fn draw_outcome(&self, afterstate: Afterstate, random: u64) -> State {
        let bits = afterstate.bits();
        let (known, moved) = (Known::of(bits), Moved::of(bits));
        let mut draws = Draws(random);
        let n = draws.below(moved.lines.count_ones());
        let line = nth_set_bit(moved.lines.into(), n);
        let rank = match known.next {
            BONUS => bonus_rank(draws.below(bonus_values(moved.greatest))),
            next => next as u8 + 1,
        };
        let board = cells(bits) | u128::from(rank) << self.entrance(moved.direction, line);
        State::from_bits(board | self.draw_next(board, known, &mut draws).bits())
    }

    /// Draws the next announcement on a board.
    #[inline(always)]
    pub(crate) fn draw_next(&self, board: u128, known: Known, draws: &mut Draws) -> Known {
        let bag = known.bag;
        if self.bonus_odds != 0
            && self.is_ready_for_bonus(board)
            && draws.below(self.bonus_odds) == 0
        {
            return Known { next: BONUS, bag };
        }
        self.drawn(bag, bag.tile(draws.below(bag.len())))
    }

    /// Everything that may be announced next on a board, with its probability.
    pub(crate) fn announcements(
        &self,
        board: u128,
        bag: Bag,
    ) -> impl Iterator<Item = (f64, Known)> + Clone {
        let may_be_bonus = self.bonus_odds != 0 && self.is_ready_for_bonus(board);
        let bonus = if may_be_bonus { 1.0 / f64::from(self.bonus_odds) } else { 0.0 };
        let [ones, twos, threes] = bag.counts();
        let drawn = [(1, ones), (2, twos), (3, threes)].map(|(rank, count)| {
            let probability = (1.0 - bonus) * f64::from(count) / f64::from(bag.len());
            (probability > 0.0).then(|| (probability, self.drawn(bag, rank)))
        });
        let bonus = (bonus > 0.0).then_some((bonus, Known { next: BONUS, bag }));
        drawn.into_iter().chain([bonus]).flatten()
    }

    /// The announcement of a tile that was drawn from a bag.
    #[inline(always)]
    fn drawn(&self, bag: Bag, rank: u8) -> Known {
        Known { next: u32::from(rank) - 1, bag: bag.without(rank, self.full) }
    }

    /// Lists all that can follow: every line, every value, every announcement.
    pub(crate) fn list_outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        let bits = afterstate.bits();
        let (known, moved) = (Known::of(bits), Moved::of(bits));
        let ranks = match known.next {
            BONUS => bonus_rank(0)..bonus_rank(bonus_values(moved.greatest)),
            next => next as u8 + 1..next as u8 + 2,
        };
        let share = 1.0 / (f64::from(moved.lines.count_ones()) * ranks.len() as f64);
        // What is announced does not depend on the entry: a bonus is far below
        // the tile that allowed it.
        let board = cells(bits);
        let announcements = self.announcements(board, known.bag);
        let mut lines = moved.lines;
        while lines != 0 {
            let entrance = self.entrance(moved.direction, lines.trailing_zeros());
            lines &= lines - 1;
            for rank in ranks.clone() {
                let board = board | u128::from(rank) << entrance;
                for (probability, next) in announcements.clone() {
                    out.push(share * probability, State::from_bits(board | next.bits()));
                }
            }
        }
    }
}
