//! Compares a file with the content that is about to be written.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// True if a file has what `make` writes. Where it has not, no more is made than up to the difference.
///
/// # Errors
/// Those of reading the file. Those of `make` are not: whoever writes meets them again.
pub(super) fn holds(
    file: &Path,
    make: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<bool> {
    let file = BufReader::with_capacity(super::BUFFER, File::open(file)?);
    let mut content = Content {
        file,
        part: Vec::new(),
        failure: None,
    };
    let is_made = make(&mut content).is_ok();
    match content.failure {
        Some(error) => Err(error),
        None => Ok(is_made && content.file.read(&mut [0])? == 0),
    }
}

/// Takes what a file has, and nothing else.
struct Content {
    file: BufReader<File>,
    /// The bytes of the file at the place of the part that is written; a field so that its memory is reused.
    part: Vec<u8>,
    failure: Option<io::Error>,
}

impl Write for Content {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.part.resize(part.len(), 0);
        match self.file.read_exact(&mut self.part) {
            Ok(()) if self.part == part => return Ok(part.len()),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                self.failure = Some(error);
            }
            _ => {}
        }
        Err(io::ErrorKind::InvalidData.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
