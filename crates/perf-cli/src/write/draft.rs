//! Drafts: a file's new content under a temporary name. A killed process leaves its draft; the next writer in the
//! folder removes it.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::term::shown;
use crate::{Failure, paths};

/// The start and end of draft names.
const NAME: (&str, &str) = (".perf-gate-", ".tmp");

/// The maximum number of names to search for abandoned drafts.
const LOOKED_AT: usize = 10_000;

/// Writes a draft for a target, whose metadata is `old` if it exists.
pub(super) fn with_content(
    target: &Path,
    old: Option<&Metadata>,
    content: &[u8],
) -> Result<NamedTempFile, Failure> {
    let folder = paths::folder_of(target);
    let draft = empty_draft(folder, old.is_none()).map_err(|error| {
        let message = format!(
            "cannot write `{}`: no file can be created in `{}`",
            shown(target),
            shown(folder)
        );
        // Only the error kind: the full error contains the draft's name, which means nothing to the user.
        Failure::new(message).because(io::Error::from(error.kind()))
    })?;
    fill(draft.as_file(), old, content).map_err(|error| paths::cannot("write", target, error))?;
    Ok(draft)
}

fn empty_draft(folder: &Path, for_a_new_file: bool) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1);
    #[cfg(unix)]
    if for_a_new_file {
        // As for any new file, the umask applies.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = for_a_new_file;
    builder.tempfile_in(folder)
}

fn fill(mut draft: &File, old: Option<&Metadata>, content: &[u8]) -> io::Result<()> {
    if let Some(old) = old {
        take_over(draft, old)?;
    }
    draft.write_all(content)?;
    draft.sync_all()
}

#[cfg(unix)]
fn take_over(draft: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Only the superuser may change owners, and only then is it needed.
    let _ = fchown(draft, Some(old.uid()), Some(old.gid()));
    draft.set_permissions(old.permissions())
}

/// Elsewhere, permissions belong to the folder, and read-only files were rejected before.
#[cfg(not(unix))]
fn take_over(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Removes the drafts of killed processes. The folder must be locked.
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
