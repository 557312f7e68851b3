//! The file of afterstate values: a round trip preserves them, and a file whose contents are
//! invalid or of another game is rejected with its name and the reason.

use proptest::prelude::*;
use runner_core::{
    Action, Afterstate, Control, Description, Game, Outcome, Outcomes, SingleThread, State,
    Successors, TextError,
};
use runner_files::container::{self, Header, ReadAt};
use runner_files::{Container, ContainerError};
use runner_solver::{PackedValues, SolveOptions, SolveResources, save, solve};
use std::io::{self, ErrorKind, Write};

/// A game of one move: each action leads to one of the given afterstates, whose value
/// is the reward of its only chance outcome.
struct Choices {
    afterstates: Vec<u128>,
    description: Description,
}

impl Choices {
    fn new(mut afterstates: Vec<u128>) -> Self {
        afterstates.sort_unstable();
        afterstates.dedup();
        let description = Description {
            actions: (0..afterstates.len()).map(|i| i.to_string()).collect(),
            max_outcomes: 1,
            ..Description::default()
        };
        Self { afterstates, description }
    }

    fn value(bits: u128) -> f32 {
        (bits % 1_000_003) as f32
    }
}

impl Game for Choices {
    fn description(&self) -> &Description {
        &self.description
    }
    fn start(&self, _: u64) -> State {
        State::default()
    }
    fn starts(&self) -> Option<Vec<Outcome>> {
        Some(vec![Outcome { state: State::default(), probability: 1.0 }])
    }
    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        if state == State::default() {
            for (i, &bits) in self.afterstates.iter().enumerate() {
                out.push(Action(i as u8), Afterstate::from_bits(bits), 0.0);
            }
        }
    }
    fn outcomes(&self, _: Afterstate, out: &mut Outcomes) {
        out.clear();
        out.push(1.0, State::new(1, 0));
    }
    fn spawn(&self, _: Afterstate, _: u64) -> State {
        State::new(1, 0)
    }
    fn chance_reward(&self, from: Option<Afterstate>, _: State) -> f32 {
        from.map_or(0.0, |from| Self::value(from.bits()))
    }
    fn has_chance_rewards(&self) -> bool {
        true
    }
    fn layer(&self, state: State) -> Option<u64> {
        Some(state.lo)
    }
    fn write(&self, state: State) -> String {
        format!("{state:?}")
    }
    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        format!("{afterstate:?}")
    }
    fn parse(&self, _: &str) -> Result<State, TextError> {
        Ok(State::default())
    }
}

fn solved(game: &Choices) -> PackedValues {
    let resources =
        SolveResources { host: &SingleThread, memory: 1 << 30, report: &|_| Control::Continue };
    let options = SolveOptions { state: None, keep_afterstates: true };
    solve(game, &options, &resources).unwrap().afterstate_values.unwrap()
}

/// Returns the bytes of the file that `save` writes.
fn file(game: &Choices) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let size = save(&path, "choices", &[("states", "2".into())], &solved(game)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, size);
    bytes
}

fn read(bytes: &[u8]) -> Result<PackedValues, ContainerError> {
    PackedValues::read(&Container::new(bytes, "a.exact")?, "choices")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn saved_values_are_found_and_no_others(
        near in prop::collection::vec(0u128..300, 0..40),
        far in prop::collection::vec(0..u128::MAX, 0..20),
    ) {
        let game = Choices::new([near, far].concat());
        let packed = read(&file(&game)).unwrap();
        prop_assert_eq!(packed.len(), game.afterstates.len());
        let around = game.afterstates.iter().flat_map(|&bits| {
            [bits.saturating_sub(1), bits, bits.saturating_add(1)]
        });
        for bits in around.chain(0..300) {
            let expected = game.afterstates.contains(&bits).then(|| Choices::value(bits));
            prop_assert_eq!(packed.find(bits), expected, "{:#x}", bits);
        }
    }
}

