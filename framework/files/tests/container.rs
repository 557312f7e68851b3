//! Containers are read back as written; damaged, truncated and other files are refused.

use proptest::prelude::*;
use runner_files::container::{self, BLOCK, Header};
use runner_files::{Container, ContainerProblem};
use std::io::Write;

fn header(sections: &[Vec<u8>]) -> Header {
    let header = Header {
        kind: "model".into(),
        game: "2048(rows: 4)".into(),
        spec: "td".into(),
        ..Header::default()
    };
    (sections.iter().enumerate())
        .fold(header, |header, (k, bytes)| header.section(&format!("part {k}"), bytes.len() as u64))
        .with("moves", 12)
}

fn written(sections: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    let fill = |out: &mut container::Writer<_>| sections.iter().try_for_each(|s| out.write_all(s));
    container::write(&mut file, &header(sections), fill).unwrap();
    file
}

fn open(bytes: &[u8]) -> Result<Container<&[u8]>, runner_files::ContainerError> {
    Container::new(bytes, "a.model")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sections_are_read_back_as_written(
        sections in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3000), 0..4)
    ) {
        let file = written(&sections);
        let container = open(&file).unwrap();
        prop_assert_eq!(container.header(), &header(&sections));
        container.verify().unwrap();
        for (k, section) in sections.iter().enumerate() {
            prop_assert_eq!(&container.read_section(&format!("part {k}")).unwrap(), section);
        }
    }
}

#[test]
fn a_range_is_read_across_blocks_and_each_of_its_blocks_is_checked() {
    let bytes: Vec<u8> = (0..3 * BLOCK + 10).map(|k| (k / 1000) as u8).collect();
    let file = written(&[vec![5; 3], bytes.clone()]);
    let container = open(&file).unwrap();
    let size = BLOCK as u64;
    let ends = [0, 1, size - 1, size, size + 1, 2 * size + 7, 3 * size + 9, 3 * size + 10];
    for start in ends {
        for end in ends.into_iter().filter(|&end| end >= start) {
            let mut buffer = Vec::new();
            let read = container.read_range(1, start..end, &mut buffer).unwrap();
            assert!(read == &bytes[start as usize..end as usize], "{start}..{end}");
            assert!(buffer.len() <= 4 * BLOCK);
        }
    }
    let mut bad = file.clone();
    // The second block of the second section; 4 blocks there, and one before it.
    let data = file.len() - 4 * 5 - 4 - bytes.len();
    bad[data + BLOCK] ^= 1;
    let container = open(&bad).unwrap();
    let read =
        |range: std::ops::Range<u64>| container.read_range(1, range, &mut Vec::new()).is_ok();
    assert!(read(0..size) && read(2 * size..3 * size));
    assert!(!read(0..size + 1) && !read(2 * size - 1..2 * size) && !read(0..3 * size));
}

/// Opens a container and reads all of it.
fn whole(bytes: &[u8]) -> Result<(), ContainerProblem> {
    open(bytes).and_then(|container| container.verify()).map_err(|error| error.problem)
}

#[test]
fn every_flipped_bit_and_every_truncation_is_detected() {
    let file = written(&[vec![7; 40], vec![9; 3]]);
    whole(&file).unwrap();
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut bad = file.clone();
            bad[at] ^= 1 << bit;
            assert!(whole(&bad).is_err(), "bit {bit} of byte {at}");
        }
        assert!(whole(&file[..at]).is_err(), "truncated at {at}");
    }
    let longer = [file.as_slice(), &[0]].concat();
    assert!(matches!(whole(&longer), Err(ContainerProblem::Length { .. })));
}

#[test]
fn messages_name_the_file_and_the_problem() {
    let file = written(&[vec![7; 40]]);
    let message = |bytes: &[u8]| {
        let refused = open(bytes).and_then(|container| container.verify());
        refused.unwrap_err().to_string()
    };
    assert!(message(b"PK\x03\x04").starts_with("a.model is not a model"));
    assert!(message(b"").starts_with("a.model is not a model"));
    assert!(message(&file[..60]).starts_with("a.model is truncated: it has 60 bytes"));
    let mut newer = file.clone();
    newer[8] = 2;
    assert!(
        message(&newer)
            .starts_with("a.model has format version 2, and this program reads version 1")
    );
    let mut flipped = file.clone();
    let data = file.len() - 8 - 40;
    flipped[data] ^= 1;
    let expected = "a.model is damaged: checksum mismatch in section `part 0`, bytes 0 to 39";
    assert_eq!(message(&flipped), expected);
}

#[test]
fn declared_sizes_are_checked_against_the_length_of_the_file() {
    let mut file = Vec::new();
    let huge = Header::default().section("a", u64::MAX).section("b", u64::MAX);
    assert!(container::write(&mut file, &huge, |_| Ok(())).is_err(), "the bytes are missing");
    let expected = |problem| match problem {
        ContainerProblem::Length { expected, .. } => expected,
        other => panic!("{other:?}"),
    };
    assert!(expected(whole(&file).unwrap_err()) > u128::from(u64::MAX));
}

#[test]
fn a_writer_needs_exactly_the_bytes_that_its_header_says() {
    let header = Header::default().section("a", 3);
    let write = |bytes: &[u8]| {
        container::write(Vec::new(), &header, |out| out.write_all(bytes)).map_err(|e| e.to_string())
    };
    write(b"abc").unwrap();
    assert_eq!(write(b"ab").unwrap_err(), "section `a` got 2 of its 3 bytes");
    assert_eq!(write(b"abcd").unwrap_err(), "more bytes than the sections have");
}

#[test]
fn empty_file_names_are_named_as_the_reason() {
    let empty = std::path::Path::new("");
    let message = Container::open(empty).unwrap_err().to_string();
    assert_eq!(message, "the file name is empty");
    let error = std::fs::read(empty).map_err(runner_files::FileError::at("read", empty));
    assert_eq!(error.unwrap_err().to_string(), "the file name is empty");
}
