//! Replacing some files in a tree by another tree's files, inside a mount view.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Files to copy to a tree, and files to remove from it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Replacement {
    /// The directory with the files to copy.
    pub from: PathBuf,
    /// Paths of files to copy, relative to both directories.
    pub present: BTreeSet<String>,
    /// Paths of files to remove.
    pub absent: BTreeSet<String>,
}

/// Performs the [`Replacement`] in a JSON file on a directory; both are program arguments.
pub(super) fn from_arguments(mut arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let (Some(list), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let Replacement {
        from,
        present,
        absent,
    } = serde_json::from_slice(&fs::read(list)?)?;
    replace(&from, Path::new(&to), &present, &absent)
}

/// Copies files from one directory to another, and removes others. Equal files keep their times.
///
/// # Errors
/// A file cannot be read or written.
pub fn replace(
    from: &Path,
    to: &Path,
    present: &BTreeSet<String>,
    absent: &BTreeSet<String>,
) -> io::Result<()> {
    for path in absent {
        remove(&to.join(path))?;
    }
    for path in present {
        let (source, target) = (from.join(path), to.join(path));
        if are_equal(&source, &target)? {
            continue;
        }
        remove(&target)?;
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        if source.symlink_metadata()?.is_symlink() {
            super::copy::link(&source, &target)?;
        } else {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}

fn are_equal(one: &Path, other: &Path) -> io::Result<bool> {
    let Ok(there) = other.symlink_metadata() else {
        return Ok(false);
    };
    let here = one.symlink_metadata()?;
    if here.file_type() != there.file_type() || here.permissions() != there.permissions() {
        return Ok(false);
    }
    if here.is_symlink() {
        return Ok(fs::read_link(one)? == fs::read_link(other)?);
    }
    Ok(here.len() == there.len() && fs::read(one)? == fs::read(other)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_added_changed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        for (path, text) in [("from/new/a", "1"), ("from/b", "2"), ("from/same", "3")] {
            fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), text).unwrap();
        }
        fs::create_dir_all(&to).unwrap();
        for (name, text) in [("b", "old"), ("same", "3"), ("gone", "4"), ("other", "5")] {
            fs::write(to.join(name), text).unwrap();
        }
        let before = fs::metadata(to.join("same")).unwrap().modified().unwrap();
        let set = |paths: &[&str]| {
            paths
                .iter()
                .map(|path| (*path).to_owned())
                .collect::<BTreeSet<_>>()
        };
        replace(
            &from,
            &to,
            &set(&["new/a", "b", "same"]),
            &set(&["gone", "never"]),
        )
        .unwrap();
        let read = |name: &str| fs::read_to_string(to.join(name)).unwrap();
        assert_eq!(
            [read("new/a"), read("b"), read("same"), read("other")],
            ["1", "2", "3", "5"]
        );
        assert!(!to.join("gone").exists());
        assert_eq!(
            fs::metadata(to.join("same")).unwrap().modified().unwrap(),
            before
        );
    }
}
