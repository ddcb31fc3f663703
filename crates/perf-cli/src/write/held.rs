//! One writer in a folder at a time, and whether a file has changed meanwhile.

use std::fs::{self, File, Metadata};
use std::path::Path;
use std::time::SystemTime;

use super::draft;

/// A folder that no other process of this kind writes in until this is dropped. The lock ends with the process, too.
pub(super) struct Held {
    _folder: File,
}

impl Held {
    /// Waits for the folder; `None` where the system has no such lock, as on Windows.
    pub(super) fn folder(folder: &Path) -> Option<Self> {
        let handle = File::open(folder).ok()?;
        handle.lock().ok()?;
        draft::remove_abandoned(folder);
        Some(Self { _folder: handle })
    }
}

/// The size, time and inode of a file, which change with its content.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileState(Option<(u64, Option<SystemTime>, u64)>);

impl FileState {
    /// The state of a file, which need not exist.
    pub(super) fn of(path: &Path) -> Self {
        let metadata = fs::metadata(path).ok();
        Self(metadata.map(|metadata| (metadata.len(), metadata.modified().ok(), number(&metadata))))
    }
}

/// The number of the file, which is another one after each rename.
#[cfg(unix)]
fn number(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}
