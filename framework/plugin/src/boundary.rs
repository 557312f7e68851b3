//! How a call crosses the boundary, and what crosses with it.
//!
//! A game, value, agent or host crosses as an [`Object`]: a pointer that only its own side
//! dereferences, and a table of functions. A function takes this pointer first, runs a method
//! inside a [`guard`], writes the result to its last argument, and returns a [`Call`]. The caller
//! [asks](Object::ask): it gets the result, or raises the fault again on its own side.
//!
//! Positions and numbers cross by value ([`Plain`], [`Maybe`]), lists by pointer and length, and
//! everything rare and structured as RON ([`to_text`]).

use crate::layouts::Layout;
use crate::panics;
use abi_stable::StableAbi;
use abi_stable::std_types::RString;
use bytemuck::TransparentWrapper;
use runner_core::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::Any;
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// The result of a call: null if it succeeded, otherwise the message of its fault.
#[repr(transparent)]
#[derive(StableAbi)]
#[must_use]
pub struct Call(*mut FaultMessage);

/// The message of a fault, freed by the library that made it.
#[repr(C)]
#[derive(StableAbi)]
pub struct FaultMessage {
    text: RString,
    free: unsafe extern "C" fn(*mut FaultMessage),
}

unsafe extern "C" fn free(message: *mut FaultMessage) {
    // SAFETY: only `Call` calls this, once, with the pointer that `failed` made.
    drop(unsafe { Box::from_raw(message) });
}

impl Call {
    #[cold]
    #[inline(never)]
    fn failed(label: fn() -> String, payload: Box<dyn Any + Send>) -> Self {
        let text = panics::message(label, payload).into();
        Self(Box::into_raw(Box::new(FaultMessage { text, free })))
    }

    #[inline(always)]
    pub fn result(self) -> Result<(), Fault> {
        if self.0.is_null() { Ok(()) } else { Err(self.take_fault()) }
    }

    /// Raises the fault of a call that failed.
    #[inline(always)]
    pub fn done(self) {
        if !self.0.is_null() {
            self.take_fault().raise();
        }
    }

    #[cold]
    #[inline(never)]
    fn take_fault(self) -> Fault {
        // SAFETY: a pointer that is not null is the message of this call alone.
        Fault(unsafe { &*self.0 }.text.to_string())
    }
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the message is freed once, by the function of the library that made it.
            unsafe { ((*self.0).free)(self.0) };
        }
    }
}

/// The place of a result, which a function writes unless it fails.
pub type Out<'a, R> = &'a mut MaybeUninit<R>;

/// Runs a method that the other side calls, and writes its result. A panic or a fault becomes the
/// message of the call; `label` names the plugin in the message of a panic.
#[inline(always)]
pub fn guard<R>(label: fn() -> String, out: Out<'_, R>, method: impl FnOnce() -> R) -> Call {
    let run = || {
        out.write(method());
    };
    match panics::catch_silently(run) {
        Ok(()) => Call(ptr::null_mut()),
        Err(payload) => Call::failed(label, payload),
    }
}

