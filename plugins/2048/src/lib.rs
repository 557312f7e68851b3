//! 2048 as a plugin.
