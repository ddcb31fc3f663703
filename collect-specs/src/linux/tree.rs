//! The files of a system, below a root that need not be `/`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::machine::Probed;

/// The most that is read of a file; the kernel's own files are far smaller.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// The most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 8192;

/// A folder that holds `proc`, `sys` and `etc`.
///
/// Paths are given as the system has them, `/proc/cpuinfo`, and that is how errors name them: where the
/// root is stays out of every message. A link that leads out of the root leads to another system, and perhaps to a file
/// of the kernel that never ends.
#[derive(Debug)]
pub struct Tree(PathBuf);

impl Tree {
    pub fn new(root: PathBuf) -> Self {
        Self(root.canonicalize().unwrap_or(root))
    }

    /// Whether this is the running system, and not an image or a test.
    pub fn is_here(&self) -> bool {
        self.0 == Path::new("/")
    }

    pub fn bytes(&self, path: &str) -> Probed<Vec<u8>> {
        self.at(path)
            .and_then(|path| read(&path))
            .map_err(|error| format!("`{path}` {}", problem(&error)))
    }

    /// The text of a file without the blanks and zero bytes around it.
    pub fn text(&self, path: &str) -> Probed<String> {
        let bytes = self.bytes(path)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text
            .trim_matches(|c: char| c.is_whitespace() || c == '\0')
            .to_owned())
    }

    /// A number that is all of a file.
    pub fn number(&self, path: &str) -> Probed<u64> {
        self.text(path)?
            .parse()
            .map_err(|_| format!("`{path}` holds no number"))
    }

    pub fn exists(&self, path: &str) -> bool {
        self.at(path).is_ok()
    }

    /// The names in a folder, sorted, with `cpu10` after `cpu9`; none if it cannot be read.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let folder = self.at(folder).and_then(fs::read_dir);
        let entries = folder.into_iter().flatten().flatten().take(MAX_ENTRIES);
        let mut names: Vec<_> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        names
    }

    fn at(&self, path: &str) -> io::Result<PathBuf> {
        let path = self.0.join(path.trim_start_matches('/')).canonicalize()?;
        if path.starts_with(&self.0) {
            Ok(path)
        } else {
            Err(io::ErrorKind::CrossesDevices.into())
        }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    // A pipe in the place of a file would be waited for.
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn problem(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "is not there",
        io::ErrorKind::PermissionDenied => "may not be read",
        io::ErrorKind::InvalidInput => "is not a file",
        io::ErrorKind::CrossesDevices => "leads out of the root folder",
        _ => "cannot be read",
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A system made of the given files, and the folder it lives in.
    pub fn planted(files: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = folder.path().join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let tree = Tree::new(folder.path().to_owned());
        (folder, tree)
    }

    #[test]
    fn problems_name_the_path_as_the_system_has_it() {
        let (_folder, tree) = planted(&[
            ("/proc/meminfo", "12 kB"),
            ("/sys/class/net/lo/address", ""),
        ]);
        let problem = |path| tree.number(path).unwrap_err();
        assert_eq!(problem("/proc/cpuinfo"), "`/proc/cpuinfo` is not there");
        assert_eq!(problem("/proc/meminfo"), "`/proc/meminfo` holds no number");
        assert_eq!(problem("/sys/class"), "`/sys/class` is not a file");
    }

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let (_folder, tree) = planted(&[("/c/cpu10", ""), ("/c/cpu2", ""), ("/c/cpu1", "")]);
        assert_eq!(tree.names("/c"), ["cpu1", "cpu2", "cpu10"]);
        assert!(tree.names("/nowhere").is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_only_within_the_root() {
        let (folder, tree) = planted(&[("/usr/lib/os-release", "NAME=x"), ("/etc/passwd", "")]);
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
        };
        link("../usr/lib/os-release", "etc/os-release");
        // A root user waits there for the next message of the kernel.
        link("/proc/kmsg", "etc/hostname");
        link("/proc", "sys");
        assert_eq!(tree.text("/etc/os-release").unwrap(), "NAME=x");
        assert_eq!(
            tree.text("/etc/hostname").unwrap_err(),
            "`/etc/hostname` leads out of the root folder"
        );
        assert!(!tree.exists("/sys/self/status") && tree.names("/sys").is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for_and_bytes_that_are_no_text_do_no_harm() {
        let (folder, tree) = planted(&[]);
        let made = std::process::Command::new("mkfifo")
            .arg(folder.path().join("pipe"))
            .status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(tree.text("/pipe").unwrap_err(), "`/pipe` is not a file");
        }
        fs::write(folder.path().join("blob"), b"\xff\xfe model\0").unwrap();
        assert_eq!(tree.text("/blob").unwrap(), "\u{fffd}\u{fffd} model");
    }
}