/// Calls a function of the other side and returns its result. Raises its fault.
#[inline(always)]
pub fn ask<R>(call: impl FnOnce(Out<'_, R>) -> Call) -> R {
    let mut place = MaybeUninit::uninit();
    call(&mut place).done();
    // SAFETY: only `guard` makes the result of a call that succeeded, after it has written to the
    // place.
    unsafe { place.assume_init() }
}

/// As [`ask`], and returns the fault.
pub fn try_ask<R>(call: impl FnOnce(Out<'_, R>) -> Call) -> Result<R, Fault> {
    let mut place = MaybeUninit::uninit();
    call(&mut place).result()?;
    // SAFETY: as in `ask`.
    Ok(unsafe { place.assume_init() })
}

/// The pointer to an object's target, for the functions of its table.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, StableAbi)]
pub struct This(*const u8);

impl This {
    pub const NONE: Self = Self(ptr::null());
}

/// The target of an object, which its own side calls.
pub struct Target<E> {
    /// Kind, name and file, for messages.
    pub label: fn() -> String,
    pub value: E,
}

/// An object of the other side, which belongs to its holder: dropping it releases the target.
#[repr(C)]
#[derive(StableAbi)]
pub struct Object<T: 'static> {
    pub this: This,
    /// The functions of its interface.
    pub table: &'static T,
    /// The game object that it was built for, if it is a value or an agent.
    pub game: This,
    ownership: &'static Ownership,
    label: extern "C" fn(This, Out<'_, RString>) -> Call,
}

/// How the target of an object is shared and freed.
#[repr(C)]
#[derive(StableAbi)]
pub struct Ownership {
    /// Adds an owner of the target, or copies it for another owner.
    add: extern "C" fn(This, Out<'_, This>) -> Call,
    /// Removes an owner. The last one frees the target.
    release: extern "C" fn(This),
}

/// A table of objects that several owners share, and that all threads may use at once.
pub trait Shared: 'static {}

// SAFETY: targets are `Send` on their own side: the constructors require it, and a session is
// borrowed on the thread that made it.
unsafe impl<T> Send for Object<T> {}
// SAFETY: the target of an object with a shared table is `Sync` on its own side.
unsafe impl<T: Shared> Sync for Object<T> {}

impl<T: Shared> Object<T> {
    /// Creates an object whose clones share its target.
    ///
    /// # Safety
    ///
    /// All functions of the table are those for an `E`.
    pub unsafe fn shared<E: Send + Sync>(target: Target<E>, table: &'static T, game: This) -> Self {
        let ownership = &Ownership { add: share::<E>, release: release::<E> };
        Self { this: target.into_this(), table, game, ownership, label: label::<E> }
    }

    /// Borrows the target of an object. The result cannot be cloned.
    ///
    /// # Safety
    ///
    /// The target outlives the result.
    pub unsafe fn borrow(&self) -> Self {
        let &Self { this, table, game, label, .. } = self;
        Self { this, table, game, ownership: BORROWED, label }
    }
}

impl<T> Object<T> {
    /// Creates an object whose clones have copies of its target.
    ///
    /// # Safety
    ///
    /// As for [`shared`](Self::shared).
    pub unsafe fn copied<E: Clone + Send>(
        target: Target<E>,
        table: &'static T,
        game: This,
    ) -> Self {
        let ownership = &Ownership { add: copy::<E>, release: release::<E> };
        Self { this: target.into_this(), table, game, ownership, label: label::<E> }
    }

    /// Creates an object that borrows its target. It cannot be cloned.
    ///
    /// # Safety
    ///
    /// As for [`shared`](Self::shared), and the target outlives the object.
    pub unsafe fn borrowed<E>(target: &Target<E>, table: &'static T) -> Self {
        let this = This(ptr::from_ref(target).cast());
        Self { this, table, game: This::NONE, ownership: BORROWED, label: label::<E> }
    }

    /// Calls a function of the table and returns its result. Raises its fault.
    #[inline(always)]
    pub fn ask<R>(&self, call: impl FnOnce(&T, This, Out<'_, R>) -> Call) -> R {
        ask(|out| call(self.table, self.this, out))
    }

    /// Calls a function of the table that has no result. Raises its fault.
    #[inline(always)]
    pub fn call(&self, call: impl FnOnce(&T, This) -> Call) {
        call(self.table, self.this).done();
    }

    /// Kind, name and file, for messages.
    pub fn label(&self) -> String {
        ask(|out| (self.label)(self.this, out)).into()
    }
}

impl<T> Clone for Object<T> {
    /// Raises a fault if the object is borrowed.
    fn clone(&self) -> Self {
        let &Self { table, game, ownership, label, .. } = self;
        Self { this: ask(|out| (ownership.add)(self.this, out)), table, game, ownership, label }
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        (self.ownership.release)(self.this);
    }
}

impl<E> Target<E> {
    fn into_this(self) -> This {
        This(Arc::into_raw(Arc::new(self)).cast())
    }

    /// # Safety
    ///
    /// The pointer is that of a target of this type, which lives as long as the result.
    #[inline(always)]
    unsafe fn of<'a>(this: This) -> &'a Self {
        // SAFETY: the caller's promise.
        unsafe { &*this.0.cast() }
    }
}

extern "C" fn label<E>(this: This, out: Out<'_, RString>) -> Call {
    // SAFETY: as in `answer`.
    let label = unsafe { Target::<E>::of(this) }.label;
    guard(label, out, || label().into())
}

extern "C" fn share<E>(this: This, out: Out<'_, This>) -> Call {
    answer(this, out, |_: &E| {
        // SAFETY: the pointer of an object that is not borrowed is that of an `Arc`.
        unsafe { Arc::increment_strong_count(this.0.cast::<Target<E>>()) };
        this
    })
}

extern "C" fn copy<E: Clone>(this: This, out: Out<'_, This>) -> Call {
    answer(this, out, |value: &E| {
        // SAFETY: as in `answer`.
        let label = unsafe { Target::<E>::of(this) }.label;
        Target { label, value: value.clone() }.into_this()
    })
}

extern "C" fn release<E>(this: This) {
    // SAFETY: the pointer of an object that is not borrowed is that of an `Arc`, and one of its
    // owners gives up its share.
    let owner = unsafe { Arc::from_raw(this.0.cast::<Target<E>>()) };
    // A panic while dropping is contained, and cannot be reported.
    drop(guard(owner.label, &mut MaybeUninit::uninit(), || drop(owner)));
}

const BORROWED: &Ownership = &Ownership { add: refuse, release: ignore };

extern "C" fn refuse(_: This, out: Out<'_, This>) -> Call {
    guard(String::new, out, || Fault::new("what is borrowed for a call cannot be kept").raise())
}

extern "C" fn ignore(_: This) {}

/// Calls a method of an object's target: the body of a function of a table.
#[inline(always)]
pub fn answer<E, R>(this: This, out: Out<'_, R>, method: impl FnOnce(&E) -> R) -> Call {
    // SAFETY: the functions of a table get pointers to the targets that they are for (`Object`),
    // which live as long as the object.
    let target = unsafe { Target::of(this) };
    guard(target.label, out, || method(&target.value))
}

/// As [`answer`], for a method without a result.
#[inline(always)]
pub fn perform<E>(this: This, method: impl FnOnce(&E)) -> Call {
    answer(this, &mut MaybeUninit::uninit(), method)
}

/// As [`answer`], for a method that changes the target. Only tables whose objects are copied have
/// such functions, and their callers hold the object by a `&mut` reference.
#[inline(always)]
pub fn answer_mut<E, R>(this: This, out: Out<'_, R>, method: impl FnOnce(&mut E) -> R) -> Call {
    // SAFETY: as in `answer`, and the caller's reference is the only one to the target.
    let target = unsafe { &mut *this.0.cast_mut().cast::<Target<E>>() };
    guard(target.label, out, || method(&mut target.value))
}

/// As [`answer_mut`], for a method without a result.
pub fn perform_mut<E>(this: This, method: impl FnOnce(&mut E)) -> Call {
    answer_mut(this, &mut MaybeUninit::uninit(), method)
}

/// A value of `runner-core` or `runner-board` that crosses as it is.
#[repr(transparent)]
#[derive(Clone, Copy, StableAbi)]
#[sabi(unsafe_unconstrained(T), bound(T: Layout), tag = <T as Layout>::FIELDS)]
pub struct Plain<T>(#[sabi(unsafe_opaque_field)] pub T);

// SAFETY: the struct is transparent.
unsafe impl<T> TransparentWrapper<T> for Plain<T> {}

/// An `Option`. The tag is as wide as a word: a copy of a narrower one would wait for its padding.
#[repr(C, u64)]
#[derive(Clone, Copy, StableAbi)]
pub enum Maybe<T> {
    None,
    Some(T),
}

impl<T> Maybe<T> {
    #[inline(always)]
    pub fn of(option: Option<T>) -> Self {
        option.map_or(Self::None, Self::Some)
    }

    #[inline(always)]
    pub fn open(self) -> Option<T> {
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
        panics::labelled("game", "tested")
    }

    #[test]
    fn a_panic_becomes_a_fault_that_names_the_plugin() {
        let panics = |out: Out<'_, ()>| guard(label, out, || panic!("it went wrong"));
        let fault = try_ask(panics).unwrap_err();
        assert!(fault.0.starts_with("game `tested` panicked: it went wrong"), "{fault}");
    }

    #[test]
    fn a_raised_fault_keeps_its_words() {
        let raises = |out: Out<'_, ()>| guard(label, out, || Fault::new("words").raise());
        assert_eq!(try_ask(raises), Err(Fault::new("words")));
        assert_eq!(try_ask(|out| guard(label, out, || 7)), Ok(7));
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
