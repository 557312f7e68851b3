//! Lists and sums in a layout that both sides share.

use std::mem::ManuallyDrop;
use std::ops::Deref;

/// The pointer of an object, which only its own library dereferences.
pub type This = *const u8;

/// A slice that is borrowed for the length of a call, or for as long as its owner lives.
#[repr(C)]
pub struct Slice<T> {
    at: *mut T,
    len: usize,
}

impl<T> Clone for Slice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slice<T> {}

impl<T> Slice<T> {
    #[inline(always)]
    pub const fn of(slice: &[T]) -> Self {
        Self { at: slice.as_ptr().cast_mut(), len: slice.len() }
    }

    #[inline(always)]
    pub fn of_mut(slice: &mut [T]) -> Self {
        Self { at: slice.as_mut_ptr(), len: slice.len() }
    }

    /// # Safety
    ///
    /// The slice is still borrowed, and no other code writes to it.
    #[inline(always)]
    pub unsafe fn get<'a>(self) -> &'a [T] {
        // SAFETY: pointer and length are those of a slice, which the caller says is borrowed.
        unsafe { std::slice::from_raw_parts(self.at, self.len) }
    }

    /// # Safety
    ///
    /// The slice was made by [`of_mut`](Slice::of_mut), is still borrowed, and no other code uses it.
    #[inline(always)]
    pub unsafe fn get_mut<'a>(self) -> &'a mut [T] {
        // SAFETY: pointer and length are those of a slice, which the caller says is
        // borrowed for writing.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.len) }
    }
}

impl Slice<u8> {
    pub const fn text(text: &str) -> Self {
        Self::of(text.as_bytes())
    }

    /// # Safety
    ///
    /// The slice was made by [`text`](Slice::text), and is still borrowed.
    pub unsafe fn get_text<'a>(self) -> &'a str {
        // SAFETY: the caller says that the slice is borrowed, and that it is a text.
        unsafe { std::str::from_utf8_unchecked(self.get()) }
    }
}

/// A list that its holder owns. The library that made it frees it.
#[repr(C)]
pub struct List<T> {
    at: *mut T,
    len: usize,
    capacity: usize,
    free: unsafe extern "C" fn(*mut T, usize, usize),
}

/// # Safety
///
/// The arguments are the parts of a vector of this library, which is not used again.
unsafe extern "C" fn free<T>(at: *mut T, len: usize, capacity: usize) {
    // SAFETY: the parts of a vector make that vector again.
    drop(unsafe { Vec::from_raw_parts(at, len, capacity) });
}

impl<T> From<Vec<T>> for List<T> {
    fn from(list: Vec<T>) -> Self {
        let mut list = ManuallyDrop::new(list);
        Self { at: list.as_mut_ptr(), len: list.len(), capacity: list.capacity(), free: free::<T> }
    }
}

impl From<String> for List<u8> {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        // SAFETY: `from` took the parts from a vector of the library that `free` belongs to,
        // and this is their last use.
        unsafe { (self.free)(self.at, self.len, self.capacity) };
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: pointer and length are those of the vector that `from` took.
        unsafe { std::slice::from_raw_parts(self.at, self.len) }
    }
}

impl List<u8> {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self).into_owned()
    }
}

/// An `Option`. The tag is as wide as a word: a copy of a narrower one would wait for its padding.
#[repr(C, u64)]
#[derive(Clone, Copy)]
pub enum Maybe<T> {
    None,
    Some(T),
}

impl<T> From<Option<T>> for Maybe<T> {
    #[inline(always)]
    fn from(option: Option<T>) -> Self {
        option.map_or(Self::None, Self::Some)
    }
}

impl<T> From<Maybe<T>> for Option<T> {
    #[inline(always)]
    fn from(maybe: Maybe<T>) -> Self {
        match maybe {
            Maybe::None => None,
            Maybe::Some(value) => Some(value),
        }
    }
}

/// A `Result`.
#[repr(C, u8)]
pub enum Either<T, E> {
    Ok(T),
    Err(E),
}
