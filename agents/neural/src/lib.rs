//! Small neural networks over boards, for the learners that need one.
//!
//! A network is a list of [`layer`]s over a batch of inputs. Its parameters are one list of
//! numbers, and so are its gradient and the moments of [`adam`]: files, optimizers and sums
//! over threads need to know nothing about layers.
//!
//! The networks of 2048-like games have some 100,000 parameters, and a search evaluates a few
//! dozen positions at a time. The layers are written out here because a general library is slower
//! at this size: `results/neural.md` in the guide compares them with candle. With one cell value set
//! out of 16, the first layer is a sum of rows of a table.
//!
//! In dependency order: [`matrix`] (products), [`layer`], [`network`] (forward and backward),
//! [`encoder`] (boards as inputs), [`PositionNetwork`], [`adam`], [`gradient`] (sums over
//! threads), [`Optimizer`], [`file`](mod@file) (models), [`learner`] (everything of a learner
//! but its [`Method`]).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod adam;
pub mod encoder;
pub mod file;
pub mod gradient;
pub mod layer;
pub mod learner;
pub mod matrix;
pub mod network;
mod optimizer;
mod position_network;

pub use adam::Adam;
pub use encoder::Encoder;
pub use layer::{Kind, Layer};
pub use learner::{Method, NeuralLearner, Training};
pub use network::{Activations, Input, Network, Parameters};
pub use optimizer::{Batch, Optimizer, StepSize};
pub use position_network::{Buffers, PositionNetwork};
