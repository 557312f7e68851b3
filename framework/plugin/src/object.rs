//! Objects: how a game, value, agent or host crosses the boundary. An object is a pointer that
//! only its own library dereferences, and a table of functions.

use crate::call::{Call, Out, ask, respond};
use abi_stable::StableAbi;
use abi_stable::std_types::RString;
use runner_core::Fault;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;
use std::sync::Arc;

/// The pointer of an object's target, for the functions of its table.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, StableAbi)]
pub struct This(*const u8);

/// The target of an object on its own side.
#[derive(Clone)]
pub struct Target<E> {
    /// Kind, name and file, for messages.
    pub label: fn() -> String,
    pub value: E,
}

/// An object, borrowed or owned by its holder.
#[repr(C)]
#[derive(StableAbi)]
pub struct Object<T: 'static> {
    pub this: This,
    /// The functions of its interface.
    pub table: &'static T,
    /// The functions that every object has.
    life: &'static Life,
    /// The game object that it was built for, if it is a value or an agent.
    pub game: This,
}

impl<T> Clone for Object<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Object<T> {}

impl This {
    pub const NONE: Self = Self(ptr::null());
}

impl<T: Shared> Object<T> {
    /// Creates an object that its receiver owns.
    ///
    /// # Safety
    ///
    /// All functions of the table are those for an `E`.
    pub unsafe fn shared<E>(target: Target<E>, table: &'static T, game: This) -> Self {
        Self { this: target.into_this(), table, life: Target::<E>::SHARED, game }
    }
}

impl<T> Object<T> {
    /// Creates an object with one owner, its receiver. Its copies are objects of their own.
    ///
    /// # Safety
    ///
    /// As for [`shared`](Self::shared).
    pub unsafe fn copied<E: Clone>(target: Target<E>, table: &'static T, game: This) -> Self {
        Self { this: target.into_this(), table, life: Target::<E>::COPIED, game }
    }

    /// Calls `task` with an object without owners.
    ///
    /// # Safety
    ///
    /// As for [`shared`](Self::shared).
    pub unsafe fn lend<E, R>(
        target: &Target<E>,
        table: &'static T,
        task: impl FnOnce(&Self) -> R,
    ) -> R {
        let (this, life) = (This(ptr::from_ref(target).cast()), Target::<E>::LENT);
        task(&Self { this, table, life, game: This::NONE })
    }
}

/// Calls a method of an object's target.
#[inline(always)]
pub fn answer<E, R>(this: This, out: Out<'_, R>, method: impl FnOnce(&E) -> R) -> Call {
    // SAFETY: the functions of a table get pointers of the targets that they are for (`Object`),
    // and the holder of an object keeps it alive.
    let target = unsafe { &*this.0.cast::<Target<E>>() };
    respond(target.label, out, || method(&target.value))
}

/// As [`answer`], for a method without a result.
#[inline(always)]
pub fn perform<E>(this: This, method: impl FnOnce(&E)) -> Call {
    answer(this, &mut MaybeUninit::uninit(), method)
}

/// As [`answer`], for a method that writes to the target. Only tables of objects that have one
/// owner each, who calls it by a `&mut` reference, have such functions.
#[inline(always)]
pub fn answer_mut<E, R>(this: This, out: Out<'_, R>, method: impl FnOnce(&mut E) -> R) -> Call {
    // SAFETY: as in `answer`, and nobody else uses the target.
    let target = unsafe { &mut *this.0.cast_mut().cast::<Target<E>>() };
    respond(target.label, out, || method(&mut target.value))
}

/// As [`answer_mut`], for a method without a result.
pub fn perform_mut<E>(this: This, method: impl FnOnce(&mut E)) -> Call {
    answer_mut(this, &mut MaybeUninit::uninit(), method)
}

