//! An exported value, bound to the game that it was built for.

use super::learner::{Learns, foreign};
use super::{OwnedContext, build, identity};
use crate::abi::build::BuildResult;
use crate::abi::call::{Call, In, Position};
use crate::abi::extension::{Extension, ExtensionHeader};
use crate::abi::game::GameObject;
use crate::abi::library::{AbiContext, LearnerEntry, ValueEntry};
use crate::abi::objects::{LearnerTable, ValueObject, ValueTable};
use crate::abi::value::{AbiRating, LineTables, PolicyTable, ValueFacts};
use crate::abi::{ABI_MINOR, This};
use crate::export::bound::{Ability, BoundValue, Label, bound};
use crate::guard::{full_label, guard};
use crate::proxy::DynGame;
use abi_stable::std_types::{ROption, RStr, RString};
use runner_board::BoardValue;
use runner_core::{Afterstate, Game, LearnerPlugin, State, Successors, ValuePlugin, ValueScale};
use std::marker::PhantomData;
use std::ptr;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::Arc;

/// Returns the entry of a value in its library's contents.
pub fn value_entry<V: ValuePlugin>() -> ValueEntry {
    let learner = ROption::RNone;
    ValueEntry { identity: identity::<V>(), learner, build: build_value::<V, Plain> }
}

/// Returns the entry of a value that learns.
pub fn learner_entry<V: LearnerPlugin>() -> ValueEntry {
    let learner = ROption::RSome(LearnerEntry { foreign: foreign::<V> });
    ValueEntry { identity: identity::<V>(), learner, build: build_value::<V, Learns> }
}

struct Plain;

impl<V> Ability<V> for Plain {
    const LEARNER: ROption<LearnerTable> = ROption::RNone;
}

unsafe extern "C" fn build_value<V: ValuePlugin, L: Ability<V>>(
    spec: RStr<'_>,
    context: &AbiContext<'_>,
    out: *mut BuildResult<ValueObject>,
) -> Call {
    let new = |config| {
        // SAFETY: the context's objects live for the length of this call.
        let owned = unsafe { OwnedContext::new(context) }?;
        let value = V::new(config, &owned.context())?;
        let this = Arc::into_raw(Arc::new(BoundValue { value, game: owned.game }));
        Ok(ValueObject { this: this.cast(), table: Table::<V, L>::TABLE })
    };
    // SAFETY: the caller passes a place for the result.
    unsafe { build::<V, Label<V>, _>(spec, out, new) }
}

struct Table<V, L>(PhantomData<(V, L)>);

