//! The plugins that a program links in, with their names for defaults and examples. The runner
//! itself names no game and no agent.

use runner_files::Header;
use runner_plugin::RootRef;

/// The spec of a player, and its mean score if that was measured.
pub type Level = (&'static str, Option<u32>);

/// The plugins of a program. Specs of games that are arguments have all parameters.
#[derive(Clone)]
pub struct Linked {
    /// Plugins that need no library file.
    pub plugins: Vec<RootRef>,
    /// Spec of a game for examples.
    pub example_game: &'static str,
    /// Spec of a game with few enough positions for a table.
    pub small_game: &'static str,
    /// Returns the spec of the strongest player of a game that needs no training, and its
    /// description.
    pub strong_agent: fn(game: &str) -> (&'static str, &'static str),
    /// Returns players of a game from the strongest to a beginner, with their mean scores.
    pub levels: fn(game: &str) -> [Level; 4],
    /// Table of the chances of large tiles, for `runner_play::chances`.
    pub chances: &'static str,
    pub trained: TrainedNetworks,
    /// Returns pairs of games: the first plays with the network of the second.
    pub borrowing_games: fn() -> Vec<[&'static str; 2]>,
    /// Spec of an agent that plays every game.
    pub example_agent: &'static str,
}

/// The networks that come with the program.
#[derive(Clone, Copy)]
pub struct TrainedNetworks {
    /// Name of the value that plays with them.
    pub value: &'static str,
    /// Returns their descriptions.
    pub headers: fn() -> Vec<Header>,
}
