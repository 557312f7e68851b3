//! Random games on a board of up to 4 x 4, interleaved and without branches on random data
//! except for bonus tiles, which are rare.

use crate::bag::Bag;
use crate::chance::Draws;
use crate::layout::{Announcement, BONUS};
use crate::rules::Threes;
use crate::tiles::{MAX_RANK, points};
use runner_core::rows::{ROWS, Row, nth_set_bit, transpose};
use runner_core::{Playout, Random, State};
use runner_sliding::lanes::{self, RandomGame};
use std::hint::select_unpredictable;

/// The points of the tile of each rank.
const POINTS: [f32; MAX_RANK as usize + 1] = {
    let mut all = [0.0; MAX_RANK as usize + 1];
    let mut rank = 0;
    while rank < all.len() {
        all[rank] = points(rank as u8) as f32;
        rank += 1;
    }
    all
};

/// A position: the cells, the announced tile and the bag.
#[derive(Clone, Copy)]
struct Position {
    board: u64,
    known: Announcement,
}

struct Kernel<'a> {
    game: &'a Threes,
    across: &'a [Row; ROWS],
    down: &'a [Row; ROWS],
    /// The lowest bit of the last cell of a row and of a column.
    last: [u32; 2],
}

/// Plays random games of a game whose tiles enter in lines that moved, as
/// [`Game::playouts`](runner_core::Game::playouts) does. Returns false if the board is larger
/// than 4 x 4.
pub fn play(game: &Threes, starts: &[State], random: u64, results: &mut [Playout]) -> bool {
    assert_eq!(starts.len(), results.len());
    let Some((across, down)) = game.board.row_tables() else { return false };
    let geometry = game.board.geometry();
    let last = [geometry.cols, geometry.rows].map(|cells| 4 * (cells as u32 - 1));
    let kernel = Kernel { game, across, down, last };
    let position =
        |state: &State| Position { board: state.lo, known: Announcement::of(state.bits()) };
    lanes::play(
        starts.iter().map(position),
        random,
        |lane, random| kernel.attempt(lane, random),
        |number, &RandomGame { position: Position { board, known }, score, moves, .. }| {
            let last = State::from_bits(u128::from(board) | known.bits());
            results[number] = Playout { last, score, moves };
        },
    );
    true
}

impl Kernel<'_> {
    /// Tries a random action and returns true if the game is over.
    #[inline(always)]
    fn attempt(&self, lane: &mut RandomGame<Position>, random: &mut Random) -> bool {
        let Position { board, known } = lane.position;
        let mut draws = Draws(random.word());
        let action = draws.below(4);
        // Up and left push toward the first cell of a line.
        let (vertical, toward_first) = (action & 1 == 0, action == 0 || action == 3);

        let table = select_unpredictable(vertical, self.down, self.across);
        let lines = select_unpredictable(vertical, transpose(board), board);
        let [a, b, c, d] = [0, 16, 32, 48].map(|shift| {
            let row = &table[(lines >> shift & 0xffff) as usize];
            let (line, reward) = select_unpredictable(
                toward_first,
                (&row.first, &row.first_reward),
                (&row.last, &row.last_reward),
            );
            (u64::from(*line) << shift, *reward)
        });
        let pushed = (a.0 | b.0) | (c.0 | d.0);
        let reward = (a.1 + b.1) + (c.1 + d.1);

        // The highest bit of every line that moved.
        const HIGHEST: u64 = 0x8000_8000_8000_8000;
        let changed = lines ^ pushed;
        let moved = (((changed & !HIGHEST) + !HIGHEST) | changed) & HIGHEST;
        let legal = moved != 0;
        let line = nth_set_bit(moved, draws.below(moved.count_ones())) & !15 & 63;
        let far = select_unpredictable(toward_first, self.last[usize::from(vertical)], 0);
        let rank = if known.next == BONUS {
            self.bonus(board, known, &mut draws)
        } else {
            known.next as usize + 1
        };
        let entered = pushed | (rank as u64) << (line + far);
        let next = self.game.draw_next(entered.into(), known, &mut draws);
        let entered = select_unpredictable(vertical, transpose(entered), entered);

        let position = &mut lane.position;
        position.board = select_unpredictable(legal, entered, board);
        position.known.next = select_unpredictable(legal, next.next, known.next);
        position.known.bonus = select_unpredictable(legal, next.bonus, known.bonus);
        position.known.bag = Bag(select_unpredictable(legal, next.bag.0, known.bag.0));
        lane.tried = select_unpredictable(legal, 0, lane.tried | 1 << action);
        lane.moves += u64::from(legal);
        // The reward of an illegal action is 0.
        lane.score += f64::from(reward + select_unpredictable(legal, POINTS[rank], 0.0));
        lane.tried == 15
    }

    #[cold]
    #[inline(never)]
    fn bonus(&self, board: u64, mut known: Announcement, draws: &mut Draws) -> usize {
        if !self.game.shows_set {
            known.bonus = self.game.board.max_rank(board.into()).into();
        }
        let ranks = self.game.bonus_ranks(known);
        usize::from(ranks.start) + draws.below(ranks.len() as u32) as usize
    }
}
