//! Reads, writes and restores the published files in the checkout.
//!
//! A *repository path* is a file's path in git, relative to the repository's root, with `/` on every system.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use perf_cli::term::{printable, shown};
use perf_cli::{Failure, file};

use crate::content::{PublishedFile, RepoPath};

/// The maximum size of a published file in bytes. GitHub does not accept much larger requests.
pub(crate) const MAX_FILE: u64 = 10 * 1024 * 1024;

/// The working tree with the published files.
#[derive(Debug)]
pub(crate) struct Checkout {
    root: PathBuf,
    /// The folder for relative paths on the command line, `root` or below.
    here: PathBuf,
}

impl Checkout {
    /// Finds the checkout that contains `here`, an absolute path.
    pub(crate) fn around(here: &Path) -> Result<Self, Failure> {
        let root = here.ancestors().find(|folder| folder.join(".git").exists());
        let root = root.ok_or_else(|| {
            Failure::new(format!(
                "`{}` is not in a checkout of a repository",
                shown(here)
            ))
            .hint("run `actions/checkout` first, or change to the folder it checked out")
        })?;
        Ok(Self {
            root: root.to_owned(),
            here: here.to_owned(),
        })
    }

    /// Checks that this is the workflow's checkout in `workspace`. Files in a submodule, or in another checkout, belong
    /// to another repository.
    pub(crate) fn check_workspace(&self, workspace: &Path) -> Result<(), Failure> {
        let [root, expected] = [&self.root, workspace].map(|folder| folder.canonicalize().ok());
        if root.is_some() && root == expected && self.root.join(".git").is_dir() {
            return Ok(());
        }
        let (root, workspace) = (shown(&self.root), shown(workspace));
        Err(Failure::new(format!(
            "`{root}` is not the workflow's checkout, which is in `{workspace}`"
        ))
        .hint("run it there; for a checkout elsewhere, set its repository with `--repo`"))
    }

    /// The repository path of a file on the command line.
    pub(crate) fn repo_path(&self, given: &Path) -> Result<RepoPath, Failure> {
        let refused = |why: &str| {
            Failure::new(format!("cannot publish `{}`: {why}", shown(given))).hint(
                "write the file's path below the current folder, such as `docs/performance.md`",
            )
        };
        let whole = self.here.join(given);
        let Ok(inside) = whole.strip_prefix(&self.root) else {
            return Err(refused(&format!(
                "it is outside of the checkout `{}`",
                shown(&self.root)
            )));
        };
        let mut names = Vec::new();
        for name in inside.components() {
            // Reject a name that is not Unicode as one with unprintable characters.
            names.push(name.as_os_str().to_str().unwrap_or("\0"));
        }
        names.join("/").parse().map_err(refused)
    }

    /// Reads files that must exist.
    pub(crate) fn read(&self, paths: &[RepoPath]) -> Result<Vec<PublishedFile>, Failure> {
        let mut files = Vec::new();
        for path in paths {
            let place = self.place(path)?;
            // Check this before opening, because opening a pipe waits for its other end.
            match place.metadata() {
                Ok(metadata) if metadata.len() > MAX_FILE => {
                    let limit = MAX_FILE / (1024 * 1024);
                    return Err(refused(path, &format!("it is larger than {limit} MiB")));
                }
                Ok(metadata) if !metadata.is_file() => {
                    return Err(refused(path, "it is not an ordinary file")
                        .hint("give `--file` once for each file in a folder"));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(refused(path, "it does not exist")
                        .hint("render it first; only files in the checkout can be published"));
                }
                // Reading fails for the same reason.
                _ => {}
            }
            let content = fs::read(&place).map_err(|error| cannot("read", path, error))?;
            files.push(PublishedFile {
                path: path.clone(),
                content: Some(content),
            });
        }
        Ok(files)
    }

    /// Writes a file, or removes it if `version` has no content.
    pub(crate) fn write(&self, version: &PublishedFile) -> anyhow::Result<()> {
        let place = self.place(&version.path)?;
        let Some(content) = &version.content else {
            return match fs::remove_file(&place) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(cannot("write", &version.path, error).into())
                }
                _ => Ok(()),
            };
        };
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(|error| cannot("write", &version.path, error))?;
        }
        file::write_if_changed(&place, content)?;
        Ok(())
    }

    pub(crate) fn here(&self) -> &Path {
        &self.here
    }

    /// A file's path on the disk. Links are errors: they could lead out of the checkout, and a commit would replace
    /// them.
    fn place(&self, path: &RepoPath) -> Result<PathBuf, Failure> {
        let mut place = self.root.clone();
        for name in path.as_str().split('/') {
            place.push(name);
            if place
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_symlink())
            {
                let why = format!("`{}` is a symbolic link", shown(&place));
                return Err(refused(path, &why).hint("pass the link's target"));
            }
        }
        Ok(place)
    }
}

