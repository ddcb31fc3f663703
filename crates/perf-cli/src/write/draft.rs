//! The new content of a file before it has the file's name.
//!
//! On Linux a draft has no name until it is complete, so a killed process leaves nothing behind. Elsewhere it is a file
//! next to the target, and the next writer in the folder removes it.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::buffered;
use crate::term::shown;
use crate::{Failure, paths};

/// The beginning and the end of the names of drafts.
const NAME: (&str, &str) = (".perf-gate-", ".tmp");

/// The number of a folder's names that are searched for abandoned drafts.
const LOOKED_AT: usize = 10_000;

/// Content on the disk; it vanishes unless it gets a name.
pub(super) enum Draft {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl Draft {
    /// Creates a draft with what `make` writes, for a target that has the metadata `old`, if it exists.
    pub(super) fn new(
        target: &Path,
        old: Option<&Metadata>,
        make: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Failure> {
        let folder = paths::folder_of(target);
        let draft = Self::empty(folder, old.is_none()).map_err(|error| {
            let message = format!(
                "cannot write `{}`: no file can be created in `{}`",
                shown(target),
                shown(folder)
            );
            // Only the kind: the error contains the draft's name, which means nothing to the user.
            Failure::new(message).because(io::Error::from(error.kind()))
        })?;
        fill(draft.file(), old, make).map_err(|error| paths::cannot("write", target, error))?;
        Ok(draft)
    }

    fn empty(folder: &Path, for_a_new_file: bool) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(folder, for_a_new_file) {
            return Ok(Self::Unnamed(file));
        }
        named_draft(folder, for_a_new_file).map(Self::Named)
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    /// Renames it over the target.
    pub(super) fn replace(self, target: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => {
                // A link replaces nothing, so it takes a name in between.
                let name = free_name(paths::folder_of(target))?;
                link(&file, &name)?;
                fs::rename(&name, target).inspect_err(|_| drop(fs::remove_file(&name)))
            }
            Self::Named(file) => file.persist(target).map(drop).map_err(|error| error.error),
        }
    }

    /// Renames it to the target, which must not exist.
    pub(super) fn create(self, target: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => link(&file, target),
            Self::Named(file) => file
                .persist_noclobber(target)
                .map(drop)
                .map_err(|error| error.error),
        }
    }
}

/// A file without a name; `None` if the file system does not allow it, or `/proc` is missing.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, for_a_new_file: bool) -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(if for_a_new_file { 0o666 } else { 0o600 });
    let is_linkable = Path::new(DESCRIPTORS).is_dir();
    is_linkable
        .then(|| openat(CWD, folder, flags, mode).ok())
        .flatten()
        .map(File::from)
}

/// The folder with a process's open files on Linux.
#[cfg(target_os = "linux")]
const DESCRIPTORS: &str = "/proc/self/fd";

/// Gives an unnamed file a name.
#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let source = format!("{DESCRIPTORS}/{}", file.as_raw_fd());
    Ok(linkat(CWD, source, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(target_os = "linux")]
fn free_name(folder: &Path) -> io::Result<std::path::PathBuf> {
    let random = getrandom::u64().map_err(io::Error::from)?;
    Ok(folder.join(format!("{}{random:016x}{}", NAME.0, NAME.1)))
}

fn named_draft(folder: &Path, for_a_new_file: bool) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1);
    #[cfg(unix)]
    if for_a_new_file {
        // As for any file that a program creates: the umask applies.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = for_a_new_file;
    builder.tempfile_in(folder)
}

fn fill(
    draft: &File,
    old: Option<&Metadata>,
    make: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(old) = old {
        take_over(draft, old)?;
    }
    buffered(draft, make)?;
    draft.sync_all()
}

#[cfg(unix)]
fn take_over(draft: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Only the superuser may give files away, and only then is it needed.
    let _ = fchown(draft, Some(old.uid()), Some(old.gid()));
    draft.set_permissions(old.permissions())
}

/// Elsewhere permissions belong to the folder; a read-only file does not come this far.
#[cfg(not(unix))]
fn take_over(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Removes the drafts in a folder that nobody else writes in: a process that was killed has left them.
pub(super) fn remove_abandoned(folder: &Path) {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(LOOKED_AT);
    let is_draft = |name: &str| name.starts_with(NAME.0) && name.ends_with(NAME.1);
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_draft)) {
        // A draft that cannot be removed does no harm.
        let _ = fs::remove_file(entry.path());
    }
}
