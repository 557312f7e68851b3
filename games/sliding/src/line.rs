//! The rule of one line: all that a sliding game says about its moves.

/// What a push does to one line of cells.
///
/// Cells hold ranks: 0 for empty, then the game's tiles.
pub trait LineRule: Send + Sync + 'static {
    /// The displayed value of every rank, ascending from 0, the empty cell. At
    /// most 32; more than 16 take a bit more of the position for each cell.
    ///
    /// A second rank of value 0 is the stone, which is written `#`.
    fn values(&self) -> Vec<u64>;

    /// The cells, counted row by row, that hold a stone. A push must leave stones
    /// where they are, and let nothing through.
    fn blocked(&self) -> &[usize] {
        &[]
    }

    /// Pushes a line toward its first cell, and returns what that earns. A line
    /// that it leaves unchanged earns nothing.
    fn push(&self, line: &mut [u8]) -> f32;
}

/// The pairs of ranks of which a push makes one tile, the lower rank first.
pub(crate) fn merging_pairs(rule: &impl LineRule) -> Vec<(u8, u8)> {
    let ranks = rule.values().len() as u8;
    let merge = |&(a, b): &(u8, u8)| {
        [[a, b], [b, a]].into_iter().any(|mut line| {
            rule.push(&mut line);
            line.contains(&0)
        })
    };
    let pairs = (1..ranks).flat_map(|low| (low..ranks).map(move |high| (low, high)));
    pairs.filter(merge).collect()
}

/// The push of games in which tiles slide as far as they go, and two that meet
/// may merge, each once, the pair nearest the wall first.
///
/// `merge` tells of two ranks, the one nearer the wall first, what they become
/// and earn, if they merge.
///
/// ```
/// let mut line = [1, 0, 1, 2];
/// let equal_merge = |a, b| (a == b).then_some((a + 1, 10.0));
/// assert_eq!(runner_sliding::slide_far(&mut line, equal_merge), 10.0);
/// assert_eq!(line, [2, 2, 0, 0]); // the new 2 does not merge again
/// ```
pub fn slide_far(line: &mut [u8], merge: impl Fn(u8, u8) -> Option<(u8, f32)>) -> f32 {
    let mut reward = 0.0;
    let mut to = 0;
    let mut mergeable = false;
    for from in 0..line.len() {
        let rank = std::mem::take(&mut line[from]);
        if rank == 0 {
            continue;
        }
        let merged = if mergeable { merge(line[to - 1], rank) } else { None };
        if let Some((made, earned)) = merged {
            line[to - 1] = made;
            reward += earned;
        } else {
            line[to] = rank;
            to += 1;
        }
        mergeable = merged.is_none();
    }
    reward
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbouring ranks merge where the lower one is nearer the wall.
    struct Ordered;

    impl LineRule for Ordered {
        fn values(&self) -> Vec<u64> {
            (0..5).collect()
        }

        fn push(&self, line: &mut [u8]) -> f32 {
            slide_far(line, |wall, next| (next == wall + 1 && next < 4).then_some((next + 1, 1.0)))
        }
    }

    #[test]
    fn pairs_that_merge_in_either_order_are_listed_once() {
        assert_eq!(merging_pairs(&Ordered), [(1, 2), (2, 3)]);
    }
}
