//! Tests of the search and of its parameters.

mod parameters;
mod search;
mod strength;
mod support;