fn refused(path: &RepoPath, why: &str) -> Failure {
    Failure::new(format!("cannot publish `{path}`: {why}"))
}

fn cannot(verb: &str, path: &RepoPath, error: io::Error) -> Failure {
    Failure::new(format!("cannot {verb} `{}`", printable(path.as_str()))).because(error)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Component;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    fn why(text: &str) -> &'static str {
        text.parse::<RepoPath>().unwrap_err()
    }

    fn checkout() -> (TempDir, Checkout) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git")).unwrap();
        fs::create_dir_all(folder.path().join("docs")).unwrap();
        let checkout = Checkout::around(&folder.path().join("docs")).unwrap();
        (folder, checkout)
    }

    fn version(path: &str, content: Option<&str>) -> PublishedFile {
        PublishedFile {
            path: path.parse().unwrap(),
            content: content.map(|text| text.as_bytes().to_vec()),
        }
    }

    #[test]
    fn path_stays_in_repository() {
        assert_eq!(
            "./docs//a b.md".parse::<RepoPath>().unwrap().as_str(),
            "docs/a b.md"
        );
        assert_eq!([why(""), why("./"), why("docs/")], ["it is not a file"; 3]);
        let absolute = "it begins at the root of the system, not of the repository";
        assert_eq!(
            [why("/etc/passwd"), why("a/../../b")],
            [absolute, "it leaves its folder with `..`"]
        );
        let backslash = "it contains a `\\`: write `/`";
        assert_eq!([why("docs\\a.md"), why("C:\\a")], [backslash; 2]);
        let unprintable = "it contains an unprintable character";
        assert_eq!(
            [why("a\nb"), why(".GIT/config")],
            [unprintable, "it is in git's own folder"]
        );
    }

    #[test]
    fn paths_are_relative_to_current_folder() {
        let (folder, checkout) = checkout();
        let name = |path: &Path| {
            checkout
                .repo_path(path)
                .map(|path| path.to_string())
                .map_err(|why| why.to_string())
        };
        assert_eq!(name(Path::new("a.md")).unwrap(), "docs/a.md");
        assert_eq!(name(&folder.path().join("b.csv")).unwrap(), "b.csv");
        assert_eq!(
            name(Path::new("../b.csv")).unwrap_err(),
            "cannot publish `../b.csv`: it leaves its folder with `..`"
        );
        let outside = name(&std::env::temp_dir().join("elsewhere")).unwrap_err();
        assert!(
            outside.contains("it is outside of the checkout"),
            "{outside}"
        );
    }

    #[test]
    fn missing_folders_are_created_and_files_removed() {
        let (folder, checkout) = checkout();
        let path = ["new/deep/a.csv".parse().unwrap()];
        let missing = checkout.read(&path).unwrap_err().to_string();
        assert_eq!(
            missing,
            "cannot publish `new/deep/a.csv`: it does not exist"
        );
        checkout
            .write(&version("new/deep/a.csv", Some("1")))
            .unwrap();
        assert_eq!(
            checkout.read(&path).unwrap(),
            [version("new/deep/a.csv", Some("1"))]
        );
        for _ in 0..2 {
            checkout.write(&version("new/deep/a.csv", None)).unwrap();
            assert!(!folder.path().join("new/deep/a.csv").exists());
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_rejected() {
        let (folder, checkout) = checkout();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
        std::os::unix::fs::symlink("docs", folder.path().join("in")).unwrap();
        for path in ["out/a", "in/a", "in"] {
            let error = checkout
                .read(&[path.parse().unwrap()])
                .unwrap_err()
                .to_string();
            assert!(error.contains("is a symbolic link"), "{error}");
            assert!(checkout.write(&version(path, Some("x"))).is_err());
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn folders_and_too_large_files_are_rejected() {
        let (folder, checkout) = checkout();
        let error = checkout.read(&["docs".parse().unwrap()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot publish `docs`: it is not an ordinary file"
        );
        let large = File::create(folder.path().join("large")).unwrap();
        large.set_len(MAX_FILE + 1).unwrap();
        let error = checkout.read(&["large".parse().unwrap()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot publish `large`: it is larger than 10 MiB"
        );
        large.set_len(MAX_FILE).unwrap();
        assert!(checkout.read(&["large".parse().unwrap()]).is_ok());
    }

    proptest! {
        #[test]
        fn no_path_leads_out(text in "[a./\\\\\u{1}]{0,12}") {
            if let Ok(path) = text.parse::<RepoPath>() {
                let place = Path::new(path.as_str());
                prop_assert!(place.components().all(|part| matches!(part, Component::Normal(_))));
                prop_assert_eq!(path.as_str().parse::<RepoPath>().unwrap(), path);
            }
        }
    }
}
