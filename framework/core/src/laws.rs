//! The laws that every game must satisfy.
