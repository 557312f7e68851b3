//! Options that several commands share, the defaults of games and players, the configuration file
//! of --config (`merge`), and the command line as it was typed.

mod command_line;
mod groups;
mod keep;
mod merge;
mod players;
mod position;

pub use command_line::{CommandLine, program_words};
pub use groups::{CommonOptions, GameOptions, ResourceOptions};
pub use keep::{ChangeOptions, KeepOptions};
pub use merge::{LIMITS, is_typed, parse_with_file};
pub use players::{
    PlayerOptions, agent_or_strongest, default_game, game_or_default, nameless, not_a_model,
};
pub use position::PositionOptions;
