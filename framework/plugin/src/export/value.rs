//! An exported value, bound to the game that it was built for.

use super::{Bound, Proxy, build_bound, entry};
use crate::abi::cross::Argument;
use crate::abi::data::{Either, List, Maybe, Slice};
use crate::abi::game::GameTable;
use crate::abi::interface::*;
use crate::abi::library::{Builder, Built, Context, Entry};
use crate::abi::object::{Export, Owners};
use crate::abi::value::{LearnerTable, ValueTable};
use crate::guard::Labelled;
use crate::proxy::{DynGame, TableGame};
use runner_core::{
    Fault, LearnerPlugin, ModelFormat, TrainingProgress, TrainingSession, ValuePlugin,
};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

/// Returns the entry of a value in its library's contents.
pub fn value_entry<V: ValuePlugin>() -> Entry {
    entry::<V>(Builder::Value(build_value::<V, Plain>))
}

/// Returns the entry of a value that learns.
pub fn learner_entry<V: LearnerPlugin>() -> Entry {
    entry::<V>(Builder::Learner(build_value::<V, Learns>, foreign::<V>))
}

/// Whether a value learns.
trait Ability<V>: 'static {
    /// The further functions for a value that plays on one kind of proxy.
    const LEARNER: Option<&'static LearnerTable>;
}

struct Plain;

impl<V, G> Ability<(V, G)> for Plain {
    const LEARNER: Option<&'static LearnerTable> = None;
}

struct Learns;

impl<V: LearnerPlugin, G: Proxy> Ability<(V, G)> for Learns {
    const LEARNER: Option<&'static LearnerTable> = Some(Exported::<V, G, Learns>::LEARNER);
}

unsafe extern "C" fn build_value<V, L>(
    spec: Slice<u8>,
    context: *const Context,
    out: *mut Either<Built<ValueTable>, List<u8>>,
) -> Call
where
    V: ValuePlugin,
    L: Ability<(V, DynGame)> + Ability<(V, TableGame)>,
{
    let (on_game, on_tables) = (Exported::<_, _, L>::object, Exported::<_, _, L>::object);
    // SAFETY: the program lends spec and context for this call, and passes a place for the result.
    unsafe {
        build_bound::<V, Exported<V, DynGame, L>, _>(spec, context, out, V::new, on_game, on_tables)
    }
}

/// A value that plays on one kind of proxy. The pointer is that of an `Arc<Bound<V, G>>`.
struct Exported<V, G, L>(PhantomData<(V, G, L)>);

impl<V: ValuePlugin, G: Proxy, L: 'static> Labelled for Exported<V, G, L> {
    fn label() -> String {
        format!("value `{}`", V::NAME)
    }
}

// SAFETY: `object` makes the pointers from an `Arc<Bound<V, G>>`.
unsafe impl<V: ValuePlugin, G: Proxy, L: 'static> Export for Exported<V, G, L> {
    const OWNERS: Owners = Owners::arc::<Bound<V, G>>();
}

impl<V: ValuePlugin, G: Proxy, L: Ability<(V, G)>> Exported<V, G, L> {
    fn object(bound: Bound<V, G>) -> Object<ValueTable> {
        Object { this: Arc::into_raw(Arc::new(bound)).cast(), table: Self::TABLE }
    }

    #[inline(always)]
    unsafe fn parts<'a>(this: This) -> (&'a V, &'a Arc<G>) {
        // SAFETY: `object` made the pointer from an `Arc`, which is alive.
        let Bound { plugin, game } = unsafe { &*this.cast::<Bound<V, G>>() };
        (plugin, game)
    }
}

value_interface! { interface_export [
    [V: ValuePlugin, G: Proxy, L: Ability<(V, G)>] Exported<V, G, L>, TABLE;
    ValueTable { learner: L::LEARNER, }
] }

learner_interface! { interface_export [
    [V: LearnerPlugin, G: Proxy] Exported<V, G, Learns>, LEARNER; LearnerTable {}
] }

/// The function [`Foreign`](crate::abi::library::Foreign) of a learner.
unsafe extern "C" fn foreign<V: LearnerPlugin>(
    path: Slice<u8>,
    whole: bool,
    out: *mut Maybe<List<u8>>,
) -> Call {
    let foreign = |path: &Path| V::foreign(path, whole);
    // SAFETY: the program lends a path, and passes a place for the result.
    unsafe { answer::<Exported<V, DynGame, Learns>, _>(out, || <&Path>::open(path, foreign)) }
}
