//! A section that is cut into pieces, so that several threads share the work. The section `pieces`
//! has the length of each in bytes (u32), and another section has the pieces in order.

use agent_ntuple_network::threads::each;
use runner_core::Host;
use runner_files::container::{Header, ReadAt};
use runner_files::{Container, ContainerError};
use std::ops::Range;

const LENGTHS: &str = "pieces";

/// About the maximum number of bytes that are read together: about four blocks of the container.
const READ_BYTES: u64 = 4 << 20;

/// Maximum number of pieces that are read together, so that all threads have work in small files.
const READ_PIECES: usize = 64;

/// Returns the places of the weights of a piece. All pieces but the last one have `size` weights.
pub fn places(piece: usize, size: usize, weights: usize) -> Range<usize> {
    piece * size..weights.min((piece + 1) * size)
}

/// Adds the section of lengths and the section `data` of the pieces to a header. Returns the
/// header and the bytes of the section of lengths.
pub fn sections(
    header: Header,
    data: &str,
    lengths: impl Iterator<Item = usize> + Clone,
) -> (Header, Vec<u8>) {
    let total = lengths.clone().map(|length| length as u64).sum();
    let bytes: Vec<u8> = lengths.flat_map(|length| (length as u32).to_le_bytes()).collect();
    (header.section(LENGTHS, bytes.len() as u64).section(data, total), bytes)
}

/// Where the pieces of a container are.
pub struct Pieces {
    /// The number of the section with the pieces.
    section: usize,
    /// The range of bytes of each piece within the section.
    ranges: Vec<Range<u64>>,
}

impl Pieces {
    /// Reads the section of lengths, which must have `count` of them.
    pub fn open<S: ReadAt>(
        container: &Container<S>,
        data: &str,
        count: usize,
    ) -> Result<Self, ContainerError> {
        let damaged = |what: String| Err(container.damaged(what));
        let lengths = container.read_section(LENGTHS)?;
        let (section, bytes) = container.find(data)?;
        let (listed, rest) = lengths.as_chunks::<4>();
        if listed.len() != count || !rest.is_empty() {
            let bytes = lengths.len();
            return damaged(format!("it lists {bytes} bytes of lengths, and has {count} pieces"));
        }
        let (mut ranges, mut end) = (Vec::with_capacity(count), 0);
        for length in listed {
            let start = end;
            end += u64::from(u32::from_le_bytes(*length));
            ranges.push(start..end);
        }
        if end != bytes {
            return damaged(format!("its pieces would have {end} bytes, and there are {bytes}"));
        }
        Ok(Self { section, ranges })
    }

    /// Calls `work` with the number and bytes of every piece and the scratch value of its thread.
    pub fn each<S: ReadAt, T: Default>(
        &self,
        container: &Container<S>,
        host: &dyn Host,
        work: impl Fn(usize, &[u8], &mut T) -> Result<(), ContainerError> + Sync,
    ) -> Result<(), ContainerError> {
        let groups = self.groups();
        each(host, groups.len(), |number, (buffer, scratch): &mut (Vec<u8>, T)| {
            let pieces = groups[number].clone();
            let ranges = &self.ranges[pieces.clone()];
            let start = ranges[0].start;
            let all = start..ranges[ranges.len() - 1].end;
            let read = container.read_range(self.section, all, buffer)?;
            for (piece, range) in pieces.zip(ranges) {
                let bytes = &read[(range.start - start) as usize..(range.end - start) as usize];
                work(piece, bytes, scratch)?;
            }
            Ok(())
        })
    }

    /// Divides the pieces into groups that are read together.
    fn groups(&self) -> Vec<Range<usize>> {
        let (mut groups, mut first) = (Vec::new(), 0);
        for piece in 0..self.ranges.len() {
            let bytes = self.ranges[piece].end - self.ranges[first].start;
            if piece > first && (bytes > READ_BYTES || piece - first == READ_PIECES) {
                groups.push(first..piece);
                first = piece;
            }
        }
        if first < self.ranges.len() {
            groups.push(first..self.ranges.len());
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_every_piece_once_and_are_of_limited_size() {
        for lengths in [vec![0; 200], vec![READ_BYTES / 3; 20], vec![2 * READ_BYTES, 0, 5], vec![]]
        {
            let mut end = 0;
            let range = |length: &u64| {
                end += length;
                end - length..end
            };
            let pieces = Pieces { section: 0, ranges: lengths.iter().map(range).collect() };
            let groups = pieces.groups();
            let all: Vec<usize> = groups.iter().cloned().flatten().collect();
            assert!(all.into_iter().eq(0..lengths.len()));
            for group in groups {
                let bytes: u64 = lengths[group.clone()].iter().sum();
                assert!(group.len() == 1 || bytes <= READ_BYTES && group.len() <= READ_PIECES);
            }
        }
    }
}
