//! Inputs that may be compressed, UTF-16 or stdin.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

use crate::decode::{self, Stream};
use crate::{Failure, paths, term};

/// An open stream of text: UTF-8, or the raw bytes of any other content.
///
/// gzip is decompressed and UTF-16 transcoded, depending on the bytes and not on the file name. An unpaired UTF-16
/// surrogate becomes U+FFFD. A UTF-8 byte order mark is removed.
///
/// Plain files are read directly into the caller's buffer, so a large buffer (1 MB) means few system calls. The first
/// read may be short. Read errors do not contain the file name: [`cannot_read`] adds it.
pub struct Input {
    /// The path as given, or `<stdin>`, without control characters.
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
/// One message with the path if the file is missing (with a similar name as a hint), a directory, unreadable, or broken
/// gzip.
pub fn open(path: &Path) -> anyhow::Result<Input> {
    if path.as_os_str() == "-" {
        return from("<stdin>".to_owned(), io::stdin());
    }
    let (file, _) = paths::open(path)?;
    from(term::shown(path), file)
}

/// Reads a stream as if it were a file with this name.
///
/// # Errors
/// The stream is broken gzip.
pub fn from<R: Read + Send + 'static>(name: String, source: R) -> anyhow::Result<Input> {
    match decode::text(source) {
        Ok(stream) => Ok(Input { name, stream }),
        Err(error) => Err(cannot_read(&name, error).into()),
    }
}

/// The error for a failed read from an [`Input`] with this name.
pub fn cannot_read(name: &str, error: io::Error) -> Failure {
    Failure::new(format!("cannot read `{name}`")).because(error)
}
