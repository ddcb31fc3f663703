//! Removal of directories that a build left read-only.

use std::fs;
use std::io;
use std::path::Path;

/// Removes a directory with its contents. The kernel creates a directory without permissions for an overlay, and some
/// tools write directories that not even their owner may change.
///
/// # Errors
/// The error of the last attempt.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    fs::remove_dir_all(folder).or_else(|_| {
        open_up(folder);
        if folder.exists() {
            fs::remove_dir_all(folder)
        } else {
            Ok(())
        }
    })
}

#[cfg(unix)]
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // An empty directory of root can be removed by the owner of its parent.
    let _ = fs::remove_dir(folder);
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        open_up(&entry.path());
    }
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_without_permissions_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a");
        fs::create_dir_all(folder.join("work/work/deeper")).unwrap();
        for inner in ["work/work/deeper", "work/work", "work"] {
            fs::set_permissions(folder.join(inner), fs::Permissions::from_mode(0o000)).unwrap();
        }
        remove_tree(&folder).unwrap();
        assert!(!folder.exists());
    }
}
