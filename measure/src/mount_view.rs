//! A private view of the checkout for one side: different files at the same path, visible only to that side's processes.
//!
//! Code may depend on its absolute path: an editable install contains the checkout's path, and `node_modules` and CMake
//! caches are inside the checkout. So both commits run at the checkout's path, each in a private mount namespace. In the
//! namespace, a *layer* covers the checkout: an overlay, which keeps the side's changes in a temporary directory. The user's
//! files are only read.
//!
//! Both sides have a layer, even if the head's files are the same as the checkout's. Loading 2,000 modules through an
//! overlay takes 5.6% more processor time, which must affect both sides alike.
//!
//! A namespace exists only as long as its process run. When the run's last process ends, even after a kill, the kernel
//! removes the mounts.

#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod sudo;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{io, iter};

use serde::{Deserialize, Serialize};

/// The hidden first argument that makes this program enter a mount view and execute the command.
const ENTER: &str = "__enter";
/// The exit code of a process that cannot enter its mount view. The last line of its standard error gives the reason.
pub const NOT_ENTERED: u8 = 125;
/// The start of the message if the command cannot be started in a mount view. The error number follows.
pub const NOT_STARTED: &str = "perf-gate: cannot start the command: error ";

/// A view of the file system in which some directories have different contents. It is passed as JSON to the process that
/// enters the view.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct MountView {
    /// This program, which enters the view.
    #[serde(skip)]
    pub program: PathBuf,
    /// The covered directories.
    pub layers: Vec<Layer>,
    /// The files to watch, if any.
    pub watch: Option<Watch>,
    /// A file in which to save the environment, if mounting needs `sudo`. The command still runs with the user's ID and
    /// environment.
    pub sudo: Option<PathBuf>,
    /// The file with the user's saved environment, if this process runs as root on behalf of the user.
    pub user: Option<PathBuf>,
}

/// A request to record which of the listed files a process run opens.
#[derive(Clone, Serialize, Deserialize)]
pub struct Watch {
    /// A file with the absolute paths of the files to watch, separated by zero bytes.
    pub files: PathBuf,
    /// The file to which the opened paths are written.
    pub opened: PathBuf,
}

/// A directory and the overlay that covers it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Layer {
    /// The covered directory.
    pub root: PathBuf,
    /// A temporary directory for the overlay's own files.
    pub folder: PathBuf,
    /// A directory with files that a build wrote below the root. The overlay shows such a file unless a newer version covers
    /// it, and never changes it.
    pub below: Option<PathBuf>,
}

impl Layer {
    /// Returns the directory, outside of the mount view, that contains the files written below the root.
    pub fn written(&self) -> PathBuf {
        self.folder.join("upper")
    }
}

impl MountView {
    /// Returns a command that runs `words` inside the mount view, in `folder`.
    pub fn command(&self, folder: &Path, words: &[impl AsRef<OsStr>]) -> Command {
        // Paths that are not UTF-8 are not supported.
        let place = serde_json::to_string(self).unwrap_or_default();
        let mut command = Command::new(&self.program);
        command
            .arg(ENTER)
            .arg(place)
            .arg(folder)
            .args(words)
            .current_dir("/");
        command
    }

    /// Returns the path, outside of the mount view, to which a write to this path goes.
    pub fn outside(&self, path: &Path) -> PathBuf {
        for layer in &self.layers {
            if let Ok(below) = path.strip_prefix(&layer.root) {
                return layer.written().join(below);
            }
        }
        path.to_owned()
    }

    /// Returns the path, outside of the mount view, of the file that is visible at this path.
    pub fn seen(&self, path: &Path) -> PathBuf {
        for layer in &self.layers {
            let Ok(below) = path.strip_prefix(&layer.root) else {
                continue;
            };
            for folder in iter::once(layer.written()).chain(layer.below.clone()) {
                let file = folder.join(below);
                if file.exists() {
                    return file;
                }
            }
        }
        path.to_owned()
    }
}

/// The arguments of a program that enters a mount view.
struct Entry {
    place: MountView,
    folder: PathBuf,
    words: Vec<OsString>,
}

impl Entry {
    /// Parses the arguments of [`MountView::command`].
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let place = serde_json::from_str(arguments.next()?.to_str()?).ok()?;
        let (folder, words) = (arguments.next()?.into(), arguments.collect::<Vec<_>>());
        (!words.is_empty()).then_some(Self {
            place,
            folder,
            words,
        })
    }
}

/// If this process was started to enter a mount view, enters it and executes the command. Returns the exit code if that
/// fails, and `None` if this process was started for something else.
pub fn entered() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != ENTER {
        return None;
    }
    let entry = Entry::read(arguments);
    let why = entry
        .as_ref()
        .map_or_else(|| "perf-gate: invalid arguments".to_owned(), become_command);
    // The parent process reads the reason from the last line.
    let _ = io::Write::write_all(&mut io::stderr(), format!("{why}\n").as_bytes());
    Some(ExitCode::from(NOT_ENTERED))
}

#[cfg(target_os = "linux")]
use self::enter::become_command;

#[cfg(not(target_os = "linux"))]
fn become_command(_: &Entry) -> String {
    "perf-gate: only Linux has mount namespaces".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_entry_can_be_read() {
        let layer = |root: &str, below: Option<&str>| Layer {
            root: root.into(),
            folder: "/tmp/layer".into(),
            below: below.map(Into::into),
        };
        let layers = vec![layer("/src", Some("/tmp/built")), layer("/venv", None)];
        let place = MountView {
            layers,
            ..MountView::default()
        };
        let command = place.command(Path::new("/src/a"), &["sh", "--", "--folder"]);
        let arguments: Vec<OsString> = command.get_args().skip(1).map(OsStr::to_owned).collect();
        let words = ["sh", "--", "--folder"].map(OsString::from).to_vec();
        let entry = Entry::read(arguments.into_iter()).unwrap();
        let json = |place: &MountView| serde_json::to_string(place).unwrap();
        assert_eq!(json(&entry.place), json(&place));
        assert_eq!((entry.folder, entry.words), ("/src/a".into(), words));
        assert!(Entry::read(["--folder", "/src"].map(OsString::from).into_iter()).is_none());
    }

    #[test]
    fn written_files_are_in_the_layer() {
        let layer = Layer {
            root: "/src".into(),
            folder: "/tmp/1".into(),
            below: None,
        };
        let place = MountView {
            layers: vec![layer],
            ..MountView::default()
        };
        assert_eq!(
            place.outside(Path::new("/src/out.json")),
            Path::new("/tmp/1/upper/out.json")
        );
        assert_eq!(
            place.outside(Path::new("/srcs/out.json")),
            Path::new("/srcs/out.json")
        );
    }
}
