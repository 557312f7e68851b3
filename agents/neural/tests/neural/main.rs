//! Tests of networks: their gradients and their files.

mod files;
mod gradients;
