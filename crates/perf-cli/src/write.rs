//! Atomic writes, which leave a file untouched if it already has the content.
//!
//! A *draft* is the new content before it replaces the file. Writers lock the file's folder, so each sees the previous
//! writer's result.

mod draft;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::term::shown;
use crate::{Failure, paths};

/// The effect of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The file did not exist.
    Created,
    /// The file had other content.
    Updated,
    /// The file already had this content and was not touched.
    Unchanged,
}

/// The maximum number of attempts of [`update`], which starts again if another program has written the file meanwhile.
const MOST_TRIES: usize = 10;

/// Replaces a file's content atomically; the same content leaves the file untouched, including its modification time.
///
/// The new content is written next to the file, synced to the disk and renamed over it, so readers see either the old
/// or the new content. The file keeps its permissions, and its owner if the system allows; a new file gets its
/// permissions from the umask. A symbolic link stays and its target is replaced; of several hard links, only this one
/// changes. A pipe or device (`/dev/stdout`) is written directly.
///
/// # Errors
/// One message with the path if the folder is missing or not writable, or the file is a directory, read-only or a
/// dangling link. The old file then stays whole, and no draft remains.
pub fn write_if_changed(path: &Path, content: &[u8]) -> anyhow::Result<Written> {
    let _held = WriteTarget::of(path)?.hold(path);
    WriteTarget::of(path)?.write(path, content)
}

