//! A running program: its pipes, its deadlines and its end.
//!
//! Pipes are non-blocking and polled, so a program that does not read, does not answer or writes
//! endlessly delays its thread by no more than the time limit of a question. The program leads a
//! process group, which is killed as a whole. A guard process kills that group if the runner itself
//! is killed.

use crate::MAX_LINE;
use crate::error::{ANSWER_EXCERPT, ProgramError, excerpt};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Number of bytes of standard error that are kept: the last ones.
const KEPT_ERRORS: usize = 4096;
/// Number of characters of a line of standard error that a message contains: enough for the path
/// of a file and the reason behind it.
const ERROR_EXCERPT: usize = 300;
/// Time between closing the standard input of a program and killing the program.
const GRACE: Duration = Duration::from_millis(500);
/// Maximum number of reads from the standard error of a killed program.
const LAST_READS: usize = 64;
/// Kills the process group that its argument leads as soon as its standard input is closed,
/// which the system does when the runner ends in any way.
const GUARD: &str = "read -r line; kill -s KILL -- \"-$0\"";

pub struct Program {
    process: Child,
    guard: Child,
    /// `None` once it is closed, which asks the program to end.
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// `None` once the program has closed it.
    errors: Option<ChildStderr>,
    /// Output that was read after the last complete line.
    unread: Vec<u8>,
    last_errors: VecDeque<u8>,
    /// True if it has answered all questions: then it is not killed before [`GRACE`] is over.
    is_idle: bool,
    is_reaped: bool,
    /// The exit status, once the process is reaped.
    status: Option<ExitStatus>,
}

impl Program {
    /// Starts a program. The first word of the command names it.
    pub fn start(command: &[String]) -> Result<Self, ProgramError> {
        let (program, arguments) = command.split_first().ok_or_else(|| {
            ProgramError::Start(io::Error::new(ErrorKind::InvalidInput, "the command is empty"))
        })?;
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(ProgramError::Start)?;
        let pipes_and_guard =
            pipes(&mut process).and_then(|pipes| Ok((pipes, start_guard(&process)?)));
        let ((input, output, errors), guard) = pipes_and_guard.map_err(|error| {
            kill(&mut process);
            ProgramError::Start(error)
        })?;
        Ok(Self {
            process,
            guard,
            input: Some(input),
            output,
            errors: Some(errors),
            unread: Vec::new(),
            last_errors: VecDeque::new(),
            is_idle: false,
            is_reaped: false,
            status: None,
        })
    }

    /// Sends a line, and waits for a line as the answer. After an error the program must be
    /// dropped.
    pub fn ask(&mut self, question: &[u8], limit: Duration) -> Result<Vec<u8>, ProgramError> {
        // Otherwise output from before the question would be read as its answer.
        self.read_output()?;
        self.check_unasked()?;
        let answer = self.exchange(question, limit)?;
        self.check_unasked()?;
        Ok(answer)
    }

