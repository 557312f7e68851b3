//! The plugin's side: a plain type that implements a trait of `runner-core` becomes an
//! object with a table of functions.

mod agent;
mod value;

pub use agent::agent_entry;
pub use value::{learner_entry, value_entry};

use crate::abi::call::Call;
use crate::abi::cross::{Argument, to_text};
use crate::abi::data::{Either, List, Slice};
use crate::abi::game::GameTable;
use crate::abi::interface::answer;
use crate::abi::library::{Builder, Built, Context, Entry, Identity};
use crate::abi::object::{Object, Table};
use crate::game_table::Owned;
use crate::guard::Labelled;
use crate::proxy::{DynGame, RemoteHost, TableGame};
use runner_core::{
    BuildContext, BuildError, Game, GameContext, GamePlugin, Host, Parameters, Plugin, Spec,
    SpecError,
};
use std::sync::Arc;

fn entry<P: Plugin>(builder: Builder) -> Entry {
    let identity = Identity {
        name: P::NAME.into(),
        about: P::ABOUT.into(),
        version: P::VERSION.into(),
        parameters: P::Config::parameters(),
        presets: P::presets(),
    };
    Entry { identity: to_text(&identity).into(), builder }
}

/// Returns the entry of a game in its library's contents.
pub fn game_entry<G: GamePlugin>() -> Entry {
    entry::<G>(Builder::Game(build_game::<G>))
}

unsafe extern "C" fn build_game<G: GamePlugin>(
    spec: Slice<u8>,
    context: *const Context,
    out: *mut Either<Built<GameTable>, List<u8>>,
) -> Call {
    let new = |config| {
        // SAFETY: the program lends the context and its host for this call.
        let host: Arc<dyn Host> = Arc::new(unsafe { RemoteHost::share((*context).host) });
        Ok(Owned::object(G::new(config, &GameContext { host: &host })?))
    };
    // SAFETY: the program passes a spec and a place for the result.
    unsafe { build::<G, Owned<G>, _>(spec, out, new) }
}

/// Reads the fields of a spec, builds an object from them, and writes the object with its
/// resolved spec.
///
/// # Safety
///
/// `text` is a text, and `out` is valid for one write.
unsafe fn build<P: Plugin, L: Labelled, T: Table>(
    text: Slice<u8>,
    out: *mut Either<Built<T>, List<u8>>,
    new: impl FnOnce(P::Config) -> Result<Object<T>, BuildError>,
) -> Call {
    let build = |text: &str| -> Result<(Object<T>, String), SpecError> {
        let spec: Spec = text.parse()?;
        let config: P::Config = spec.read()?;
        let resolved = Spec::resolved(P::NAME, &config)?;
        let object =
            new(config).map_err(|error| spec.refused(error.parameter.as_deref(), error.message))?;
        Ok((object, resolved.to_string()))
    };
    // SAFETY: the caller's promise.
    unsafe { answer::<L, _>(out, || <&str>::open(text, build)) }
}

/// The game that an agent or value is built for, as its own library plays it.
trait Proxy: Game + 'static {
    /// True if moves do not call the game.
    const HOLDS_RULES: bool;
}

impl Proxy for DynGame {
    const HOLDS_RULES: bool = false;
}

impl Proxy for TableGame {
    const HOLDS_RULES: bool = true;
}

/// An agent or a value with the game that it was built for.
struct Bound<P, G> {
    plugin: P,
    game: Arc<G>,
}

/// Builds an agent or a value for the game of a context. The proxy of the game is chosen once,
/// here: the plugin is instantiated for both.
///
/// # Safety
///
/// `spec` is a text, the context and its objects are alive, and `out` is valid for one write.
unsafe fn build_bound<P: Plugin, L: Labelled, T: Table>(
    spec: Slice<u8>,
    context: *const Context,
    out: *mut Either<Built<T>, List<u8>>,
    new: fn(P::Config, &BuildContext<'_>) -> Result<P, BuildError>,
    on_game: fn(Bound<P, DynGame>) -> Object<T>,
    on_tables: fn(Bound<P, TableGame>) -> Object<T>,
) -> Call {
    let new = |config| {
        // SAFETY: the caller's promise.
        let (game, game_spec, host) = unsafe {
            let Context { game, game_spec, host } = &*context;
            let game = Option::from(*game).ok_or_else(|| BuildError::new("no game is given"))?;
            (DynGame::share(game)?, game_spec.get_text(), RemoteHost::share(*host))
        };
        let host: Arc<dyn Host> = Arc::new(host);
        let plugin =
            new(config, &BuildContext { game: game.description(), game_spec, host: &host })?;
        Ok(match TableGame::over(&game) {
            Some(game) => on_tables(Bound { plugin, game: Arc::new(game) }),
            None => on_game(Bound { plugin, game: Arc::new(game) }),
        })
    };
    // SAFETY: the caller's promise.
    unsafe { build::<P, L, _>(spec, out, new) }
}
