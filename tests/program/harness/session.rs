//! A program of the tests that talks to `runner play --stdio`.

use super::command;
use serde_json::Value;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A session with `runner play --stdio`.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    /// The first line that the runner sent.
    pub hello: String,
}

impl Session {
    /// Starts the program, and reads its first line.
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = command(&[&["play", "--stdio"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let hello = output.next().unwrap().unwrap();
        Self { input: child.stdin.take(), child, output, hello }
    }

    /// Sends bytes, which end a line, and returns the line that answers them.
    pub fn send(&mut self, bytes: &[u8]) -> String {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
        self.output.next().unwrap().unwrap()
    }

    /// Sends a request, and returns the answer.
    pub fn ask(&mut self, request: &Value) -> Value {
        serde_json::from_str(&self.send(format!("{request}\n").as_bytes())).unwrap()
    }

    /// Closes the input. The program must end well and without another line.
    pub fn end(mut self) {
        self.input = None;
        assert!(self.output.next().is_none());
        assert!(self.child.wait().unwrap().success());
    }
}
