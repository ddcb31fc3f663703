//! The site's folder. A folder with files but no site is rejected, so that these files are not overwritten.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use perf_cli::{Failure, Written, file, term};

/// The file that marks a folder as a site.
const MARKER: &str = ".perf-gate-site";

const MARKER_TEXT: &str =
    "perf-gate wrote this site, and overwrites its files when it writes it again.\n";

const FOLDERS: [&str; 2] = ["assets", "data"];

/// A folder that the site may be written to.
pub(crate) struct SiteFolder {
    path: PathBuf,
    is_marked: bool,
    names: HashSet<String>,
    summary: WriteCounts,
}

/// How many files were written, were already up to date, or were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WriteCounts {
    written: usize,
    unchanged: usize,
    removed: usize,
}

impl fmt::Display for WriteCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} files written, {} unchanged, {} removed",
            self.written, self.unchanged, self.removed
        )
    }
}

impl SiteFolder {
    /// Opens a folder that does not exist, is empty, or contains a site. Writes nothing yet.
    ///
    /// # Errors
    /// Fails if the path is a file, or if the folder is unreadable or contains files but no site.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let shown = term::shown(path);
        let cannot =
            |error| Failure::new(format!("cannot read the folder `{shown}`")).because(error);
        let mut entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self::new(path, false));
            }
            Err(_) if path.is_file() => {
                let failure = Failure::new(format!("`{shown}` is a file, not a folder"));
                return Err(failure.hint("pass a new folder with `--output`").into());
            }
            Err(error) => return Err(cannot(error).into()),
        };
        let is_marked = path.join(MARKER).is_file();
        match entries.next().transpose().map_err(cannot)? {
            Some(entry) if !is_marked => {
                let name = term::printable(&entry.file_name().to_string_lossy());
                let message = format!(
                    "`{shown}` contains files that are not part of a site, such as `{name}`"
                );
                let hint = "pass a new or empty folder with `--output`: the site overwrites files";
                Err(Failure::new(message).hint(hint).into())
            }
            _ => Ok(Self::new(path, is_marked)),
        }
    }

    fn new(path: &Path, is_marked: bool) -> Self {
        Self {
            path: path.to_owned(),
            is_marked,
            names: HashSet::new(),
            summary: WriteCounts::default(),
        }
    }

    /// Writes a file, unless the file already has this content.
    ///
    /// # Errors
    /// Fails if the folder or the file cannot be written. The old file is then unchanged.
    pub(crate) fn write(&mut self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.mark()?;
        match file::write_if_changed(&self.path.join(name), content)? {
            Written::Unchanged => self.summary.unchanged += 1,
            Written::Created | Written::Updated => self.summary.written += 1,
        }
        self.names.insert(name.to_owned());
        Ok(())
    }

    /// Creates the folders before the site's first file is written. The marker is written before anything else, so that an
    /// interrupted run can be repeated.
    fn mark(&mut self) -> anyhow::Result<()> {
        if self.summary != WriteCounts::default() {
            return Ok(());
        }
        create(&self.path)?;
        if !self.is_marked {
            file::write_if_changed(&self.path.join(MARKER), MARKER_TEXT.as_bytes())?;
            self.is_marked = true;
        }
        for name in FOLDERS {
            create(&self.path.join(name))?;
        }
        Ok(())
    }

    /// Removes the numbered data files of an earlier, larger site. Other files are kept.
    pub(crate) fn finish(&mut self) -> anyhow::Result<WriteCounts> {
        let path = self.path.join("data");
        let cannot = |error| {
            Failure::new(format!(
                "cannot remove old files from the folder `{}`",
                term::shown(&path)
            ))
            .because(error)
        };
        for entry in fs::read_dir(&path).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = is_numbered(&name) && entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_ours && !self.names.contains(&format!("data/{name}")) {
                fs::remove_file(entry.path()).map_err(cannot)?;
                self.summary.removed += 1;
            }
        }
        Ok(self.summary)
    }
}

fn create(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder `{}`", term::shown(folder)))
}

/// Whether a file name is at least four digits followed by `.js`.
fn is_numbered(name: &str) -> bool {
    let number = name.strip_suffix(".js");
    number
        .is_some_and(|number| number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> Vec<String> {
        let mut names = Vec::new();
        for inner in ["", "data"] {
            let entries = fs::read_dir(folder.join(inner))
                .unwrap()
                .map(Result::unwrap);
            names.extend(
                entries
                    .filter(|entry| entry.path().is_file())
                    .map(|entry| format!("{inner}/{}", entry.file_name().display())),
            );
        }
        names.sort();
        names
    }

    #[test]
    fn smaller_site_removes_only_its_own_numbered_files() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("site");
        let mut folder = SiteFolder::open(&path).unwrap();
        for name in ["data/0000.js", "data/0001.js", "data/0002.js"] {
            folder.write(name, b"x").unwrap();
        }
        assert_eq!(
            folder.finish().unwrap().to_string(),
            "3 files written, 0 unchanged, 0 removed"
        );
        for name in ["CNAME", "data/mine.js", "data/0001.txt"] {
            fs::write(path.join(name), "mine").unwrap();
        }
        let mut folder = SiteFolder::open(&path).unwrap();
        folder.write("data/0000.js", b"x").unwrap();
        assert_eq!(
            folder.finish().unwrap().to_string(),
            "0 files written, 1 unchanged, 2 removed"
        );
        let left = [
            "/.perf-gate-site",
            "/CNAME",
            "data/0000.js",
            "data/0001.txt",
            "data/mine.js",
        ];
        assert_eq!(files(&path), left);
    }

    #[test]
    fn folder_that_is_not_a_site_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("thesis.tex"), "mine").unwrap();
        let error = SiteFolder::open(place.path()).err().unwrap().to_string();
        assert!(
            error.contains("contains files that are not part of a site, such as `thesis.tex`"),
            "{error}"
        );
        let error = SiteFolder::open(&place.path().join("thesis.tex"))
            .err()
            .unwrap()
            .to_string();
        assert!(error.ends_with("is a file, not a folder"), "{error}");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
