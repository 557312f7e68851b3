//! An element of a row table: the results of both pushes of one row.

/// The bit that is set in the result of a push that needs a rank above 15.
pub const BEYOND: u32 = 1 << 31;

/// The results of both pushes of a row or column.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Row {
    /// The row after a push toward its first cell, in the low 16 bits, or [`BEYOND`].
    pub first: u32,
    /// The row after a push toward its last cell, or [`BEYOND`].
    pub last: u32,
    /// The reward of the push toward the first cell.
    pub first_reward: f32,
    /// The reward of the push toward the last cell.
    pub last_reward: f32,
}
