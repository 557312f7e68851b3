//! Which estimates answer for which errors, and when: each way is one file.

mod backward;
mod delayed;
mod forward;
mod mean_return;
mod n_step;

pub use backward::Backward;
pub use delayed::Delayed;
pub use forward::Forward;
pub use mean_return::MeanReturn;
pub use n_step::NStep;

use crate::learned::Learns;
use crate::network::{Lookup, Place};
use crate::rule::{Rule, Table, sum};
use runner_core::{Action, Afterstate};

/// The weights and the rule by which they learn.
pub struct Work<'a, R: Rule> {
    /// The rule, as it is now.
    pub rule: R,
    /// The weights with their memory.
    pub table: Table<'a, R::Memory>,
    /// Where a position's weights lie.
    pub lookup: &'a Lookup,
    /// What the estimates are of.
    pub learns: Learns,
}

impl<R: Rule> Clone for Work<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Rule> Copy for Work<'_, R> {}

impl<R: Rule> Work<'_, R> {
    /// The estimate that the weights at these places make now.
    #[inline(always)]
    pub fn value(&self, places: &[Place]) -> f32 {
        sum(self.table.weights, places)
    }

    /// Corrects it.
    #[inline(always)]
    pub fn update(&self, places: &[Place], error: f32, factor: f32) {
        self.rule.update(self.table, places, error, factor);
    }

    /// Writes the places of a visit, and has the weights there fetched.
    #[inline(always)]
    pub fn fetch(&self, visit: &Visit, places: &mut [Place]) {
        let weights = self.table.weights;
        let fetch = |place| weights.prefetch(place);
        self.lookup.places_for(visit.position, visit.action, places, fetch);
    }

    /// The same for several positions, one after the other, where actions are not told
    /// apart.
    #[inline(always)]
    pub fn fetch_all(&self, positions: impl Iterator<Item = Afterstate>, places: &mut [Place]) {
        let weights = self.table.weights;
        self.lookup.places_of_all(positions, places, |place| weights.prefetch(place));
    }

    /// Has what is remembered of these weights fetched, for a correction.
    #[inline(always)]
    pub fn fetch_memory(&self, places: &[Place]) {
        if size_of::<R::Memory>() > 0 {
            for &place in places {
                self.table.memory.prefetch(place);
            }
        }
    }
}

/// A way of learning from the course of a game.
pub trait Credit<R: Rule>: Send + Sync {
    /// How many of the last visits it wants to see.
    fn horizon(&self) -> usize;

    /// The player went on to what has the estimate `value`: an afterstate, a state, an
    /// action. It earned `reward` on the way from the one before. The trail does not
    /// have it yet.
    fn moved(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32, value: f32);

    /// The game is over; `reward` came after the last visit.
    fn ended(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32);

    /// Whether it wants the whole path of the game.
    fn wants_path(&self) -> bool {
        false
    }
}

/// So many entries more than are used end each list of a trail: two cache lines.
/// Lists of games on different threads lie side by side otherwise, and each write
/// takes the line away from the other.
const APART: usize = 32;

/// What a game in training remembers of its course.
#[derive(Clone, Debug)]
pub struct Trail {
    /// How many places a visit has.
    per_visit: usize,
    /// How many visits are kept.
    kept: usize,
    /// The places of the last visits, in a ring.
    places: Vec<Place>,
    /// What was earned after the last visits, or how wrong they were: the credit's own.
    pub notes: Vec<f32>,
    /// How many visits there were.
    visits: usize,
    /// The whole game.
    pub path: Vec<Visit>,
}

/// What a game came to, as a learner sees it.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// The afterstate; or the state, where states or actions are learned.
    pub position: Afterstate,
    /// What was earned on the way to it.
    pub reward: f32,
    /// The action that was taken there, where actions are told apart; else the first.
    pub action: Action,
}

impl Trail {
    /// An empty trail that keeps this many visits.
    pub fn new(per_visit: usize, kept: usize) -> Self {
        let places = vec![Place::default(); per_visit * kept + APART];
        Self { per_visit, kept, places, notes: vec![0.0; kept + APART], visits: 0, path: vec![] }
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.visits = 0;
        self.path.clear();
    }

    /// How many visits there were in this game.
    pub fn visits(&self) -> usize {
        self.visits
    }

    /// How many of them are still known.
    pub fn known(&self) -> usize {
        self.visits.min(self.kept)
    }

    /// Where the ring has a visit by its number. One of a single visit, which plain
    /// learning keeps, needs no division.
    #[inline(always)]
    fn slot(&self, visit: usize) -> usize {
        if self.kept == 1 { 0 } else { visit % self.kept }
    }

    /// Where it has the visit `back` visits before the last.
    #[inline(always)]
    fn slot_back(&self, back: usize) -> usize {
        debug_assert!(back < self.known());
        self.slot(self.visits - 1 - back)
    }

    /// The places of the visit `back` visits before the last.
    #[inline(always)]
    pub fn places(&self, back: usize) -> &[Place] {
        let start = self.slot_back(back) * self.per_visit;
        &self.places[start..start + self.per_visit]
    }

    /// The note on the visit `back` visits before the last.
    pub fn note(&self, back: usize) -> f32 {
        self.notes[self.slot_back(back)]
    }

    /// Writes a note on it.
    pub fn set_note(&mut self, back: usize, note: f32) {
        let slot = self.slot_back(back);
        self.notes[slot] = note;
    }

    /// Adds a visit.
    #[inline(always)]
    pub fn visit(&mut self, places: &[Place]) {
        let start = self.slot(self.visits) * self.per_visit;
        let kept = &mut self.places[start..start + self.per_visit];
        // Eight at a time, as they were written: a longer read of what has just been
        // written would wait for it.
        let (eights, rest) = places.as_chunks::<8>();
        let (kept_eights, kept_rest) = kept.as_chunks_mut::<8>();
        for (kept, eight) in kept_eights.iter_mut().zip(eights) {
            *kept = *eight;
        }
        kept_rest.copy_from_slice(rest);
        self.visits += 1;
    }
}

/// The horizon of the papers: the least h with lambda^(h+1) < 0.1.
pub fn default_horizon(lambda: f32) -> usize {
    let mut horizon = 0;
    let mut weight = f64::from(lambda);
    while weight >= 0.1 && horizon < 64 {
        weight *= f64::from(lambda);
        horizon += 1;
    }
    horizon
}