    /// Sends a line, and waits for the next line that the program writes. Further lines are kept.
    /// After an error the program must be dropped.
    pub fn exchange(&mut self, question: &[u8], limit: Duration) -> Result<Vec<u8>, ProgramError> {
        let deadline = Instant::now() + limit;
        self.is_idle = false;
        let mut unsent = question;
        loop {
            self.read_errors();
            self.write(&mut unsent)?;
            let has_ended = self.read_output()?;
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                self.is_idle = true;
                let rest = self.unread.split_off(end + 1);
                return Ok(std::mem::replace(&mut self.unread, rest));
            }
            if has_ended {
                return Err(match self.exit_status() {
                    Some(status) => ProgramError::Ended { status },
                    None => ProgramError::Closed,
                });
            }
            if Instant::now() >= deadline {
                return Err(ProgramError::Late { limit });
            }
            self.wait(unsent, deadline).map_err(ProgramError::Pipe)?;
        }
    }

    /// Refuses output beside the answers.
    fn check_unasked(&self) -> Result<(), ProgramError> {
        if self.unread.is_empty() {
            return Ok(());
        }
        Err(ProgramError::Unasked(excerpt(&self.unread, ANSWER_EXCERPT)))
    }

    /// Sends a line that has no answer. A program that does not read it is noticed at the next
    /// question.
    pub fn tell(&mut self, line: &[u8], limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut unsent = line;
        while self.write(&mut unsent).is_ok() && !unsent.is_empty() && Instant::now() < deadline {
            if self.wait(unsent, deadline).is_err() {
                break;
            }
            self.read_errors();
        }
        self.is_idle &= unsent.is_empty();
    }

    /// Ends the program and returns the last lines of its standard error.
    pub fn end(mut self) -> String {
        self.stop();
        for _ in 0..LAST_READS {
            if !self.read_errors() {
                break;
            }
        }
        last_lines(self.last_errors.make_contiguous())
    }

    /// Waits until a pipe is ready or the deadline has passed.
    fn wait(&self, unsent: &[u8], deadline: Instant) -> io::Result<()> {
        let mut pipes = vec![PollFd::new(&self.output, PollFlags::IN)];
        if let Some(errors) = &self.errors {
            pipes.push(PollFd::new(errors, PollFlags::IN));
        }
        if let (Some(input), false) = (&self.input, unsent.is_empty()) {
            pipes.push(PollFd::new(input, PollFlags::OUT));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).ok();
        match poll(&mut pipes, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes as much of a line as the pipe takes. If the program has closed its input, the rest of
    /// the line is dropped: the end or the answer of the program then shows what is wrong.
    fn write(&mut self, unsent: &mut &[u8]) -> Result<(), ProgramError> {
        let Some(input) = &mut self.input else { return Ok(()) };
        while !unsent.is_empty() {
            match input.write(unsent) {
                Ok(sent) => *unsent = &unsent[sent..],
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => break,
                    ErrorKind::Interrupted => {}
                    ErrorKind::BrokenPipe => *unsent = &[],
                    _ => return Err(ProgramError::Pipe(error)),
                },
            }
        }
        Ok(())
    }

    /// Reads what the program has written, up to the length of a line. Returns true if it has
    /// closed its output.
    fn read_output(&mut self) -> Result<bool, ProgramError> {
        let mut buffer = [0; 8192];
        while self.unread.len() <= MAX_LINE {
            match self.output.read(&mut buffer) {
                Ok(0) => return Ok(true),
                Ok(read) => self.unread.extend(&buffer[..read]),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return Ok(false),
                    ErrorKind::Interrupted => {}
                    _ => return Err(ProgramError::Pipe(error)),
                },
            }
        }
        Err(ProgramError::LongLine)
    }

    /// Reads some of the program's standard error. Returns false if there is nothing to read.
    fn read_errors(&mut self) -> bool {
        let mut buffer = [0; 8192];
        let Some(errors) = &mut self.errors else { return false };
        match errors.read(&mut buffer) {
            Ok(0) => self.errors = None,
            Ok(read) => {
                self.last_errors.extend(&buffer[..read]);
                let excess = self.last_errors.len().saturating_sub(KEPT_ERRORS);
                self.last_errors.drain(..excess);
                return true;
            }
            // There is nothing to read, or reading failed. Standard error is for messages alone.
            Err(_) => {}
        }
        false
    }

    /// Waits up to [`GRACE`] for the end of a program that has closed its output, and returns its
    /// exit status if it has ended.
    fn exit_status(&mut self) -> Option<String> {
        let deadline = Instant::now() + GRACE;
        // The process is not reaped before its group is killed: until then no other group can
        // have its number.
        let without_reaping = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let id = WaitId::Pid(Pid::from_child(&self.process));
        while waitid(id.clone(), without_reaping).ok()?.is_none() {
            if Instant::now() >= deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.kill();
        self.status.map(|status| status.to_string())
    }

    /// Kills the process group, once.
    fn kill(&mut self) {
        if !self.is_reaped {
            self.is_reaped = true;
            self.status = kill(&mut self.process);
        }
    }

    /// Waits for the end of an idle program, and kills its process group.
    fn stop(&mut self) {
        if self.is_idle {
            self.is_idle = false;
            self.input = None;
            let deadline = Instant::now() + GRACE;
            let mut has_ended = false;
            while !has_ended && Instant::now() < deadline && self.wait(&[], deadline).is_ok() {
                self.read_errors();
                self.unread.clear();
                has_ended = self.read_output().unwrap_or(true);
            }
        }
        self.kill();
        end_guard(&mut self.guard);
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start_guard(leader: &Child) -> io::Result<Child> {
    Command::new("/bin/sh")
        .args(["-c", GUARD, &leader.id().to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Takes the pipes of a process, and makes them non-blocking.
fn pipes(process: &mut Child) -> io::Result<(ChildStdin, ChildStdout, ChildStderr)> {
    let (Some(input), Some(output), Some(errors)) =
        (process.stdin.take(), process.stdout.take(), process.stderr.take())
    else {
        return Err(io::Error::other("the system gave no pipes"));
    };
    ioctl_fionbio(&input, true)?;
    ioctl_fionbio(&output, true)?;
    ioctl_fionbio(&errors, true)?;
    Ok((input, output, errors))
}

/// Kills a process with its group, waits for its end, and returns its exit status. The process
/// must not have been waited for: another group could have its number.
fn kill(process: &mut Child) -> Option<ExitStatus> {
    // An error says that nothing is left to kill.
    let _ = kill_process_group(Pid::from_child(process), Signal::KILL);
    process.wait().ok()
}

fn end_guard(guard: &mut Child) {
    // Both fail only if the guard has ended before.
    let _ = guard.kill();
    let _ = guard.wait();
}

/// Returns the last three lines of a program's standard error, joined.
fn last_lines(bytes: &[u8]) -> String {
    let mut lines: Vec<_> =
        bytes.split(|&byte| byte == b'\n').map(|line| excerpt(line, ERROR_EXCERPT)).collect();
    lines.retain(|line| !line.trim().is_empty());
    lines[lines.len().saturating_sub(3)..].join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_three_lines_of_standard_error_are_kept() {
        assert_eq!(last_lines(b""), "");
        assert_eq!(last_lines(b"a\n\n  b\nc\nd\n"), "  b / c / d");
        assert_eq!(last_lines(b"alone"), "alone");
        let path = "folder/".repeat(30);
        let error = format!("cannot open {path}agent.py: No such file");
        assert_eq!(last_lines(error.as_bytes()), error);
    }
}
