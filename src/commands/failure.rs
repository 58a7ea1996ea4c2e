//! How a command ends: exit codes, and failures that are one clear message.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// What the exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: as the lesson claims.
    AsClaimed,
    /// 1: a claim failed, or something did not come out as claimed.
    NotAsClaimed,
    /// 2: the command could not be carried out.
    Failed,
    /// 3: the budget ended before the verdict was known.
    OutOfBudget,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::AsClaimed => 0,
            Exit::NotAsClaimed => 1,
            Exit::Failed => 2,
            Exit::OutOfBudget => 3,
        })
    }
}

/// Why a command was not carried out.
#[derive(Debug)]
pub enum Failure {
    /// The arguments are well formed but name something that is not there, say; one line.
    Usage(String),
    /// The arguments are not well formed; the argument parser's own message.
    Arguments(String),
    /// A lesson's own files are wrong; one line.
    Lesson(String),
    /// The output could not be written.
    Output(io::Error),
}

impl Failure {
    /// Whether the reader of the output has gone, as in `learn list | head -1`.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        Exit::Failed
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Lesson(message) => write!(f, "learn: {message}"),
            Failure::Arguments(message) => f.write_str(message.trim_end()),
            Failure::Output(error) => write!(f, "learn: the output cannot be written: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}
