//! Small text files, read whole and written atomically.

use std::io::{self, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_8};

use crate::term::shown;
pub use crate::write::{Written, create_new, update, write_if_changed, write_if_changed_with};
use crate::{Failure, input, paths};

/// The maximum size of a text file that is read whole, in bytes.
pub const MAX_TEXT: u64 = 64 * 1024 * 1024;

/// Reads a small text file whole: a document, a config, a baseline.
///
/// The text is unchanged, including a byte order mark and the line ends, because callers may write the file back.
///
/// # Errors
/// One message with the path if the file is missing, a directory, unreadable, larger than [`MAX_TEXT`], or not UTF-8
/// (with line and byte offset).
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let (file, metadata) = paths::open(path)?;
    let mut bytes = Vec::new();
    if metadata.len() <= MAX_TEXT {
        // Pipes and devices may be longer than their metadata says, or endless.
        let read = file.take(MAX_TEXT + 1).read_to_end(&mut bytes);
        read.map_err(|error| paths::cannot("read", path, error))?;
    }
    if metadata.len().max(bytes.len() as u64) > MAX_TEXT {
        let limit = MAX_TEXT / (1024 * 1024);
        let message = format!(
            "`{}` is too large for a text file: more than {limit} MiB",
            shown(path)
        );
        return Err(Failure::new(message).into());
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(path, &error).into())
}

/// Rejects pipes and devices: reading one before a change would block, or take another program's data.
pub fn require_ordinary(path: &Path) -> anyhow::Result<()> {
    Ok(paths::require_ordinary(path)?)
}

/// As [`read_text`], but `None` if the file does not exist.
///
/// # Errors
/// All other reasons why the file cannot be read, including a dangling link: an unreadable file must not look like a
/// missing one.
pub fn read_text_if_exists(path: &Path) -> anyhow::Result<Option<String>> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.as_os_str().is_empty() => {
            Ok(None)
        }
        _ => read_text(path).map(Some),
    }
}

/// The error for bytes that are not UTF-8: line, offset, and the probable encoding.
pub fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Failure {
    let bytes = error.as_bytes();
    let offset = error.utf8_error().valid_up_to();
    let line = bytes[..offset].split(|byte| *byte == b'\n').count();
    let failure = Failure::new(format!(
        "`{}` is not UTF-8: line {line}, byte offset {offset}",
        shown(path)
    ));
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => Some(encoding),
        None => input::unmarked_utf16(bytes),
    };
    match encoding {
        Some(encoding) if encoding != UTF_8 => failure.hint(format!(
            "it looks like {}; save it as UTF-8",
            encoding.name()
        )),
        _ => failure,
    }
}
