//! The line rule, which defines the moves of a sliding game.

/// The rule for pushing one line of cells.
///
/// Cells hold ranks: 0 for an empty cell, then the game's tiles.
pub trait LineRule: Send + Sync + 'static {
    /// Returns the displayed value of every rank in ascending order, beginning with 0 for an
    /// empty cell. At most 32 ranks; with more than 16, each cell takes five bits instead of
    /// four.
    ///
    /// A second rank of value 0 is a stone, which is written `#`.
    fn values(&self) -> Vec<u64>;

    /// Returns the cells that hold a stone, counted row by row from 0. A push must not move a
    /// stone or any tile past it.
    fn blocked(&self) -> &[usize] {
        &[]
    }

    /// Pushes a line toward its first cell and returns the reward, which is 0 if the line does
    /// not change.
    fn push(&self, line: &mut [u8]) -> f32;

    /// Returns true if no reward of [`push`](Self::push) is negative.
    fn rewards_never_negative(&self) -> bool {
        false
    }
}

/// Returns the pairs of ranks that merge in either order, the lower rank first.
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

/// Pushes a line as in 2048: tiles slide as far as they can, and two that meet may merge,
/// each at most once, the pair nearest the wall first. Returns the reward.
///
/// `merge` returns the resulting rank and the reward of merging two ranks, the one nearer the
/// wall first, or `None` if they do not merge.
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
