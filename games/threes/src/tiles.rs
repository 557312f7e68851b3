//! The tiles: their ranks, what they show, what they are worth and what merges.

use runner_sliding::LineRule;

/// The rank of 3. Rank 1 shows 1, rank 2 shows 2, and from here values double.
pub const THREE: u8 = 3;

/// The rank of 48: from a tile of it on, a bonus can be announced.
pub const LEAST_FOR_BONUS: u8 = 7;

/// The greatest rank that four bits hold, 12288.
pub const GREATEST: u8 = 15;

/// What a rank shows.
pub const fn value(rank: u8) -> u64 {
    if rank <= THREE { rank as u64 } else { 3 << (rank - THREE) }
}

/// What a tile is worth.
pub const fn points(rank: u8) -> u32 {
    if rank < THREE { 0 } else { 3u32.pow((rank - THREE + 1) as u32) }
}

/// How many values a bonus may have, uniformly: 6, 12 and so on to an eighth of
/// the greatest tile, whose rank this is.
pub const fn bonus_values(greatest: u8) -> u32 {
    (greatest - LEAST_FOR_BONUS + 1) as u32
}

/// The rank of one of the values of a bonus, counted from 0.
pub const fn bonus_rank(value: u32) -> u8 {
    THREE + 1 + value as u8
}

/// The line rule: tiles merge up to one of the rank `top`.
#[derive(Clone, Copy, Debug)]
pub struct Merging {
    /// The greatest rank there is.
    pub top: u8,
}

impl Merging {
    /// What two neighbours make, if they merge.
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
        // What gives way is gone, all behind it moves up by one, and the last
        // cell is empty.
        line[at] = 0;
        line[at..].rotate_left(1);
        if wall == 0 {
            return 0.0;
        }
        let made = self.merge(wall, next).expect("it gave way");
        line[at] = made;
        (points(made) - points(wall) - points(next)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_points_are_those_of_the_rules() {
        let values: Vec<u64> = (0..=GREATEST).map(value).collect();
        let doubled = [6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 6144, 12288];
        assert_eq!(values[..4], [0, 1, 2, 3]);
        assert_eq!(values[4..], doubled);
        assert_eq!(value(LEAST_FOR_BONUS), 48);
        for rank in THREE..=GREATEST {
            let exponent = (value(rank) / 3).ilog2() + 1;
            assert_eq!(u64::from(points(rank)), 3u64.pow(exponent));
        }
        assert_eq!((points(1), points(2)), (0, 0));
    }

    #[test]
    fn a_bonus_is_from_6_to_an_eighth_of_the_greatest() {
        for greatest in LEAST_FOR_BONUS..=GREATEST {
            let last = bonus_rank(bonus_values(greatest) - 1);
            assert_eq!((value(bonus_rank(0)), value(last)), (6, value(greatest) / 8));
        }
    }

    #[test]
    fn a_line_moves_by_one_cell_and_merges_once() {
        let pushed = |mut line: [u8; 4]| {
            let reward = Merging { top: 14 }.push(&mut line);
            (line, reward)
        };
        // The first empty cell, though there are more.
        assert_eq!(pushed([0, 0, 3, 3]), ([0, 3, 3, 0], 0.0));
        // The pair at the wall, though there is another; a 3 is 3 points, a 6 is 9.
        assert_eq!(pushed([3, 3, 3, 3]), ([4, 3, 3, 0], 3.0));
        // Behind an empty cell nothing merges.
        assert_eq!(pushed([4, 0, 3, 3]), ([4, 3, 3, 0], 0.0));
        assert_eq!(pushed([1, 2, 1, 2]), ([3, 1, 2, 0], 3.0));
        assert_eq!(pushed([2, 1, 0, 0]), ([3, 0, 0, 0], 3.0));
        for stays in [[1, 1, 2, 2], [3, 1, 3, 2], [14, 14, 1, 4], [5, 0, 0, 0], [0; 4]] {
            // In [1, 1, 2, 2] the middle merges; the others do not move.
            let expected = if stays[2] == 2 { ([1, 3, 2, 0], 3.0) } else { (stays, 0.0) };
            assert_eq!(pushed(stays), expected);
        }
    }
}
