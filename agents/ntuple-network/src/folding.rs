//! Redundant tuples: those whose cells, in some image, lie within another tuple.
//!
//! Training with them generalises faster, but they represent no function that the other tuple
//! does not represent alone. A tuple is read once on every image of a position, and so is any
//! image of this tuple: in total, both read the same weights. So the weights of a redundant
//! tuple can be added to those of the tuple that contains its image. This holds for images that
//! coincide too: then both tuples are read several times.
//!
//! A fixed tuple is read once, and is redundant only within another fixed one. A tuple that is
//! read in every image is also redundant if each of its images lies within a fixed tuple.

use crate::definition::Network;
use crate::tuple::Tuple;
use runner_core::Action;
use runner_core::geometry::{Geometry, Symmetry};

/// The redundant tuples of a network, with the tuples that replace them.
#[derive(Clone, Debug)]
pub struct Folding {
    network: Network,
    kept: Vec<usize>,
    additions: Vec<Addition>,
}

/// A redundant tuple whose weights are added to those of another tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    /// Number of the redundant tuple.
    pub from: usize,
    /// Number of the other tuple.
    pub to: usize,
    /// Number of the symmetry that maps its cells to cells of the other tuple.
    pub symmetry: usize,
}

impl Folding {
    /// Returns the redundant tuples of a network, or `None` if there are none. The network must
    /// have a [`Lookup`](crate::Lookup) for this board.
    pub fn new(network: &Network, board: &Geometry) -> Option<Self> {
        let search = Search::new(network, board);
        let all: Vec<usize> = (0..network.tuples().len()).collect();
        let (redundant, kept): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|&&tuple| search.is_redundant(tuple));
        if redundant.is_empty() {
            return None;
        }
        let mut choices: Vec<_> =
            redundant.iter().map(|&tuple| search.choices(tuple, &kept)).collect();
        // An untouched weight becomes a touched one when a touched weight is added to it. So
        // few tuples get additions: first those that are the only choice.
        choices.sort_by_key(Vec::len);
        let mut additions: Vec<Addition> = Vec::new();
        for choices in choices {
            let is_used = |choice: &&Vec<Addition>| {
                choice.iter().all(|new| additions.iter().any(|old| old.to == new.to))
            };
            let chosen = choices.iter().find(is_used).or(choices.first());
            additions.extend(chosen.expect("a redundant tuple lies within a kept one"));
        }
        let kept_tuples = kept.iter().map(|&tuple| network.tuples()[tuple].clone());
        let network = network.clone().with_tuples(kept_tuples.collect(), board);
        Some(Self { network, kept, additions })
    }

    /// Returns the network without its redundant tuples.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the numbers of the remaining tuples.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    pub fn additions(&self, to: usize) -> impl Iterator<Item = &Addition> {
        self.additions.iter().filter(move |addition| addition.to == to)
    }
}

struct Search<'a> {
    tuples: &'a [Tuple],
    symmetries: &'a [Symmetry],
    /// The symmetries that map the set of all images of a position to itself: all of them, if
    /// the game's list is a group.
    permuting: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(network: &'a Network, board: &'a Geometry) -> Self {
        let symmetries = &board.symmetries[..];
        // Actions count if each has its own tables.
        let actions = if network.actions() == 1 { 0 } else { network.actions() };
        let image = |outer: &Symmetry, inner: &Symmetry| -> (Vec<u8>, Vec<Action>) {
            let cells = inner.cells.iter().map(|&cell| outer.cells[usize::from(cell)]);
            let actions = outer.actions[..actions].iter().map(|a| inner.actions[a.index()]);
            (cells.collect(), actions.collect())
        };
        let images_after = |inner: &Symmetry| {
            let mut images: Vec<_> = symmetries.iter().map(|outer| image(outer, inner)).collect();
            images.sort_unstable();
            images
        };
        let images = images_after(&symmetries[0]);
        let permuting = (0..symmetries.len())
            .filter(|&symmetry| images_after(&symmetries[symmetry]) == images)
            .collect();
        Self { tuples: network.tuples(), symmetries, permuting }
    }

    /// Returns true if a tuple lies within others. Of several equal tuples, the first is not
    /// redundant.
    fn is_redundant(&self, tuple: usize) -> bool {
        let others = 0..self.tuples.len();
        let mut others = others.filter(|&other| other != tuple);
        let within_one = others.clone().any(|other| {
            self.is_same_kind(tuple, other)
                && self.symmetry(tuple, other).is_some()
                && (other < tuple || self.symmetry(other, tuple).is_none())
        });
        within_one || !self.within_fixed(tuple, &others.by_ref().collect::<Vec<_>>()).is_empty()
    }

    /// Returns the ways in which a tuple can be added to some of the others.
    fn choices(&self, from: usize, others: &[usize]) -> Vec<Vec<Addition>> {
        let same_kind = others.iter().filter(|&&to| self.is_same_kind(from, to));
        let within = same_kind.filter_map(|&to| {
            self.symmetry(from, to).map(|symmetry| vec![Addition { from, to, symmetry }])
        });
        let mut choices: Vec<_> = within.collect();
        if choices.is_empty() {
            choices.push(self.within_fixed(from, others));
        }
        choices
    }

    fn is_same_kind(&self, a: usize, b: usize) -> bool {
        self.tuples[a].fixed == self.tuples[b].fixed
    }

    /// Returns a symmetry that maps the cells of a tuple to cells of another.
    fn symmetry(&self, from: usize, to: usize) -> Option<usize> {
        let identity = &[0][..];
        let symmetries = if self.tuples[from].fixed { identity } else { &self.permuting };
        symmetries.iter().copied().find(|&symmetry| self.maps_into(from, to, symmetry))
    }

    /// Returns the additions of a tuple to fixed ones: one for each of its images. Returns none
    /// if one of the images lies in no fixed tuple.
    fn within_fixed(&self, from: usize, others: &[usize]) -> Vec<Addition> {
        if self.tuples[from].fixed {
            return Vec::new();
        }
        let addition = |symmetry: usize| {
            let mut fixed = others.iter().filter(|&&to| self.tuples[to].fixed);
            let to = fixed.find(|&&to| self.maps_into(from, to, symmetry));
            to.map(|&to| Addition { from, to, symmetry })
        };
        (0..self.symmetries.len()).map(addition).collect::<Option<_>>().unwrap_or_default()
    }

    fn maps_into(&self, from: usize, to: usize, symmetry: usize) -> bool {
        let (from, to) = (&self.tuples[from], &self.tuples[to]);
        let image = |cell: &u8| self.symmetries[symmetry].cells[usize::from(*cell)];
        from.cells.iter().all(|cell| to.cells.contains(&image(cell)))
            && from.extra_fields.iter().all(|field| to.extra_fields.contains(field))
    }
}
