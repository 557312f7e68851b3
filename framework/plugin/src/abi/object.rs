//! Objects: a pointer that only its own library dereferences, and a table of functions.

use super::call::Call;
use super::cross::{Answer, answer, ask, respond};
use super::data::{List, This};
use crate::guard::{Labelled, guard};
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// A table of functions that an interface declares.
pub trait Table: 'static {
    /// The functions that every object has.
    fn life(&self) -> &Life;
}

/// A table whose objects have several owners, and which all threads may use at once.
pub trait SharedTable: Table {}

/// An object, borrowed or owned by its holder.
#[repr(C)]
pub struct Object<T: 'static> {
    /// The pointer of an `Arc` of its library.
    pub this: This,
    pub table: &'static T,
    /// The address of the game object that it was built for; 0 for games and hosts.
    pub bound: usize,
}

impl<T> Clone for Object<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Object<T> {}

impl<T> Object<T> {
    /// Makes an object that its receiver owns. The table is one for the target's type.
    pub fn new<E>(target: E, table: &'static T, bound: usize) -> Self {
        Self { this: Arc::into_raw(Arc::new(target)).cast(), table, bound }
    }
}

/// The functions that every object has.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Life {
    /// Adds an owner. Objects that are used by one thread at a time are copied.
    copy: unsafe extern "C" fn(This, *mut This) -> Call,
    /// Removes an owner, who does not use the object again. The last one frees the object.
    release: unsafe extern "C" fn(This),
    /// Writes kind, name and file, for messages.
    label: unsafe extern "C" fn(*mut List<u8>) -> Call,
}

impl Life {
    /// For objects that their owners share.
    pub const fn shared<E: Labelled>() -> Self {
        Self { copy: share::<E>, release: release::<E>, label: label::<E> }
    }

    /// For objects with one owner each.
    pub const fn copied<E: Labelled + Clone>() -> Self {
        Self { copy: copy::<E>, ..Self::shared::<E>() }
    }
}

unsafe extern "C" fn share<E: Labelled>(this: This, out: *mut This) -> Call {
    let share = || {
        // SAFETY: the holder of an object passes its pointer, which is that of an `Arc<E>`.
        unsafe { Arc::increment_strong_count(this.cast::<E>()) };
        this
    };
    // SAFETY: the caller passes a place for the pointer.
    unsafe { respond::<E, This>(out, share) }
}

unsafe extern "C" fn copy<E: Labelled + Clone>(this: This, out: *mut This) -> Call {
    // SAFETY: the owner of an object passes its pointer, which is that of an `Arc<E>`, and no other
    // thread uses it.
    let copy = || Arc::into_raw(Arc::new(unsafe { &*this.cast::<E>() }.clone())).cast();
    // SAFETY: the caller passes a place for the pointer.
    unsafe { respond::<E, This>(out, copy) }
}

unsafe extern "C" fn release<E: Labelled>(this: This) {
    // SAFETY: an owner of the object passes its pointer, that of an `Arc<E>`, and gives up its
    // share. A panic while dropping is contained, and cannot be reported.
    drop(guard::<E>(|| unsafe { Arc::decrement_strong_count(this.cast::<E>()) }));
}

unsafe extern "C" fn label<E: Labelled>(out: *mut List<u8>) -> Call {
    // SAFETY: the caller passes a place for the label.
    unsafe { respond::<E, String>(out, E::full_label) }
}

/// An owner of an object, which is alive as long as this handle.
pub struct Handle<T: Table>(Object<T>);

// SAFETY: what objects point to is `Send` on its own side: games, values, agents and hosts all are.
unsafe impl<T: Table> Send for Handle<T> {}
// SAFETY: what an object with a shared table points to is `Sync` on its own side.
unsafe impl<T: SharedTable> Sync for Handle<T> {}

impl<T: Table> Handle<T> {
    /// Takes over an object.
    ///
    /// # Safety
    ///
    /// The object is alive, and the caller owns a share and gives it up.
    pub unsafe fn own(object: Object<T>) -> Self {
        Self(object)
    }

    /// Takes a share of an object.
    ///
    /// # Safety
    ///
    /// The object is alive.
    pub unsafe fn share(object: Object<T>) -> Self
    where
        T: SharedTable,
    {
        Self::clone(&ManuallyDrop::new(Self(object)))
    }

    /// The object, which is valid during the lifetime of this handle.
    #[inline(always)]
    pub fn object(&self) -> Object<T> {
        self.0
    }

    /// Kind, name and file, for messages.
    pub fn label(&self) -> String {
        // SAFETY: the function writes its result unless it fails.
        unsafe { ask(|out| (self.0.table.life().label)(out)) }
    }
}

impl<T: Table> Clone for Handle<T> {
    /// Raises the fault if copying fails.
    fn clone(&self) -> Self {
        let Object { this, table, bound } = self.0;
        // SAFETY: the object is alive, and no other thread uses it unless its table is shared. The
        // function writes its result unless it fails.
        let this = unsafe { ask(|out| (table.life().copy)(this, out)) };
        Self(Object { this, table, bound })
    }
}

impl<T: Table> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: this handle is one of the owners, and this is its last use.
        unsafe { (self.0.table.life().release)(self.0.this) };
    }
}

answer!([T: Table] Handle<T> as Object<T>:
    |handle| ManuallyDrop::new(handle).0, |form| Self::own(form));
