//! Command lines and their outputs, as one text for a snapshot.

use super::Ran;
use super::place::Place;
use std::fmt::Write as _;
use std::path::Path;

/// Compares a text with its snapshot, whose file does not repeat the expression.
macro_rules! assert_snapshot {
    ($text:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($text) })
    };
}
pub(crate) use assert_snapshot;

impl Place {
    /// Runs a command line, written as for a shell.
    #[track_caller]
    pub fn sh(&self, line: &str) -> Ran {
        let words = shlex::split(line).expect("quotes are closed");
        self.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs a command line that succeeds.
    #[track_caller]
    pub fn done(&self, line: &str) -> Ran {
        self.sh(line).success()
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

    /// Runs a command line with each of these texts in a file of the folder, like [`Self::transcript`].
    #[track_caller]
    pub fn transcript_of_files(&self, file: &str, texts: &[&str], line: &str) -> String {
        let mut all = String::new();
        for text in texts {
            std::fs::write(self.path(file), text).unwrap();
            let _ = write!(all, "# {file}: {text}\n{}", self.transcript(line));
        }
        all
    }

    /// Returns what a run printed and its exit code, without the names of folders.
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
        for (folder, name) in [
            (self.folder(), "FOLDER"),
            (program, "runner"),
            (&program.with_file_name("deps"), "LIBRARIES"),
            (env!("CARGO_TARGET_TMPDIR").as_ref(), "DATA"),
        ] {
            text = text.replace(folder.to_str().expect("names are plain"), name);
        }
        text
    }
}

/// Replaces what differs between runs: times, speeds, the number of threads, and sizes of files, whose
/// headers hold times. Leaves out lines of seconds.
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
            "" if next.starts_with("thread") || next == "bytes" => "N",
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
