//! The row tables of a game and the line tables of a value. The other side copies them, and
//! computes moves and estimates with its copy instead of calls.

use crate::boundary::{List, Plain};
use abi_stable::StableAbi;
use abi_stable::std_types::RSlice;
use bytemuck::TransparentWrapper;
use runner_core::lines::LineValues;
use runner_core::rows::{Entry, ROWS, Row, RowTables};
use std::ptr;
use std::sync::Arc;

/// The [`RowTables`] of a game.
#[repr(C)]
#[derive(StableAbi)]
pub struct RowsRef<'a> {
    across: List<'a, Row>,
    down: List<'a, Row>,
    entries: List<'a, Entry>,
    layer_is_sum: bool,
    carried_bits: u64,
}

/// The [`LineValues`] of a value.
#[repr(C)]
#[derive(StableAbi)]
pub struct LinesRef<'a> {
    across: RSlice<'a, f32>,
    down: RSlice<'a, f32>,
    absent: f32,
    least: f32,
}

impl<'a> RowsRef<'a> {
    pub fn of(tables: &'a RowTables) -> Self {
        let (across, down) = tables.tables();
        Self {
            across: Plain::wrap_slice(&across[..]).into(),
            down: Plain::wrap_slice(&down[..]).into(),
            entries: Plain::wrap_slice(tables.entries()).into(),
            layer_is_sum: tables.layer_is_sum(),
            carried_bits: tables.carried_bits(),
        }
    }

    /// Copies the tables of a board with `rows` x `cols` cells. Returns `None` if they do not suit
    /// such a board, or a reward is not finite. Then the game is called instead, and a check of its
    /// results names what is wrong.
    pub fn copy(&self, rows: usize, cols: usize) -> Option<RowTables> {
        let their_across = Plain::peel_slice(self.across.as_slice());
        let their_down = Plain::peel_slice(self.down.as_slice());
        let [across, down] = copy_both(their_across, their_down)?;
        let entries = Plain::peel_slice(self.entries.as_slice());
        let is_finite = |row: &Row| row.first_reward.is_finite() && row.last_reward.is_finite();
        let are_finite = across.iter().chain(&*down).all(is_finite);
        let is_narrow = rows <= 4 && cols <= 4;
        if !is_narrow || entries.is_empty() || !are_finite {
            return None;
        }
        let tables = RowTables::new(rows, cols, across, down, entries.to_vec());
        Some(tables.with_layer_as_sum(self.layer_is_sum).with_carried_bits(self.carried_bits))
    }
}

impl<'a> LinesRef<'a> {
    pub fn of(tables: &'a LineValues) -> Self {
        let (across, down) = tables.tables();
        Self {
            across: across[..].into(),
            down: down[..].into(),
            absent: tables.absent(),
            least: tables.least(),
        }
    }

    /// Copies the tables. Returns `None` if one does not have [`ROWS`] items.
    pub fn copy(&self) -> Option<LineValues> {
        let [across, down] = copy_both(self.across.as_slice(), self.down.as_slice())?;
        Some(LineValues::from_tables(across, down, self.absent, self.least))
    }
}

/// Copies two tables. If both are the same memory, the copies are one too. Returns `None` if a
/// table does not have [`ROWS`] items.
fn copy_both<T: Copy>(across: &[T], down: &[T]) -> Option<[Arc<[T; ROWS]>; 2]> {
    let copy = |table: &[T]| Arc::<[T]>::from(table).try_into().ok();
    let across_copy: Arc<[T; ROWS]> = copy(across)?;
    let down_copy = if ptr::eq(across, down) { across_copy.clone() } else { copy(down)? };
    Some([across_copy, down_copy])
}
