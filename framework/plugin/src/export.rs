//! The plugin's side: a plain type that implements a trait of `runner-core` becomes an object with a
//! table of functions. A value or an agent is exported with the game that it was built for.

use crate::abi::agent::AgentTable;
use crate::abi::cross::to_text;
use crate::abi::data::{List, Maybe, Slice};
use crate::abi::game::GameTable;
use crate::abi::interface::*;
use crate::abi::library::{BuildResult, Builder, Built, Context, Entry, Identity};
use crate::abi::value::{LearnerTable, ValueTable};
use crate::guard::Labelled;
use crate::proxy::{DynGame, RemoteHost, TableGame};
use runner_core::{
    Action, AgentPlugin, Analysis, BuildContext, BuildError, Episode, Fault, GameContext,
    GamePlugin, Host, LearnerPlugin, ModelFormat, Parameters, Plugin, Pulse, Random, Seed, Spec,
    State, TrainingProgress, TrainingSession, Turn, ValuePlugin,
};
use std::path::Path;
use std::sync::Arc;

struct ExportedGame<G>(G);
struct ExportedValue<V>(V, TableGame);
#[derive(Clone)]
struct ExportedAgent<A>(A, TableGame);

macro_rules! labelled {
    ($($export:ident<$plugin:ident> $kind:literal)*) => {
        $(impl<P: $plugin> Labelled for $export<P> {
            fn label() -> String {
                format!(concat!($kind, " `{}`"), P::NAME)
            }
        })*
    };
}

labelled! {
    ExportedGame<GamePlugin> "game"
    ExportedValue<ValuePlugin> "value"
    ExportedAgent<AgentPlugin> "agent"
}

game_interface! { interface_export [[G: GamePlugin] ExportedGame<G>, TABLE; GameTable {
    life: Life::shared::<Self>(),
}] }

value_interface! { interface_export [[V: ValuePlugin] ExportedValue<V>, TABLE; ValueTable {
    life: Life::shared::<Self>(),
    learner: None,
}] }

learner_interface! { interface_export [[V: LearnerPlugin] ExportedValue<V>, LEARNER; LearnerTable {
    life: Life::shared::<Self>(),
}] }

agent_interface! { interface_export [[A: AgentPlugin] ExportedAgent<A>, TABLE; AgentTable {
    life: Life::copied::<Self>(),
    play: Self::play,
}] }

impl<V: LearnerPlugin> ExportedValue<V> {
    const LEARNING: &'static ValueTable =
        &ValueTable { learner: Some(Self::LEARNER), ..*Self::TABLE };
}

impl<A: AgentPlugin> ExportedAgent<A> {
    unsafe extern "C" fn play(
        this: This,
        seed: u64,
        stream: u64,
        stop: *const Pulse,
        out: *mut Episode,
    ) -> Call {
        // SAFETY: the program passes the pointer of an object with this table, which it uses alone,
        // and lends the flag for this call.
        let (Self(agent, game), stop) = unsafe { (target_mut::<Self>(this), &*stop) };
        let mut random = Random::stream(Seed(seed), stream);
        let play = || runner_core::play(game, agent, &mut random, stop);
        // SAFETY: the program passes a place for the result.
        unsafe { respond::<Self, Episode>(out, play) }
    }
}

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

pub fn game_entry<G: GamePlugin>() -> Entry {
    entry::<G>(Builder::Game(build_game::<G>))
}

pub fn value_entry<V: ValuePlugin>() -> Entry {
    entry::<V>(Builder::Value(build_value::<V>))
}

pub fn learner_entry<V: LearnerPlugin>() -> Entry {
    entry::<V>(Builder::Learner(build_learner::<V>, foreign::<V>))
}

pub fn agent_entry<A: AgentPlugin>() -> Entry {
    entry::<A>(Builder::Agent(build_agent::<A>))
}

/// The place of the result of a builder.
type Out<T> = *mut <BuildResult<T> as Answer>::Abi;

