//! A player of a game, whose games an arena plays.

use crate::luck::Luck;
use crate::player::{NamedPlayer, Player, own_time};
use crate::registry::LoadedGame;
use runner_core::{Agent, Seed, State};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Limits that end a game before the rules do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    pub moves: Option<u64>,
    /// No move of a game starts after this time.
    pub time: Option<Duration>,
}

/// A player with the game, seed and limits of its games.
pub struct Cell {
    pub game: LoadedGame,
    /// Kind, name and file of the player's plugin, for messages about its faults.
    pub label: String,
    /// The player, which each worker clones. An agent is not `Sync`, hence the mutex.
    pub(super) player: Mutex<Player>,
    /// The function of the player's plugin that chooses a move.
    pub(super) move_name: &'static str,
    /// Number of threads that the player uses for a move.
    pub(super) threads: usize,
    /// See [`own_time`].
    pub(super) own_time: Duration,
    /// Seed of the games: game `k` draws from its stream `k`.
    pub seed: Seed,
    pub(super) limits: Limits,
    /// Positions of which each game draws its first one. If empty, games begin as the rules say.
    pub(super) starts: Vec<State>,
    /// What measures the luck of each game.
    pub(super) luck: Option<Arc<Luck>>,
}

impl Cell {
    pub fn new(
        game: &LoadedGame,
        player: NamedPlayer,
        seed: Seed,
        limits: Limits,
        starts: &[State],
        luck: Option<Arc<Luck>>,
    ) -> Self {
        Self {
            game: game.clone(),
            move_name: player.player.move_name(),
            threads: player.player.threads().max(1),
            own_time: own_time(&player.spec),
            label: player.label,
            player: Mutex::new(player.player),
            seed,
            limits,
            starts: starts.to_vec(),
            luck,
        }
    }
}
