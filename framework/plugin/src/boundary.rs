//! How a call crosses the boundary, and what crosses with it.
//!
//! A game, value, agent or host crosses as an [`Object`]: a pointer to its [`Target`], and a table
//! of functions of the side that created it. Each function takes the pointer first ([`This`]), runs
//! a method of the target inside a [`guard`], and returns a [`Reply`]. The other side calls the
//! functions by [`Object::ask`], which returns the result or raises the fault again.
//!
//! An exported function takes a pointer to a target of one type `E`. Safe code has no way to pass a
//! target of another type. An object is made of a target and the table for the same type. After
//! that, the table in the object takes pointers to a target of type [`Erased`].

use crate::layouts::Layout;
use crate::panics;
use abi_stable::StableAbi;
use abi_stable::std_types::{RBox, RSlice, RSliceMut, RString};
use bytemuck::TransparentWrapper;
use runner_core::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// The result of a call, or the message of its fault. Only `guard` makes one. It fills the
/// memory in place, and always before it returns.
#[repr(transparent)]
#[derive(StableAbi)]
#[must_use]
pub struct Reply<R>(MaybeUninit<ResultOrFault<R>>);

/// The content of a [`Reply`]. The tag has 64 bits: a copy of a narrower one would read its padding
/// too, and wait until the tag is written. The message is in a box, so that it does not make the
/// type larger than most results do.
#[repr(C, u64)]
#[derive(StableAbi)]
pub enum ResultOrFault<R> {
    Result(R),
    Fault(RBox<RString>),
}

impl<R> Reply<R> {
    #[inline(always)]
    pub fn result(self) -> Result<R, Fault> {
        // SAFETY: `guard` filled it.
        match unsafe { self.0.assume_init() } {
            ResultOrFault::Result(result) => Ok(result),
            ResultOrFault::Fault(message) => Err(Fault(RBox::into_inner(message).into())),
        }
    }

    #[inline(always)]
    pub fn result_or_raise(self) -> R {
        self.result().unwrap_or_else(|fault| fault.raise())
    }
}

/// Runs a method that the other side calls. A panic or a fault becomes the message of the reply;
/// `label` names the plugin in the message of a panic.
#[inline(always)]
pub fn guard<R>(label: fn() -> String, method: impl FnOnce() -> R) -> Reply<R> {
    // Written in place, because a result that `catch_unwind` returns would be copied.
    let mut reply = Reply(MaybeUninit::uninit());
    let run = || {
        reply.0.write(ResultOrFault::Result(method()));
    };
    if let Err(payload) = panics::catch_silently(run) {
        let message = RBox::new(panics::message(label, payload).into());
        reply.0.write(ResultOrFault::Fault(message));
    }
    reply
}

/// The implementation behind an object, on the side that created it.
pub struct Target<E> {
    /// Kind, name and file, for messages.
    pub label: fn() -> String,
    pub implementation: E,
}

/// A pointer to the target of an object that is borrowed for `'a`.
#[repr(transparent)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(E), unsafe_opaque_fields)]
pub struct This<'a, E>(*const Target<E>, PhantomData<&'a Target<E>>);

/// As [`This`], for functions that change the target.
#[repr(transparent)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(E), unsafe_opaque_fields)]
pub struct ThisMut<'a, E>(*mut Target<E>, PhantomData<&'a mut Target<E>>);

impl<'a, E: 'a> This<'a, E> {
    /// Runs a method of the target. Every function of a table ends with this call.
    #[inline(always)]
    pub fn answer<R>(self, method: impl FnOnce(&'a E) -> R) -> Reply<R> {
        // SAFETY: only `Object::ask` makes the pointer, and passes it to the table that belongs to
        // the type of the target.
        let target: &'a Target<E> = unsafe { &*self.0 };
        guard(target.label, || method(&target.implementation))
    }
}

