//! The chance event after a move: the line in which the announced tile enters, the value of a
//! bonus, and the next announcement.

use crate::bag::Bag;
use crate::layout::{Announcement, BONUS, LastMove, cells};
use crate::rules::Threes;
use crate::tiles::{bonus_sets, bonus_values};
use runner_core::rows::nth_set_bit;
use runner_core::{Afterstate, Outcomes, State};
use std::ops::RangeInclusive;

/// A random word from which several numbers are drawn. Each draw uses up the top of the word,
/// so that the total bias is that of one number below the product of all bounds: at most
/// 2^-40.
pub(crate) struct Draws(pub u64);

impl Draws {
    /// Draws a uniform number below `bound`.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        let product = u128::from(self.0) * u128::from(bound);
        self.0 = product as u64;
        (product >> 64) as u32
    }
}

impl Threes {
    #[inline(always)]
    pub(crate) fn draw_outcome(&self, afterstate: Afterstate, random: u64) -> State {
        let bits = afterstate.bits();
        let (known, moved) = (Announcement::of(bits), LastMove::of(bits));
        let mut draws = Draws(random);
        let n = draws.below(moved.lines.count_ones());
        let line = nth_set_bit(moved.lines.into(), n);
        let rank = match known.next {
            BONUS => {
                let ranks = self.bonus_ranks(known);
                ranks.start + draws.below(ranks.len() as u32) as u8
            }
            next => next as u8 + 1,
        };
        let board = cells(bits) | u128::from(rank) << self.entry_bit(moved.direction, line);
        State::from_bits(board | self.draw_next(board, known, &mut draws).bits())
    }

    #[inline(always)]
    pub(crate) fn draw_next(
        &self,
        board: u128,
        known: Announcement,
        draws: &mut Draws,
    ) -> Announcement {
        let bag = known.bag;
        if self.bonus_odds != 0 && self.allows_bonus(board) && draws.below(self.bonus_odds) == 0 {
            return self.announce_bonus(board, bag, draws);
        }
        self.drawn(bag, bag.tile(draws.below(bag.len())))
    }

    #[inline(always)]
    fn announce_bonus(&self, board: u128, bag: Bag, draws: &mut Draws) -> Announcement {
        let mut bonus = 0;
        if self.shows_set {
            let sets = self.sets(board);
            bonus = sets.start() + draws.below(sets.end() - sets.start() + 1);
        }
        Announcement { next: BONUS, bag, bonus }
    }

    /// Returns the numbers of the sets that may announce a bonus on a board.
    pub(crate) fn sets(&self, board: u128) -> RangeInclusive<u32> {
        bonus_sets(bonus_values(self.board.max_rank(board)))
    }

    pub(crate) fn announcements(
        &self,
        board: u128,
        bag: Bag,
    ) -> impl Iterator<Item = (f64, Announcement)> + Clone {
        let may_be_bonus = self.bonus_odds != 0 && self.allows_bonus(board);
        let bonus = if may_be_bonus { 1.0 / f64::from(self.bonus_odds) } else { 0.0 };
        let [ones, twos, threes] = bag.counts();
        let drawn = [(1, ones), (2, twos), (3, threes)].map(|(rank, count)| {
            let probability = (1.0 - bonus) * f64::from(count) / f64::from(bag.len());
            (probability > 0.0).then(|| (probability, self.drawn(bag, rank)))
        });
        let sets = if self.shows_set { self.sets(board) } else { 0..=0 };
        let share = bonus / f64::from(sets.end() - sets.start() + 1);
        let bonuses = sets.map(move |bonus| (share, Announcement { next: BONUS, bag, bonus }));
        drawn.into_iter().flatten().chain(bonuses.filter(move |_| may_be_bonus))
    }

    #[inline(always)]
    fn drawn(&self, bag: Bag, rank: u8) -> Announcement {
        Announcement { next: u32::from(rank) - 1, bag: bag.without(rank, self.full), bonus: 0 }
    }

    /// Lists all outcomes: every line, every value of a bonus, every next announcement.
    pub(crate) fn list_outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        let bits = afterstate.bits();
        let (known, moved) = (Announcement::of(bits), LastMove::of(bits));
        let ranks = match known.next {
            BONUS => self.bonus_ranks(known),
            next => next as u8 + 1..next as u8 + 2,
        };
        let share = 1.0 / (f64::from(moved.lines.count_ones()) * ranks.len() as f64);
        // The next announcement does not depend on the tile that enters: a bonus is at most
        // an eighth of the max tile.
        let board = cells(bits);
        let announcements = self.announcements(board, known.bag);
        let mut lines = moved.lines;
        while lines != 0 {
            let entry_bit = self.entry_bit(moved.direction, lines.trailing_zeros());
            lines &= lines - 1;
            for rank in ranks.clone() {
                let board = board | u128::from(rank) << entry_bit;
                for (probability, next) in announcements.clone() {
                    out.push(share * probability, State::from_bits(board | next.bits()));
                }
            }
        }
    }
}