/// The functions that every object has.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct Life {
    /// Adds an owner. Objects that are used by one thread at a time are copied.
    copy: extern "C" fn(This, Out<'_, This>) -> Call,
    /// Removes an owner, who does not use the object again. The last one frees the object.
    release: extern "C" fn(This),
    /// Writes kind, name and file, for messages.
    label: extern "C" fn(This, Out<'_, RString>) -> Call,
}

impl<E> Target<E> {
    const SHARED: &'static Life =
        &Life { copy: share::<E>, release: release::<E>, label: label::<E> };
    const LENT: &'static Life = &Life { copy: refuse::<E>, release: ignore, label: label::<E> };

    fn into_this(self) -> This {
        This(Arc::into_raw(Arc::new(self)).cast())
    }
}

impl<E: Clone> Target<E> {
    const COPIED: &'static Life = &Life { copy: copy::<E>, ..*Self::SHARED };
}

extern "C" fn share<E>(this: This, out: Out<'_, This>) -> Call {
    answer(this, out, |_: &E| {
        // SAFETY: the pointer of an object that has owners is that of an `Arc`.
        unsafe { Arc::increment_strong_count(this.0.cast::<Target<E>>()) };
        this
    })
}

extern "C" fn copy<E: Clone>(this: This, out: Out<'_, This>) -> Call {
    answer(this, out, |_: &E| {
        // SAFETY: as in `answer`.
        unsafe { &*this.0.cast::<Target<E>>() }.clone().into_this()
    })
}

extern "C" fn release<E>(this: This) {
    // SAFETY: the pointer of an object that has owners is that of an `Arc`, and one of them gives
    // up its share.
    let owner = unsafe { Arc::from_raw(this.0.cast::<Target<E>>()) };
    // A panic while dropping is contained, and cannot be reported.
    drop(respond(owner.label, &mut MaybeUninit::uninit(), || drop(owner)));
}

extern "C" fn refuse<E>(this: This, out: Out<'_, This>) -> Call {
    answer(this, out, |_: &E| Fault::new("what is lent for a call cannot be kept").raise())
}

extern "C" fn ignore(_: This) {}

extern "C" fn label<E>(this: This, out: Out<'_, RString>) -> Call {
    // SAFETY: as in `answer`.
    let label = unsafe { (*this.0.cast::<Target<E>>()).label };
    respond(label, out, || label().into())
}

/// A table of objects that several owners share, and that all threads may use at once.
pub trait Shared: 'static {}

/// A holder of an object, which is alive as long as this handle.
pub struct Handle<T: 'static> {
    object: Object<T>,
    is_owner: bool,
}

// SAFETY: what objects point to is `Send` on its own side: games, values, agents and hosts all
// are.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: what an object with a shared table points to is `Sync` on its own side.
unsafe impl<T: Shared> Sync for Handle<T> {}

impl<T> Handle<T> {
    /// Takes over an object.
    ///
    /// # Safety
    ///
    /// The object is alive, and the caller owns a share and gives it up.
    pub unsafe fn own(object: Object<T>) -> Self {
        Self { object, is_owner: true }
    }

    /// Borrows an object.
    ///
    /// # Safety
    ///
    /// The object outlives the handle.
    pub unsafe fn borrow(object: &Object<T>) -> Self {
        Self { object: *object, is_owner: false }
    }

    /// The object, to call its functions.
    #[inline(always)]
    pub fn object(&self) -> Object<T> {
        self.object
    }

    /// The object, to lend it.
    #[inline(always)]
    pub fn lent(&self) -> &Object<T> {
        &self.object
    }

    /// Gives the object to another owner.
    pub fn into_object(self) -> Object<T> {
        ManuallyDrop::new(self).object
    }

    /// Kind, name and file, for messages.
    pub fn label(&self) -> String {
        ask(|out| (self.object.life.label)(self.object.this, out)).into()
    }
}

impl<T> Clone for Handle<T> {
    /// Adds an owner. Raises the fault if that fails.
    fn clone(&self) -> Self {
        let this = ask(|out| (self.object.life.copy)(self.object.this, out));
        Self { object: Object { this, ..self.object }, is_owner: true }
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        if self.is_owner {
            (self.object.life.release)(self.object.this);
        }
    }
}
