//! The tiles: ranks, displayed values, points and merges.

use runner_sliding::LineRule;
use std::ops::{Range, RangeInclusive};

/// The rank of 3. Ranks 1 and 2 are the tiles 1 and 2; from 3 on, values double.
pub const THREE: u8 = 3;

/// The rank of 48: the least max tile with which a bonus can be announced.
pub const MIN_BONUS_RANK: u8 = 7;

/// The greatest rank that four bits hold: 12288.
pub const MAX_RANK: u8 = 15;

pub const fn value(rank: u8) -> u64 {
    if rank <= THREE { rank as u64 } else { 3 << (rank - THREE) }
}

pub const fn points(rank: u8) -> u32 {
    if rank < THREE { 0 } else { 3u32.pow((rank - THREE + 1) as u32) }
}

/// Returns the number of equally likely values of a bonus: 6, 12, ... up to an eighth of the
/// max tile. It is 0 without a bonus.
pub const fn bonus_values(max_rank: u8) -> u32 {
    (max_rank + 1).saturating_sub(MIN_BONUS_RANK) as u32
}

/// Returns the rank of the n-th value of a bonus, counted from 0.
pub const fn bonus_rank(n: u32) -> u8 {
    THREE + 1 + n as u8
}

/// The greatest number of tiles in an announced set.
const SET: u32 = 3;

/// Returns the numbers of the sets that may announce a bonus with this number of values. Each has
/// consecutive tiles: as many as there are, up to [`SET`].
pub const fn bonus_sets(values: u32) -> RangeInclusive<u32> {
    (if values < SET { values } else { SET })..=values
}

/// Returns the ranks of the tiles of a set. Set n has the bonuses up to the n-th, of which 6 is the
/// first, but at most the last three of them. Numbers above that of the largest bonus have no
/// tiles.
pub const fn set_ranks(number: u32) -> Range<u8> {
    let number = if number > bonus_values(MAX_RANK) { 0 } else { number };
    bonus_rank(number.saturating_sub(SET))..bonus_rank(number)
}

/// Returns the tiles of a set as text: `6,12,24`.
pub fn set_text(number: u32) -> String {
    let tiles: Vec<_> = set_ranks(number).map(|rank| value(rank).to_string()).collect();
    tiles.join(",")
}

/// The line rule. Tiles merge up to the rank `top`.
#[derive(Clone, Copy, Debug)]
pub struct Merging {
    pub top: u8,
}

impl Merging {
    /// Returns the rank that two neighbours merge to, or `None` if they do not merge.
    fn merge(self, a: u8, b: u8) -> Option<u8> {
        match (a, b) {
            (1, 2) | (2, 1) => Some(THREE),
            _ if a == b && (THREE..self.top).contains(&a) => Some(a + 1),
            _ => None,
        }
    }
}

impl LineRule for Merging {
    fn values(&self) -> Vec<u64> {
        (0..=self.top).map(value).collect()
    }

    fn push(&self, line: &mut [u8]) -> f32 {
        let gives_way = |&i: &usize| line[i] == 0 || self.merge(line[i], line[i + 1]).is_some();
        let Some(at) = (0..line.len() - 1).find(gives_way) else { return 0.0 };
        let (wall, next) = (line[at], line[at + 1]);
        // The cell at `at` is consumed; all tiles behind it move up by one.
        line[at] = 0;
        line[at..].rotate_left(1);
        if wall == 0 {
            return 0.0;
        }
        let made = self.merge(wall, next).expect("the pair merges");
        line[at] = made;
        (points(made) - points(wall) - points(next)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_points_follow_the_rules() {
        let values: Vec<u64> = (0..=MAX_RANK).map(value).collect();
        let doubled = [6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 12288];
        assert_eq!(values[..4], [0, 1, 2, 3]);
        assert_eq!(values[4..], doubled);
        assert_eq!(value(MIN_BONUS_RANK), 48);
        for rank in THREE..=MAX_RANK {
            let exponent = (value(rank) / 3).ilog2() + 1;
            assert_eq!(u64::from(points(rank)), 3u64.pow(exponent));
        }
        assert_eq!((points(1), points(2)), (0, 0));
    }

    #[test]
    fn bonuses_range_from_6_to_an_eighth_of_the_max_tile() {
        for max_rank in MIN_BONUS_RANK..=MAX_RANK {
            let last = bonus_rank(bonus_values(max_rank) - 1);
            assert_eq!((value(bonus_rank(0)), value(last)), (6, value(max_rank) / 8));
        }
    }

    #[test]
    fn sets_have_up_to_three_tiles_and_cover_all_values() {
        let tiles = |number| set_ranks(number).map(value).collect::<Vec<_>>();
        assert_eq!(bonus_sets(1).map(tiles).collect::<Vec<_>>(), [vec![6]]);
        assert_eq!(bonus_sets(2).map(tiles).collect::<Vec<_>>(), [vec![6, 12]]);
        assert_eq!(
            bonus_sets(5).map(tiles).collect::<Vec<_>>(),
            [[6, 12, 24], [12, 24, 48], [24, 48, 96]]
        );
        assert_eq!(bonus_sets(bonus_values(MAX_RANK)).last(), Some(9), "four bits are enough");
        assert!([0, 10, 15].iter().all(|&number| set_ranks(number).is_empty()));
    }

    #[test]
    fn lines_move_by_one_cell_and_merge_once() {
        let pushed = |mut line: [u8; 4]| {
            let reward = Merging { top: 14 }.push(&mut line);
            (line, reward)
        };
        // Only the first empty cell is filled.
        assert_eq!(pushed([0, 0, 3, 3]), ([0, 3, 3, 0], 0.0));
        // Only the pair nearest the wall merges; a 3 scores 3 points, a 6 scores 9.
        assert_eq!(pushed([3, 3, 3, 3]), ([4, 3, 3, 0], 3.0));
        // No pair behind an empty cell merges.
        assert_eq!(pushed([4, 0, 3, 3]), ([4, 3, 3, 0], 0.0));
        assert_eq!(pushed([1, 2, 1, 2]), ([3, 1, 2, 0], 3.0));
        assert_eq!(pushed([2, 1, 0, 0]), ([3, 0, 0, 0], 3.0));
        for stays in [[1, 1, 2, 2], [3, 1, 3, 2], [14, 14, 1, 4], [5, 0, 0, 0], [0; 4]] {
            // In [1, 1, 2, 2] the middle pair merges; the other lines do not move.
            let expected = if stays[2] == 2 { ([1, 3, 2, 0], 3.0) } else { (stays, 0.0) };
            assert_eq!(pushed(stays), expected);
        }
    }
}
