//! Shards on the HyperQueue scheduler: a real server and real workers, from the package of Python.
//! The program `hq` of the tests, `hyperqueue/hq`, starts them.

use crate::harness::place::Place;
use crate::harness::{Ran, prepare, python_with, ran};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RUNNER: &str = env!("CARGO_BIN_EXE_runner");
/// Time after which a test fails.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A server of HyperQueue in the folder of a place, and the program `hq` in its folder `bin`.
struct HyperQueue<'a> {
    place: &'a Place,
    server: Service,
}

/// A server or a worker. It ends with its input.
struct Service(Child);

impl<'a> HyperQueue<'a> {
    fn start(place: &'a Place, python: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/hyperqueue/hq");
        let program = place.path("bin/hq");
        fs::create_dir(place.path("bin")).unwrap();
        let text = format!("#!/bin/sh\nexec {} {} \"$@\"\n", python.display(), script.display());
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let server = Service::start(place, "hq server start");
        Self { place, server }
    }

    fn worker(&self) -> Service {
        Service::start(self.place, "hq worker start --cpus 1")
    }
}

/// Returns a command that runs a line of shell beside the program `hq`.
fn shell(place: &Place, line: &str) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("bash");
    prepare(&mut shell)
        .args(["-c", line])
        .current_dir(place.folder())
        .env("PATH", format!("{}:{path}", place.path("bin").display()))
        .env("HQ_SERVER_DIR", place.path("hq"));
    shell
}

impl Service {
    fn start(place: &Place, line: &str) -> Self {
        let mut command = shell(place, &format!("exec {line}"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "ready"), "{line}");
        Self(child)
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // A service that does not end with its input is killed.
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) && matches!(self.0.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a line of shell that must succeed.
#[track_caller]
fn succeed(place: &Place, line: &str) -> Ran {
    ran(&mut shell(place, line)).success()
}

/// Returns the results of the shards that have begun and are not complete.
fn partial(place: &Place, complete: usize) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(place.path("t.shards")) else { return Vec::new() };
    let results = entries.map(|entry| entry.unwrap().path());
    let results = results.filter(|path| path.extension().is_some_and(|e| e == "jsonl"));
    let is_partial = |path: &PathBuf| {
        let lines = fs::read(path).unwrap().iter().filter(|&&byte| byte == b'\n').count();
        (1..complete).contains(&lines)
    };
    results.filter(is_partial).collect()
}

#[test]
fn worker_that_is_killed_loses_and_doubles_no_game() {
    let Some(python) = python_with("hyperqueue") else { return };
    let place = Place::new();
    let tournament = "(game: [2048, threes], agent: [random, rows], games: 6000)";
    fs::write(place.path("t.ron"), tournament).unwrap();
    place.done("tournament t.ron --out whole");
    place.done("shards plan t.ron --shards 6");

    let queue = HyperQueue::start(&place, &python);
    let (first, second) = (queue.worker(), queue.worker());
    // As in the guide. With `exec` the task is the runner itself: it ends with the worker.
    let run = format!("exec {RUNNER} shards run t.json --threads 1 --shard $HQ_TASK_ID");
    succeed(&place, &format!("hq submit --array 1-6 --cpus 1 --crash-limit 10 -- bash -c '{run}'"));
    let began = Instant::now();
    while partial(&place, 4000).len() < 2 {
        assert!(began.elapsed() < TIMEOUT, "no two shards are played at once");
        std::thread::sleep(Duration::from_millis(1));
    }
    first.kill();
    succeed(&place, "hq job wait 1");
    place.done("shards merge t.json --out merged");
    assert_eq!(place.results("merged"), place.results("whole"));
    assert_eq!(place.report("merged"), place.report("whole"));
    drop((second, queue.server));
}
