//! The error that ends a command, or a job of another front end: [`Failure`].

use runner_core::{Fault, SpecError};
use runner_files::{
    ContainerError, ContainerProblem, FileError, LedgerError, LineError, LockError, is_misnamed,
};
use runner_records::{ReadErrorKind, RecordError, WriteError};
use runner_spec::one_line;
use std::fmt;
use std::io;
use std::path::Path;

/// The reason why a run ends without its result.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The command line, or a file that it names, is wrong.
    Usage {
        /// The mistake and the allowed values, on one line.
        message: String,
        /// The typed text with the place underlined.
        place: Option<String>,
    },
    Failed {
        /// What failed and what to do, on one line.
        message: String,
    },
    Interrupted(String),
    /// The limit of a comparison was reached before its answer, which its result says.
    Undecided,
    /// The reader of the output has closed it, which is a success.
    ClosedPipe,
}

impl Failure {
    pub fn usage(message: impl ToString) -> Self {
        Self::Usage { message: message.to_string(), place: None }
    }

    pub fn failed(message: impl ToString) -> Self {
        Self::Failed { message: message.to_string() }
    }

    /// Returns the error of a file whose contents are wrong.
    pub fn in_file(path: &Path, error: impl fmt::Display) -> Self {
        Self::failed(format!("{}: {error}", path.display()))
    }

    /// Returns the error of reading a file: a wrong name is a mistake of the command line.
    fn of_file(has_wrong_name: bool, error: impl ToString) -> Self {
        if has_wrong_name { Self::usage(error) } else { Self::failed(error) }
    }

    /// Changes the message of an error. Interrupts and closed outputs stay as they are.
    #[must_use]
    pub fn map_message(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Usage { message, place } => Self::Usage { message: change(message), place },
            Self::Failed { message } => Self::Failed { message: change(message) },
            other => other,
        }
    }

    /// Puts what the error is about before its message.
    #[must_use]
    pub fn of(self, what: &str) -> Self {
        self.map_message(|message| format!("{what}: {message}"))
    }

    /// Adds the command that continues after an error to its message, as in "...; when the cause
    /// is removed, `how`: `command`". The message of a usage error already says what to do.
    #[must_use]
    pub fn with_command(self, how: &str, command: impl fmt::Display) -> Self {
        match self {
            Self::Failed { message } => {
                Self::failed(format!("{message}; when the cause is removed, {how}: {command}"))
            }
            other => other,
        }
    }

    /// Returns an error that lists the failures in `wrong`, each after what it is about, or `Ok`
    /// if there are none.
    pub fn refuse(mut wrong: Vec<(String, Self)>) -> Result<(), Self> {
        if wrong.len() > 1 {
            let all: Vec<_> =
                wrong.iter().map(|(what, failure)| format!("{what}: {failure}")).collect();
            return Err(Self::usage(format!("nothing was played; {}", all.join("; "))));
        }
        match wrong.pop() {
            None => Ok(()),
            Some((what, failure)) => Err(failure.of(&what)),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { message, .. } | Self::Failed { message } => {
                f.write_str(&one_line(message))
            }
            Self::Interrupted(message) => write!(f, "interrupted: {message}"),
            Self::Undecided => f.write_str("undecided at the limit"),
            Self::ClosedPipe => f.write_str("the output is closed"),
        }
    }
}

/// Adds the labels of the suspected plugins, such as "agent `a` (a.so)", to the message of a fault
/// that names none of them. The message of a panic names its plugin; that of a raised fault may
/// not.
pub fn attributed(fault: &str, suspects: &[&str]) -> String {
    for suspect in suspects {
        if let Some((name, _file)) = suspect.split_once(" (")
            && fault.contains(name)
        {
            return fault.to_owned();
        }
    }
    format!("{fault} ({})", suspects.join(", "))
}

/// Errors of writing to standard output. Errors of files are [`FileError`]s.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::failed(format!("cannot write the output: {error}")),
        }
    }
}

/// Errors of formatting a result, which arise only from a writer that fails.
impl From<fmt::Error> for Failure {
    fn from(error: fmt::Error) -> Self {
        Self::failed(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Self::Usage { message: error.to_string(), place: Some(error.caret()) }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        match error {
            LockError::InTheWay { .. } => Self::usage(error),
            LockError::InUse { .. } => Self::failed(error),
            LockError::File(error) => error.into(),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Lock(error) => error.into(),
            LedgerError::File(error) => error.into(),
            LedgerError::Refused(message) => Self::usage(message),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::failed(fault)
    }
}

impl From<LineError> for Failure {
    fn from(error: LineError) -> Self {
        Self::failed(error)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::of_file(error.is_misnamed(), error)
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let has_wrong_name = matches!(&error.problem, ReadErrorKind::Io(io) if is_misnamed(io));
        Self::of_file(has_wrong_name, error)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Lock(error) => error.into(),
            WriteError::File { .. } => Self::failed(error),
        }
    }
}

impl From<ContainerError> for Failure {
    fn from(error: ContainerError) -> Self {
        let has_wrong_name = matches!(&error.problem, ContainerProblem::Io(io) if is_misnamed(io));
        Self::of_file(has_wrong_name, error)
    }
}
