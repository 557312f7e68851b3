//! The options of commands: groups that commands share, and how a configuration file and the
//! command line are joined.

mod groups;
mod merge;
mod missing;
mod position;

pub use groups::{CommonOptions, GameOptions, InputOutputOptions, PlayerOptions, ResourceOptions};
pub use merge::{Options, Typed, resolve};
pub use missing::{missing_agent, missing_game};
pub use position::PositionOptions;
