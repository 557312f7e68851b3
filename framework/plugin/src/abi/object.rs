//! Objects: a pointer that only its own library dereferences, and a table of functions.

use super::call::Call;
use super::data::List;
use crate::guard::{Labelled, full_label, guard};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::Arc;

pub type This = *const u8;

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
    pub this: This,
    pub table: &'static T,
}

impl<T> Clone for Object<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Object<T> {}

/// A value or an agent, which the receiver owns.
#[repr(C)]
pub struct BuiltFor<T: 'static> {
    pub object: Object<T>,
    /// The address of the game that it was built for.
    pub bound: usize,
}

/// The functions that every object has.
#[repr(C)]
pub struct Life {
    owners: Owners,
    /// Writes kind, name and file, for messages.
    label: unsafe extern "C" fn(*mut List<u8>) -> Call,
}

/// How the owners of an object are counted.
#[repr(C)]
pub struct Owners {
    /// Adds an owner.
    share: unsafe extern "C" fn(This),
    /// Removes an owner, who does not use the object again. The last one frees the object.
    release: unsafe extern "C" fn(This),
}

/// A type that a table is made for.
///
/// # Safety
///
/// `OWNERS` is made for the pointers of all objects that have the table.
pub unsafe trait Export: Labelled + 'static {
    const OWNERS: Owners;
}

impl Life {
    pub const fn of<E: Export>() -> Self {
        Self { owners: E::OWNERS, label: label::<E> }
    }
}

unsafe extern "C" fn label<E: Labelled>(out: *mut List<u8>) -> Call {
    // SAFETY: the caller passes a place for the label.
    guard::<E>(|| unsafe { out.write(full_label::<E>().into()) })
}

impl Owners {
    /// For borrowed objects: their holders do not keep them, so they are not counted.
    pub const BORROWED: Self = Self { share: uncounted, release: uncounted };

    /// For the pointers of an `Arc<T>`.
    pub const fn arc<T>() -> Self {
        Self { share: share_arc::<T>, release: release_arc::<T> }
    }

    /// For the pointer of a `Box<T>`, which has one owner.
    pub const fn boxed<T>() -> Self {
        Self { share: uncounted, release: release_box::<T> }
    }
}

unsafe extern "C" fn uncounted(_: This) {}

unsafe extern "C" fn share_arc<T>(this: This) {
    // SAFETY: the holder of an object passes its pointer, which is that of an `Arc<T>`.
    unsafe { Arc::increment_strong_count(this.cast::<T>()) };
}

unsafe extern "C" fn release_arc<T>(this: This) {
    // SAFETY: an owner of the object passes its pointer, that of an `Arc<T>`, and gives up its
    // share.
    release(|| unsafe { Arc::decrement_strong_count(this.cast::<T>()) });
}

unsafe extern "C" fn release_box<T>(this: This) {
    // SAFETY: the owner of the object passes its pointer, that of a `Box<T>`, and gives it up.
    release(|| drop(unsafe { Box::from_raw(this.cast_mut().cast::<T>()) }));
}

/// Contains a panic while dropping, which cannot be reported.
fn release(task: impl FnOnce()) {
    struct Dropped;
    impl Labelled for Dropped {
        fn label() -> String {
            String::new()
        }
    }
    drop(guard::<Dropped>(task));
}

/// An object that is alive as long as this handle: an owner, or a borrower for one call.
pub struct Handle<T: Table> {
    object: Object<T>,
    owned: bool,
}

// SAFETY: what objects point to is `Send` on its own side: games, values, agents and hosts all are.
unsafe impl<T: Table> Send for Handle<T> {}
// SAFETY: what an object with a shared table points to is `Sync` on its own side.
unsafe impl<T: SharedTable> Sync for Handle<T> {}

impl<T: Table> Handle<T> {
    /// Takes over an object.
    ///
    /// # Safety
    ///
    /// The object is alive, and one of its shares the caller's to give.
    pub unsafe fn own(object: Object<T>) -> Self {
        Self { object, owned: true }
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
        // SAFETY: the caller's promise; the share is the handle's.
        unsafe { (object.table.life().owners.share)(object.this) };
        Self { object, owned: true }
    }

    /// Borrows an object.
    ///
    /// # Safety
    ///
    /// The object outlives the handle and its clones.
    pub unsafe fn borrow(object: Object<T>) -> Self {
        Self { object, owned: false }
    }

    /// The object, which is valid during the lifetime of this handle.
    #[inline(always)]
    pub fn object(&self) -> Object<T> {
        self.object
    }

    /// Gives the share away.
    pub fn into_object(self) -> Object<T> {
        ManuallyDrop::new(self).object
    }

    /// Kind, name and file, for messages.
    pub fn label(&self) -> String {
        let mut out = MaybeUninit::<List<u8>>::uninit();
        // SAFETY: `out` is a place for the label.
        let call = unsafe { (self.object.table.life().label)(out.as_mut_ptr()) };
        call.into_result().unwrap_or_else(|fault| fault.raise());
        // SAFETY: a call that succeeded has written its result.
        unsafe { out.assume_init() }.text()
    }
}

impl<T: SharedTable> Clone for Handle<T> {
    fn clone(&self) -> Self {
        if self.owned {
            // SAFETY: the object is alive; the share made here is the clone's.
            unsafe { (self.object.table.life().owners.share)(self.object.this) };
        }
        Self { object: self.object, owned: self.owned }
    }
}

impl<T: Table> Drop for Handle<T> {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: this handle is one of the owners, and this is its last use.
            unsafe { (self.object.table.life().owners.release)(self.object.this) };
        }
    }
}
