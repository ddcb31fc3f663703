//! A command that runs on an input.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

/// A command.
pub(crate) struct Contestant {
    /// Its name in the table.
    pub(crate) name: String,
    /// Program and arguments.
    pub(crate) line: Vec<OsString>,
    /// The preparation before each run.
    pub(crate) prepare: Option<Box<dyn Fn() -> io::Result<()>>>,
}

impl Contestant {
    pub(crate) fn new<const N: usize>(program: &Path, arguments: [&dyn AsRef<OsStr>; N]) -> Self {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let arguments = arguments.iter().map(|argument| argument.as_ref().to_owned());
        Self { name, line: std::iter::once(program.into()).chain(arguments).collect(), prepare: None }
    }
}
