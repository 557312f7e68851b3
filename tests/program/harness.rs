//! Starts the program and checks its output and its exit code.

pub mod place;
pub mod results;
pub mod server;
pub mod session;
#[cfg(target_os = "linux")]
pub mod signals;
#[cfg(target_os = "linux")]
pub mod terminal;
pub mod transcript;

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;

/// The result of a run of the program.
#[derive(Debug)]
pub struct Ran {
    /// Exit code; `None` if a signal ended the program.
    pub code: Option<i32>,
    /// Text of standard output.
    pub out: String,
    /// Text of standard error.
    pub err: String,
}

impl Ran {
    /// Returns the run, which must have succeeded.
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Parses standard output, which must be one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Returns the lines of standard error.
    pub fn error_lines(&self) -> Vec<&str> {
        self.err.lines().collect()
    }

    /// Returns the only line of standard error, which must have this beginning.
    #[track_caller]
    pub fn only_line(&self, beginning: &str) -> &str {
        let lines = self.error_lines();
        assert_eq!(lines.len(), 1, "expected one line: {self:?}");
        assert!(lines[0].starts_with(beginning), "expected {beginning:?}: {self:?}");
        lines[0]
    }

    /// Returns the command of the message of an interrupted run that continues it.
    #[track_caller]
    pub fn continuation(&self) -> &str {
        assert_eq!(self.code, Some(130), "{self:?}");
        self.err.trim().split_once("continue with: ").unwrap_or_else(|| panic!("{self:?}")).1
    }

    /// Returns the only line that begins with `error: `, without this prefix.
    #[track_caller]
    pub fn error(&self) -> &str {
        let errors: Vec<_> =
            self.err.lines().filter_map(|line| line.strip_prefix("error: ")).collect();
        assert_eq!(errors.len(), 1, "expected one error: {self:?}");
        errors[0]
    }

    /// Fails if the program panicked, which prints a backtrace in the environment of the
    /// tests, or returned an exit code that it does not document.
    #[track_caller]
    pub fn without_a_panic(self) -> Self {
        for sign in ["panicked at", "thread '", "stack backtrace", "RUST_BACKTRACE"] {
            assert!(!self.err.contains(sign), "{sign:?} is printed: {self:?}");
        }
        assert!(matches!(self.code, Some(0 | 1 | 2 | 3 | 130)), "{self:?}");
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// Returns a command that starts the program, independent of the user's environment.
pub fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runner"));
    prepare(&mut command).args(arguments);
    command
}

/// Sets the environment of the tests: an own data folder, no plugins, no input.
pub fn prepare(command: &mut Command) -> &mut Command {
    command
        .env("XDG_DATA_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/data"))
        .env_remove("RUNNER_PLUGINS")
        .env("RUST_BACKTRACE", "1")
        .stdin(Stdio::null())
}

/// Runs the program with these arguments.
#[track_caller]
pub fn run<S: AsRef<OsStr>>(arguments: &[S]) -> Ran {
    ran(&mut command(arguments))
}

/// Runs a prepared command.
#[track_caller]
pub fn ran(command: &mut Command) -> Ran {
    Ran::from(command.output().expect("the program starts")).without_a_panic()
}

/// Waits for the end of a program whose output is read.
#[track_caller]
pub fn finish(child: Child) -> Ran {
    Ran::from(child.wait_with_output().unwrap()).without_a_panic()
}

/// Returns the fields of an object, sorted, separated by spaces.
pub fn fields(value: &Value) -> String {
    let mut names: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names.join(" ")
}

/// Returns the library of a plugin crate that cargo has built for the tests.
pub fn library(crate_name: &str) -> PathBuf {
    let deps = Path::new(env!("CARGO_BIN_EXE_runner")).with_file_name("deps");
    let path = deps.join(runner_play::registry::library_name(crate_name));
    assert!(path.is_file(), "{} is not built", path.display());
    path
}

/// Returns true if a program that a test needs is missing. The test is then skipped, except where
/// the variable `RUNNER_CI` is set: there it fails.
#[track_caller]
pub fn is_missing(program: &str) -> bool {
    let is_missing = Command::new(program).arg("--version").output().is_err();
    if is_missing {
        assert!(std::env::var_os("RUNNER_CI").is_none(), "`{program}` is missing");
        eprintln!("skipped: `{program}` is missing");
    }
    is_missing
}

/// Returns the Python that has a module: the one that the variable `RUNNER_PYTHON` names, that of
/// `.ci/python`, or `python3`. Without one the test is skipped, except where the variable
/// `RUNNER_CI` is set: there it fails.
#[track_caller]
pub fn python_with(module: &str) -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python/bin/python");
    let named = std::env::var_os("RUNNER_PYTHON").map(PathBuf::from);
    // The tests of Python packages run in other folders.
    let named = named.map(|path| match path.components().count() {
        1 => path,
        _ => std::path::absolute(path).expect("the working folder is known"),
    });
    let candidates = match named {
        Some(named) => vec![named],
        None => vec![installed, "python3".into()],
    };
    let has_module = |python: &&PathBuf| {
        let import = format!("import {module}");
        let imported = Command::new(python).args(["-c", &import]).output();
        imported.is_ok_and(|imported| imported.status.success())
    };
    let found = candidates.iter().find(has_module).cloned();
    if found.is_none() {
        assert!(std::env::var_os("RUNNER_CI").is_none(), "no Python can import {module}");
        eprintln!(
            "skipped: no Python can import {module}; install it with .ci/python, or name a Python \
             that has it with RUNNER_PYTHON"
        );
    }
    found
}

/// Runs `python -m unittest` with these words in a folder of the repository; the tests must pass.
#[track_caller]
pub fn pass_unittests(python: &Path, folder: &str, words: &[&str]) {
    let tested = Command::new(python)
        .args(["-B", "-m", "unittest"])
        .args(words)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .env("RUNNER", env!("CARGO_BIN_EXE_runner"))
        .env_remove("RUNNER_PLUGINS")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&tested.stderr);
    assert!(tested.status.success() && text.contains("\nOK"), "{text}");
}

/// Returns the target folder of the crates that tests make outside this workspace. The first call
/// deletes the libraries of earlier runs: their plugin ABI may be another one.
pub fn target_of_new_crates() -> &'static Path {
    static TARGET: LazyLock<PathBuf> = LazyLock::new(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-plugin");
        let libraries = target.join("debug");
        fs::create_dir_all(&libraries).expect("the folder can be made");
        for entry in fs::read_dir(&libraries).expect("the folder can be listed") {
            let file = entry.expect("the entry can be read").path();
            if file.is_file() {
                fs::remove_file(&file).expect("the file can be deleted");
            }
        }
        target
    });
    &TARGET
}

/// Lets this process open as many files as the system allows.
#[cfg(unix)]
pub fn allow_many_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("it may be raised");
}

/// Returns a path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("the folders of the tests have plain names")
}
