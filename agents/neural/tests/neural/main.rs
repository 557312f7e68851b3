//! Tests of networks, of their gradients and files, and of the learners.

mod alpha_zero;
mod files;
mod gradients;
mod policy_net;
mod support;
