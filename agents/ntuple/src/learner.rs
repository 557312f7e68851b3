//! A network with its rule: the value that plays, the learner that trains.

use crate::credit::Credit;
use crate::memory::{Cells, Region};
use crate::network::{Lookup, Place};
use crate::rule::{Rule, Table, Weight, sum};
use crate::trainer::{Life, Training};
use runner_core::{Afterstate, Fault, Game, Progress, Session};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A network that learns by a rule.
pub struct Network<R: Rule> {
    pub(crate) lookup: Lookup,
    pub(crate) weights: Region<Weight>,
    /// What the rule remembers; nothing where the network plays only.
    pub(crate) memory: Option<Region<R::Memory>>,
    pub(crate) rule: R,
    pub(crate) credit: Box<dyn Credit<R>>,
    pub(crate) life: Mutex<Life>,
}

impl<R: Rule> Network<R> {
    pub(crate) fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn train<G: Game>(
        &self,
        game: &G,
        session: &Session<'_>,
    ) -> Result<Progress, Fault> {
        let Some(memory) = &self.memory else {
            return Err(Fault::new("a network with `model: ...` plays and does not learn"));
        };
        Training::run(
            game,
            self.table(memory),
            &self.lookup,
            self.rule,
            &*self.credit,
            session,
            &mut self.life(),
        )
    }

    pub(crate) fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        evaluate(&self.lookup, self.cells(), afterstates, values);
    }

    #[allow(unsafe_code)]
    fn cells(&self) -> Cells<'_, Weight> {
        // SAFETY: whoever has a network's weights finds their places in its lookup.
        unsafe { Cells::new(&self.weights, &self.lookup) }
    }

    #[allow(unsafe_code)]
    fn table<'a>(&'a self, memory: &'a [R::Memory]) -> Table<'a, R::Memory> {
        // SAFETY: as above.
        Table { weights: self.cells(), memory: unsafe { Cells::new(memory, &self.lookup) } }
    }
}

/// So many places are held at once; more positions are done in parts.
const PLACES: usize = 1024;

#[inline(always)]
fn evaluate(
    lookup: &Lookup,
    weights: Cells<'_, Weight>,
    afterstates: &[Afterstate],
    values: &mut [f32],
) {
    let n = lookup.per_position();
    let mut places = [Place::default(); PLACES];
    let at_once = (PLACES / n).max(1);
    for (afterstates, values) in afterstates.chunks(at_once).zip(values.chunks_mut(at_once)) {
        for (afterstate, places) in afterstates.iter().zip(places.chunks_exact_mut(n)) {
            lookup.places_with(*afterstate, places, |place| weights.prefetch(place));
        }
        for (value, places) in values.iter_mut().zip(places.chunks_exact(n)) {
            *value = sum(weights, places);
        }
    }
}
