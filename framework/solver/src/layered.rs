//! Backward induction, for games whose chance outcomes raise a layer: an enumeration
//! from the lowest layer up finds all states, and a second pass from the highest layer
//! down computes their values.
//!
//! A key belongs to a part by its hash, and a part to one task at a time, so no table is
//! shared while it grows.

mod enumeration;
mod induction;
mod layer;

use crate::error::Abort;
use crate::job::{Job, Solution};
use crate::values::ValueKey;
use enumeration::Enumeration;
use induction::Induction;
use runner_core::Game;

pub fn solve<K: ValueKey, G: Game>(job: &Job<'_, G>) -> Result<Solution, Abort> {
    let (layers, max_step) = Enumeration::<K, G>::new(job)?.run()?;
    Induction::new(job, layers, max_step)?.run()
}
