//! Reads small text files whole, and writes them atomically.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use encoding_rs::{Encoding, UTF_8};
use tempfile::NamedTempFile;

use crate::term::shown;
use crate::{Failure, input, paths};

/// The maximum size of a text file that is read whole, in bytes.
pub const MAX_TEXT: u64 = 64 * 1024 * 1024;

/// Reads a small text file, such as a document, a config or a baseline.
///
/// The text is unchanged, including a byte order mark and the line ends, because callers may write the file back.
///
/// # Errors
/// Fails if the file is missing, a directory, unreadable, larger than [`MAX_TEXT`], or not UTF-8. The message contains the
/// path and, for invalid UTF-8, the line and the byte offset.
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
        bail!(
            "`{}` is too large for a text file: more than {limit} MiB",
            shown(path)
        );
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(path, &error).into())
}

/// Rejects pipes and devices, because reading one before a change would block or take another program's data. Accepts a
/// missing file, because it can be created.
pub fn require_ordinary(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(metadata) if !(metadata.is_file() || metadata.is_dir()) => {
            let message = format!(
                "cannot change `{}`: it is a pipe or a device, not a file",
                shown(path)
            );
            Err(Failure::new(message))
        }
        _ => Ok(()),
    }
}

/// Like [`read_text`], but returns `None` if the file does not exist.
///
/// # Errors
/// Fails if the file exists but cannot be read, or if it is a dangling link. Such files must not look like missing ones.
pub fn read_text_if_exists(path: &Path) -> anyhow::Result<Option<String>> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.as_os_str().is_empty() => {
            Ok(None)
        }
        _ => read_text(path).map(Some),
    }
}

/// Creates the error for bytes that are not UTF-8. It contains the line, the offset and the probable encoding.
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

/// Replaces a file's content atomically. If the content is the same, the file stays untouched, including its modification
/// time.
///
/// The new content is written next to the file, synced to the disk and renamed over the file, so readers see either the old
/// or the new content. The file keeps its permissions, and its owner if the system allows that. A new file gets its
/// permissions from the umask. A symbolic link stays, and its target is replaced. If the file has several hard links, only
/// the one at `path` changes. A pipe or a device (`/dev/stdout`) is written directly.
///
/// # Errors
/// Fails if the folder is missing or not writable, or if the file is a directory, read-only or a dangling link. The message
/// contains the path. The old file stays intact, and no temporary file remains.
pub fn write_if_changed(path: &Path, content: &[u8]) -> anyhow::Result<Written> {
    match WriteTarget::at(path)? {
        WriteTarget::Free => {
            let draft = write_draft(path, None, content)?;
            draft
                .persist(path)
                .map_err(|error| paths::cannot("write", path, error.error))?;
            sync_folder(path);
            Ok(Written::Created)
        }
        WriteTarget::Device => write_directly(path, content).map(|()| Written::Updated),
        WriteTarget::File { target, metadata } => {
            // Compare first: an up-to-date file may be in a read-only folder.
            let old = fs::read(&target).map_err(|error| paths::cannot("read", &target, error))?;
            if old == content {
                return Ok(Written::Unchanged);
            }
            if metadata.permissions().readonly() {
                bail!("cannot write `{}`: it is read-only", shown(&target));
            }
            let draft = write_draft(&target, Some(&metadata), content)?;
            draft
                .persist(&target)
                .map_err(|error| paths::cannot("write", &target, error.error))?;
            sync_folder(&target);
            Ok(Written::Updated)
        }
    }
}

/// Updates a file, which need not exist: `change` reads it, and [`write_if_changed`] writes the content that `change`
/// returns.
///
/// # Errors
/// Fails if the path is not an ordinary file, or if `change` or [`write_if_changed`] fails.
pub fn update<T>(
    path: &Path,
    change: impl FnOnce() -> anyhow::Result<(Vec<u8>, T)>,
) -> anyhow::Result<(Written, T)> {
    require_ordinary(path)?;
    let (content, made) = change()?;
    Ok((write_if_changed(path, &content)?, made))
}

