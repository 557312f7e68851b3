//! The functions of game objects, for games that a library owns and for games that are
//! borrowed for one call.

use crate::abi::game::GameTable;
use crate::abi::interface::*;
use crate::abi::object::{Export, Owners};
use crate::guard::Labelled;
use runner_core::{Game, GamePlugin};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

/// A game that its owners share. The pointer is that of an `Arc<G>`.
pub struct Owned<G>(PhantomData<G>);

impl<G: GamePlugin> Labelled for Owned<G> {
    fn label() -> String {
        format!("game `{}`", G::NAME)
    }
}

// SAFETY: `object` makes the pointers from an `Arc<G>`.
unsafe impl<G: GamePlugin> Export for Owned<G> {
    const OWNERS: Owners = Owners::arc::<G>();
}

impl<G: GamePlugin> Owned<G> {
    /// Turns a game into an object that the caller owns.
    pub fn object(game: G) -> Object<GameTable> {
        Object { this: Arc::into_raw(Arc::new(game)).cast(), table: Self::TABLE }
    }

    unsafe fn parts<'a>(this: This) -> (&'a G, ()) {
        // SAFETY: `object` made the pointer from an `Arc<G>`, which is alive.
        (unsafe { &*this.cast::<G>() }, ())
    }
}

game_interface! { interface_export [[G: GamePlugin] Owned<G>, TABLE; GameTable {}] }

/// A game that is borrowed for one call. The pointer is that of a `&dyn Game`.
struct Borrowed;

impl Labelled for Borrowed {
    fn label() -> String {
        "the game of the caller".into()
    }
}

// SAFETY: `lend` makes all objects, and their borrowers do not keep them.
unsafe impl Export for Borrowed {
    const OWNERS: Owners = Owners::BORROWED;
}

impl Borrowed {
    unsafe fn parts<'a>(this: This) -> (&'a (dyn Game + 'static), ()) {
        // SAFETY: `lend` passes a reference that outlives every use of the object. Nothing
        // here depends on the lifetime in the type of the trait object.
        (unsafe { *this.cast::<&'a (dyn Game + 'static)>() }, ())
    }
}

game_interface! { interface_export [[] Borrowed, TABLE; GameTable {}] }

/// Lends a game as an object for the length of `task`, which must not keep it.
pub fn lend<T>(game: &dyn Game, task: impl FnOnce(&Object<GameTable>) -> T) -> T {
    let this: This = ptr::from_ref(&game).cast();
    task(&Object { this, table: Borrowed::TABLE })
}
