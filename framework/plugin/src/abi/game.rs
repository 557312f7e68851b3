//! Games.

use super::cross::answer;
use super::data::Slice;
use super::interface::*;
use super::object::SharedTable;
use runner_board::lines::LineValues;
use runner_board::rows::{Entry, ROWS, Row, RowTables};
use runner_core::{Outcome, Outcomes};
use std::any::Any;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// The methods of [`Game`](runner_core::Game), which `runner-core` lists.
macro_rules! game_interface {
    ($make:ident $arguments:tt) => {
        runner_core::__game_methods! { [$make] [$arguments] }
    };
}

game_interface! { interface_table [
    /// The functions of a game.
    GameTable {}
] }

impl SharedTable for GameTable {}

/// Tables of a game or a value, which it lends for its own lifetime. Other tables do not cross.
#[repr(C, u8)]
#[derive(Clone, Copy)]
pub enum Tables {
    None,
    Rows(RowTablesView),
    Lines(LineTablesView),
}

answer!([] Tables as Tables: |tables| tables, |form| form);

impl Answer for Option<&dyn Any> {
    type Abi = Tables;

    fn send(self) -> Tables {
        let Some(tables) = self else { return Tables::None };
        if let Some(rows) = tables.downcast_ref::<RowTables>() {
            Tables::Rows(RowTablesView {
                rows: Pair::of(rows.tables()),
                entries: Slice::of(rows.entries()),
                layer_is_sum: rows.layer_is_sum(),
                carried_bits: rows.carried_bits(),
            })
        } else if let Some(lines) = tables.downcast_ref::<LineValues>() {
            let (values, absent, least) = (Pair::of(lines.tables()), lines.absent(), lines.least());
            Tables::Lines(LineTablesView { values, absent, least })
        } else {
            Tables::None
        }
    }

    unsafe fn receive(_: Tables) -> Self {
        unreachable!("proxies copy the tables")
    }
}

/// Row tables, borrowed from the game.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RowTablesView {
    pub rows: Pair<Row>,
    pub entries: Slice<Entry>,
    /// True if the layer is the sum of the displayed values.
    pub layer_is_sum: bool,
    /// Bits of the second word that moves and chance leave unchanged.
    pub carried_bits: u64,
}

/// The values of lines, borrowed from the value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LineTablesView {
    pub values: Pair<f32>,
    /// The sum of the lines that the board lacks.
    pub absent: f32,
    /// The lower bound of all values.
    pub least: f32,
}

/// The table of the rows across and that of the columns down, which may be the same.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pair<T> {
    across: *const [T; ROWS],
    down: *const [T; ROWS],
}

impl<T: Copy> Pair<T> {
    fn of((across, down): (&Arc<[T; ROWS]>, &Arc<[T; ROWS]>)) -> Self {
        Self { across: &raw const **across, down: &raw const **down }
    }

    /// Copies both tables.
    ///
    /// # Safety
    ///
    /// The object that lends the tables is alive.
    pub unsafe fn copy(self) -> (Arc<[T; ROWS]>, Arc<[T; ROWS]>) {
        let copy = |from| {
            let mut table = Arc::<[T; ROWS]>::new_uninit();
            let to = Arc::get_mut(&mut table).expect("the table is not shared yet");
            // SAFETY: the caller promises a whole table, and a copy of it is a table.
            unsafe {
                to.as_mut_ptr().copy_from_nonoverlapping(from, 1);
                table.assume_init()
            }
        };
        let across = copy(self.across);
        let down = if self.down == self.across { across.clone() } else { copy(self.down) };
        (across, down)
    }
}

/// The memory of a list of outcomes, and the number of those that the game has written.
#[repr(C)]
pub struct OutcomesBuffer {
    at: *mut MaybeUninit<Outcome>,
    capacity: usize,
    len: usize,
}

// SAFETY: the memory and the length of the list cross. The other side fills a list over that
// memory, which does not free it.
unsafe impl Argument for &mut Outcomes {
    type Abi = *mut OutcomesBuffer;

    #[inline(always)]
    fn lend<R>(self, task: impl FnOnce(Self::Abi) -> R) -> R {
        self.clear();
        let spare = self.spare_capacity_mut();
        let (at, capacity) = (spare.as_mut_ptr(), spare.len());
        let mut buffer = OutcomesBuffer { at, capacity, len: 0 };
        let result = task(&raw mut buffer);
        // SAFETY: the other side has written `len` outcomes into the memory.
        unsafe { self.set_len(buffer.len) };
        result
    }

    #[inline(always)]
    unsafe fn open<R>(abi: Self::Abi, task: impl FnOnce(Self) -> R) -> R {
        // SAFETY: `lend` passed a buffer for this call alone, whose task has not returned.
        let OutcomesBuffer { at, capacity, len } = unsafe { &mut *abi };
        // SAFETY: `lend` passed the memory of a list for this call alone, and this list is dropped
        // before this function returns.
        let mut list = unsafe { Outcomes::over(std::slice::from_raw_parts_mut(*at, *capacity)) };
        // SAFETY: the method does not keep the list, so it may call its lifetime a longer one.
        let result = task(unsafe { &mut *std::ptr::from_mut(&mut list) });
        *len = list.len().min(*capacity);
        if !std::ptr::eq(list.as_ptr(), at.cast()) {
            // The game has put its own list there.
            // SAFETY: both lists have at least this length, and do not overlap.
            unsafe { at.cast::<Outcome>().copy_from_nonoverlapping(list.as_ptr(), *len) };
        }
        result
    }
}
