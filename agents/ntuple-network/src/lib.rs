//! N-tuple networks: tuples of cells, each with a table of weights that is read once for
//! every symmetry of the board, and features of the board, each with a table that is read once.
//!
//! A [`Network`] has [`Tuple`]s, [`Feature`]s and the [`Stages`] of a game. Its [`Lookup`] turns a
//! position into the indices of its weights, which lie in [`Record`]s in [`memory`]; [`Places`]
//! are the records in the order of model files. [`Promotion`] copies weights from stage to stage.
//! [`Estimates`] are the values of positions. [`fold`] removes redundant tuples.
#![deny(unsafe_code)]

mod arrangement;
mod cellwise;
mod default;
mod definition;
mod digits;
mod evaluation;
mod feature;
mod feature_tables;
mod folded;
mod folding;
mod index;
mod lanes;
mod layout;
mod limited_lookup;
mod lookup;
#[allow(unsafe_code)]
pub mod memory;
mod place_map;
mod places;
mod preset;
mod promotion;
mod ranks;
mod shape;
mod stages;
mod step_network;
mod table;
mod text;
pub mod threads;
mod tuple;
mod value_function;
mod weight;

pub use default::{default_text, is_whole_board};
pub use definition::Network;
pub use feature::Feature;
pub use folded::{Folded, fold};
pub use folding::Folding;
pub use index::WeightIndex;
pub use limited_lookup::LimitedLookup;
pub use lookup::{Lookup, MAX_LOOKUPS, MAX_TUPLES, PartOfLookup};
pub use memory::LANES;
pub use places::Places;
pub use promotion::{Inheritance, Initial, Promotion};
pub use shape::{ONE_STAGE, Shape};
pub use stages::{MAX_STAGES, Stages};
pub use step_network::StepNetwork;
pub use tuple::{ALPHABET, Tuple};
pub use value_function::{Estimates, ValueFunction, position};
pub use weight::{Memory, Record, Weight, sum, touched};
