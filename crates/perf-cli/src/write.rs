//! Writing that is atomic and leaves alone what is already so.
//!
//! A *draft* is the new content in a file of its own, beside the file it will be renamed to. A process killed
//! meanwhile leaves at most a draft behind (`.perf-gate-….tmp`).

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::term::shown;
use crate::{Failure, paths};

/// What writing did to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// There was no file.
    Created,
    /// The file had other content.
    Updated,
    /// The file had this content already and was not touched.
    Unchanged,
}

/// Replaces the content of a file, at once or not at all; the same content leaves it untouched, time included.
///
/// The new content is written beside the file, brought to the disk and renamed over it, so that whoever looks
/// sees the old content or the new. The file keeps its permissions, and its owner where the system allows; a
/// new file gets what the umask says. A symbolic link stays and its target is replaced; of several hard links
/// only this one changes. What is no ordinary file (`/dev/stdout`, a pipe) is written directly.
///
/// # Errors
/// One message with the path when the folder is missing or not writable, or the file is a directory, read-only
/// or a link that leads nowhere. The old file is whole then, and nothing else is left behind.
pub fn write_if_changed(path: &Path, content: &[u8]) -> anyhow::Result<Written> {
    match Place::of(path)? {
        Place::Free => {
            let draft = draft(path, content, None)?;
            draft.persist(path).map_err(|error| paths::cannot("write", path, error.error))?;
            settle(path);
            Ok(Written::Created)
        }
        Place::Device => write_directly(path, content).map(|()| Written::Updated),
        Place::File { target, metadata } => replace(&target, &metadata, content),
    }
}

/// Writes a file that must not exist yet, atomically too.
///
/// # Errors
/// As [`write_if_changed`], and when there is a file already, whatever it holds.
pub fn create_new(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let exists = || Failure::new(format!("`{}` already exists", shown(path)));
    match Place::of(path)? {
        Place::Free => {
            let draft = draft(path, content, None)?;
            // Refused as well if another process has been faster.
            draft.persist_noclobber(path).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => exists(),
                _ => paths::cannot("write", path, error.error),
            })?;
            settle(path);
            Ok(())
        }
        Place::Device => write_directly(path, content),
        Place::File { .. } => Err(exists().into()),
    }
}

/// What stands where something is to be written.
enum Place {
    /// Nothing, in a folder that exists.
    Free,
    /// A file; `target` is where it really is, all links followed.
    File { target: PathBuf, metadata: Metadata },
    /// Something that cannot be replaced, only written to.
    Device,
}

impl Place {
    fn of(path: &Path) -> Result<Self, Failure> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(paths::folder_instead("write", path)),
            Ok(metadata) if !metadata.is_file() => Ok(Self::Device),
            Ok(metadata) => Ok(Self::File { target: target(path)?, metadata }),
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
            return Err(Failure::new(message).hint(format!("create the folder `{}` first", shown(folder))));
        }
        Ok(Self::Free)
    }
}

/// Where a file really is: a rename over a link would replace the link.
fn target(path: &Path) -> Result<PathBuf, Failure> {
    if !path.is_symlink() {
        return Ok(path.to_owned());
    }
    path.canonicalize().map_err(|error| paths::cannot("write", path, error))
}

fn replace(target: &Path, metadata: &Metadata, content: &[u8]) -> anyhow::Result<Written> {
    if holds(target, metadata, content).map_err(|error| paths::cannot("read", target, error))? {
        return Ok(Written::Unchanged);
    }
    if metadata.permissions().readonly() {
        return Err(Failure::new(format!("cannot write `{}`: it is read-only", shown(target))).into());
    }
    let draft = draft(target, content, Some(metadata))?;
    draft.persist(target).map_err(|error| paths::cannot("write", target, error.error))?;
    settle(target);
    Ok(Written::Updated)
}

fn holds(target: &Path, metadata: &Metadata, content: &[u8]) -> io::Result<bool> {
    // The size first, so that a huge file is not read in vain.
    Ok(metadata.len() == content.len() as u64 && fs::read(target)? == content)
}

/// The content on the disk beside `target`, in a file that removes itself unless it is renamed.
fn draft(target: &Path, content: &[u8], old: Option<&Metadata>) -> Result<NamedTempFile, Failure> {
    let folder = paths::folder_of(target);
    let mut draft = new_draft(folder, old.is_none()).map_err(|error| {
        let message =
            format!("cannot write `{}`: no file can be created in `{}`", shown(target), shown(folder));
        // The kind alone: the error names the draft, which nobody knows.
        Failure::new(message).because(io::Error::from(error.kind()))
    })?;
    fill(&mut draft, content, old).map_err(|error| paths::cannot("write", target, error))?;
    Ok(draft)
}

fn new_draft(folder: &Path, for_a_new_file: bool) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".perf-gate-").suffix(".tmp");
    #[cfg(unix)]
    if for_a_new_file {
        // As for any file a program creates: the umask takes away what it does not allow.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = for_a_new_file;
    builder.tempfile_in(folder)
}

fn fill(draft: &mut NamedTempFile, content: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        take_over(draft, old)?;
    }
    draft.write_all(content)?;
    draft.flush()?;
    draft.as_file().sync_all()
}

#[cfg(unix)]
fn take_over(draft: &NamedTempFile, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Only the superuser may give files away, and only then is it needed.
    let _ = fchown(draft.as_file(), Some(old.uid()), Some(old.gid()));
    draft.as_file().set_permissions(old.permissions())
}

/// Elsewhere permissions belong to the folder; a read-only file does not come this far.
#[cfg(not(unix))]
fn take_over(_: &NamedTempFile, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Brings the rename to the disk too, where folders can be synced; the content is there already.
fn settle(target: &Path) {
    #[cfg(unix)]
    let _ = fs::File::open(paths::folder_of(target)).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = target;
}

fn write_directly(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let written = OpenOptions::new().write(true).open(path).and_then(|mut device| device.write_all(content));
    Ok(written.map_err(|error| paths::cannot("write", path, error))?)
}
