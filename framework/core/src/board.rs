//! Games that are played on a board: its shape, its symmetries, and where the cells
//! lie in the 128 bits of a position (see [`slots`]).

mod downgrade;
mod geometry;
mod group;
mod merges;
pub mod narrow;
pub mod slots;
mod stages;

pub use geometry::{ExtraField, Geometry, Symmetry};
pub use group::SymmetryGroup;
pub use merges::Merges;
pub use slots::{FIFTH_BITS, MAX_CELLS, stride};
pub use stages::{MAX_STAGES, Stages};
