//! Which cells a network looks at: tuples of cells, each with a table of its own,
//! read once for every symmetry of the board.

mod images;
mod layout;
mod lookup;
mod presets;
mod text;

pub use lookup::{ASCENDING, INNER_FIRST, Lookup, MAX_TUPLES, Place};

use runner_core::BuildError;
use runner_core::board::Geometry;

/// How many ranks a cell is told apart by where nobody says otherwise: what four
/// bits can hold, which the fastest way of looking up is for.
pub const USUAL_ALPHABET: usize = 16;

/// How many ranks a cell of any board can have.
const MAX_RANKS: usize = 32;

/// No tuple has more cells (and extra_fields): its table alone would have 16^8 weights.
const MAX_CELLS: usize = 8;

/// Some cells of a board, in ascending order, with a table of weights for all
/// that can lie in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuple {
    /// The cells, counted row by row.
    pub cells: Vec<u8>,
    /// What else its table tells apart: extra_fields of the
    /// [`Geometry`], by number.
    pub extra_fields: Vec<usize>,
    /// Whether it is read where it stands only, and not in every symmetry.
    pub fixed: bool,
}

/// The tuples of a network on one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    tuples: Vec<Tuple>,
    text: String,
    alphabet: usize,
    actions: usize,
}

impl Network {
    /// Reads a network's name, or its tuples, for a board:
    ///
    /// - a preset: `4x6`, `8x6`, `17x4`;
    /// - shapes, joined by `-`: `42-33` is every place of a row of four above a row
    ///   of two, and of two rows of three, that symmetry tells apart;
    /// - tuples: the cells of a board of at most 16 as hexadecimal digits (`012345`),
    ///   or, of any board, as numbers in parentheses (`(0,1,5,6)`);
    /// - several of these with spaces between.
    ///
    /// A tuple followed by `+NAME` also tells apart what the game says by that
    /// name (the announced tile of Threes: `0123+next`); one followed by `!` is
    /// read where it stands only.
    pub fn read(text: &str, board: &Geometry) -> Result<Self, BuildError> {
        let tuples = text::read(text, board)?;
        let text = text::write(&tuples, board);
        Ok(Self { text, tuples, alphabet: USUAL_ALPHABET, actions: 1 })
    }

    /// The same with so many ranks told apart in a cell: those above the last are
    /// taken for it.
    pub fn with_alphabet(self, alphabet: usize, board: &Geometry) -> Result<Self, BuildError> {
        let most = board.values.len().max(USUAL_ALPHABET);
        match (2..=most).contains(&alphabet) {
            true => Ok(Self { alphabet, ..self }),
            false => Err(BuildError::of(
                "alphabet",
                format!("2 to {most} ranks can be told apart on this board, and not {alphabet}"),
            )),
        }
    }

    /// The same with tables of its own for each of so many actions.
    pub fn with_actions(self, actions: usize) -> Self {
        Self { actions, ..self }
    }

    /// The network for players who name none: the field's four 6-tuples where
    /// they fit, and on smaller boards the shapes that do; on the smallest, the whole
    /// board.
    pub fn default_text(board: &Geometry) -> String {
        presets::default_text(board)
    }

    /// What every position is thought to be worth at first, for players who name no
    /// network, on boards that need such a thought.
    pub fn default_optimism(board: &Geometry) -> Option<f32> {
        presets::default_optimism(board)
    }

    /// The tuples.
    pub fn tuples(&self) -> &[Tuple] {
        &self.tuples
    }

    /// How many ranks are told apart in a cell.
    pub fn alphabet(&self) -> usize {
        self.alphabet
    }

    /// How many actions have tables of their own; 1 where actions are not told apart.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// How many weights a tuple's table has.
    pub(crate) fn table(&self, tuple: &Tuple, board: &Geometry) -> u64 {
        let extra_fields: u32 =
            tuple.extra_fields.iter().map(|&mark| board.extra_fields[mark].bits).sum();
        (self.alphabet as u64).pow(tuple.cells.len() as u32) << extra_fields
    }

    /// The tuples as text: the same for the same network, however it was named.
    pub fn text(&self) -> &str {
        &self.text
    }
}
