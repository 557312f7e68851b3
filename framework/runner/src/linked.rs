//! Plugins that a program links in. The runner itself names no game and no agent.

use runner_files::Header;
use runner_plugin::RootRef;

/// The spec of a player, and its mean score if that was measured.
pub type Level = (&'static str, Option<u32>);

/// Plugins that a program links in.
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
    /// The value whose networks come with the program, and the descriptions of these.
    pub trained: (&'static str, fn() -> Vec<Header>),
    /// Returns the games that play a network of another game, each before that game.
    pub borrowing_games: fn() -> Vec<[&'static str; 2]>,
    /// Spec of an agent that plays every game.
    pub example_agent: &'static str,
}
