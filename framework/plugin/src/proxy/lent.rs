//! How loaded agents and values get the game that they play.

use super::DynGame;
use crate::abi::game::GameTable;
use crate::abi::interface::*;
use crate::guard::Labelled;
use runner_core::Game;
use std::ptr;

/// A game of this side, for the length of a call.
struct LentGame(&'static dyn Game);

impl Labelled for LentGame {
    fn label() -> String {
        "the game of the caller".into()
    }
}

game_interface! { interface_export [[] LentGame, TABLE; GameTable {
    life: Life::shared::<Self>(),
}] }

/// Calls `task` with the game as it crosses the boundary to an object that was built for
/// the game object with the address `bound`: null for that game, otherwise a game that is
/// borrowed for the call.
#[inline(always)]
pub fn lend_game<G: Game, T>(
    game: &G,
    bound: usize,
    task: impl FnOnce(*const Object<GameTable>) -> T,
) -> T {
    let loaded = game.as_loaded().and_then(|loaded| loaded.downcast_ref::<DynGame>());
    match loaded.map(DynGame::object) {
        Some(object) if object.this.addr() == bound => task(ptr::null()),
        Some(object) => task(&object),
        None => lend_other(game, task),
    }
}

/// Lends a game that was not loaded. Not inlined: it is rare.
#[cold]
#[inline(never)]
fn lend_other<T>(game: &dyn Game, task: impl FnOnce(*const Object<GameTable>) -> T) -> T {
    // SAFETY: who borrows the object does not keep it beyond the call of `task`.
    let game = unsafe { std::mem::transmute::<&dyn Game, &'static dyn Game>(game) };
    let object = Object::new(LentGame(game), LentGame::TABLE, 0);
    // SAFETY: the object was made for this owner.
    let owner = unsafe { DynGame::own(object) };
    task(&owner.object())
}
