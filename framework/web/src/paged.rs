//! An n-tuple network for play in little memory.
//!
//! The tables of a large network take 1 GiB, of which training reaches a small part. Here they lie in
//! pages, and only pages with a trained weight exist. The formats `tiny` and `micro` store each weight as a
//! multiple of a step; here it is kept as this multiple, in 16 bits. Sums of multiples are exact, so the
//! values differ from those of the whole tables by the rounding of their sums alone.

use agent_ntuple_files::{Definition, Model, State};
use agent_ntuple_network::{
    Inheritance, Initial, Lookup, MAX_LOOKUPS, Shape, ValueFunction, WeightIndex,
};
use runner_core::{Afterstate, BuildError, Description, SingleThread, Value, locked, unpoisoned};
use std::ops::Range;
use std::sync::Mutex;

/// Weights of a page. A page for few weights leaves out more of those that were not trained, but the list of
/// pages, which is read for each weight, should fit the processor's caches.
const PAGE: usize = 64;

/// Weights for which memory is reserved, for each byte of a model: about as many as the pages have. Memory of a
/// WebAssembly module that has grown never shrinks, so the table must not be moved while it grows.
const RESERVED: usize = 9;

/// Positions whose values are kept: 1.5 MiB.
const RECENT: usize = 1 << 16;

/// Positions that are evaluated at a time.
const BATCH: usize = 64;

pub struct PagedNetwork {
    lookup: Lookup,
    pages: Pages,
    step: f32,
    /// Values of recent positions, by hash. A search reaches a position by several paths.
    recent: Mutex<Vec<(Afterstate, f32)>>,
}

/// The weights of a network.
#[derive(Default)]
struct Pages {
    /// For each page of the tables, the place of its first weight; 0 for a page without trained weights.
    starts: Vec<u32>,
    /// The pages, of which the first one has the value of all weights that were not trained: 0.
    weights: Vec<i16>,
    /// Number of pages of a stage, if the weights of later stages begin with those of earlier ones.
    inherited: Option<usize>,
}

impl PagedNetwork {
    /// Reads a model, which must be of this game. `name` is its name for messages.
    pub fn new(
        model: &[u8],
        name: &str,
        game: &Description,
        game_spec: &str,
    ) -> Result<Self, String> {
        let board = game.geometry.as_ref().ok_or("the game has no board")?;
        let bytes = model.len();
        let model = Model::new(model, name).map_err(|error| error.to_string())?;
        let step = model.step(0.0).ok_or_else(|| {
            format!(
                "{name}: this page plays networks in the formats `tiny` and `micro`, which \
                 `runner model convert` writes, if they were trained without `optimism`"
            )
        })?;
        let refused = |error: BuildError| error.message;
        let definition = Definition::default().read(Some(&model), board, game_spec);
        let (network, inheritance, _) = definition.map_err(refused)?;
        let lookup = Lookup::new(&network, board).map_err(refused)?;
        let shape = Shape {
            network: &network,
            learns: ValueFunction::Afterstates,
            lookup: &lookup,
            inheritance,
            board,
            game: game_spec,
            host: &SingleThread,
        };
        model.check(&shape, None, false).map_err(|error| error.to_string())?;
        if !lookup.per_stage().is_multiple_of(PAGE) {
            return Err(format!("{name}: its network is irregular, which this page cannot read"));
        }
        let promotes = lookup.stages() > 1 && inheritance != Inheritance::None;
        let inherited = promotes.then_some(lookup.per_stage() / PAGE);
        let reserved = lookup.weights().min(RESERVED * bytes);
        let pages = Mutex::new((Pages::new(lookup.weights(), reserved, inherited), 0.0));
        {
            let take = |place: usize, value: f32| {
                let (pages, largest) = &mut *locked(&pages);
                let multiple = (value / step).round();
                *largest = multiple.abs().max(*largest);
                pages.set(lookup.entry(place), multiple as i16);
            };
            let untouched = |_: Range<usize>, _: Initial| ();
            model
                .read(&shape, State::<()>::Ignored, &take, &untouched)
                .map_err(|error| error.to_string())?;
        }
        let (mut pages, largest) = unpoisoned(pages.into_inner());
        if largest > f32::from(i16::MAX) {
            return Err(format!("{name}: a weight is {largest} steps; {} are allowed", i16::MAX));
        }
        pages.inherit();
        let network = Self { lookup, pages, step, recent: Mutex::default() };
        let empty = Afterstate::new(0, 0);
        let mut value = [0.0];
        network.evaluate_all(&[empty], &mut value);
        locked(&network.recent).resize(RECENT, (empty, value[0]));
        Ok(network)
    }

