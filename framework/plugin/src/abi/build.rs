//! The results of building objects.

use abi_stable::StableAbi;
use abi_stable::std_types::{RResult, RString, RVec};

/// The reason why something could not be built.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct BuildRefused {
    pub message: RString,
    /// The bytes of the spec's text that are wrong.
    pub span: Span,
    /// The texts that are allowed there, if they can be listed.
    pub allowed: RVec<RString>,
}

/// A range of bytes.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// An object that was built, with its resolved spec.
#[repr(C)]
#[derive(StableAbi)]
pub struct Built<T> {
    pub object: T,
    pub spec: RString,
}

/// The result of building an object, where the builder did not fail.
pub type BuildResult<T> = RResult<Built<T>, BuildRefused>;
