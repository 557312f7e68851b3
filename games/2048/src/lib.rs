//! The rules of 2048.
