//! Inputs that may be compressed, UTF-16 or stdin.

use std::fmt;
use std::io::{self, Cursor, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;

use crate::{Failure, paths, term};

type Stream = Box<dyn Read + Send>;

/// The number of bytes from which an encoding is detected.
const HEAD: u64 = 512;

/// The first bytes of gzip data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// An open stream: UTF-8 text, or the raw bytes of any other content.
///
/// Decompresses gzip and transcodes UTF-16, which are detected from the bytes and not from the file name. An unpaired
/// UTF-16 surrogate becomes U+FFFD. A UTF-8 byte order mark is removed.
///
/// The first read may return only a few bytes. Read errors do not contain the file name; [`cannot_read`] adds it.
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

/// Opens a file for streaming. `-` is stdin, and `./-` is a file with this name.
///
/// # Errors
/// Fails if the file is missing, a directory, unreadable, or broken gzip. The message contains the path and, for a missing
/// file, a hint with a similar name.
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
/// Fails if the stream is broken gzip.
pub fn from<R: Read + Send + 'static>(name: String, source: R) -> anyhow::Result<Input> {
    match decoded(Box::new(source)) {
        Ok(stream) => Ok(Input { name, stream }),
        Err(error) => Err(cannot_read(&name, error).into()),
    }
}

/// Creates the error for a failed read from an [`Input`] with this name.
pub fn cannot_read(name: &str, error: io::Error) -> Failure {
    Failure::new(format!("cannot read `{name}`")).because(error)
}

/// Decompresses gzip, then transcodes UTF-16.
fn decoded(source: Stream) -> io::Result<Stream> {
    let (mut head, mut source) = peek(source)?;
    if head.starts_with(&GZIP) {
        (head, source) = peek(Box::new(MultiGzDecoder::new(source)))?;
    }
    let mut decoder = DecodeReaderBytesBuilder::new();
    decoder.encoding(unmarked_utf16(&head));
    decoder.bom_override(true).strip_bom(true);
    // Let invalid bytes pass unchanged, because the row readers report them.
    decoder.utf8_passthru(true);
    Ok(Box::new(decoder.build(source)))
}

/// Returns the first bytes of a stream, and the whole stream, which still contains them.
fn peek(mut source: Stream) -> io::Result<(Vec<u8>, Stream)> {
    let mut head = Vec::new();
    source.by_ref().take(HEAD).read_to_end(&mut head)?;
    let whole = Cursor::new(head.clone()).chain(source);
    Ok((head, Box::new(whole)))
}

/// Detects UTF-16 without a byte order mark: at least three quarters of the bytes at even or at odd offsets are NUL, as
/// in English text, and no other byte is.
pub(crate) fn unmarked_utf16(head: &[u8]) -> Option<&'static Encoding> {
    let (mut count, mut first_nuls, mut second_nuls) = (0, 0, 0);
    for pair in head.chunks_exact(2) {
        count += 1;
        first_nuls += usize::from(pair[0] == 0);
        second_nuls += usize::from(pair[1] == 0);
    }
    let is_most = |nuls: usize| count >= 4 && nuls * 4 >= count * 3;
    match (first_nuls, second_nuls) {
        (0, nuls) if is_most(nuls) => Some(UTF_16LE),
        (nuls, 0) if is_most(nuls) => Some(UTF_16BE),
        _ => None,
    }
}
