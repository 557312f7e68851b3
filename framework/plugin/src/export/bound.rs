//! A value with the game that it was built for.

use crate::abi::This;
use crate::abi::objects::LearnerTable;
use crate::guard::Labelled;
use crate::proxy::DynGame;
use abi_stable::std_types::ROption;
use runner_core::ValuePlugin;
use std::marker::PhantomData;
use std::sync::Arc;

/// A value with the game that it was built for.
pub struct BoundValue<V> {
    pub value: V,
    pub game: Arc<DynGame>,
}

/// Whether a value learns: its table's optional part.
pub trait Ability<V> {
    /// The functions of a learner, if the value is one.
    const LEARNER: ROption<LearnerTable>;
}

/// The label of a value.
pub struct Label<V>(PhantomData<V>);

impl<V: ValuePlugin> Labelled for Label<V> {
    fn label() -> String {
        format!("value `{}`", V::NAME)
    }
}

/// Returns the value of an object.
///
/// # Safety
///
/// `this` is the pointer of an object that was made from an `Arc<BoundValue<V>>` and is
/// alive.
pub unsafe fn bound<'a, V>(this: This) -> &'a BoundValue<V> {
    // SAFETY: the caller's promise.
    unsafe { &*this.cast::<BoundValue<V>>() }
}
