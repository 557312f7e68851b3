//! Runs the fuzz target's check for one second: models of every format, with some bytes
//! changed, removed or inserted, are loaded or refused.

use crate::any_bytes;
use runner_core::{Random, Seed};
use std::fs;
use std::time::{Duration, Instant};

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        bytes.push(random.word() as u8);
    }
    let at = random.below(bytes.len() as u32) as usize;
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5) as usize],
        2 => bytes.truncate(at),
        3 => bytes.insert(at, random.word() as u8),
        4 => drop(bytes.drain(at..bytes.len().min(at + random.below(16) as usize))),
        _ => {
            let word = random.word().to_le_bytes();
            let end = bytes.len().min(at + 8);
            bytes[at..end].copy_from_slice(&word[..end - at]);
        }
    }
}

#[test]
fn mutated_models_are_loaded_or_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds/models");
    let read = |entry: std::io::Result<fs::DirEntry>| fs::read(entry.unwrap().path()).unwrap();
    let mut seeds: Vec<_> = fs::read_dir(folder).unwrap().map(read).collect();
    assert!(seeds.len() >= 10, "a model of every format");
    seeds.push(Vec::new());
    seeds.iter().for_each(|seed| any_bytes::load(seed));
    let (mut random, began, mut count) = (Random::stream(Seed(1), 0), Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(1) {
        let mut bytes = seeds[random.below(seeds.len() as u32) as usize].clone();
        for _ in 0..=random.below(4) {
            change(&mut bytes, &mut random);
        }
        any_bytes::load(&bytes);
        count += 1;
    }
    println!("{count} inputs");
}
