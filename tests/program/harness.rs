//! The program as its users meet it: started, and judged by what it prints and by
//! its exit code.

pub mod place;
#[cfg(target_os = "linux")]
pub mod signals;

use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run of the program came to.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Standard output as the one JSON document that it must be.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The lines of standard error.
    pub fn told(&self) -> Vec<&str> {
        self.err.lines().collect()
    }

    /// The only line of standard error, which begins so.
    #[track_caller]
    pub fn only_line(&self, beginning: &str) -> &str {
        let lines = self.told();
        assert_eq!(lines.len(), 1, "one line is wanted: {self:?}");
        assert!(lines[0].starts_with(beginning), "{beginning:?} is wanted: {self:?}");
        lines[0]
    }

    /// The line that begins with `error: `, of which there is one.
    #[track_caller]
    pub fn error(&self) -> &str {
        let errors: Vec<_> =
            self.err.lines().filter_map(|line| line.strip_prefix("error: ")).collect();
        assert_eq!(errors.len(), 1, "one error is wanted: {self:?}");
        errors[0]
    }

    /// Fails if the program let a panic through: that prints a message of its own,
    /// with a backtrace, as the environment asks for one.
    #[track_caller]
    pub fn without_a_panic(self) -> Self {
        for sign in ["panicked at", "thread '", "stack backtrace", "RUST_BACKTRACE"] {
            assert!(!self.err.contains(sign), "{sign:?} is printed: {self:?}");
        }
        assert!(matches!(self.code, Some(0 | 1 | 2 | 130)), "{self:?}");
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// The program with nothing of this user's own around it.
pub fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runner"));
    prepare(&mut command).args(arguments);
    command
}

/// The environment in which the program is tested.
pub fn prepare(command: &mut Command) -> &mut Command {
    command
        .env("XDG_DATA_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/data"))
        .env_remove("RUNNER_PLUGINS")
        .env("RUST_BACKTRACE", "1")
        .stdin(Stdio::null())
}

/// Runs the program.
#[track_caller]
pub fn run<S: AsRef<OsStr>>(arguments: &[S]) -> Ran {
    ran(&mut command(arguments))
}

/// Runs a prepared command.
#[track_caller]
pub fn ran(command: &mut Command) -> Ran {
    Ran::from(command.output().expect("the program starts")).without_a_panic()
}

/// The document of a run that has done what it was to do.
#[track_caller]
pub fn done(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()
}

/// Refused before anything is done, with these words.
#[track_caller]
pub fn misused(ran: &Ran, expected: &[&str]) {
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
    println!("{}", ran.error());
    for part in expected {
        assert!(ran.error().contains(part), "{part:?} is wanted: {ran:?}");
    }
}

/// The library of a crate, where cargo put it.
pub fn library(crate_name: &str) -> PathBuf {
    let deps = Path::new(env!("CARGO_BIN_EXE_runner")).with_file_name("deps");
    let path = deps.join(runner_plugin::library_name(crate_name));
    assert!(path.is_file(), "{} is not built", path.display());
    path
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("the folders of the tests have plain names")
}
