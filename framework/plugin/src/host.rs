//! The program's services: the table of functions, the functions that the program exports, and the
//! services as a plugin sees them.

use crate::agent::{AgentTable, DynAgent};
use crate::call::{Call, Out, ask, the_program};
use crate::forms::Maybe;
use crate::game::{DynGame, GameTable, table_game};
use crate::object::{Handle, Object, Shared, Target, This, answer};
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
/// object first, and writes its result through its last argument, unless it fails. Texts are borrowed
/// until it returns. An object that is built belongs to the caller; an error is the message.
#[repr(C)]
#[derive(StableAbi)]
pub struct HostTable {
    pub services: ServicesTable,
    /// Builds the value of a spec.
    pub value: extern "C" fn(This, RStr<'_>, Out<'_, RResult<Object<ValueTable>, RString>>) -> Call,
    /// Builds the agent of a spec; none if it names a value.
    pub agent:
        extern "C" fn(This, RStr<'_>, Out<'_, RResult<Maybe<Object<AgentTable>>, RString>>) -> Call,
    /// Builds the game of a spec.
    pub game: extern "C" fn(This, RStr<'_>, Out<'_, RResult<Object<GameTable>, RString>>) -> Call,
}

impl Shared for HostTable {}

// Exported by the program.

extern "C" fn value<H: PluginHost>(
    this: This,
    spec: RStr<'_>,
    out: Out<'_, RResult<Object<ValueTable>, RString>>,
) -> Call {
    answer(this, out, |host: &H| sent(host.value_object(&spec_of(spec)), DynValue::into_object))
}

extern "C" fn agent<H: PluginHost>(
    this: This,
    spec: RStr<'_>,
    out: Out<'_, RResult<Maybe<Object<AgentTable>>, RString>>,
) -> Call {
    answer(this, out, |host: &H| {
        sent(host.agent_object(&spec_of(spec)), |agent| Maybe::of(agent.map(DynAgent::into_object)))
    })
}

extern "C" fn game<H: PluginHost>(
    this: This,
    spec: RStr<'_>,
    out: Out<'_, RResult<Object<GameTable>, RString>>,
) -> Call {
    answer(this, out, |host: &H| sent(host.game_object(&spec_of(spec)), DynGame::into_object))
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
pub struct SharedHost(Handle<HostTable>);

impl SharedHost {
    pub fn new<H: PluginHost + 'static>(host: H) -> Arc<Self> {
        let target = Target { label: the_program, value: host };
        // SAFETY: the table is one for an `H`, and this is the owner of the object.
        Arc::new(Self(unsafe {
            Handle::own(Object::shared(target, Target::<H>::HOST, This::NONE))
        }))
    }

    pub(crate) fn lent(&self) -> &Object<HostTable> {
        self.0.lent()
    }
}

/// The program's services as a plugin sees them.
pub struct RemoteHost(Handle<HostTable>);

impl RemoteHost {
    /// Takes a share of the program's services.
    pub(crate) fn share(object: &Object<HostTable>) -> Self {
        // SAFETY: the object is lent longer than this borrow lives.
        Self(unsafe { Handle::borrow(object) }.clone())
    }

    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        let (Object { this, table, .. }, spec) = (self.0.object(), spec.to_string());
        let built = ask(|out| (table.value)(this, spec.as_str().into(), out));
        received(built).map(DynValue::new)
    }
}

/// Takes over an object that the program built.
fn received<T>(built: RResult<Object<T>, RString>) -> Result<Handle<T>, BuildError> {
    // SAFETY: the object was built for its receiver.
    built.into_result().map(|object| unsafe { Handle::own(object) }).map_err(BuildError::new)
}

#[warn(clippy::missing_trait_methods)]
impl Host for RemoteHost {
    fn threads(&self) -> usize {
        let Object { this, table, .. } = self.0.object();
        table.services.threads(this)
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        let Object { this, table, .. } = self.0.object();
        table.services.for_each(this, n, task);
    }

    fn memory(&self) -> u64 {
        let Object { this, table, .. } = self.0.object();
        table.services.memory(this)
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        Ok(Arc::new(self.value_object(spec)?))
    }

    fn agent(&self, spec: &Spec) -> Result<AnyAgent, BuildError> {
        let (Object { this, table, .. }, text) = (self.0.object(), spec.to_string());
        let built = ask(|out| (table.agent)(this, text.as_str().into(), out)).into_result();
        match built.map_err(BuildError::new)? {
            Maybe::Some(agent) => {
                received(RResult::ROk(agent)).map(|agent| AnyAgent::new(DynAgent::new(agent)))
            }
            Maybe::None => Ok(AnyAgent::new(GreedyPolicy(self.value_object(spec)?))),
        }
    }

    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        let (Object { this, table, .. }, spec) = (self.0.object(), spec.to_string());
        let built = ask(|out| (table.game)(this, spec.as_str().into(), out));
        Ok(Arc::new(table_game(DynGame::new(received(built)?))))
    }
}
