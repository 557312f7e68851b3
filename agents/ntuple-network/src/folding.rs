//! Redundant tuples. A tuple is redundant if another tuple contains all cells of one of its images.
//!
//! Training with redundant tuples generalises faster, but they represent no function that the
//! other tuples do not represent alone. A tuple is read once for every image of a position, so an
//! image of the tuple instead would read the same weights in total. So the weights of a
//! redundant tuple can be added to those of the tuple that contains its image. This also holds if
//! images of a position are equal: then both tuples are read several times.
//!
//! A fixed tuple is read once, and is redundant only within another fixed one.

use crate::definition::Network;
use crate::tuple::Tuple;
use runner_core::Action;
use runner_core::geometry::{Geometry, Symmetry};

/// The redundant tuples of a network, with the tuples that replace them.
#[derive(Clone, Debug)]
pub struct Folding {
    /// The network without redundant tuples.
    pub network: Network,
    /// The numbers of the tuples that are not redundant.
    pub kept: Vec<usize>,
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
        let (redundant, kept): (Vec<usize>, Vec<usize>) =
            (0..network.tuples().len()).partition(|&tuple| search.is_redundant(tuple));
        if redundant.is_empty() {
            return None;
        }
        let mut all_choices: Vec<Vec<Addition>> =
            redundant.iter().map(|&tuple| search.choices(tuple, &kept)).collect();
        // An untouched weight becomes a touched one when a touched weight is added to it, so
        // additions go to as few tuples as possible. Those that are the only choice come first.
        all_choices.sort_by_key(Vec::len);
        let mut additions: Vec<Addition> = Vec::new();
        for choices in all_choices {
            let is_used = |choice: &&Addition| additions.iter().any(|old| old.to == choice.to);
            let chosen = choices.iter().find(is_used).or(choices.first());
            additions.push(*chosen.expect("a redundant tuple lies within a kept one"));
        }
        let kept_tuples = kept.iter().map(|&tuple| network.tuples()[tuple].clone());
        let network = network.clone().with_tuples(kept_tuples.collect(), board);
        Some(Self { network, kept, additions })
    }

    pub fn additions(&self, to: usize) -> impl Iterator<Item = &Addition> {
        self.additions.iter().filter(move |addition| addition.to == to)
    }
}

/// Finds the tuples that contain an image of another one.
struct Search<'a> {
    tuples: &'a [Tuple],
    symmetries: &'a [Symmetry],
    /// The symmetries that only reorder the images of a position: all, if the game lists a group.
    permuting: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(network: &'a Network, board: &'a Geometry) -> Self {
        let symmetries = &board.symmetries[..];
        // The mapped actions matter only if each has its own tables.
        let actions = if network.actions() == 1 { 0 } else { network.actions() };
        let product = |outer: &Symmetry, inner: &Symmetry| -> (Vec<u8>, Vec<Action>) {
            let cells = inner.cells.iter().map(|&cell| outer.cells[usize::from(cell)]);
            let actions = outer.actions[..actions].iter().map(|a| inner.actions[a.index()]);
            (cells.collect(), actions.collect())
        };
        let images_after = |inner: &Symmetry| {
            let mut images: Vec<_> = symmetries.iter().map(|outer| product(outer, inner)).collect();
            images.sort_unstable();
            images
        };
        // Symmetry 0 is the identity.
        let own_images = images_after(&symmetries[0]);
        let permuting = (0..symmetries.len())
            .filter(|&symmetry| images_after(&symmetries[symmetry]) == own_images)
            .collect();
        Self { tuples: network.tuples(), symmetries, permuting }
    }

    /// Returns true if another tuple contains an image of this one; the first of equals is kept.
    fn is_redundant(&self, tuple: usize) -> bool {
        (0..self.tuples.len()).filter(|&other| other != tuple).any(|other| {
            self.symmetry(tuple, other).is_some()
                && (other < tuple || self.symmetry(other, tuple).is_none())
        })
    }

    /// Returns the additions of a tuple to each kept tuple that contains an image of it.
    fn choices(&self, from: usize, kept: &[usize]) -> Vec<Addition> {
        let mut choices = Vec::new();
        for &to in kept {
            if let Some(symmetry) = self.symmetry(from, to) {
                choices.push(Addition { from, to, symmetry });
            }
        }
        choices
    }

    /// Returns a symmetry that maps a tuple into another one, if both are free or both fixed.
    fn symmetry(&self, from: usize, to: usize) -> Option<usize> {
        let is_fixed = self.tuples[from].fixed;
        if is_fixed != self.tuples[to].fixed {
            return None;
        }
        let symmetries = if is_fixed { &[0][..] } else { &self.permuting };
        symmetries.iter().copied().find(|&symmetry| self.maps_into(from, to, symmetry))
    }

    fn maps_into(&self, from: usize, to: usize, symmetry: usize) -> bool {
        let (from, to) = (&self.tuples[from], &self.tuples[to]);
        let image = |cell: &u8| self.symmetries[symmetry].cells[usize::from(*cell)];
        from.cells.iter().all(|cell| to.cells.contains(&image(cell)))
            && from.extra_fields.iter().all(|field| to.extra_fields.contains(field))
    }
}