// SAFETY, for every function below: the ABI demands that `this` is the pointer of an object
// with this very table, which `build_value` made from an `Arc<BoundValue<V>>` and which is
// alive. The other pointers come from a proxy, which passes valid ones; the layouts behind
// them are compared when a library is loaded.
impl<V: ValuePlugin, L: Ability<V>> Table<V, L> {
    const TABLE: &'static ValueTable = &ValueTable {
        share: Self::share,
        release: Self::release,
        extension: Self::extension,
        label: Self::label,
        game: Self::game,
        evaluate: Self::evaluate,
        exact_values: Self::exact_values,
        facts: Self::facts,
        action_values: Self::action_values,
        line_values: Self::line_values,
        learner: L::LEARNER,
    };

    const POLICY: &'static PolicyTable = &PolicyTable {
        header: PolicyTable::HEADER,
        has_priors: Self::has_priors,
        evaluate_states: Self::evaluate_states,
    };

    unsafe extern "C" fn share(this: This) {
        // SAFETY: see above.
        unsafe { Arc::increment_strong_count(this.cast::<BoundValue<V>>()) };
    }

    unsafe extern "C" fn release(this: This) {
        // A panic while dropping cannot be reported.
        drop(guard::<Label<V>>(|| {
            // SAFETY: see above.
            unsafe { Arc::decrement_strong_count(this.cast::<BoundValue<V>>()) };
        }));
    }

    unsafe extern "C" fn extension(_: This, id: u64) -> *const ExtensionHeader {
        match id {
            PolicyTable::ID if ABI_MINOR >= 1 => ptr::from_ref(Self::POLICY).cast(),
            _ => ptr::null(),
        }
    }

    unsafe extern "C" fn label(_: This, out: *mut RString) -> Call {
        // SAFETY: see above.
        guard::<Label<V>>(|| unsafe { out.write(full_label::<Label<V>>().into()) })
    }

    unsafe extern "C" fn game(this: This) -> This {
        // SAFETY: see above.
        unsafe { bound::<V>(this) }.game.object().this
    }

    unsafe extern "C" fn evaluate(
        this: This,
        afterstates: In<Afterstate>,
        values: *mut f32,
        count: usize,
    ) -> Call {
        // SAFETY: see above; both are lists of this length.
        unsafe { estimate::<V>(this, afterstates, values, count, V::evaluate) }
    }

    unsafe extern "C" fn exact_values(
        this: This,
        afterstates: In<Afterstate>,
        values: *mut f32,
        count: usize,
    ) -> Call {
        // SAFETY: see above; both are lists of this length.
        unsafe { estimate::<V>(this, afterstates, values, count, V::exact_values) }
    }

    unsafe extern "C" fn facts(this: This, out: *mut ValueFacts) -> Call {
        // SAFETY: see above.
        let value = &unsafe { bound::<V>(this) }.value;
        guard::<Label<V>>(|| {
            let estimates_actions = value.estimates_actions();
            let rating = match value.scale() {
                ValueScale::Points => ROption::RNone,
                ValueScale::Rating { min, max } => ROption::RSome(AbiRating { min, max }),
            };
            // SAFETY: see above.
            unsafe { out.write(ValueFacts { estimates_actions, rating }) };
        })
    }

    unsafe extern "C" fn action_values(
        this: This,
        borrowed: *const GameObject,
        state: Position,
        successors: In<Successors>,
        values: *mut f32,
    ) -> Call {
        // SAFETY: see above; there is a place for the value of each successor.
        let (bound, successors, values) = unsafe {
            let successors = &*successors.0;
            (bound::<V>(this), successors, from_raw_parts_mut(values, successors.len()))
        };
        guard::<Label<V>>(|| {
            // SAFETY: a borrowed game is valid during this call.
            unsafe {
                with_game(bound, borrowed, |game| {
                    bound.value.action_values(game, state.into(), successors, values);
                });
            }
        })
    }

    unsafe extern "C" fn has_priors(this: This, out: *mut bool) -> Call {
        // SAFETY: see above.
        let value = &unsafe { bound::<V>(this) }.value;
        // SAFETY: see above.
        guard::<Label<V>>(|| unsafe { out.write(value.has_priors()) })
    }

    unsafe extern "C" fn evaluate_states(
        this: This,
        borrowed: *const GameObject,
        states: In<State>,
        count: usize,
        priors: *mut f32,
        values: *mut f32,
    ) -> Call {
        // SAFETY: see above; the lists have these lengths.
        let (bound, states, values) = unsafe {
            let values = from_raw_parts_mut(values, count);
            (bound::<V>(this), from_raw_parts(states.0, count), values)
        };
        guard::<Label<V>>(|| {
            // SAFETY: a borrowed game is valid during this call.
            unsafe {
                with_game(bound, borrowed, |game| {
                    let actions = game.description().actions.len();
                    // One row of priors for each state.
                    let priors = from_raw_parts_mut(priors, count * actions);
                    bound.value.evaluate_states(game, states, priors, values);
                });
            }
        })
    }

    unsafe extern "C" fn line_values(this: This, out: *mut ROption<LineTables>) -> Call {
        // SAFETY: see above.
        let value = &unsafe { bound::<V>(this) }.value;
        guard::<Label<V>>(|| {
            // The tables are borrowed from the value, so they live as long.
            let tables = value.line_values().map(|lines| LineTables {
                across: In(ptr::from_ref(&**lines.tables().0)),
                down: In(ptr::from_ref(&**lines.tables().1)),
                absent: lines.absent(),
                least: lines.least(),
            });
            // SAFETY: see above.
            unsafe { out.write(tables.into()) };
        })
    }
}

/// Fills `values` by a method of the value.
///
/// # Safety
///
/// `this` is a bound value, and both lists have the length `count`.
#[inline(always)]
unsafe fn estimate<V: ValuePlugin>(
    this: This,
    afterstates: In<Afterstate>,
    values: *mut f32,
    count: usize,
    method: impl FnOnce(&V, &[Afterstate], &mut [f32]),
) -> Call {
    // SAFETY: the caller's promise.
    let (bound, afterstates, values) = unsafe {
        let values = from_raw_parts_mut(values, count);
        (bound::<V>(this), from_raw_parts(afterstates.0, count), values)
    };
    guard::<Label<V>>(|| method(&bound.value, afterstates, values))
}

/// Calls `task` with the game that the value is bound to, or with the borrowed one.
///
/// # Safety
///
/// `borrowed` is null or a game that is valid during this call.
unsafe fn with_game<V>(
    bound: &BoundValue<V>,
    borrowed: *const GameObject,
    task: impl FnOnce(&dyn Game),
) {
    if borrowed.is_null() {
        task(&*bound.game);
    } else {
        // SAFETY: the caller's promise.
        task(&unsafe { DynGame::borrowed(*borrowed) });
    }
}
