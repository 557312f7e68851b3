//! The recorded games of a tournament, and the times of its moves.

use super::{PLAYERS, RESUME};
use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

impl Place {
    /// Returns the files of records of a folder, sorted.
    fn record_files(&self, folder: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// Returns the recorded games of a folder as lines, sorted; each file must be complete.
    pub fn recorded(&self, folder: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for file in self.record_files(folder) {
            let file = file.to_str().unwrap();
            assert!(file.ends_with(".rec"), "{file}");
            self.done(format!("replay verify '{file}'"));
            let exported = self.done(format!("replay export '{file}'"));
            lines.extend(exported.out.lines().map(str::to_owned));
        }
        lines.sort();
        lines
    }
}

#[test]
fn every_game_is_recorded_once_however_often_the_tournament_is_resumed() {
    let place = Place::new();
    let run = |line: &str| drop(place.done(format!("{PLAYERS} --out {line}")));
    run("whole --records --games 30");
    let whole = place.recorded("whole/records");
    assert_eq!((place.record_files("whole/records").len(), whole.len()), (6, 180));
    // The records are those of the results.
    let results = place.results("whole");
    for line in &whole {
        let game: Value = serde_json::from_str(line).unwrap();
        let (number, seed) = (&game["number"], &game["seed"]);
        let result = results.iter().find(|result| {
            result.contains(&format!("\"number\":{number},"))
                && result.contains(&format!("\"seed\":{seed}}}"))
        });
        assert!(result.unwrap().contains(&format!("\"score\":{}", game["score"])), "{line}");
    }

    run("t --records --games 10 --threads 1");
    run("t --records --games 20 --resume");
    // The folder says that the games are recorded.
    place.done(format!("{RESUME} --games 30"));
    assert_eq!(place.recorded("t/records"), whole);
    assert_eq!(place.results("t"), results);
    // An unrecorded run plays the same games.
    run("u --games 30");
    assert_eq!(place.results("u"), results);
    let later = place.done(format!("{PLAYERS} --out u --games 30 --resume --records"));
    assert!(later.err.contains("180 games that were played before have no record"), "{later:?}");
}

#[test]
fn records_of_a_killed_run_are_taken_over() {
    let place = Place::new();
    place.tournament("--records --games 20");
    let whole = place.recorded("t/records");
    // As if the run had been killed: files without their ends, one in the middle of a game, and
    // one of a game whose result was not written.
    for file in place.record_files("t/records") {
        let bytes = fs::read(&file).unwrap();
        let partial = file.with_extension("rec.partial");
        fs::write(partial, &bytes[..bytes.len() - 16]).unwrap();
        fs::write(file.with_extension("rec.2.partial"), "").unwrap();
        fs::remove_file(file).unwrap();
    }
    let results = place.text("t/results.jsonl");
    let kept: Vec<_> = results.lines().take(100).collect();
    fs::write(place.path("t/results.jsonl"), kept.join("\n") + "\n").unwrap();
    let resumed = place.tournament("--records --games 20 --resume");
    assert!(!resumed.err.contains("not recorded"), "{resumed:?}");
    assert_eq!(place.recorded("t/records"), whole);
}

/// As if a run had been killed after it wrote a record and before it wrote the result, of a player
/// that played the game another way when it was played again.
#[test]
fn record_of_a_game_that_was_played_again_is_left_out() {
    let place = Place::new();
    place.tournament("--records --games 5");
    let whole = place.recorded("t/records");
    let files = place.record_files("t/records");
    let other = fs::read(&files[0]).unwrap();
    for file in &files[1..] {
        // The games of another player, without the end of the file.
        fs::write(file.with_extension("rec.partial"), &other[..other.len() - 16]).unwrap();
    }
    let resumed = place.done(RESUME);
    assert!(!resumed.err.contains("no record"), "{resumed:?}");
    assert_eq!(place.recorded("t/records"), whole);
}

#[test]
fn damaged_records_are_named_and_kept() {
    let place = Place::new();
    place.tournament("--records --games 5");
    let resume = format!("{RESUME} --games 6");
    let (results, files) = (place.text("t/results.jsonl"), place.record_files("t/records"));
    let file = &files[3];
    let mut flipped = fs::read(file).unwrap();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    fs::write(file, &flipped).unwrap();
    let refused = place.sh(&resume);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let name = file.file_name().unwrap().to_str().unwrap();
    for expected in [name, "is damaged", "remove it"] {
        assert!(refused.error().contains(expected), "{expected}: {refused:?}");
    }
    assert_eq!(fs::read(file).unwrap(), flipped);
    assert_eq!(place.text("t/results.jsonl"), results);
    // A record of another game.
    fs::copy(&files[0], file).unwrap();
    assert!(place.sh(&resume).error().contains("another score"));
    assert_eq!(place.record_files("t/records"), files);
    fs::remove_file(file).unwrap();
    let resumed = place.done(&resume);
    assert!(resumed.err.contains("5 games that were"), "{resumed:?}");
    let homeless = place.sh(format!("{PLAYERS} --records"));
    assert!(homeless.code == Some(2) && homeless.error().contains("--out"), "{homeless:?}");
}

#[test]
fn shards_are_recorded_as_one_machine_does() {
    let place = Place::new();
    let file = "(game: [2048(rows: 3, cols: 3)], agent: [rows, random], games: 25, records: true)";
    fs::write(place.path("t.ron"), file).unwrap();
    place.done("tournament t.ron --out whole");
    place.done("shards plan t.ron --shards 3");
    let run = |shard: u32| place.done(format!("shards run t.json --shard {shard}"));
    for shard in [1, 2, 3, 3] {
        run(shard);
    }
    place.done("shards merge t.json --out merged");
    assert_eq!(place.recorded("merged/records"), place.recorded("whole/records"));
    // Results without their records are named, and not merged.
    fs::remove_dir_all(place.path("t.shards/shard-2.records")).unwrap();
    let again = run(2);
    assert!(again.err.contains("have no record in t.shards/shard-2.records"), "{again:?}");
    // 50 games in three shards: the second has 17.
    assert_snapshot!(place.transcript("shards merge t.json --out other"));
    fs::remove_file(place.path("t.shards/shard-2.jsonl")).unwrap();
    run(2);
    place.done("shards merge t.json --out other");
    assert_eq!(place.recorded("other/records"), place.recorded("whole/records"));
}

#[test]
fn percentile_of_the_time_is_that_of_moves() {
    let place = Place::new();
    let report = place.json(
        "tournament --out t --game '2048(rows: 3, cols: 3)' --agent 'slow=mcts(simulations: 300)' \
         rows --games 10",
    );
    for row in report["rows"].as_array().unwrap() {
        let time = &row["seconds_per_move"];
        let [mean, p99] = ["mean", "p99"].map(|name| time[name].as_f64().unwrap());
        let (timed, moves) = (time["timed"].as_u64().unwrap(), row["moves"].as_u64().unwrap());
        match row["agent"].as_str().unwrap() {
            // Every move of a slow agent is timed.
            "slow" => assert!(p99 > mean && timed == moves, "{row}"),
            _ => assert!(p99 > 0.0 && (1..moves).contains(&timed), "{row}"),
        }
    }
}
