//! The random agent as a plugin.
