//! The plugin's side: a plain type that implements a trait of `runner-core`
//! becomes an object with a table of functions.

mod agent;
mod game;
mod value;

pub use agent::agent_entry;
pub use game::game_entry;
pub use value::{learner_entry, value_entry};

use crate::abi::{BuildRefused, BuildSite, Identity, Span};
use crate::guard::{Who, guard};
use crate::proxy::{DynGame, RemoteHost};
use abi_stable::std_types::{RResult, RStr, RString, RVec};
use runner_core::{BuildContext, BuildError, Description, Host, Plugin, Spec, SpecError};
use std::sync::Arc;

fn identity<P: Plugin>() -> Identity {
    let parameters = ron::to_string(&P::parameters()).unwrap_or_default();
    Identity {
        name: RStr::from_str(P::NAME),
        about: RStr::from_str(P::ABOUT),
        version: RStr::from_str(P::VERSION),
        parameters: parameters.into(),
    }
}

/// Reads a spec's fields, builds with them, and tells the resolved spec.
fn build<P: Plugin, W: Who, T>(
    text: RStr<'_>,
    new: impl FnOnce(P::Config) -> Result<T, BuildError>,
) -> RResult<(T, RString), BuildRefused> {
    let built = guard::<W, _>(|| {
        let spec: Spec = text.as_str().parse().map_err(refused)?;
        let config: P::Config = spec.read().map_err(refused)?;
        let resolved = Spec::resolved(P::NAME, &config).map_err(refused)?;
        let built = new(config)
            .map_err(|error| refused(spec.refused(error.parameter.as_deref(), error.message)))?;
        Ok((built, RString::from(resolved.to_string())))
    });
    match built {
        Ok(result) => result.into(),
        Err(fault) => RResult::RErr(BuildRefused {
            message: fault.into(),
            span: Span { start: 0, end: 0 },
            allowed: RVec::new(),
            fault: true,
        }),
    }
}

fn refused(error: SpecError) -> BuildRefused {
    BuildRefused {
        message: error.message.into(),
        span: Span { start: error.span.start, end: error.span.end },
        allowed: error.allowed.into_iter().map(RString::from).collect(),
        fault: false,
    }
}

/// What a builder needs from the site that crossed the boundary.
struct OwnedSite {
    game: Arc<DynGame>,
    game_spec: String,
    description: Description,
    host: Arc<dyn Host>,
}

impl OwnedSite {
    /// Takes shares of what the site lends.
    ///
    /// # Safety
    ///
    /// The objects in the site must be alive.
    unsafe fn new(site: &BuildSite<'_>) -> Result<Self, BuildError> {
        // SAFETY: the caller's promise.
        let (game, host) = unsafe { (DynGame::share(site.game), RemoteHost::share(site.host)) };
        let game = game?;
        let description = runner_core::Game::description(&game).clone();
        Ok(Self {
            game: Arc::new(game),
            game_spec: site.game_spec.to_string(),
            description,
            host: Arc::new(host),
        })
    }

    fn site(&self) -> BuildContext<'_> {
        BuildContext { game: &self.description, game_spec: &self.game_spec, host: &self.host }
    }
}
