//! The file of afterstate values, and its form in memory during play: the afterstates
//! sorted, each as its difference from the one before.
//!
//! A file is a container of kind [`KIND`] with two sections. `afterstates` holds the bits of each
//! afterstate as a variable-length integer of seven bits per byte: the first as it is, each
//! following one minus its predecessor minus 1. `values` holds the value of each afterstate as an
//! `f32`, in this order. The header fact `canonical` is true if only the least image of each
//! afterstate under the symmetries of the board's geometry is listed.

use runner_files::container::{self, ReadAt};
use runner_files::{
    Container, ContainerError, ContainerProblem, FileError, Header, replace, varint,
};
use std::io::Write;
use std::path::Path;

// Words of the file format.
const KIND: &str = "exact values";
const AFTERSTATES: &str = "afterstates";
const VALUES: &str = "values";
const CANONICAL: &str = "canonical";

/// Number of afterstates per index entry.
const STEP: usize = 64;

/// Writes a file of afterstate values and returns its size in bytes.
///
/// `game` is the resolved spec of the game; `facts` are added to the header.
pub fn save(
    path: &Path,
    game: &str,
    facts: &[(&str, String)],
    values: &PackedValues,
) -> Result<u64, FileError> {
    let PackedValues { canonical, differences, values, .. } = values;
    let mut header = Header {
        kind: KIND.to_owned(),
        game: game.to_owned(),
        spec: "exact".to_owned(),
        ..Header::default()
    }
    .section(AFTERSTATES, differences.len() as u64)
    .section(VALUES, 4 * values.len() as u64)
    .with(CANONICAL, canonical);
    for (fact, value) in facts {
        header = header.with(fact, value);
    }
    replace(path, |file| {
        container::write(&mut *file, &header, |out| {
            out.write_all(differences)?;
            let mut blocks = values.chunks(1 << 14);
            blocks.try_for_each(|values| {
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                out.write_all(&bytes)
            })
        })?;
        file.flush()?;
        Ok(file.get_ref().metadata()?.len())
    })
}

/// The values of all reachable afterstates, in little more memory than their file.
#[derive(Debug)]
pub struct PackedValues {
    canonical: bool,
    /// One entry for every [`STEP`] afterstates.
    index: Vec<IndexEntry>,
    differences: Vec<u8>,
    values: Vec<f32>,
}

/// An afterstate, and the offset of the difference to the next.
#[derive(Clone, Copy, Debug)]
struct IndexEntry {
    bits: u128,
    next: usize,
}

impl PackedValues {
    /// Packs values that are sorted by their afterstates, each of which occurs once.
    pub(crate) fn pack(canonical: bool, sorted: impl Iterator<Item = (u128, f32)>) -> Self {
        let (index, differences, values) = (Vec::new(), Vec::new(), Vec::new());
        let mut packed = Self { canonical, index, differences, values };
        let mut least = 0;
        for (bits, value) in sorted {
            varint::push(bits - least, &mut packed.differences);
            if packed.values.len().is_multiple_of(STEP) {
                packed.index.push(IndexEntry { bits, next: packed.differences.len() });
            }
            packed.values.push(value);
            least = bits.wrapping_add(1);
        }
        packed
    }

    pub fn open(path: &Path, game: &str) -> Result<Self, ContainerError> {
        Self::read(&Container::open(path)?, game)
    }

    /// Reads a container that was written for the game with this resolved spec.
    pub fn read<R: ReadAt>(file: &Container<R>, game: &str) -> Result<Self, ContainerError> {
        let header = file.header();
        if header.kind != KIND {
            return Err(file.unsuitable(format!(
                "is of kind `{}`, not a table that `runner solve` has written",
                header.kind
            )));
        }
        if header.game != game {
            return Err(
                file.unsuitable(format!("was solved for the game {}, not for {game}", header.game))
            );
        }
        let canonical = header.fact(CANONICAL).and_then(|text| text.parse().ok());
        let canonical = canonical.ok_or_else(|| {
            damaged(file, format!("its header fact `{CANONICAL}` is neither true nor false"))
        })?;
        let values = Self::read_values(file)?;
        let differences = file.read_section(AFTERSTATES)?;
        let index =
            Self::build_index(&differences, values.len()).map_err(|why| damaged(file, why))?;
        Ok(Self { canonical, index, differences, values })
    }

    fn read_values<R: ReadAt>(file: &Container<R>) -> Result<Vec<f32>, ContainerError> {
        let (section, bytes) = file.find(VALUES)?;
        if !bytes.is_multiple_of(4) {
            let why = format!("the section `{VALUES}` has {bytes} bytes, not a multiple of 4");
            return Err(damaged(file, why));
        }
        let mut values = file.empty_list(bytes as usize / 4)?;
        file.read_blocks(section, |_, block| {
            values.extend(block.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
            Ok(())
        })?;
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(at) => Err(damaged(file, format!("value {at} is not a finite number"))),
        }
    }

    /// Decodes all differences, which must be those of `count` afterstates.
    fn build_index(differences: &[u8], count: usize) -> Result<Vec<IndexEntry>, String> {
        let mut index = Vec::with_capacity(count.min(differences.len()).div_ceil(STEP));
        let (mut at, mut least) = (0, Some(0u128));
        for number in 0..count {
            let difference = varint::read(differences, &mut at)
                .map_err(|why| format!("afterstate {number} of {count} cannot be read: {why}"))?;
            let bits = least.and_then(|least| least.checked_add(difference));
            let bits = bits.ok_or_else(|| format!("afterstate {number} has more than 128 bits"))?;
            if number.is_multiple_of(STEP) {
                index.push(IndexEntry { bits, next: at });
            }
            least = bits.checked_add(1);
        }
        match differences.len() - at {
            0 => Ok(index),
            more => Err(format!("{more} bytes follow the last of {count} afterstates")),
        }
    }

    /// Returns true if only the least image of each afterstate under the symmetries of
    /// the board's geometry is listed; then [`find`](Self::find) must be given that one.
    pub fn canonical(&self) -> bool {
        self.canonical
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the value of the afterstate with these bits, or `None` if play cannot reach it.
    pub fn find(&self, bits: u128) -> Option<f32> {
        let entry = self.index.partition_point(|entry| entry.bits <= bits).checked_sub(1)?;
        let IndexEntry { bits: mut here, next: mut at } = self.index[entry];
        let first = entry * STEP;
        let last = (first + STEP).min(self.values.len());
        for number in first..last {
            if here >= bits {
                return (here == bits).then(|| self.values[number]);
            }
            if number + 1 < last {
                here += varint::read(&self.differences, &mut at).ok()? + 1;
            }
        }
        None
    }
}

fn damaged<R: ReadAt>(file: &Container<R>, why: String) -> ContainerError {
    file.error(ContainerProblem::Damaged(why))
}
