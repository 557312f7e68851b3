//! The kernel that all sliding-tile games share.
