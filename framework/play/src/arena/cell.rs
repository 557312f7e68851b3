//! A player of a game, whose games an arena plays.

use crate::luck::Luck;
use crate::player::{NamedPlayer, Player};
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

pub struct Cell {
    pub game: LoadedGame,
    /// Kind, name and file of the player's plugin, for messages about its faults.
    pub label: String,
    /// The player. Agents are `Send`, but not `Sync`: workers clone them one at a time.
    pub(super) player: Mutex<Player>,
    /// The function of the player's plugin that chooses a move.
    pub(super) move_name: &'static str,
    /// Number of threads that the player uses for a move.
    pub(super) threads: usize,
    /// Time that a move may take by the player's own parameters.
    pub(super) own_time: Duration,
    /// Seed of the games: game `k` draws from its stream `k`.
    pub seed: Seed,
    /// What ends a game early.
    pub(super) limits: Limits,
    /// Positions of which each game draws its first one. If empty, games begin as the rules say.
    pub(super) starts: Vec<State>,
    /// What measures the luck of each game.
    pub(super) luck: Option<Arc<Luck>>,
}

impl Cell {
    pub fn new(game: &LoadedGame, player: NamedPlayer, seed: Seed, limits: Limits) -> Self {
        let own_time = player.own_time();
        let NamedPlayer { player, label, .. } = player;
        let move_name = player.move_name();
        let threads = player.threads().max(1);
        let (game, player, starts) = (game.clone(), Mutex::new(player), Vec::new());
        let luck = None;
        Self { game, label, move_name, threads, own_time, player, seed, limits, starts, luck }
    }

    /// Sets the positions of which each game draws its first one.
    #[must_use]
    pub fn starting_at(self, starts: &[State]) -> Self {
        Self { starts: starts.to_vec(), ..self }
    }

    /// Sets what measures the luck of each game.
    #[must_use]
    pub fn with_luck(self, luck: Option<Arc<Luck>>) -> Self {
        Self { luck, ..self }
    }
}
