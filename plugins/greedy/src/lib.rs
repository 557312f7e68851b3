//! The greedy agent as a plugin.
