//! N-tuple networks: tuples of cells, each with a table of weights that is read once for
//! every symmetry of the board, and features of the board, each with a table that is read once.
//!
//! In dependency order: [`Tuple`] and the presets, [`Feature`], their text form, the [`Stages`]
//! of a game, [`Network`], then the [`Lookup`] that turns a position into the indices of its
//! weights. [`Folding`] finds redundant tuples.

mod cellwise;
mod default;
mod definition;
mod digits;
mod feature;
mod feature_tables;
mod folding;
mod index;
mod layout;
mod lookup;
mod preset;
mod ranks;
mod symmetry;
mod table;
mod text;
mod tuple;

pub use default::{default_text, is_whole_board};
pub use definition::Network;
pub use digits::{Digit, digits};
pub use feature::{Feature, MAX_COUNT};
pub use folding::Folding;
pub use index::WeightIndex;
pub use lookup::{ASCENDING, INNER_FIRST, Lookup, MAX_TUPLES};
pub use runner_core::board::{MAX_STAGES, Stages};
pub use tuple::{Tuple, USUAL_ALPHABET};
