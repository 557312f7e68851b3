//! Command lines and their outputs, as one text for a snapshot.

use super::place::Place;
use super::{Ran, prepare, ran};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Compares a text with its snapshot, whose file does not repeat the expression.
macro_rules! assert_snapshot {
    ($text:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($text) })
    };
}
pub(crate) use assert_snapshot;

impl Place {
    /// Returns the command of a line, written as for a shell.
    #[track_caller]
    pub fn line(&self, line: impl AsRef<str>) -> Command {
        let words = shlex::split(line.as_ref()).expect("quotes are closed");
        self.command(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs a command line, written as for a shell.
    #[track_caller]
    pub fn sh(&self, line: impl AsRef<str>) -> Ran {
        ran(&mut self.line(line))
    }

    /// Runs a command line that succeeds.
    #[track_caller]
    pub fn done(&self, line: impl AsRef<str>) -> Ran {
        self.sh(line).success()
    }

    /// Runs a command line that succeeds with `--json`, and returns its document.
    #[track_caller]
    pub fn json(&self, line: impl AsRef<str>) -> Value {
        self.done(format!("{} --json", line.as_ref())).json()
    }

    /// Checks that a command line is refused because this model is not that of the results. The
    /// message has checksums of files that hold times.
    #[track_caller]
    pub fn expect_replaced_model(&self, line: &str, code: i32, model: &str) {
        let refused = self.sh(line);
        assert_eq!((refused.code, refused.out.as_str()), (Some(code), ""), "{refused:?}");
        let replaced = format!("its {model} was replaced");
        for part in [&replaced[..], "restore it to continue, or add --accept-changes"] {
            assert!(refused.error().contains(part), "{part}: {refused:?}");
        }
    }

    /// Starts a command line whose output is read when it has ended.
    #[track_caller]
    pub fn start(&self, line: impl AsRef<str>) -> Child {
        self.line(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Starts a command line that is killed later.
    #[track_caller]
    pub fn start_silent(&self, line: impl AsRef<str>) -> Child {
        self.line(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs a line of shell, such as a command that the program printed.
    #[track_caller]
    pub fn shell(&self, line: &str) -> Ran {
        let mut shell = Command::new("bash");
        prepare(&mut shell).args(["-c", line]).current_dir(self.folder());
        let program = Path::new(env!("CARGO_BIN_EXE_runner"));
        shell.env("RUNNER", program).env("LIBRARIES", program.with_file_name("deps"));
        shell.env("TESTS", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program"));
        ran(&mut shell)
    }

    /// Runs a command line on a disk that is full: files may have this many blocks of 512 bytes.
    #[cfg(unix)]
    #[track_caller]
    pub fn on_full_disk(&self, blocks: u64, line: &str) -> Ran {
        let command = self.line(line);
        let limit = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut shell = Command::new("sh");
        prepare(&mut shell).args(["-c", &limit]).arg(command.get_program());
        ran(shell.args(command.get_args()).current_dir(self.folder()))
    }

    /// Runs command lines, each written as for a shell, and returns them with their exit codes and
    /// what they print.
    #[track_caller]
    pub fn transcript(&self, lines: &str) -> String {
        let mut text = String::new();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            // Writing to a string does not fail.
            let _ = write!(text, "$ runner {line}\n{}\n", self.printed(&self.sh(line)));
        }
        text
    }

    /// Returns what a run printed and its exit code, without the names of folders and the lines of
    /// panics.
    pub fn printed(&self, ran: &Ran) -> String {
        let mut text = ran.out.clone();
        if !ran.out.is_empty() && !ran.err.is_empty() {
            text += "--- standard error\n";
        }
        text += &ran.err;
        if let Some(code) = ran.code.filter(|&code| code != 0) {
            let _ = writeln!(text, "exit code {code}");
        }
        let program = Path::new(env!("CARGO_BIN_EXE_runner"));
        let links = self.links().map(|folder| (folder, "LIBRARIES"));
        let folders = [
            (self.folder(), "FOLDER"),
            (program, "runner"),
            (&program.with_file_name("deps"), "LIBRARIES"),
            (env!("CARGO_TARGET_TMPDIR").as_ref(), "DATA"),
        ];
        for (folder, name) in folders.into_iter().chain(links) {
            text = text.replace(folder.to_str().expect("names are plain"), name);
        }
        without_lines_of_sources(&text)
    }
}

/// Leaves out the numbers of lines behind the names of source files.
pub fn without_lines_of_sources(text: &str) -> String {
    let mut parts = text.split(".rs:");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.fold(first, |text, part| text + ".rs" + part)
}

/// Replaces what differs between runs: times, speeds, the number of threads, and sizes of files,
/// whose headers hold times. Leaves out lines of seconds.
pub fn timeless(text: &str) -> String {
    let lines = text.split_inclusive('\n').filter(|line| !line.starts_with("seconds "));
    let text: String = lines.collect();
    let core = |word: &str| word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut words = text.split_inclusive(char::is_whitespace).peekable();
    let mut timeless = String::new();
    while let Some(word) = words.next() {
        let whole = core(word);
        let number = whole.trim_end_matches(char::is_alphabetic);
        let is_number = number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',');
        let next = words.peek().map(|next| core(next)).unwrap_or_default();
        let replaced = match &whole[number.len()..] {
            _ if !is_number => whole.as_str(),
            "ms" | "s" | "m" | "h" | "d" => "TIME",
            "" if next.starts_with("thread") || ["bytes", "KiB"].contains(&next.as_str()) => "N",
            "" if ["/s", "k/s", "M/s"].contains(&next.as_str()) => {
                timeless += "SPEED";
                timeless += &words.next().unwrap_or_default()[next.len()..];
                continue;
            }
            _ => whole.as_str(),
        };
        timeless += replaced;
        timeless += &word[whole.len()..];
    }
    timeless
}