/// Returns a container with these sections and valid checksums.
fn sealed(header: Header, afterstates: &[u8], values: &[u8]) -> Vec<u8> {
    let header = header
        .section("afterstates", afterstates.len() as u64)
        .section("values", values.len() as u64);
    let mut bytes = Vec::new();
    container::write(&mut bytes, &header, |out| {
        out.write_all(afterstates)?;
        out.write_all(values)
    })
    .unwrap();
    bytes
}

fn header() -> Header {
    let (kind, game) = ("exact values".to_owned(), "choices".to_owned());
    Header { kind, game, ..Header::default() }.with("canonical", true)
}

/// A long file of which only the head and the checksums were written.
struct Sparse {
    head: Vec<u8>,
    length: u64,
    checksums: Vec<u8>,
}

impl Sparse {
    fn new(afterstates: u64, values: u64) -> Self {
        let header = header().section("afterstates", afterstates).section("values", values);
        let mut head = Vec::new();
        container::write(&mut head, &header, |_| Ok(())).unwrap_err();
        let blocks = afterstates.div_ceil(1 << 20) + values.div_ceil(1 << 20);
        let length = head.len() as u64 + afterstates + values + 4 * blocks + 4;
        let mut checksums = Vec::new();
        if blocks < 1 << 23 {
            checksums.resize(4 * blocks as usize, 0);
            checksums.extend(crc32fast::hash(&checksums).to_le_bytes());
        }
        Self { head, length, checksums }
    }
}

impl ReadAt for Sparse {
    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn read_at(&self, place: u64, out: &mut [u8]) -> io::Result<()> {
        let checksums = self.length - self.checksums.len() as u64;
        match place.checked_sub(checksums) {
            Some(place) => (&self.checksums[..]).read_at(place, out),
            None if place == 0 => (&self.head[..]).read_at(0, out),
            None => Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[test]
fn file_that_claims_more_than_the_memory_is_rejected_by_name() {
    for (afterstates, values) in [(1, 4_000_000_000_000), (4_000_000_000_000, 0), (1, 1 << 62)] {
        let read = |file: Sparse| PackedValues::read(&Container::new(file, "a.exact")?, "choices");
        let error = read(Sparse::new(afterstates, values)).unwrap_err().to_string();
        assert!(error.starts_with("a.exact needs ") && error.contains(" of memory"), "{error}");
    }
}

#[test]
fn invalid_contents_are_rejected_with_the_reason() {
    let one = 1f32.to_le_bytes();
    assert!(read(&sealed(header(), &[5], &one)).is_ok());
    let other = |change: fn(&mut Header)| {
        let mut header = header();
        change(&mut header);
        sealed(header, &[5], &one)
    };
    let too_many = [&[0xff; 18][..], &[3, 0]].concat();
    let two = [one, one].concat();
    for (bytes, reason) in [
        (other(|header| header.kind = "model".into()), "is of kind `model`"),
        (other(|header| header.game = "go".into()), "for the game go, not for choices"),
        (other(|header| header.facts.clear()), "`canonical` is neither true nor false"),
        (
            other(|header| header.facts[0].1 = "perhaps".into()),
            "`canonical` is neither true nor false",
        ),
        (sealed(header(), &[5], &one[..3]), "3 bytes, not a multiple of 4"),
        (sealed(header(), &[5], &two), "afterstate 1 of 2 cannot be read"),
        (sealed(header(), &[0x85], &one), "afterstate 0 of 1 cannot be read"),
        (sealed(header(), &[5, 6], &one), "1 bytes follow the last of 1 afterstates"),
        (sealed(header(), &too_many, &two), "afterstate 1 has more than 128 bits"),
        (sealed(header(), &[5], &f32::NAN.to_le_bytes()), "value 0 is not a finite number"),
        (sealed(header(), &[], &[]).split_off(1), "is not a model or table of this program"),
    ] {
        let error = read(&bytes).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("a.exact"), "{reason:?} in {error:?}");
    }
}
