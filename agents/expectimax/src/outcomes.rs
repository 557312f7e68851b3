//! Which chance outcomes are rare.

use runner_core::geometry::Geometry;
use runner_core::{Afterstate, Outcome, State};

/// Returns true if a tile is common: at least half as likely as the likeliest tile.
pub fn is_common(probability: f64, max_probability: f64) -> bool {
    probability >= max_probability / 2.0
}

/// Selects the outcomes in which a common tile enters.
///
/// The probability of a tile is the sum over all outcomes in which it enters, wherever it
/// does and whatever else chance decides, such as the next announcement in Threes. In a
/// game without a board, the probabilities of the outcomes themselves are compared.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeFilter {
    /// The bits of all cells; 0 for a game without a board.
    cells: u128,
}

#[derive(Clone, Copy, Debug)]
pub struct Selection {
    cells: u128,
    /// Bit k is set if tiles of rank k are selected.
    ranks: u16,
    /// For a game without a board, the least probability of a selected outcome.
    min_probability: f64,
    /// The factor that makes the probabilities sum to 1.
    scale: f64,
    all: bool,
}

impl OutcomeFilter {
    pub fn new(geometry: Option<&Geometry>) -> Self {
        let cells = geometry.map_or(0, |board| {
            (0..board.cells()).fold(0, |bits, cell| bits | 15 << (4 * board.slot(cell)))
        });
        Self { cells }
    }

    #[inline(always)]
    pub fn all(&self) -> Selection {
        Selection { cells: 0, ranks: 0, min_probability: 0.0, scale: 1.0, all: true }
    }

    pub fn common(&self, from: Afterstate, outcomes: &[Outcome]) -> Selection {
        let mut selection = Selection { cells: self.cells, all: false, ..self.all() };
        if self.cells == 0 {
            let max = outcomes.iter().map(|outcome| outcome.probability).fold(0.0, f64::max);
            selection.min_probability = max / 2.0;
        } else {
            let mut probabilities = [0.0; 16];
            for outcome in outcomes {
                probabilities[selection.rank(from, outcome.state)] += outcome.probability;
            }
            let max = probabilities.iter().copied().fold(0.0, f64::max);
            let common = (0..16).filter(|&rank| is_common(probabilities[rank], max));
            selection.ranks = common.fold(0, |ranks, rank| ranks | 1 << rank);
        }
        let selected = outcomes.iter().filter(|outcome| selection.contains(from, outcome));
        selection.scale = 1.0 / selected.map(|outcome| outcome.probability).sum::<f64>();
        selection
    }
}

impl Selection {
    #[inline(always)]
    pub fn iter(
        self,
        from: Afterstate,
        outcomes: &[Outcome],
    ) -> impl Iterator<Item = (f64, State)> {
        let selected = outcomes.iter().filter(move |outcome| self.contains(from, outcome));
        selected.map(move |outcome| (outcome.probability * self.scale, outcome.state))
    }

    #[inline(always)]
    fn contains(&self, from: Afterstate, outcome: &Outcome) -> bool {
        self.all
            || match self.cells {
                0 => outcome.probability >= self.min_probability,
                _ => self.ranks >> self.rank(from, outcome.state) & 1 != 0,
            }
    }

    /// Returns the low four bits of the rank that entered, in the first cell that changed.
    #[inline(always)]
    fn rank(&self, from: Afterstate, to: State) -> usize {
        let changed = (from.bits() ^ to.bits()) & self.cells;
        (changed >> (changed.trailing_zeros() & 0x7c)) as usize & 15
    }
}
