//! Hashes of the memory layout of the types that cross the plugin boundary by pointer.
//!
//! A plugin carries the hash that its build saw, and the loader compares it with its
//! own before any code of the library runs. The hash of a struct covers its size, its
//! alignment and every field: name, offset and the layout of the field's type.

/// A type whose memory layout both sides of the plugin boundary must agree on.
pub trait Layout {
    /// The hash of the layout.
    const LAYOUT: u64;
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Adds a number to a hash.
pub const fn combine(hash: u64, number: u64) -> u64 {
    let mut hash = hash;
    let mut i = 0;
    while i < 8 {
        hash = (hash ^ (number >> (8 * i) & 0xff)).wrapping_mul(FNV_PRIME);
        i += 1;
    }
    hash
}

/// Returns the hash of a text.
pub const fn hash_text(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut hash = FNV_OFFSET;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(FNV_PRIME);
        i += 1;
    }
    hash
}

/// Returns the hash of a list of hashes.
pub const fn hash_all(hashes: &[u64]) -> u64 {
    let mut hash = FNV_OFFSET;
    let mut i = 0;
    while i < hashes.len() {
        hash = combine(hash, hashes[i]);
        i += 1;
    }
    hash
}

/// Returns the hash of a type's name, size and alignment.
pub const fn hash_type<T>(name: &str) -> u64 {
    combine(combine(hash_text(name), size_of::<T>() as u64), align_of::<T>() as u64)
}

macro_rules! plain {
    ($($type:ty)*) => {
        $(impl Layout for $type {
            const LAYOUT: u64 = hash_type::<$type>(stringify!($type));
        })*
    };
}

plain! { bool u8 u32 u64 usize i32 f32 f64 }

impl<T: Layout, const N: usize> Layout for [T; N] {
    const LAYOUT: u64 = combine(combine(hash_text("array"), N as u64), T::LAYOUT);
}

impl<T: Layout> Layout for std::mem::MaybeUninit<T> {
    const LAYOUT: u64 = combine(hash_text("uninit"), T::LAYOUT);
}

impl<T: Layout> Layout for *mut T {
    const LAYOUT: u64 = combine(hash_type::<*mut T>("pointer"), T::LAYOUT);
}

/// The function that frees a buffer of `T` with its capacity.
impl<T: Layout> Layout for unsafe extern "C" fn(*mut T, usize) {
    const LAYOUT: u64 = combine(hash_type::<Self>("free"), T::LAYOUT);
}

/// Implements [`Layout`] for a struct. All fields must be named, with their types:
/// anything else does not compile.
#[macro_export]
macro_rules! impl_layout {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        impl $crate::layout::Layout for $name {
            const LAYOUT: u64 = {
                const _: fn(&$name) = |value| {
                    let $name { $($field),* } = value;
                    $(let _: &$type = $field;)*
                };
                let hash = $crate::layout::hash_type::<$name>(stringify!($name));
                $(
                    let hash = $crate::layout::combine(
                        hash,
                        $crate::layout::hash_text(stringify!($field)),
                    );
                    let hash = $crate::layout::combine(
                        hash,
                        std::mem::offset_of!($name, $field) as u64,
                    );
                    let hash = $crate::layout::combine(
                        hash,
                        <$type as $crate::layout::Layout>::LAYOUT,
                    );
                )*
                hash
            };
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    mod one {
        #[repr(C)]
        pub struct List {
            pub len: usize,
            pub capacity: usize,
        }
        impl_layout!(List { len: usize, capacity: usize });
    }

    mod swapped {
        #[repr(C)]
        pub struct List {
            pub capacity: usize,
            pub len: usize,
        }
        impl_layout!(List { capacity: usize, len: usize });
    }

    mod retyped {
        #[repr(C)]
        pub struct List {
            pub len: usize,
            pub capacity: f64,
        }
        impl_layout!(List { len: usize, capacity: f64 });
    }

    #[test]
    fn structs_of_equal_size_with_swapped_or_retyped_fields_have_different_hashes() {
        assert_eq!(size_of::<one::List>(), size_of::<swapped::List>());
        assert_ne!(one::List::LAYOUT, swapped::List::LAYOUT);
        assert_ne!(one::List::LAYOUT, retyped::List::LAYOUT);
    }

    #[test]
    fn arrays_of_another_length_have_another_hash() {
        assert_ne!(<[u64; 4]>::LAYOUT, <[u64; 5]>::LAYOUT);
        assert_ne!(<[u32; 4]>::LAYOUT, <[f32; 4]>::LAYOUT);
    }
}
