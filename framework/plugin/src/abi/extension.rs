//! Growth within a major version: tables of functions that are found by number.
//!
//! An extension table begins with an [`ExtensionHeader`] that names the layout it was
//! built with. [`find`] returns nothing where the other side has no such table or has it
//! in another layout, so every use of an extension has a fallback.

use super::This;
use abi_stable::StableAbi;

/// The beginning of every extension table.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct ExtensionHeader {
    /// [`Extension::LAYOUT`] of the library that has the table.
    pub layout: u64,
}

/// The function of a table that returns the extension with a number, or null.
pub type ExtensionFn = unsafe extern "C" fn(This, u64) -> *const ExtensionHeader;

/// A table that extends the table of an object.
///
/// # Safety
///
/// The type is `repr(C)` and begins with an [`ExtensionHeader`].
pub unsafe trait Extension: Sized + 'static {
    /// The number, unique among the extensions of one kind of object.
    const ID: u64;
    /// The hash of the table's definition.
    const LAYOUT: u64;
    /// The header of a table of this build.
    const HEADER: ExtensionHeader = ExtensionHeader { layout: Self::LAYOUT };
}

/// Defines an extension table.
macro_rules! extension {
    (
        $(#[$doc:meta])*
        $name:ident = $id:literal { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }
    ) => {
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            pub header: $crate::abi::extension::ExtensionHeader,
            $($(#[$field_doc])* pub $field: $type,)*
        }

        // SAFETY: the struct above is `repr(C)`, and its first field is the header.
        unsafe impl $crate::abi::extension::Extension for $name {
            const ID: u64 = $id;
            const LAYOUT: u64 =
                runner_core::layout::hash_text(stringify!($($field: $type,)*));
        }
    };
}
pub(crate) use extension;

/// Returns an object's extension table, if the other side has it in this layout.
///
/// # Safety
///
/// `extension` and `this` must belong to the same object, which is alive.
pub unsafe fn find<E: Extension>(extension: ExtensionFn, this: This) -> Option<&'static E> {
    // SAFETY: the caller's promise.
    let header = unsafe { extension(this, E::ID) };
    // SAFETY: what is not null is a static table that begins with a header.
    if header.is_null() || unsafe { (*header).layout } != E::LAYOUT {
        return None;
    }
    // SAFETY: the layout says that the table is an `E`.
    Some(unsafe { &*header.cast::<E>() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    extension! {
        /// A table of the tests.
        Tested = 7 {
            answer: unsafe extern "C" fn(This) -> u64,
        }
    }

    extension! {
        /// The same number with another definition.
        Redefined = 7 {
            answer: unsafe extern "C" fn(This) -> u32,
        }
    }

    unsafe extern "C" fn answer(_: This) -> u64 {
        42
    }

    static TESTED: Tested = Tested { header: Tested::HEADER, answer };

    /// The other side of minor version 0, which has no extensions.
    unsafe extern "C" fn older(_: This, _: u64) -> *const ExtensionHeader {
        ptr::null()
    }

    /// The other side of a later minor version.
    unsafe extern "C" fn newer(_: This, id: u64) -> *const ExtensionHeader {
        match id {
            7 | 8 => ptr::from_ref(&TESTED).cast(),
            _ => ptr::null(),
        }
    }

    #[test]
    fn side_of_an_older_minor_version_has_no_extension() {
        // SAFETY: the functions do not use the object.
        assert!(unsafe { find::<Tested>(older, ptr::null()) }.is_none());
    }

    #[test]
    fn extension_is_found_in_its_own_layout_only() {
        // SAFETY: the functions do not use the object.
        unsafe {
            let found = find::<Tested>(newer, ptr::null()).expect("it has the table");
            assert_eq!((found.answer)(ptr::null()), 42);
            assert!(find::<Redefined>(newer, ptr::null()).is_none());
        }
    }
}
