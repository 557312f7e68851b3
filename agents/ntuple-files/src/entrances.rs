//! The section of a checkpoint with the entrances of stages, for restarts.
//!
//! For each stage after the first:
//!
//! ```text
//! count            u64, how often games have entered the stage
//! kept             u64, the number of entrances that follow
//! entrances        a position (u64 low, u64 high) and its score (f64) each, oldest first
//! ```

use crate::contents::{History, StageEntrances};
use runner_core::{Start, State};
use runner_files::container::{Header, ReadAt};
use runner_files::{Container, ContainerError};

const SECTION: &str = "stage entrances";

/// Bytes of `count` and `kept`.
const NUMBERS: usize = 16;
/// Bytes of an entrance.
const ENTRANCE: usize = 24;

/// Adds the section to a header, if a game has entered a stage, and returns its bytes too.
pub fn with_entrances(header: Header, history: &History) -> (Header, Vec<u8>) {
    let mut bytes = Vec::new();
    if history.entrances.iter().all(|stage| stage.count == 0) {
        return (header, bytes);
    }
    for stage in &history.entrances {
        bytes.extend(stage.count.to_le_bytes());
        bytes.extend((stage.recent.len() as u64).to_le_bytes());
        for start in &stage.recent {
            bytes.extend(start.state.lo.to_le_bytes());
            bytes.extend(start.state.hi.to_le_bytes());
            bytes.extend(start.score.to_le_bytes());
        }
    }
    (header.section(SECTION, bytes.len() as u64), bytes)
}

/// Reads the entrances. Returns no stages if the model does not have the section.
pub fn read<S: ReadAt>(container: &Container<S>) -> Result<Vec<StageEntrances>, ContainerError> {
    if container.find(SECTION).is_err() {
        return Ok(Vec::new());
    }
    let bytes = container.read_section(SECTION)?;
    parse(&bytes).ok_or_else(|| container.damaged(format!("section `{SECTION}` is invalid")))
}

/// Returns `None` if the bytes are not a valid section.
fn parse(mut bytes: &[u8]) -> Option<Vec<StageEntrances>> {
    let word = |bytes: &[u8], number: usize| {
        u64::from_le_bytes(bytes[8 * number..][..8].try_into().expect("8 bytes"))
    };
    let mut stages = Vec::new();
    while !bytes.is_empty() {
        let (numbers, rest) = bytes.split_at_checked(NUMBERS)?;
        let kept = usize::try_from(word(numbers, 1)).ok()?.checked_mul(ENTRANCE)?;
        let (entrances, rest) = rest.split_at_checked(kept)?;
        let start = |bytes: &[u8]| Start {
            state: State::new(word(bytes, 0), word(bytes, 1)),
            score: f64::from_bits(word(bytes, 2)),
        };
        let recent = entrances.chunks_exact(ENTRANCE).map(start).collect();
        stages.push(StageEntrances { count: word(numbers, 0), recent });
        bytes = rest;
    }
    let is_finite = |stage: &StageEntrances| stage.recent.iter().all(|s| s.score.is_finite());
    stages.iter().all(is_finite).then_some(stages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_read_back_and_no_part_of_it_is_a_section() {
        let start = |n: u64| Start { state: State::new(n, n << 60), score: n as f64 };
        let stage =
            |count, kept: u64| StageEntrances { count, recent: (0..kept).map(start).collect() };
        let entrances = vec![stage(7, 3), stage(0, 0), stage(1000, 2)];
        let history = History { entrances: entrances.clone(), ..History::default() };
        let (header, bytes) = with_entrances(Header::default(), &history);
        assert_eq!(header.sections[0].bytes, bytes.len() as u64);
        assert_eq!(parse(&bytes), Some(entrances));
        let ends = [NUMBERS + 3 * ENTRANCE, 2 * NUMBERS + 3 * ENTRANCE];
        for end in (1..bytes.len()).filter(|end| !ends.contains(end)) {
            assert_eq!(parse(&bytes[..end]), None, "{end}");
        }
        let mut infinite = bytes.clone();
        infinite[NUMBERS + 16..][..8].copy_from_slice(&f64::INFINITY.to_le_bytes());
        assert_eq!(parse(&infinite), None);
        // A wrong number of entrances allocates nothing.
        let mut many = bytes;
        many[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(parse(&many), None);
        assert!(with_entrances(Header::default(), &History::default()).1.is_empty());
    }
}
