//! Values that are read from files of exact solutions.
#![forbid(unsafe_code)]

mod exact;

pub use exact::Exact;