unsafe extern "C" fn build_game<G: GamePlugin>(
    spec: Slice<u8>,
    context: *const Context,
    out: Out<GameTable>,
) -> Call {
    let new = |config| {
        // SAFETY: the program lends the context and its host for this call.
        let host: Arc<dyn Host> = Arc::new(unsafe { RemoteHost::share((*context).host) });
        let game = ExportedGame(G::new(config, &GameContext { host: &host })?);
        Ok(Object::new(game, ExportedGame::<G>::TABLE, 0))
    };
    // SAFETY: the program passes a spec and a place for the result.
    unsafe { build::<G, ExportedGame<G>, _>(spec, out, new) }
}

/// The functions that build values and agents, each with the type and the table that it exports.
macro_rules! builders {
    ($($name:ident<$plugin:ident> $export:ident::$constant:ident: $table:ident;)*) => {
        $(unsafe extern "C" fn $name<P: $plugin>(
            spec: Slice<u8>,
            context: *const Context,
            out: Out<$table>,
        ) -> Call {
            let table = $export::<P>::$constant;
            // SAFETY: the program lends spec and context for this call, and passes a place for the
            // result.
            unsafe { build_bound(spec, context, out, P::new, $export, table) }
        })*
    };
}

builders! {
    build_value<ValuePlugin> ExportedValue::TABLE: ValueTable;
    build_learner<LearnerPlugin> ExportedValue::LEARNING: ValueTable;
    build_agent<AgentPlugin> ExportedAgent::TABLE: AgentTable;
}

/// Builds a value or an agent for the game of a context.
///
/// # Safety
///
/// `spec` is a text, the context and its objects are alive, `out` is valid for one write, and the table
/// is one for `E`.
unsafe fn build_bound<P: Plugin, E: Labelled, T: Table>(
    spec: Slice<u8>,
    context: *const Context,
    out: Out<T>,
    new: fn(P::Config, &BuildContext<'_>) -> Result<P, BuildError>,
    export: fn(P, TableGame) -> E,
    table: &'static T,
) -> Call {
    let new = |config| {
        // SAFETY: the caller's promise.
        let Context { game, game_spec, host } = unsafe { &*context };
        let game: Option<Object<GameTable>> = (*game).into();
        let bound = game.ok_or_else(|| BuildError::new("no game is given"))?;
        // SAFETY: the caller's promise.
        let (game, game_spec, host) =
            unsafe { (DynGame::share(bound), game_spec.get_text(), RemoteHost::share(*host)) };
        let host: Arc<dyn Host> = Arc::new(host);
        let context = BuildContext { game: game.described()?, game_spec, host: &host };
        let plugin = new(config, &context)?;
        Ok(Object::new(export(plugin, TableGame::new(game)), table, bound.this.addr()))
    };
    // SAFETY: the caller's promise.
    unsafe { build::<P, E, T>(spec, out, new) }
}

/// Reads the fields of a spec, builds an object from them, and writes the object with its
/// resolved spec.
///
/// # Safety
///
/// `text` is a text, and `out` is valid for one write.
unsafe fn build<P: Plugin, E: Labelled, T: Table>(
    text: Slice<u8>,
    out: Out<T>,
    new: impl FnOnce(P::Config) -> Result<Object<T>, BuildError>,
) -> Call {
    let build = |text: &str| -> BuildResult<T> {
        let spec: Spec = text.parse()?;
        let config: P::Config = spec.read()?;
        let resolved = Spec::resolved(P::NAME, &config)?.to_string().into();
        let object =
            new(config).map_err(|error| spec.refused(error.parameter.as_deref(), error.message))?;
        Ok(Built { object, spec: resolved })
    };
    // SAFETY: the caller's promise.
    unsafe { respond::<E, _>(out, || <&str>::open(text, build)) }
}

/// The function [`Foreign`](crate::abi::library::Foreign) of a learner.
unsafe extern "C" fn foreign<V: LearnerPlugin>(
    path: Slice<u8>,
    whole: bool,
    out: *mut Maybe<List<u8>>,
) -> Call {
    let foreign = |path: &Path| V::foreign(path, whole);
    // SAFETY: the program lends a path, and passes a place for the result.
    unsafe { respond::<ExportedValue<V>, _>(out, || <&Path>::open(path, foreign)) }
}
