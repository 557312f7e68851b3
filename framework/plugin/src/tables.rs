//! The tables of a game or a value, which the other side copies: with a copy it computes moves and
//! estimates without calls.

use crate::boundary::Plain;
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
    across: RSlice<'a, Plain<Row>>,
    down: RSlice<'a, Plain<Row>>,
    entries: RSlice<'a, Plain<Entry>>,
    /// True if the layer is the sum of the displayed values.
    layer_is_sum: bool,
    /// Bits of the second word that moves and chance leave unchanged.
    carried_bits: u64,
}

/// The [`LineValues`] of a value.
#[repr(C)]
#[derive(StableAbi)]
pub struct LinesRef<'a> {
    across: RSlice<'a, f32>,
    down: RSlice<'a, f32>,
    /// The sum of the lines that the board lacks.
    absent: f32,
    /// The lower bound of all values.
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

    /// Copies the tables for a board of this size, unless they are not complete or a reward in
    /// them is not finite: the game's own functions say which.
    pub fn copy(&self, rows: usize, cols: usize) -> Option<RowTables> {
        let their_across = Plain::peel_slice(self.across.as_slice());
        let their_down = Plain::peel_slice(self.down.as_slice());
        let (across, down) = copy(their_across, their_down)?;
        let entries = Plain::peel_slice(self.entries.as_slice());
        let is_finite = |row: &Row| row.first_reward.is_finite() && row.last_reward.is_finite();
        let are_finite = across.iter().chain(&*down).all(is_finite);
        if rows > 4 || cols > 4 || entries.is_empty() || !are_finite {
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

    /// Copies the tables, unless they are not complete.
    pub fn copy(&self) -> Option<LineValues> {
        let (across, down) = copy(self.across.as_slice(), self.down.as_slice())?;
        Some(LineValues::from_tables(across, down, self.absent, self.least))
    }
}

/// A table of rows across, and one of columns down.
type Pair<T> = (Arc<[T; ROWS]>, Arc<[T; ROWS]>);

/// Copies two tables, which may be the same. Returns `None` if they are not complete.
fn copy<T: Copy>(across: &[T], down: &[T]) -> Option<Pair<T>> {
    let shared = |table: &[T]| Arc::<[T]>::from(table).try_into().ok();
    let rows: Arc<[T; ROWS]> = shared(across)?;
    let columns = if ptr::eq(across, down) { rows.clone() } else { shared(down)? };
    Some((rows, columns))
}
