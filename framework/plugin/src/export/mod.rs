//! The plugin's side: a plain type that implements a trait of `runner-core` becomes an
//! object with a table of functions.

mod agent;
mod bound;
mod game;
mod learner;
mod value;

pub use agent::agent_entry;
pub use game::game_entry;
pub use value::{learner_entry, value_entry};

use crate::abi::build::{BuildRefused, BuildResult, Built, Span};
use crate::abi::call::Call;
use crate::abi::library::{AbiContext, Identity};
use crate::guard::{Labelled, guard};
use crate::proxy::{DynGame, RemoteHost};
use abi_stable::std_types::{RStr, RString};
use runner_core::{BuildContext, BuildError, Game, Host, Plugin, Spec, SpecError};
use std::sync::Arc;

fn identity<P: Plugin>() -> Identity {
    let parameters = ron::to_string(&P::parameters()).unwrap_or_default();
    let presets = ron::to_string(&P::presets()).unwrap_or_default();
    Identity {
        name: RStr::from_str(P::NAME),
        about: RStr::from_str(P::ABOUT),
        version: RStr::from_str(P::VERSION),
        parameters: parameters.into(),
        presets: presets.into(),
    }
}

/// Reads the fields of a spec, builds an object from them, and writes the object with its
/// resolved spec.
///
/// # Safety
///
/// `out` is valid for one write.
unsafe fn build<P: Plugin, L: Labelled, T>(
    text: RStr<'_>,
    out: *mut BuildResult<T>,
    new: impl FnOnce(P::Config) -> Result<T, BuildError>,
) -> Call {
    guard::<L>(|| {
        let build = || {
            let spec: Spec = text.as_str().parse().map_err(refused)?;
            let config: P::Config = spec.read().map_err(refused)?;
            let resolved = Spec::resolved(P::NAME, &config).map_err(refused)?;
            let object = new(config).map_err(|error| {
                refused(spec.refused(error.parameter.as_deref(), error.message))
            })?;
            Ok(Built { object, spec: RString::from(resolved.to_string()) })
        };
        let result: Result<Built<T>, BuildRefused> = build();
        // SAFETY: the caller's promise.
        unsafe { out.write(result.into()) };
    })
}

fn refused(error: SpecError) -> BuildRefused {
    BuildRefused {
        message: error.message.into(),
        span: Span { start: error.span.start, end: error.span.end },
        allowed: error.allowed.into_iter().map(RString::from).collect(),
    }
}

/// The context of a builder, with shares of the objects that crossed the boundary.
struct OwnedContext {
    game: Arc<DynGame>,
    game_spec: String,
    host: Arc<dyn Host>,
}

impl OwnedContext {
    /// Takes shares of the objects of a context.
    ///
    /// # Safety
    ///
    /// The objects of the context must be alive.
    unsafe fn new(context: &AbiContext<'_>) -> Result<Self, BuildError> {
        // SAFETY: the caller's promise.
        let (game, host) = unsafe {
            let game = DynGame::share(context.game, context.description.as_str())?;
            (game, RemoteHost::share(context.host))
        };
        let game_spec = context.game_spec.to_string();
        Ok(Self { game: Arc::new(game), game_spec, host: Arc::new(host) })
    }

    fn context(&self) -> BuildContext<'_> {
        BuildContext { game: self.game.description(), game_spec: &self.game_spec, host: &self.host }
    }
}
