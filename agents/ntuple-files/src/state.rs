//! The handling of the learning state of a model that is read.

use agent_ntuple_network::{Memory, Places, Record};
use std::ops::Range;

/// How the learning state of a model is handled, which may have none.
#[derive(Debug)]
pub enum State<'a, M> {
    Ignored,
    /// It is checked and not stored.
    Checked,
    /// It is checked and stored here. Weights without any get that of a new network.
    Restored(Places<'a, Record<M>>),
}

impl<M: Memory> State<'_, M> {
    pub(crate) fn is_ignored(&self) -> bool {
        matches!(self, Self::Ignored)
    }

    /// Handles weights without learning state.
    pub(crate) fn reset(&self, places: Range<usize>) {
        if let Self::Restored(records) = self {
            places.for_each(|place| records[place].memory.reset());
        }
    }

    /// Handles the words of a weight, which may have none. Returns the first word that is invalid.
    pub(crate) fn set(&self, place: usize, words: &[[u8; 4]]) -> Result<(), u32> {
        if self.is_ignored() {
            return Ok(());
        }
        if words.is_empty() {
            self.reset(place..place + 1);
        }
        for (number, word) in words.iter().enumerate() {
            let word = u32::from_le_bytes(*word);
            if !M::allows(word) {
                return Err(word);
            }
            if let Self::Restored(records) = self {
                records[place].memory.set_word(number, word);
            }
        }
        Ok(())
    }
}