/// As [`write_if_changed`], for content that `make` writes.
///
/// # Errors
/// Errors of `make` and of [`write_if_changed`].
pub fn write_if_changed_with(
    path: &Path,
    make: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<Written> {
    let mut content = Vec::new();
    make(&mut content).map_err(|error| paths::cannot("write", path, error))?;
    write_if_changed(path, &content)
}

/// Updates a file that may exist: writes the result of `change`, like [`write_if_changed`]. `change` reads the file; it
/// is called again if another program has written the file in between, and must not write into the same folder.
///
/// # Errors
/// Errors of `change` and of [`write_if_changed`], a path that is not an ordinary file, and a file that other programs
/// keep changing.
pub fn update<T>(
    path: &Path,
    mut change: impl FnMut() -> anyhow::Result<(Vec<u8>, T)>,
) -> anyhow::Result<(Written, T)> {
    paths::require_ordinary(path)?;
    let _held = WriteTarget::of(path)?.hold(path);
    for _ in 0..MOST_TRIES {
        let before = FileState::of(path);
        let (content, made) = change()?;
        if FileState::of(path) == before {
            return Ok((WriteTarget::of(path)?.write(path, &content)?, made));
        }
    }
    let message = format!(
        "cannot write `{}`: another program keeps changing it",
        shown(path)
    );
    Err(Failure::new(message).into())
}

/// Creates a file, also atomically.
///
/// # Errors
/// As [`write_if_changed`], and a file that already exists.
pub fn create_new(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let exists = || Failure::new(format!("`{}` already exists", shown(path)));
    let _held = WriteTarget::of(path)?.hold(path);
    match WriteTarget::of(path)? {
        WriteTarget::Free => {
            let draft = draft::with_content(path, None, content)?;
            // Another process may have created it first.
            draft
                .persist_noclobber(path)
                .map_err(|error| match error.error.kind() {
                    io::ErrorKind::AlreadyExists => exists(),
                    _ => paths::cannot("write", path, error.error),
                })?;
            settle(path);
            Ok(())
        }
        WriteTarget::Device => write_directly(path, content),
        WriteTarget::File { .. } => Err(exists().into()),
    }
}

/// What exists at the path to write.
enum WriteTarget {
    /// Nothing, in a folder that exists.
    Free,
    /// A file; `target` is its real path with all links resolved.
    File { target: PathBuf, metadata: Metadata },
    /// Something that can only be written to, not replaced.
    Device,
}

impl WriteTarget {
    fn of(path: &Path) -> Result<Self, Failure> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(paths::folder_instead("write", path)),
            Ok(metadata) if !metadata.is_file() => Ok(Self::Device),
            Ok(metadata) => Ok(Self::File {
                target: target(path)?,
                metadata,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::vacant(path, error),
            Err(error) => Err(paths::cannot("write", path, error)),
        }
    }

    fn vacant(path: &Path, error: io::Error) -> Result<Self, Failure> {
        let folder = paths::folder_of(path);
        if path.is_symlink() || path.as_os_str().is_empty() {
            return Err(paths::cannot("write", path, error));
        }
        if !folder.is_dir() {
            let message = format!("cannot write `{}`: its folder does not exist", shown(path));
            return Err(
                Failure::new(message).hint(format!("create the folder `{}` first", shown(folder)))
            );
        }
        Ok(Self::Free)
    }

    /// Locks the folder against other writers, if the system supports it.
    fn hold(&self, path: &Path) -> Option<Held> {
        match self {
            Self::Free => Held::folder(paths::folder_of(path)),
            Self::File { target, .. } => Held::folder(paths::folder_of(target)),
            Self::Device => None,
        }
    }

    /// Writes the content, unless the file already has it.
    fn write(&self, path: &Path, content: &[u8]) -> anyhow::Result<Written> {
        match self {
            Self::Free => {
                replace(path, None, content)?;
                Ok(Written::Created)
            }
            Self::Device => write_directly(path, content).map(|()| Written::Updated),
            Self::File { target, metadata } => {
                // Compare first: an up-to-date file may be in a read-only folder.
                let old = fs::read(target).map_err(|error| paths::cannot("read", target, error))?;
                if old == content {
                    return Ok(Written::Unchanged);
                }
                refuse_read_only(target, metadata)?;
                replace(target, Some(metadata), content)?;
                Ok(Written::Updated)
            }
        }
    }
}

/// A file's real path with all links resolved, because a rename over a link would replace the link.
fn target(path: &Path) -> Result<PathBuf, Failure> {
    if !path.is_symlink() {
        return Ok(path.to_owned());
    }
    path.canonicalize()
        .map_err(|error| paths::cannot("write", path, error))
}

fn refuse_read_only(target: &Path, metadata: &Metadata) -> Result<(), Failure> {
    if metadata.permissions().readonly() {
        return Err(Failure::new(format!(
            "cannot write `{}`: it is read-only",
            shown(target)
        )));
    }
    Ok(())
}

/// Writes a draft and renames it to its target.
fn replace(target: &Path, old: Option<&Metadata>, content: &[u8]) -> Result<(), Failure> {
    let draft = draft::with_content(target, old, content)?;
    draft
        .persist(target)
        .map_err(|error| paths::cannot("write", target, error.error))?;
    settle(target);
    Ok(())
}

/// Syncs the rename to the disk if the system can sync folders; the content is already synced.
fn settle(target: &Path) {
    #[cfg(unix)]
    let _ = File::open(paths::folder_of(target)).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = target;
}

fn write_directly(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let mut device = paths::open_with("write", path, OpenOptions::new().write(true))?;
    device
        .write_all(content)
        .map_err(|error| paths::cannot("write", path, error))?;
    Ok(())
}

/// A lock on a folder against other processes of this program, until it is dropped or the process ends.
struct Held {
    _folder: File,
}

impl Held {
    /// Waits for the lock; `None` if the system has none, such as Windows.
    fn folder(folder: &Path) -> Option<Self> {
        let handle = File::open(folder).ok()?;
        handle.lock().ok()?;
        draft::remove_abandoned(folder);
        Some(Self { _folder: handle })
    }
}

/// A file's size, time and inode, which change with its content.
#[derive(Debug, PartialEq, Eq)]
struct FileState(Option<(u64, Option<SystemTime>, u64)>);

impl FileState {
    /// The state of a file, which need not exist.
    fn of(path: &Path) -> Self {
        let metadata = fs::metadata(path).ok();
        Self(metadata.map(|metadata| (metadata.len(), metadata.modified().ok(), number(&metadata))))
    }
}

/// The inode number, which changes with each rename.
#[cfg(unix)]
fn number(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}
