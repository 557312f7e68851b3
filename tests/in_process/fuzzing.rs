//! Readers of bytes from outside get mutated inputs: each input is read or refused, without a panic. The
//! fuzz targets of the crates cover models, records, tables and specs; here are the other readers.
//!
//! `RUNNER_FUZZ_INPUTS` is the number of inputs of each reader [default: 500], `RUNNER_FUZZ_SECONDS`
//! the time after which it gets no more [default: none].

mod models;
mod pages;

use crate::plays::{game, linked};
use runner_core::{Game, Random, Seed};
use runner_experiment::Experiment;
use runner_play::registry::Registry;
use runner_protocol::{drive, read_action};
use runner_spec::read_document;
use runner_tournament::Tournament;
use runner_training::Point;
use runner_tuning::TuningFile;
use std::path::Path;
use std::time::{Duration, Instant};

type Read<'a> = &'a dyn Fn(&[u8]);

/// Reads a position of a game; one that is read is written as a text that reads as the same one.
fn position(rules: &impl Game, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(state) = rules.parse(text) {
        assert_eq!(rules.parse(&rules.write(state)), Ok(state), "{text:?}");
    }
}

/// Writes a new file: some file systems take milliseconds to overwrite one.
fn write(path: &Path, bytes: &[u8]) {
    let _ = std::fs::remove_file(path);
    std::fs::write(path, bytes).unwrap();
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        bytes.push(random.word() as u8);
    }
    let at = random.below(bytes.len() as u32) as usize;
    let end = bytes.len().min(at + 1 + random.below(16) as usize);
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = b"0-9.\"({[:,]})\x00\x7f\xff"[random.below(16) as usize],
        2 => bytes.truncate(at),
        3 => bytes.insert(at, random.word() as u8),
        4 => drop(bytes.drain(at..end)),
        // Parts that are repeated nest, and numbers grow.
        _ => {
            let part = bytes[at..end].repeat(1 + random.below(40) as usize);
            drop(bytes.splice(at..end, part));
        }
    }
}

/// Reads mutations of the seeds, and prints their number.
fn fuzz(name: &str, seeds: &[impl AsRef<[u8]>], read: Read<'_>) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let inputs = number("RUNNER_FUZZ_INPUTS").unwrap_or(500);
    let limit = number("RUNNER_FUZZ_SECONDS").map_or(Duration::MAX, Duration::from_secs);
    let (mut random, start, mut done) = (Random::stream(Seed(1), 0), Instant::now(), 0);
    while done < inputs && start.elapsed() < limit {
        let seed = &seeds[random.below(seeds.len() as u32) as usize];
        let mut bytes = seed.as_ref().to_vec();
        (0..=random.below(4)).for_each(|_| mutate(&mut bytes, &mut random));
        read(&bytes);
        done += 1;
    }
    println!("{name}: {done} inputs in {:.0} s", start.elapsed().as_secs_f64());
}

fn positions(registry: &std::sync::Arc<Registry>) {
    for (name, seed) in [
        ("2048", "0,2,0,0/0,0,0,0/0,0,2,0/0,0,0,32768"),
        ("2048(rows: 5, cols: 5)", "0,2,0,0,0/0,0,0,0,0/0,0,2,0,0/0,0,0,32768,0/0,0,0,0,0"),
        ("1024", "0,1,0,0/0,0,0,0/0,0,2,0/0,0,0,512"),
        ("threes", "1,2,0,3/0,0,0,0/0,0,3,0/0,0,0,96 next=2 bag=3,3,4"),
    ] {
        let rules = game(registry, name).rules;
        fuzz(&format!("positions of {name}"), &[seed], &|bytes| position(&*rules, bytes));
    }
}

#[test]
fn readers_refuse_what_they_cannot_read() {
    let registry = linked();
    positions(&registry);
    models::models(&registry);
    pages::pages(&registry);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fuzz(
        "tournaments",
        &[
            "(title: \"a\", game: [2048, (label: \"b\", game: threes)], agent: [random], games: 10, \
           seed: 3, game_time: \"1s\", inputs: [(name: \"a\", size: 1, checksum: \"ab\")])",
        ],
        &|bytes| drop(read_document::<Tournament>(&String::from_utf8_lossy(bytes))),
    );
    fuzz(
        "experiments",
        &["(title: \"a\", game: 2048, seeds: 2, evaluations: [(name: \"e\", games: 3)], \
           configurations: [(name: \"c\", agent: table, moves: \"20k\", paper: {\"e\": (mean: 1)})])"],
        &|bytes| {
            if let Ok(read) = read_document::<Experiment>(&String::from_utf8_lossy(bytes)) {
                let _ = read.check();
            }
        },
    );
    fuzz(
        "points of curves",
        &[
            "{\"training\":{\"game\":\"2048\",\"agent\":\"a\",\"seed\":1},\"moves\":1,\"episodes\":2,\
           \"seconds\":0.5,\"mean\":1e3,\"window\":5,\"reached\":{\"8\":0.5}}",
        ],
        &|bytes| drop(serde_json::from_slice::<Point>(bytes)),
    );
    let tuning = "{\"game\":\"2048\",\"agent\":\"rows\",\"inputs\":[],\"axes\":[{\"path\":\"empty\",\
                  \"start\":1,\"lower\":null,\"upper\":null,\"scale\":\"linear\",\"is_whole\":false}],\
                  \"games\":3,\"step\":0.3,\"seed\":1}\n{\"means\":[1,2,null,3],\"seconds\":1}\n";
    fuzz("files of tunings", &[tuning], &|bytes| {
        write(&path, bytes);
        drop(TuningFile::lock(&path).unwrap().resume(&path));
    });
    let rules = game(&registry, "2048").rules;
    let answers = [r#"{"action":1}"#, r#"{"action":"left"}"#, r#"{"action":null}"#];
    fuzz("answers of programs", &answers, &|bytes| {
        if let Ok(answer) = serde_json::from_slice(bytes) {
            let _ = read_action(&answer, rules.description());
        }
    });
    let requests = [
        "{\"type\":\"reset\",\"seed\":1}\n{\"type\":\"step\",\"action\":0}\n",
        "{\"type\":\"reset\",\"game\":3}\n{\"type\":\"step\",\"action\":\"up\"}\n{\"type\":\"show\"}\n",
    ];
    fuzz("requests of programs", &requests, &|bytes| {
        let _ = drive(&*rules, "2048", Seed(1), bytes, std::io::sink());
    });
}
