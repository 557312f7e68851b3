//! Gradients of a batch, as sums over the program's threads.

use crate::network::{Activations, Network};
use runner_core::{Host, locked, unpoisoned};
use std::ops::Range;
use std::sync::Mutex;

/// Maximum number of parts of a batch. It does not depend on the number of threads, and so
/// neither does the order of additions.
const PARTS: usize = 16;
const LEAST: usize = 32;
const AT_ONCE: usize = 128;

/// The sum of gradients and losses over a part of a batch, with buffers.
#[derive(Debug, Default)]
pub struct Part {
    pub activations: Activations,
    pub gradient: Vec<f32>,
    pub losses: [f64; 2],
    pub rows: Vec<u16>,
    pub numbers: Vec<f32>,
    pub errors: Vec<f32>,
}

/// Returns the sum of the gradients of `samples` samples, and of their losses. `task` adds those
/// of a range of samples to a part; `parts` are kept from batch to batch for their buffers.
pub fn sum(
    parts: &mut Vec<Mutex<Part>>,
    host: &dyn Host,
    network: &Network,
    samples: usize,
    task: &(dyn Fn(Range<usize>, &mut Part) + Sync),
) -> (Vec<f32>, [f64; 2]) {
    let count = samples.div_ceil(LEAST).clamp(1, PARTS);
    parts.resize_with(count.max(parts.len()), Mutex::default);
    let parts = &mut parts[..count];
    host.for_each(count, &|number| {
        let part = &mut *locked(&parts[number]);
        part.gradient.clear();
        part.gradient.resize(network.parameters(), 0.0);
        part.losses = [0.0; 2];
        let end = (number + 1) * samples / count;
        let mut next = number * samples / count;
        while next < end {
            let range = next..end.min(next + AT_ONCE);
            next = range.end;
            task(range, part);
        }
    });
    let (mut sum, mut losses) = (vec![0.0; network.parameters()], [0.0; 2]);
    for part in parts {
        let part = unpoisoned(part.get_mut());
        sum.iter_mut().zip(&part.gradient).for_each(|(sum, x)| *sum += x);
        losses.iter_mut().zip(part.losses).for_each(|(sum, x)| *sum += x);
    }
    (sum, losses)
}