    /// Returns the size of the tables in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.pages.starts) + size_of_val(&*self.pages.weights)
    }
}

impl Pages {
    fn new(count: usize, reserved: usize, inherited: Option<usize>) -> Self {
        let starts = vec![0; count.div_ceil(PAGE)];
        let mut weights = Vec::with_capacity(PAGE + reserved);
        weights.resize(PAGE, 0);
        Self { starts, weights, inherited }
    }

    /// Sets a weight. Weights of earlier stages must be set first.
    fn set(&mut self, place: usize, value: i16) {
        let page = place / PAGE;
        if self.starts[page] == 0 {
            let earlier = self.inherited.and_then(|pages| page.checked_sub(pages));
            let from = earlier.map_or(0, |earlier| self.starts[earlier]) as usize;
            self.starts[page] = self.weights.len() as u32;
            self.weights.extend_from_within(from..from + PAGE);
        }
        self.weights[self.starts[page] as usize + place % PAGE] = value;
    }

    /// Gives pages without trained weights the page of the earlier stage.
    fn inherit(&mut self) {
        self.weights.shrink_to_fit();
        let Some(pages) = self.inherited else { return };
        for page in pages..self.starts.len() {
            if self.starts[page] == 0 {
                self.starts[page] = self.starts[page - pages];
            }
        }
    }

    /// Returns the sum of some weights.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn sum(&self, indices: &[WeightIndex]) -> i32 {
        let weight = |index: &WeightIndex| {
            let index = index.index();
            debug_assert!(index / PAGE < self.starts.len());
            // SAFETY: the network's lookup makes indices below its number of weights, which `starts` covers,
            // and every start is that of a whole page. The checks would cost a third of the search's speed.
            unsafe {
                let start = *self.starts.get_unchecked(index / PAGE) as usize;
                i32::from(*self.weights.get_unchecked(start + index % PAGE))
            }
        };
        indices.iter().map(weight).sum()
    }
}

impl PagedNetwork {
    fn evaluate_all(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let n = self.lookup.per_position();
        let mut indices = [WeightIndex::default(); MAX_LOOKUPS];
        let part = MAX_LOOKUPS / n;
        for (afterstates, values) in afterstates.chunks(part).zip(values.chunks_mut(part)) {
            self.lookup
                .indices_of_all(afterstates.iter().copied(), &mut indices, |place| place.index());
            for (value, indices) in values.iter_mut().zip(indices.chunks_exact(n)) {
                *value = self.pages.sum(indices) as f32 * self.step;
            }
        }
    }
}

impl Value for PagedNetwork {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let mut recent = locked(&self.recent);
        let mut unknown = [Afterstate::new(0, 0); BATCH];
        let mut found = [0.0; BATCH];
        for (afterstates, values) in afterstates.chunks(BATCH).zip(values.chunks_mut(BATCH)) {
            let (mut places, mut count) = ([(0, 0); BATCH], 0);
            for (number, (&position, value)) in afterstates.iter().zip(&mut *values).enumerate() {
                let slot = slot(position);
                let (known, its) = recent[slot];
                *value = its;
                if known != position {
                    (unknown[count], places[count]) = (position, (number, slot));
                    count += 1;
                }
            }
            self.evaluate_all(&unknown[..count], &mut found[..count]);
            for k in 0..count {
                let (number, slot) = places[k];
                values[number] = found[k];
                recent[slot] = (unknown[k], found[k]);
            }
        }
    }
}

/// Returns the place of a position among the recent ones.
fn slot(position: Afterstate) -> usize {
    let mixed = (position.lo ^ position.hi.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 48) as usize % RECENT
}
