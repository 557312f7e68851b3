//! The options of commands: types of values, groups that commands share, and how a
//! configuration file and the command line are joined.

mod groups;
mod merge;
mod values;

pub use groups::{CommonOptions, GameOptions, InputOutputOptions, PlayerOptions, ResourceOptions};
pub use merge::{Options, Typed, read_file, resolve};
pub use values::{Count, PositiveNumber, PositiveTime, Size, ThreadCount, Time};
