//! Copying a checkout, if overlays are not available.

use std::fs::{self, File, FileTimes};
use std::io;
use std::path::Path;

use perf_cli::Failure;

/// The most bytes to copy for one side.
const LARGEST: u64 = 2 << 30;

/// Copies a directory and keeps modification times, so that builds in the copy recognise up-to-date files. Some file systems share
/// the contents of both.
///
/// # Errors
/// The directory is too large, or cannot be read or written.
pub fn copy_tree(from: &Path, to: &Path) -> anyhow::Result<()> {
    let mut left = LARGEST;
    copy_folder(from, to, &mut left)
}

fn copy_folder(from: &Path, to: &Path, left: &mut u64) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, copy, metadata) = (entry.path(), to.join(entry.file_name()), entry.metadata()?);
        if metadata.is_dir() {
            copy_folder(&path, &copy, left)?;
        } else if metadata.is_symlink() {
            link(&path, &copy)?;
        } else if metadata.is_file() {
            *left = left.checked_sub(metadata.len()).ok_or_else(|| {
                Failure::new(format!(
                    "it is larger than {} GiB, the limit for a copy",
                    LARGEST >> 30
                ))
            })?;
            fs::copy(&path, &copy)?;
            keep_times(&metadata, &copy)?;
        }
    }
    let metadata = fs::metadata(from)?;
    fs::set_permissions(to, metadata.permissions())?;
    Ok(keep_times(&metadata, to)?)
}

fn keep_times(metadata: &fs::Metadata, copy: &Path) -> io::Result<()> {
    let times = FileTimes::new().set_modified(metadata.modified()?);
    // Opening for reading also works for read-only files, and is enough for their owner.
    File::open(copy)?.set_times(times)
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn copy_keeps_contents_links_and_times() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("deep")).unwrap();
        fs::write(from.join("deep/file"), "text").unwrap();
        std::os::unix::fs::symlink("deep/file", from.join("link")).unwrap();
        let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
        File::open(from.join("deep/file"))
            .unwrap()
            .set_times(FileTimes::new().set_modified(hour_ago))
            .unwrap();
        copy_tree(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("link")).unwrap(), "text");
        let modified = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(
            modified(&to.join("deep/file")),
            modified(&from.join("deep/file"))
        );
        let mut left = 3;
        assert!(copy_folder(&from, &folder.path().join("other"), &mut left).is_err());
    }
}
