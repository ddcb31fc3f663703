//! Inputs that may be compressed, UTF-16 or stdin.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

use crate::decode::{self, Stream};
use crate::{Failure, paths, term};

/// An open stream of text; reading returns UTF-8, or the raw bytes of any other content.
///
/// gzip is unpacked and UTF-16 transcoded, judged by the bytes and not by the file's name; a UTF-16 code unit without
/// its partner becomes U+FFFD. A UTF-8 byte order mark is left out.
///
/// Plain files are read straight into the caller's buffer, so a large buffer (1 MB) makes few system calls.
/// The first read may be short. An error while reading does not name the file: [`cannot_read`] does.
pub struct Input {
    /// The path as it was given, or `<stdin>`; harmless to a terminal.
    pub name: String,
    stream: Stream,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Input")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Opens a file for streaming; `-` is stdin, `./-` a file of that name.
///
/// # Errors
/// One message with the path when the file is missing (its hint: the name that may have been meant), a
/// directory or unreadable, or when it starts as gzip and does not go on so.
pub fn open(path: &Path) -> anyhow::Result<Input> {
    if path.as_os_str() == "-" {
        return from("<stdin>".to_owned(), io::stdin());
    }
    let (file, _) = paths::open(path)?;
    from(term::shown(path), file)
}

/// Reads a stream that is not a file as if it were a file with this name.
///
/// # Errors
/// When it starts as gzip and does not go on so.
pub fn from<R: Read + Send + 'static>(name: String, source: R) -> anyhow::Result<Input> {
    match decode::text(source) {
        Ok(stream) => Ok(Input { name, stream }),
        Err(error) => Err(cannot_read(&name, error).into()),
    }
}

/// The error of a read from an [`Input`] with this name.
pub fn cannot_read(name: &str, error: io::Error) -> Failure {
    Failure::new(format!("cannot read `{name}`")).because(error)
}
