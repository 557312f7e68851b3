//! The indices of a position's weights one lookup at a time, for boards and tables that [`lanes`]
//! does not take: boards above 4 x 4, and tables per action.
//!
//! [`lanes`]: crate::lanes

use crate::index::WeightIndex;
use crate::ranks::Ranks;
use crate::table::Table;
use runner_core::geometry::Geometry;
use runner_core::{Action, BuildError};

/// The lookups of all tuples.
#[derive(Clone, Debug)]
pub(crate) struct Cellwise {
    /// The images of the board; the first one is the board itself.
    images: Vec<Image>,
    /// Tables that are read in every image.
    free: Vec<Table>,
    /// Tables that are read for the board itself.
    fixed: Vec<Table>,
}

#[derive(Clone, Debug)]
struct Image {
    /// For each cell of the image, the slot of the position that holds its rank.
    slots: Vec<u8>,
    /// For each action, the index within a stage at which the tables of the mapped action begin.
    starts: Vec<u32>,
}

const UNMAPPED: &str = "the game does not say how a symmetry of its board maps each action";

impl Cellwise {
    /// `actions` is 1 if all actions share their tables, which have `per_action` weights.
    pub fn new(
        board: &Geometry,
        actions: usize,
        per_action: u64,
        [free, fixed]: [Vec<Table>; 2],
    ) -> Result<Self, BuildError> {
        let mut images = Vec::new();
        for symmetry in &board.symmetries {
            let mut starts = Vec::new();
            for action in 0..actions {
                let mapped = match symmetry.actions.get(action) {
                    _ if actions == 1 => 0,
                    Some(mapped) if mapped.index() < actions => mapped.index() as u64,
                    _ => return Err(BuildError::new(UNMAPPED)),
                };
                // The lookup checked that all weights together have 32-bit indices.
                starts.push((mapped * per_action) as u32);
            }
            let slots = symmetry.cells.iter().map(|&cell| board.slot(cell.into()) as u8).collect();
            images.push(Image { slots, starts });
        }
        Ok(Self { images, free, fixed })
    }

    pub fn count(&self) -> usize {
        self.images.len() * self.free.len() + self.fixed.len()
    }

    /// Returns the index within a stage at which the tables of an action begin.
    pub fn start(&self, action: Action) -> u32 {
        self.images[0].starts[action.index()]
    }

    /// Writes the indices of a position's weights for an action: for each image of the board in
    /// each of the free tables, then for the board itself in the fixed tables. `stage_start` is
    /// the index of the stage's first weight, `hi` the second word of the position.
    pub fn indices(
        &self,
        stage_start: u32,
        ranks: &Ranks,
        hi: u64,
        action: Action,
        out: &mut [WeightIndex],
    ) {
        let free = self.images.iter().flat_map(|image| self.free.iter().map(move |t| (t, image)));
        let fixed = self.fixed.iter().map(|table| (table, &self.images[0]));
        for (out, (table, image)) in out.iter_mut().zip(free.chain(fixed)) {
            let rank = |cell: u8| ranks[usize::from(image.slots[usize::from(cell)])];
            let start = stage_start + image.starts[action.index()] + table.start;
            *out = WeightIndex::new(start + table.bits_of_fields(hi) + table.bits_of_cells(rank));
        }
    }
}
