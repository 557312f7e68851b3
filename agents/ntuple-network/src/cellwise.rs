//! The images of a board of any size, cell by cell: for boards above 4 x 4, and
//! for tables per action.

use crate::index::WeightIndex;
use crate::ranks::{self, Ranks};
use crate::table::Table;
use runner_core::geometry::Geometry;
use runner_core::{Action, Afterstate, BuildError};

#[derive(Clone, Debug)]
struct Image {
    /// For each cell, the slot of the position that holds its content.
    slots: Vec<u8>,
    /// For each action, where the tables of the transformed action begin.
    starts: Vec<u32>,
}

pub(crate) struct StageTables<'a> {
    /// Index of the stage's first weight.
    pub start: u32,
    /// Tables that are read in every image.
    pub free: &'a [Table],
    pub fixed: &'a [Table],
}

#[derive(Clone, Debug)]
pub(crate) struct CellwiseImages {
    images: Vec<Image>,
    slots: Vec<u8>,
    fifth_bits: bool,
}

const UNMAPPED: &str = "the game does not say how a symmetry of its board maps each action";

impl CellwiseImages {
    pub fn new(board: &Geometry, actions: usize, weights: u64) -> Result<Self, BuildError> {
        let slot = |cell: usize| board.slot(cell) as u8;
        let mut images = Vec::new();
        for symmetry in &board.symmetries {
            let mut starts = Vec::new();
            for action in 0..actions {
                let mapped = match symmetry.actions.get(action) {
                    _ if actions == 1 => 0,
                    Some(mapped) if mapped.index() < actions => mapped.index() as u64,
                    _ => return Err(BuildError::new(UNMAPPED)),
                };
                // The lookup checked that all weights together fit in 32 bits.
                starts.push((mapped * weights) as u32);
            }
            let slots = symmetry.cells.iter().map(|&cell| slot(cell.into())).collect();
            images.push(Image { slots, starts });
        }
        let slots = (0..board.cells()).map(slot).collect();
        Ok(Self { images, slots, fifth_bits: board.has_fifth_bits() })
    }

    pub fn start(&self, action: Action) -> u32 {
        self.images[0].starts[action.index()]
    }

    pub fn count(&self) -> usize {
        self.images.len()
    }

    pub fn ranks(&self, position: Afterstate) -> Ranks {
        ranks::ranks(position, &self.slots, self.fifth_bits)
    }

    /// Writes the indices of a position's weights for an action: for each image of the board in
    /// each of the free tables, then for the board itself in the fixed tables. `ranks` are those
    /// of the slots, `hi` has the extra fields.
    pub fn indices(
        &self,
        tables: &StageTables<'_>,
        ranks: &Ranks,
        hi: u64,
        action: Action,
        out: &mut [WeightIndex],
    ) {
        let index = |table: &Table, image: &Image| {
            let rank = |cell: u8| ranks[usize::from(image.slots[usize::from(cell)])];
            let start = tables.start + image.starts[action.index()] + table.start;
            WeightIndex::new(start + table.extra_content(hi) + table.content_of_ranks(rank))
        };
        let free = self.images.iter().flat_map(|image| tables.free.iter().map(move |t| (t, image)));
        let fixed = tables.fixed.iter().map(|table| (table, &self.images[0]));
        for (slot, (table, image)) in out.iter_mut().zip(free.chain(fixed)) {
            *slot = index(table, image);
        }
    }
}
