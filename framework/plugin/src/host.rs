//! The program's services: the table of functions, the functions that the program exports, and the
//! services as a plugin sees them.

use crate::agent::{AgentTable, DynAgent};
use crate::boundary::{Call, Maybe, Object, Out, Shared, Target, This, answer};
use crate::game::{DynGame, GameTable, table_game};
use crate::panics::the_program;
use crate::services::ServicesTable;
use crate::value::{DynValue, ValueTable};
use abi_stable::StableAbi;
use abi_stable::std_types::{RResult, RStr, RString};
use runner_core::{AnyAgent, BuildError, Fault, Game, GreedyPolicy, Host, Spec, Value};
use std::sync::Arc;

/// A host that builds loaded objects for its plugins.
pub trait PluginHost: Host {
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        Err(BuildError::no_plugins("value", spec))
    }

    /// Builds the agent that a spec names; `None` if it names a value.
    fn agent_object(&self, spec: &Spec) -> Result<Option<DynAgent>, BuildError> {
        Err(BuildError::no_plugins("agent", spec))
    }

    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        Err(BuildError::no_plugins("game", spec))
    }
}

/// The functions of the program: the methods of [`PluginHost`]. Each takes the pointer of the
/// object first, and writes its result through its last argument, unless it fails. Strings are
/// borrowed until it returns. An object that is built belongs to the caller; an error is the
/// message.
#[repr(C)]
#[derive(StableAbi)]
pub struct HostTable {
    services: ServicesTable,
    /// Builds the value of a spec.
    value: extern "C" fn(This, RStr<'_>, Out<'_, RResult<Object<ValueTable>, RString>>) -> Call,
    /// Builds the agent of a spec; none if it names a value.
    agent:
        extern "C" fn(This, RStr<'_>, Out<'_, RResult<Maybe<Object<AgentTable>>, RString>>) -> Call,
    /// Builds the game of a spec.
    game: extern "C" fn(This, RStr<'_>, Out<'_, RResult<Object<GameTable>, RString>>) -> Call,
}

impl Shared for HostTable {}

// Exported by the program.

extern "C" fn value<H: PluginHost>(
    this: This,
    spec: RStr<'_>,
    out: Out<'_, RResult<Object<ValueTable>, RString>>,
) -> Call {
    answer(this, out, |host: &H| sent(host.value_object(&spec_of(spec)), |value| value.object))
}

extern "C" fn agent<H: PluginHost>(
    this: This,
    spec: RStr<'_>,
    out: Out<'_, RResult<Maybe<Object<AgentTable>>, RString>>,
) -> Call {
    answer(this, out, |host: &H| {
        sent(host.agent_object(&spec_of(spec)), |agent| Maybe::of(agent.map(|agent| agent.0)))
    })
}

extern "C" fn game<H: PluginHost>(
    this: This,
    spec: RStr<'_>,
    out: Out<'_, RResult<Object<GameTable>, RString>>,
) -> Call {
    answer(this, out, |host: &H| sent(host.game_object(&spec_of(spec)), |game| game.object))
}

fn spec_of(text: RStr<'_>) -> Spec {
    text.as_str().parse().unwrap_or_else(|error| Fault::new(error).raise())
}

fn sent<T, O>(built: Result<T, BuildError>, send: impl FnOnce(T) -> O) -> RResult<O, RString> {
    built.map(send).map_err(|error| error.message.into()).into()
}

impl<H: PluginHost> Target<H> {
    const HOST: &'static HostTable = &HostTable {
        services: ServicesTable::of::<H>(),
        value: value::<H>,
        agent: agent::<H>,
        game: game::<H>,
    };
}

/// The program's services in a form that plugins can keep.
pub struct SharedHost(pub(crate) Object<HostTable>);

impl SharedHost {
    pub fn new<H: PluginHost + 'static>(host: H) -> Arc<Self> {
        let target = Target { label: the_program, value: host };
        // SAFETY: the table is one for an `H`.
        Arc::new(Self(unsafe { Object::shared(target, Target::<H>::HOST, This::NONE) }))
    }
}

/// The program's services as a plugin sees them.
pub struct RemoteHost(pub(crate) Object<HostTable>);

impl RemoteHost {
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        let spec = spec.to_string();
        let built = self.0.ask(|host, this, out| (host.value)(this, spec.as_str().into(), out));
        built.into_result().map(DynValue::new).map_err(BuildError::new)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Host for RemoteHost {
    fn threads(&self) -> usize {
        self.0.table.services.threads(self.0.this)
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.table.services.for_each(self.0.this, n, task);
    }

    fn memory(&self) -> u64 {
        self.0.table.services.memory(self.0.this)
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        Ok(Arc::new(self.value_object(spec)?))
    }

    fn agent(&self, spec: &Spec) -> Result<AnyAgent, BuildError> {
        let text = spec.to_string();
        let built = self.0.ask(|host, this, out| (host.agent)(this, text.as_str().into(), out));
        match built.into_result().map_err(BuildError::new)? {
            Maybe::Some(agent) => Ok(AnyAgent::new(DynAgent(agent))),
            Maybe::None => Ok(AnyAgent::new(GreedyPolicy(self.value_object(spec)?))),
        }
    }

    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        let spec = spec.to_string();
        let built = self.0.ask(|host, this, out| (host.game)(this, spec.as_str().into(), out));
        let game = built.into_result().map_err(BuildError::new)?;
        Ok(Arc::new(table_game(DynGame::new(game))))
    }
}
