//! Runs the program on a terminal that the program `script` provides.

use super::place::Place;
use super::prepare;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Returns a command of the program on a terminal of this size, in this folder. The number of its
/// process is in the file `pid`.
pub fn script(columns: u16, lines: u16, words: &str, place: &Place) -> Command {
    let program = env!("CARGO_BIN_EXE_runner");
    let line = format!("stty cols {columns} rows {lines}; echo $$ > pid; exec {program} {words}");
    let mut script = Command::new("script");
    prepare(&mut script).env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
    script.args(["-q", "-e", "-c", &line, "/dev/null"]).current_dir(place.folder());
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    script
}

/// Runs a command on a terminal of this size, types keys, and returns the exit code and the output.
pub fn on_terminal(columns: u16, lines: u16, words: &str, keys: &str) -> (Option<i32>, String) {
    let place = Place::new();
    let mut script = script(columns, lines, words, &place);
    let mut child = script.spawn().expect("the program `script` is installed");
    let mut input = child.stdin.take().unwrap();
    let keys = keys.to_owned();
    let typing = std::thread::spawn(move || {
        for key in keys.bytes() {
            std::thread::sleep(Duration::from_millis(300));
            // The program may have ended.
            let _ = input.write_all(&[key]).and_then(|()| input.flush());
        }
        // Standard input stays open until the session ends.
        input
    });
    let output = child.wait_with_output().unwrap();
    drop(typing.join());
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}