impl<E> ThisMut<'_, E> {
    /// As [`This::answer`].
    #[inline(always)]
    pub fn answer<R>(self, method: impl FnOnce(&mut E) -> R) -> Reply<R> {
        // SAFETY: as in `This::answer`. `Object::ask_mut` makes this pointer, and borrows the only
        // object of the target mutably.
        let target = unsafe { &mut *self.0 };
        guard(target.label, || method(&mut target.implementation))
    }
}

/// Stands for the type of a target in the table of an object, whose holder does not know that type.
pub struct Erased;

/// A table of functions for a target of type [`Erased`], as an object holds it.
///
/// # Safety
///
/// `For<E>` is the same struct with functions for a target of type `E`. It must differ in the type
/// of pointers only, because a reference to it is cast to `Self`.
pub unsafe trait Table: Sized + 'static {
    type For<E>;
}

/// A table of objects that share their target with their clones, and that all threads may use at
/// once.
pub trait Shared: Table {}

/// A table of objects whose clones have copies of the target.
pub trait Copied: Table {}

/// A pointer to a target. Only the functions that come with it know the type.
pub type Pointer = *const u8;

/// A game, value, agent or host of the other side. Dropping the object releases the target.
#[repr(C)]
#[derive(StableAbi)]
pub struct Object<T: 'static> {
    target: Pointer,
    pub table: &'static T,
    /// The target of the game that a value or an agent was built for; null for games and hosts.
    pub built_for: Pointer,
    ownership: &'static Ownership,
    label: unsafe extern "C" fn(Pointer) -> Reply<RString>,
}

/// How the target of an object is shared and freed.
#[repr(C)]
#[derive(StableAbi)]
pub struct Ownership {
    /// Returns the target of a clone: the same one with one more owner, or a copy.
    add: unsafe extern "C" fn(Pointer) -> Reply<Pointer>,
    /// Removes an owner. The last one frees the target.
    release: unsafe extern "C" fn(Pointer),
}

// SAFETY: `shared` and `copied` require that the target is `Send`. An object that borrows its
// target is passed to plugins by reference only, and stays on its thread.
unsafe impl<T> Send for Object<T> {}
// SAFETY: `shared` and `lend`, which make the objects with a shared table, require that the target
// is `Sync`.
unsafe impl<T: Shared> Sync for Object<T> {}

impl<T: Shared> Object<T> {
    /// Creates an object whose clones share its target.
    pub fn shared<E: Send + Sync + 'static>(target: Target<E>, table: &'static T::For<E>) -> Self {
        let ownership = &Ownership { add: share::<E>, release: release::<E> };
        // SAFETY: the object owns its target.
        unsafe { Self::new(target.into_pointer(), table, ownership) }
    }

    /// Calls `task` with an object that borrows its target. The object cannot be cloned.
    pub fn lend<E: Sync, R>(
        target: &Target<E>,
        table: &T::For<E>,
        task: impl FnOnce(&Self) -> R,
    ) -> R {
        // SAFETY: target and table are borrowed until the object is dropped.
        let object = unsafe { Self::new(ptr::from_ref(target), table, LENT) };
        task(&object)
    }

    /// Returns an object that borrows the target of this one. It cannot be cloned.
    ///
    /// # Safety
    ///
    /// This object outlives the result.
    pub unsafe fn borrow(&self) -> Self {
        let &Self { target, table, built_for, label, .. } = self;
        Self { target, table, built_for, ownership: LENT, label }
    }
}

impl<T: Copied> Object<T> {
    /// Creates an object whose clones have copies of its target.
    pub fn copied<E: Clone + Send + 'static>(target: Target<E>, table: &'static T::For<E>) -> Self {
        let ownership = &Ownership { add: copy::<E>, release: release::<E> };
        // SAFETY: the object owns its target.
        unsafe { Self::new(target.into_pointer(), table, ownership) }
    }

    /// As [`ask`](Self::ask), for a function that changes the target.
    #[inline(always)]
    pub fn ask_mut<R>(&mut self, call: impl FnOnce(&T, ThisMut<'_, Erased>) -> Reply<R>) -> R {
        call(self.table, ThisMut(self.target.cast_mut().cast(), PhantomData)).result_or_raise()
    }
}

