//! The exit codes of a run, and how errors are printed.

use std::io;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{self, Parsed};
use crate::{failure, term};

/// How a run ended, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success: 0.
    Ok,
    /// Something regressed, and the options ask for an exit code that says so: 1.
    Regressed,
    /// A check found problems: 1.
    Findings,
    /// The run failed (broken input, wrong usage, an unwritable file) and already printed the reason: 2.
    Error,
    /// `--check` found that a generated file is out of date: 3.
    Drift,
    /// A valid query has no answer, and the output says why: 3.
    NoAnswer,
}

impl Exit {
    /// The exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Regressed | Self::Findings => 1,
            Self::Error => 2,
            Self::Drift | Self::NoAnswer => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// A program's whole `main`: parses the arguments, handles `--completions`, runs the program and prints its error.
///
/// `--help` and `--version` exit with 0, wrong usage with 2.
pub fn main<T: Parser>(work: impl FnOnce(&T) -> anyhow::Result<Exit>) -> ExitCode {
    match args::parse(std::env::args_os()) {
        Ok(Parsed::Args(cli)) => run(|| work(&cli)),
        Ok(Parsed::Print(script)) => run(|| term::stdout(&script).map(|()| Exit::Ok)),
        Err(usage) => {
            // If the help cannot be printed, neither can an error.
            let _ = usage.print();
            ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(Exit::Error.code()))
        }
    }
}

/// Runs `work`. Prints an error to stderr as `error: outer: inner`, followed by its hints.
///
/// A closed pipe (`… | head`) is not an error: the run ends silently with 0.
pub fn run(work: impl FnOnce() -> anyhow::Result<Exit>) -> ExitCode {
    conclude(work()).into()
}

fn conclude(result: anyhow::Result<Exit>) -> Exit {
    match result {
        Ok(exit) => exit,
        Err(error) if is_broken_pipe(&error) => Exit::Ok,
        Err(error) => {
            term::error(&failure::message(&error));
            for hint in failure::hints(&error) {
                term::hint(hint);
            }
            Exit::Error
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref())
        .any(|cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;
    use crate::ResultExt;

    #[derive(Debug, thiserror::Error)]
    #[error("line 7 cannot be written")]
    struct Deep(#[from] io::Error);

    #[test]
    fn closed_pipe_is_not_an_error() {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(conclude(Err(gone().into())), Exit::Ok);
        assert_eq!(
            conclude(Err(gone()).hint("try again").context("outer")),
            Exit::Ok
        );
        assert_eq!(
            conclude(Err(Deep(gone())).context("outer").hint("try again")),
            Exit::Ok
        );
    }

    #[test]
    fn every_ending_has_its_code() {
        let codes = [
            Exit::Ok,
            Exit::Regressed,
            Exit::Findings,
            Exit::Error,
            Exit::Drift,
            Exit::NoAnswer,
        ]
        .map(Exit::code);
        assert_eq!(codes, [0, 1, 1, 2, 3, 3]);
        assert_eq!(
            conclude(Err(io::Error::from(io::ErrorKind::StorageFull).into())),
            Exit::Error
        );
    }
}
