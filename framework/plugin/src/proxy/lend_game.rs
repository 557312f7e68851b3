//! How loaded agents and values get the game that they play.

use super::DynGame;
use crate::abi::game::GameTable;
use crate::abi::object::Object;
use crate::game_table;
use runner_core::Game;
use std::ptr;

/// Calls `task` with the game as it crosses the boundary to an object that was built for
/// the game object with the address `bound`: null for that game, otherwise a game that is
/// borrowed for the call.
#[inline(always)]
pub fn lend_game<G: Game, T>(
    game: &G,
    bound: usize,
    task: impl FnOnce(*const Object<GameTable>) -> T,
) -> T {
    match loaded(game) {
        Some(object) if object.this.addr() == bound => task(ptr::null()),
        Some(object) => task(&object),
        None => lend_other(game, task),
    }
}

#[inline(always)]
fn loaded<G: Game>(game: &G) -> Option<Object<GameTable>> {
    Some(game.as_loaded()?.downcast_ref::<DynGame>()?.object())
}

/// Lends a game that was not loaded. Not inlined: it is rare.
#[cold]
#[inline(never)]
fn lend_other<T>(game: &dyn Game, task: impl FnOnce(*const Object<GameTable>) -> T) -> T {
    game_table::lend(game, |object| task(ptr::from_ref(object)))
}