impl<T: Table> Object<T> {
    /// # Safety
    ///
    /// Target and table live as long as the object.
    unsafe fn new<E>(
        target: *const Target<E>,
        table: *const T::For<E>,
        ownership: &'static Ownership,
    ) -> Self {
        // SAFETY: the table lives as long as the object, and by `Table` it is the same struct.
        let table = unsafe { &*table.cast::<T>() };
        Self { target: target.cast(), table, built_for: ptr::null(), ownership, label: label::<E> }
    }

    /// Returns the pointer to the target, which identifies a shared object and its clones.
    pub fn target(&self) -> Pointer {
        self.target
    }

    /// Calls a function of the table and returns its result. Raises its fault.
    #[inline(always)]
    pub fn ask<'a, R>(&'a self, call: impl FnOnce(&T, This<'a, Erased>) -> Reply<R>) -> R {
        call(self.table, This(self.target.cast(), PhantomData)).result_or_raise()
    }

    /// Kind, name and file, for messages.
    pub fn label(&self) -> String {
        // SAFETY: `new` stored the function for the type of this target.
        unsafe { (self.label)(self.target) }.result_or_raise().into()
    }
}

impl<T> Clone for Object<T> {
    /// Raises a fault if the target is borrowed.
    fn clone(&self) -> Self {
        let &Self { table, built_for, ownership, label, .. } = self;
        // SAFETY: the constructors stored the functions for the type of this target.
        let target = unsafe { (ownership.add)(self.target) }.result_or_raise();
        Self { target, table, built_for, ownership, label }
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        // SAFETY: as in `clone`, and this object does not use its target any more.
        unsafe { (self.ownership.release)(self.target) }
    }
}

impl<E> Target<E> {
    /// Returns a pointer that owns the target, for [`share`], [`copy`] and [`release`].
    fn into_pointer(self) -> *const Self {
        Arc::into_raw(Arc::new(self))
    }
}

/// # Safety
///
/// The pointer is that of a `Target<E>`.
unsafe extern "C" fn label<E>(target: Pointer) -> Reply<RString> {
    // SAFETY: the caller's promise.
    let label = unsafe { &*target.cast::<Target<E>>() }.label;
    guard(label, || label().into())
}

/// # Safety
///
/// The pointer is that of [`Target::<E>::into_pointer`](Target::into_pointer), and an object owns
/// the target.
unsafe extern "C" fn share<E>(target: Pointer) -> Reply<Pointer> {
    // SAFETY: the caller's promise.
    unsafe { Arc::increment_strong_count(target.cast::<Target<E>>()) };
    // No panic is possible, so no label is needed.
    guard(String::new, || target)
}

/// # Safety
///
/// The promise of [`share`].
unsafe extern "C" fn copy<E: Clone>(target: Pointer) -> Reply<Pointer> {
    // SAFETY: the caller's promise.
    let &Target { label, ref implementation } = unsafe { &*target.cast::<Target<E>>() };
    guard(label, || Target { label, implementation: implementation.clone() }.into_pointer().cast())
}

/// # Safety
///
/// The promise of [`share`], and the object does not use its target any more.
unsafe extern "C" fn release<E>(target: Pointer) {
    // SAFETY: the caller's promise. The object was an owner, and its share passes to this `Arc`.
    let owner = unsafe { Arc::from_raw(target.cast::<Target<E>>()) };
    // A panic while dropping is contained, and cannot be reported.
    let _ = guard(owner.label, || drop(owner)).result();
}

/// The ownership of objects that borrow their target: they cannot be cloned and free nothing.
const LENT: &Ownership = &Ownership { add: refuse, release: ignore };