/// Creates a file atomically.
///
/// # Errors
/// Fails if the file already exists, and in the same cases as [`write_if_changed`].
pub fn create_new(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let exists = || Failure::new(format!("`{}` already exists", shown(path)));
    match WriteTarget::at(path)? {
        WriteTarget::Free => {
            let draft = write_draft(path, None, content)?;
            // Another process may have created the file in the meantime.
            draft
                .persist_noclobber(path)
                .map_err(|error| match error.error.kind() {
                    io::ErrorKind::AlreadyExists => exists(),
                    _ => paths::cannot("write", path, error.error),
                })?;
            sync_folder(path);
            Ok(())
        }
        WriteTarget::Device => write_directly(path, content),
        WriteTarget::File { .. } => Err(exists().into()),
    }
}

/// The state of a path before it is written.
enum WriteTarget {
    /// Nothing exists at the path, but its folder exists.
    Free,
    /// A file. `target` is its real path with all links resolved, because a rename over a link would replace the link.
    File { target: PathBuf, metadata: Metadata },
    /// A pipe or a device, which can be written to but not replaced.
    Device,
}

impl WriteTarget {
    fn at(path: &Path) -> Result<Self, Failure> {
        let cannot = |error| paths::cannot("write", path, error);
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot(error)),
            Err(error) if path.is_symlink() || path.as_os_str().is_empty() => {
                return Err(cannot(error));
            }
            Err(_) => {
                let folder = paths::folder_of(path);
                if folder.is_dir() {
                    return Ok(Self::Free);
                }
                let message = format!("cannot write `{}`: its folder does not exist", shown(path));
                let hint = format!("create the folder `{}` first", shown(folder));
                return Err(Failure::new(message).hint(hint));
            }
        };
        if metadata.is_dir() {
            return Err(paths::folder_instead("write", path));
        }
        if !metadata.is_file() {
            return Ok(Self::Device);
        }
        let target = if path.is_symlink() {
            path.canonicalize().map_err(cannot)?
        } else {
            path.to_owned()
        };
        Ok(Self::File { target, metadata })
    }
}

fn write_directly(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let opened = OpenOptions::new().write(true).open(path);
    let written = opened.and_then(|mut device| device.write_all(content));
    written.map_err(|error| paths::cannot("write", path, error).into())
}

/// Writes the content to a temporary file next to the target. `old` is the target's metadata, if the target exists.
fn write_draft(
    target: &Path,
    old: Option<&Metadata>,
    content: &[u8],
) -> Result<NamedTempFile, Failure> {
    let folder = paths::folder_of(target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".perf-gate-").suffix(".tmp");
    #[cfg(unix)]
    if old.is_none() {
        // Let the umask apply, as for any new file.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut draft = builder.tempfile_in(folder).map_err(|error| {
        let message = format!(
            "cannot write `{}`: no file can be created in `{}`",
            shown(target),
            shown(folder)
        );
        // Use only the error kind: the full error contains the temporary name, which means nothing to the user.
        Failure::new(message).because(io::Error::from(error.kind()))
    })?;
    let kept = match old {
        Some(old) => keep_permissions(draft.as_file(), old),
        None => Ok(()),
    };
    kept.and_then(|()| draft.write_all(content))
        .and_then(|()| draft.as_file().sync_all())
        .map_err(|error| paths::cannot("write", target, error))?;
    Ok(draft)
}

#[cfg(unix)]
fn keep_permissions(draft: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Ignore errors, because only root can change the owner.
    let _ = fchown(draft, Some(old.uid()), Some(old.gid()));
    draft.set_permissions(old.permissions())
}

/// On other systems, there is nothing to keep: files inherit the folder's permissions, and read-only files were rejected
/// before.
#[cfg(not(unix))]
fn keep_permissions(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Syncs a rename to the disk if the system can sync folders. The content has already been synced.
fn sync_folder(target: &Path) {
    #[cfg(unix)]
    let _ = File::open(paths::folder_of(target)).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = target;
}
