//! The worths of all afterstates as they lie in a file and, at play, in memory:
//! sorted, each afterstate as its distance from the one before.
//!
//! A file is a container of kind [`KIND`] with two sections. `afterstates` holds
//! the bits of each, less those of the one before and 1 (the first as it is), as
//! numbers of seven bits a byte; `worths` holds an `f32` for each, in the same
//! order. The fact `canonical` says whether one afterstate stands for all its
//! images under the symmetries of the board's geometry.

use crate::Worths;
use runner_files::container::{self, ReadAt, Writer};
use runner_files::{Container, ContainerError, FileError, Header, Problem, replace, varint};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What the header of such a file calls it.
const KIND: &str = "exact worths";
const AFTERSTATES: &str = "afterstates";
const WORTHS: &str = "worths";
const CANONICAL: &str = "canonical";

/// The position of every so many afterstates is known.
const STEP: usize = 64;

/// The distances from one afterstate to the next.
fn distances(worths: &Worths) -> impl Iterator<Item = u128> {
    let mut least = 0;
    worths.iter().map(move |(bits, _)| {
        let distance = bits - least;
        least = bits.wrapping_add(1);
        distance
    })
}

/// Writes a file of worths for the game with this resolved spec, whose facts are
/// told besides. Returns its size.
pub fn save(
    path: &Path,
    game: &str,
    facts: &[(&str, String)],
    worths: &Worths,
) -> Result<u64, FileError> {
    let afterstates: usize = distances(worths).map(varint::length).sum();
    let mut header = Header {
        kind: KIND.to_owned(),
        game: game.to_owned(),
        spec: "exact".to_owned(),
        ..Header::default()
    }
    .section(AFTERSTATES, afterstates as u64)
    .section(WORTHS, 4 * worths.len() as u64)
    .with(CANONICAL, worths.canonical);
    for (fact, value) in facts {
        header = header.with(fact, value);
    }
    replace(path, |file| {
        container::write(&mut *file, &header, |out| fill(out, worths))?;
        file.flush()?;
        Ok(file.get_ref().metadata()?.len())
    })
}

fn fill<W: Write>(out: &mut Writer<W>, worths: &Worths) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let mut bytes = Vec::new();
    for distance in distances(worths) {
        bytes.clear();
        varint::push(distance, &mut bytes);
        out.write_all(&bytes)?;
    }
    worths.iter().try_for_each(|(_, worth)| out.write_all(&worth.to_le_bytes()))?;
    out.flush()
}

/// The worths of all afterstates that play can reach, in not much more memory than
/// their file takes.
#[derive(Debug)]
pub struct PackedWorths {
    canonical: bool,
    /// Every so many afterstates ([`STEP`]) one with its bits, and where the
    /// distance to the next lies.
    marks: Vec<Mark>,
    distances: Vec<u8>,
    worths: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    bits: u128,
    next: usize,
}

impl PackedWorths {
    /// Opens a file that was written for the game with this resolved spec.
    pub fn open(path: &Path, game: &str) -> Result<Self, ContainerError> {
        Self::read(&Container::open(path)?, game)
    }

    /// Reads a container that was written for the game with this resolved spec.
    pub fn read<R: ReadAt>(file: &Container<R>, game: &str) -> Result<Self, ContainerError> {
        let header = file.header();
        if header.kind != KIND {
            return Err(file.unsuitable(format!(
                "is of kind `{}`; one that `runner solve --save FILE` has written is needed",
                header.kind
            )));
        }
        if header.game != game {
            return Err(file.unsuitable(format!(
                "is of the game {}, and {game} is to be played",
                header.game
            )));
        }
        let canonical = match header.fact(CANONICAL) {
            Some("true") => true,
            Some("false") => false,
            other => {
                let found = other.unwrap_or("nothing");
                return Err(damaged(file, format!("its header says {found} of `{CANONICAL}`")));
            }
        };
        let worths = Self::worths(file)?;
        let distances = file.read_section(AFTERSTATES)?;
        let marks = Self::marks(&distances, worths.len()).map_err(|why| damaged(file, why))?;
        Ok(Self { canonical, marks, distances, worths })
    }

    fn worths<R: ReadAt>(file: &Container<R>) -> Result<Vec<f32>, ContainerError> {
        let (section, bytes) = file.find(WORTHS)?;
        if !bytes.is_multiple_of(4) {
            return Err(damaged(file, format!("{bytes} bytes of worths are not four for each")));
        }
        // The file is as long as it says: this is no more than its size.
        let mut worths = Vec::with_capacity(bytes as usize / 4);
        file.read_blocks(section, |_, block| {
            let all = block.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
            worths.extend(all);
            Ok(())
        })?;
        match worths.iter().position(|worth| !worth.is_finite()) {
            None => Ok(worths),
            Some(at) => Err(damaged(file, format!("worth number {at} is no finite number"))),
        }
    }

    /// Goes through all distances, which must be those of so many afterstates.
    fn marks(distances: &[u8], count: usize) -> Result<Vec<Mark>, String> {
        let mut marks = Vec::with_capacity(count.min(distances.len()).div_ceil(STEP));
        let (mut at, mut least) = (0, Some(0u128));
        for number in 0..count {
            let distance = varint::read(distances, &mut at)
                .map_err(|why| format!("afterstate {number} of {count} cannot be read: {why}"))?;
            let bits = least.and_then(|least| least.checked_add(distance));
            let bits = bits.ok_or_else(|| format!("afterstate {number} has more than 128 bits"))?;
            if number.is_multiple_of(STEP) {
                marks.push(Mark { bits, next: at });
            }
            least = bits.checked_add(1);
        }
        match distances.len() - at {
            0 => Ok(marks),
            more => Err(format!("{more} bytes follow the last of {count} afterstates")),
        }
    }

    /// Whether one afterstate stands for all its images under the symmetries of the
    /// board's geometry: then it is asked for by the least of them.
    pub fn canonical(&self) -> bool {
        self.canonical
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.worths.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.worths.is_empty()
    }

    /// What an afterstate with these bits is worth, if play can reach it.
    pub fn find(&self, bits: u128) -> Option<f32> {
        let mark = self.marks.partition_point(|mark| mark.bits <= bits).checked_sub(1)?;
        let Mark { bits: mut here, next: mut at } = self.marks[mark];
        let first = mark * STEP;
        let last = (first + STEP).min(self.worths.len());
        for number in first..last {
            if here >= bits {
                return (here == bits).then(|| self.worths[number]);
            }
            if number + 1 < last {
                here += varint::read(&self.distances, &mut at).ok()? + 1;
            }
        }
        None
    }
}

fn damaged<R: ReadAt>(file: &Container<R>, why: String) -> ContainerError {
    file.error(Problem::Damaged(why))
}