extern "C" fn refuse(_: Pointer) -> Reply<Pointer> {
    // The fault keeps its message, so no label is needed.
    guard(String::new, || Fault::new("what is borrowed for a call cannot be kept").raise())
}

extern "C" fn ignore(_: Pointer) {}

/// A type of `runner-core` that crosses as it is. abi_stable compares its [`Layout`].
#[repr(transparent)]
#[derive(Clone, Copy, StableAbi)]
#[sabi(unsafe_unconstrained(T), bound(T: Layout), tag = <T as Layout>::FIELDS)]
pub struct Plain<T>(#[sabi(unsafe_opaque_field)] pub T);

// SAFETY: the struct is transparent.
unsafe impl<T> TransparentWrapper<T> for Plain<T> {}

pub type List<'a, T> = RSlice<'a, Plain<T>>;
pub type ListMut<'a, T> = RSliceMut<'a, Plain<T>>;

/// An `Option`. Its tag has 64 bits for the reason of [`ResultOrFault`].
#[repr(C, u64)]
#[derive(Clone, Copy, StableAbi)]
pub enum Maybe<T> {
    None,
    Some(T),
}

impl<T> Maybe<T> {
    #[inline(always)]
    pub fn from_option(option: Option<T>) -> Self {
        option.map_or(Self::None, Self::Some)
    }

    #[inline(always)]
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::None => None,
            Self::Some(value) => Some(value),
        }
    }
}

/// Writes data as text, in RON.
pub fn to_text(data: &impl Serialize) -> RString {
    ron::to_string(data).unwrap_or_else(|error| Fault::new(error).raise()).into()
}

/// Reads data that [`to_text`] wrote.
pub fn from_text<T: DeserializeOwned>(text: &str) -> T {
    ron::from_str(text)
        .unwrap_or_else(|error| Fault::new(format!("`{text}` cannot be read: {error}")).raise())
}

/// Returns a path as text. Raises a fault if it is not valid UTF-8.
pub fn path_text(path: &Path) -> &str {
    path.to_str().unwrap_or_else(|| {
        Fault::new(format!("the path {} is not valid UTF-8", path.display())).raise()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::{Action, Analysis, Fact};

    fn label() -> String {
        panics::in_this_file("game `tested`")
    }

    #[test]
    fn a_panic_becomes_a_fault_that_names_the_plugin() {
        let fault = guard(label, || panic!("it went wrong")).result().map(|()| 0).unwrap_err();
        assert!(fault.0.starts_with("game `tested` panicked: it went wrong"), "{fault}");
    }

    #[test]
    fn a_raised_fault_keeps_its_words() {
        let raised = guard(label, || -> i32 { Fault::new("words").raise() });
        assert_eq!(raised.result(), Err(Fault::new("words")));
        assert_eq!(guard(label, || 7).result(), Ok(7));
    }

    #[test]
    fn facts_of_an_analysis_keep_their_kind_and_every_bit() {
        let facts = [
            Fact::Count(3),
            Fact::Count(u64::MAX),
            Fact::Number(3.0),
            Fact::Number(-1e300),
            Fact::Number(0.1 + 0.2),
            Fact::Number(f64::INFINITY),
            Fact::Text("3".into()),
            Fact::Text("\u{1b}[31m \"quoted\"".into()),
        ];
        let facts = facts.into_iter().map(|fact| ("name".to_owned(), fact)).collect();
        let action_values = vec![(Action(1), 0.1), (Action(2), f32::NEG_INFINITY)];
        let analysis = Analysis { choice: Some(Action(1)), action_values, facts };
        assert_eq!(from_text::<Analysis>(&to_text(&analysis)), analysis);
        let nan = Analysis { facts: vec![("nan".into(), Fact::Number(f64::NAN))], ..analysis };
        let read: Analysis = from_text(&to_text(&nan));
        assert!(matches!(read.facts[0].1, Fact::Number(number) if number.is_nan()));
    }
}
