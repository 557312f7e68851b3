//! Commands that are killed at random moments and run again: what was finished is kept, the result
//! is that of an undisturbed run, and no file is left. `RUNNER_KILLS` is the number of kills of all
//! commands together [default: 49].

use crate::harness::place::Place;
use runner_core::Random;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

struct Killed {
    /// Additional plugin library.
    library: Option<&'static str>,
    /// Files that the command reads, with their contents.
    files: &'static [(&'static str, &'static str)],
    command: &'static str,
    /// The option that continues once this file exists.
    continued: Option<(&'static str, &'static str)>,
    /// Returns how much is finished; it never shrinks.
    finished: fn(&Place) -> usize,
    /// Returns the result without times.
    result: fn(&Place) -> String,
}

const COMMANDS: [(&str, Killed); 6] = [
    (
        "training",
        Killed {
            library: Some("test_working"),
            files: &[],
            command: "train --game '2048(rows: 3, cols: 3)' --agent table --model a.model \
                      --checkpoint 10ms --moves 600k",
            continued: Some(("a.model", "--resume")),
            finished: |place| {
                let Ok(info) = place.run_line("model info a.model --json") else { return 0 };
                let info: serde_json::Value = serde_json::from_str(&info).unwrap();
                info[0]["facts"]["moves"].as_str().unwrap().parse().unwrap()
            },
            result: |place| {
                place.done("model convert a.model table.text --force");
                take(place, "table.text")
            },
        },
    ),
    (
        "tournament",
        Killed {
            library: None,
            files: &[],
            command: "tournament --game '2048(rows: 3, cols: 3)' --agent random --agent greedy \
                      --agent 'expectimax(depth: 2)' --games 150 --out t",
            continued: Some(("t/config.ron", "--resume")),
            finished: |place| lines(place, "t/results.jsonl"),
            result: |place| format!("{:?}\n{}", place.results("t"), place.report("t")),
        },
    ),
    (
        "experiment",
        Killed {
            library: Some("test_working"),
            files: &[(
                "e.ron",
                "(title: \"T\", game: 2048(rows: 3, cols: 3), seeds: 3,
                  evaluations: [(name: \"1-ply\", games: 100)],
                  configurations: [(name: \"a\", agent: table, moves: \"60k\", checkpoint: \"10ms\")])",
            )],
            command: "experiment e.ron --out e",
            continued: None,
            finished: |place| lines(place, "e/results.jsonl"),
            result: |place| format!("{:?}", without_last_games(place.results("e"))),
        },
    ),
    (
        "tuning",
        Killed {
            library: None,
            files: &[],
            command: "tune --game '2048(rows: 2, cols: 3)' --agent 'rows(empty: -1000, merges: -500)' \
                      --parameter empty --parameter merges --games 50 --generations 12 --out a.ron",
            continued: Some(("a.ron.jsonl", "--resume")),
            finished: |place| lines(place, "a.ron.jsonl"),
            result: |place| place.text("a.ron"),
        },
    ),
    (
        "solving",
        Killed {
            library: None,
            files: &[],
            command: "solve --game '2048(rows: 2, cols: 3)' --out a.exact",
            continued: None,
            finished: |_| 0,
            result: |place| place.done("model verify a.exact").out,
        },
    ),
    (
        "recording",
        Killed {
            library: None,
            files: &[],
            command: "eval --game '2048(rows: 3, cols: 3)' --agent 'expectimax(depth: 2)' --games 300 \
                      --records a.rec",
            continued: Some(("a.rec", "--resume")),
            finished: |place| {
                let is_begun = place.path("a.rec").metadata().is_ok_and(|file| file.len() > 0);
                if is_begun { exported(place, "a.rec").len() } else { 0 }
            },
            result: |place| exported(place, "a.rec").join("\n"),
        },
    ),
];

impl Place {
    /// Returns the output of a command, or the error of one that fails.
    fn run_line(&self, line: &str) -> Result<String, String> {
        let ran = self.sh(line);
        if ran.code == Some(0) { Ok(ran.out) } else { Err(ran.err) }
    }
}

fn take(place: &Place, name: &str) -> String {
    let text = place.text(name);
    fs::remove_file(place.path(name)).unwrap();
    text
}

/// Returns the number of complete lines of a file that need not exist.
fn lines(place: &Place, name: &str) -> usize {
    let text = fs::read(place.path(name)).unwrap_or_default();
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// Returns the results of an experiment without what this learner does not save: its last games.
fn without_last_games(results: Vec<String>) -> Vec<String> {
    let without = |line: String| {
        let mut line: serde_json::Value = serde_json::from_str(&line).unwrap();
        let fields = line.as_object_mut().unwrap();
        fields.retain(|name, _| !["mean", "max_tile"].contains(&name.as_str()));
        line.to_string()
    };
    results.into_iter().map(without).collect()
}

/// Returns the games of a record, sorted.
fn exported(place: &Place, record: &str) -> Vec<String> {
    let text = place.done(format!("replay export {record}")).out;
    let mut games: Vec<_> = text.lines().map(str::to_owned).collect();
    games.sort();
    games
}

/// Returns the paths of all files, sorted.
fn files(folder: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    let relative = |path: &Path| path.strip_prefix(folder).unwrap().display().to_string();
    let mut names: Vec<_> = paths.iter().map(|path| relative(path)).collect();
    names.sort();
    names
}

impl Killed {
    fn place(&self) -> Place {
        let place = self.library.map_or_else(Place::new, Place::with_library);
        for (name, text) in self.files {
            fs::write(place.path(name), text).unwrap();
        }
        place
    }

    fn survives(&self, name: &str, kills: u64) {
        let whole = self.place();
        let start = Instant::now();
        whole.done(self.command);
        let time = start.elapsed().as_millis() as u32;
        let left_files = files(whole.folder());
        let expected = (self.result)(&whole);
        let mut random = Random::from_word(kills);
        let (mut left, mut place, mut finished) = (kills, self.place(), 0);
        loop {
            let more = self.continued.filter(|(file, _)| place.path(file).exists());
            let line = format!("{} {}", self.command, more.map_or("", |(_, option)| option));
            let mut child = place.start_silent(&line);
            if left > 0 {
                std::thread::sleep(Duration::from_millis(random.below(time + time / 8).into()));
                child.kill().unwrap();
                left -= 1;
            }
            match child.wait().unwrap().code() {
                // A run that was killed behind its last step has left the result, which is not
                // overwritten.
                Some(0 | 2) => {
                    assert_eq!(files(place.folder()), left_files, "{name}: {line}");
                    assert!((self.result)(&place) == expected, "{name}: another result");
                    if left == 0 {
                        return;
                    }
                    (place, finished) = (self.place(), 0);
                }
                None => {
                    let now = (self.finished)(&place);
                    assert!(now >= finished, "{name}: {now} finished, {finished} before");
                    finished = now;
                }
                Some(code) => panic!("{name}: exit code {code}: {:?}", place.sh(&line)),
            }
        }
    }
}

#[test]
fn killed_commands_lose_nothing_and_leave_nothing() {
    let kills = std::env::var("RUNNER_KILLS").map_or(49, |kills| kills.parse().unwrap());
    std::thread::scope(|scope| {
        for (name, killed) in &COMMANDS {
            scope.spawn(move || killed.survives(name, kills / COMMANDS.len() as u64));
        }
    });
}
