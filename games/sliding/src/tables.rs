//! The results of the line rule for every content of a line.
//!
//! A board of up to 4 x 4 has lines of 16 bits, as [`runner_core::rows`] describes; a larger
//! one has lines of up to 20 bits. The tables hold ranks up to 15; the caller computes other
//! lines.

use crate::{Direction, LineRule};
use runner_core::rows::{self, BEYOND, ROWS, Row};
use std::sync::Arc;

/// The tables of a board; a square has the same table twice.
pub(crate) enum Tables {
    /// Up to 4 x 4.
    Narrow { across: Arc<[Row; ROWS]>, down: Arc<[Row; ROWS]> },
    /// With a side of 5.
    Wide { across: Arc<[Row]>, down: Arc<[Row]> },
}

pub(crate) struct Pushed {
    pub cells: u128,
    pub reward: f32,
    /// Bit k is set if line k moved.
    pub moved: u8,
}

impl Tables {
    pub fn new(rows: usize, cols: usize, rule: &impl LineRule) -> Self {
        if rows <= 4 && cols <= 4 {
            let narrow = |cells| -> Arc<[Row; ROWS]> {
                let mut table = table(cells, rule);
                table.resize(ROWS, Row::default());
                let table: Arc<[Row]> = table.into();
                table.try_into().expect("the table has `ROWS` entries")
            };
            let across = narrow(cols);
            let down = if rows == cols { across.clone() } else { narrow(rows) };
            Self::Narrow { across, down }
        } else {
            let across: Arc<[Row]> = table(cols, rule).into();
            let down = if rows == cols { across.clone() } else { table(rows, rule).into() };
            Self::Wide { across, down }
        }
    }

    /// Returns true if no push changes the sum of the displayed values: neither a push in the
    /// tables nor a merge of two tiles of any rank.
    pub fn keep_sums(&self, rows: usize, cols: usize, rule: &impl LineRule) -> bool {
        let values = rule.values();
        let sum = |line: &[u8]| -> u64 { line.iter().map(|&rank| values[usize::from(rank)]).sum() };
        let pair_keeps = |a, b| {
            let mut line = [a, b];
            rule.push(&mut line);
            sum(&line) == sum(&[a, b])
        };
        let ranks = || 0..values.len() as u8;
        let (across, down): (&[Row], &[Row]) = match self {
            Self::Narrow { across, down } => (&**across, &**down),
            Self::Wide { across, down } => (across, down),
        };
        ranks().all(|a| ranks().all(|b| pair_keeps(a, b)))
            && keeps_sums(&across[..1 << (4 * cols)], &values)
            && keeps_sums(&down[..1 << (4 * rows)], &values)
    }

    /// Pushes cells with ranks up to 15. Returns `None` if the result has a higher rank.
    #[inline(always)]
    pub fn push(&self, cells: u128, direction: Direction) -> Option<Pushed> {
        match self {
            Self::Narrow { across, down } => {
                let board = cells as u64;
                let slid = rows::slide(across, down, board, direction.action());
                let changed = board ^ slid.board;
                let lines =
                    if direction.is_vertical() { rows::transpose(changed) } else { changed };
                let has_moved = |k: usize| u8::from(lines >> (16 * k) & 0xffff != 0) << k;
                let moved = has_moved(0) | has_moved(1) | has_moved(2) | has_moved(3);
                let cells = u128::from(slid.board);
                (!slid.beyond).then_some(Pushed { cells, reward: slid.reward, moved })
            }
            Self::Wide { across, down } => {
                if direction.is_vertical() {
                    let pushed = push_wide(down, transpose(cells), direction)?;
                    Some(Pushed { cells: transpose(pushed.cells), ..pushed })
                } else {
                    push_wide(across, cells, direction)
                }
            }
        }
    }
}

#[inline(always)]
fn push_wide(table: &[Row], lines: u128, direction: Direction) -> Option<Pushed> {
    let mut pushed = Pushed { cells: 0, reward: 0.0, moved: 0 };
    let mut beyond = 0;
    for k in 0..5 {
        let line = (lines >> (20 * k)) as u32 & 0xf_ffff;
        let row = &table[line as usize];
        let (to, reward) = if direction.is_toward_first() {
            (row.first, row.first_reward)
        } else {
            (row.last, row.last_reward)
        };
        beyond |= to;
        pushed.cells |= u128::from(to) << (20 * k);
        pushed.reward += reward;
        pushed.moved |= u8::from(to != line) << k;
    }
    (beyond & BEYOND == 0).then_some(pushed)
}

fn table(cells: usize, rule: &impl LineRule) -> Vec<Row> {
    let ranks = rule.values().len() as u32;
    (0..1u32 << (4 * cells))
        .map(|content| {
            let mut slots: [u8; 5] = std::array::from_fn(|cell| (content >> (4 * cell)) as u8 & 15);
            let line = &mut slots[..cells];
            if line.iter().any(|&rank| u32::from(rank) >= ranks) {
                return Row { first: BEYOND, last: BEYOND, ..Row::default() };
            }
            let reversed = &mut line.to_owned()[..];
            reversed.reverse();
            let first_reward = rule.push(line);
            let last_reward = rule.push(reversed);
            reversed.reverse();
            Row { first: pack(line), last: pack(reversed), first_reward, last_reward }
        })
        .collect()
}

/// Returns true if no line of a table changes its sum, as far as the table holds it.
fn keeps_sums(table: &[Row], values: &[u64]) -> bool {
    let sum = |line: u32| -> u64 {
        let value = |cell: u32| values.get((line >> (4 * cell) & 15) as usize);
        (0..5).filter_map(value).sum()
    };
    let keeps = |line: usize, to: u32| to == BEYOND || sum(line as u32) == sum(to);
    table.iter().enumerate().all(|(line, row)| keeps(line, row.first) && keeps(line, row.last))
}

fn pack(line: &[u8]) -> u32 {
    if line.iter().any(|&rank| rank > 15) {
        return BEYOND;
    }
    line.iter().rev().fold(0, |packed, &rank| packed << 4 | u32::from(rank))
}

/// Transposes a wide board: rows become columns.
#[inline(always)]
pub(crate) fn transpose(cells: u128) -> u128 {
    // A cell that is d columns right of the diagonal moves up the word by 4 d slots, and its
    // mirror image moves down by as many.
    const RIGHT_BY: [u128; 5] = {
        let mut masks = [0; 5];
        let mut cell = 0;
        while cell < 25 {
            let (row, col) = (cell / 5, cell % 5);
            if col >= row {
                masks[col - row] |= 15 << (4 * cell);
            }
            cell += 1;
        }
        masks
    };
    (1..5).fold(cells & RIGHT_BY[0], |out, d| {
        out | (cells & RIGHT_BY[d]) << (16 * d) | cells >> (16 * d) & RIGHT_BY[d]
    })
}

#[cfg(test)]
mod tests {
    use super::transpose;

    #[test]
    fn transposing_swaps_row_and_column() {
        for cell in 0..25 {
            let mirrored = cell % 5 * 5 + cell / 5;
            assert_eq!(transpose(9 << (4 * cell)), 9 << (4 * mirrored));
        }
    }
}
