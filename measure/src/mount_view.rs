//! A private view of the checkout for one side: different files at the same path, visible only to that side's processes.
//!
//! Code may depend on its absolute path: an editable install contains the checkout's path, `node_modules` and a CMake cache are
//! inside it. So two commits both run at the checkout's path, each in a private mount namespace in which a *layer* covers it: an
//! overlay, which keeps the side's changes in a temporary directory. The user's files are only read.
//!
//! Both sides have a layer, even if the head needs no different files. Loading 2,000 modules through an overlay takes 5.6% more
//! processor time, which must not affect only one side.
//!
//! The namespace belongs to the process run. When its last process ends, even after a kill, the kernel removes the mounts.

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
/// The exit code if a mount view cannot be entered. The last line of standard error gives the reason.
pub const NOT_ENTERED: i32 = 125;
/// The message if the command cannot be started in a mount view, followed by the error number.
pub const NOT_STARTED: &str = "perf-gate: cannot start the command: error ";

/// Directories whose contents differ for some processes. It is passed as JSON to the program that enters it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MountView {
    #[serde(skip)]
    pub program: PathBuf,
    pub layers: Vec<Layer>,
    pub watch: Option<Watch>,
    /// A file for the environment, if only `sudo` can mount. The command still runs with the user's ID and
    /// environment.
    pub sudo: Option<PathBuf>,
    /// A file with the user's environment, if this process is root on behalf of that user.
    pub user: Option<PathBuf>,
}

/// A request to record which of some files a process run opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// The list of their absolute paths, each followed by a zero byte.
    pub files: PathBuf,
    /// The file to which the opened paths are written.
    pub opened: PathBuf,
}

/// A directory and the overlay that covers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The covered directory.
    pub root: PathBuf,
    /// A temporary directory for the overlay's files.
    pub folder: PathBuf,
    /// Files that a build wrote below the root. The overlay shows them below newer files and never changes them.
    pub below: Option<PathBuf>,
}

impl Layer {
    /// The directory, outside of the mount view, with the files that were written below the root.
    pub fn written(&self) -> PathBuf {
        self.folder.join("upper")
    }
}

impl MountView {
    /// Creates a mount view.
    ///
    /// # Errors
    /// The path of this program is unknown.
    pub fn new(layers: Vec<Layer>) -> io::Result<Self> {
        Ok(Self {
            program: std::env::current_exe()?,
            layers,
            watch: None,
            sudo: None,
            user: None,
        })
    }

    /// A command that runs `words` inside the mount view, in `folder`.
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

    /// The path, outside of the mount view, to which writes to this path go.
    pub fn outside(&self, path: &Path) -> PathBuf {
        for layer in &self.layers {
            if let Ok(below) = path.strip_prefix(&layer.root) {
                return layer.written().join(below);
            }
        }
        path.to_owned()
    }

    /// The path, outside of the mount view, of the file that is visible at this path.
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
#[derive(Debug, PartialEq, Eq)]
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

/// Executes a command in a mount view, if this process was started for that. Returns the exit code if that fails.
pub fn entered() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != ENTER {
        return None;
    }
    let entry = Entry::read(arguments);
    let why = entry
        .as_ref()
        .map_or_else(|| "perf-gate: invalid arguments".to_owned(), become_command);
    // The parent process reads the last line.
    let _ = io::Write::write_all(&mut io::stderr(), format!("{why}\n").as_bytes());
    Some(ExitCode::from(u8::try_from(NOT_ENTERED).unwrap_or(u8::MAX)))
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
        let place = MountView::new(layers).unwrap();
        let command = place.command(Path::new("/src/a"), &["sh", "--", "--folder"]);
        let arguments: Vec<OsString> = command.get_args().skip(1).map(OsStr::to_owned).collect();
        let words = ["sh", "--", "--folder"].map(OsString::from).into();
        let place = MountView {
            program: PathBuf::new(),
            ..place
        };
        assert_eq!(
            Entry::read(arguments.into_iter()),
            Some(Entry {
                place,
                folder: "/src/a".into(),
                words
            })
        );
        assert_eq!(
            Entry::read(["--folder", "/src"].map(OsString::from).into_iter()),
            None
        );
    }

    #[test]
    fn written_files_are_in_the_layer() {
        let layer = Layer {
            root: "/src".into(),
            folder: "/tmp/1".into(),
            below: None,
        };
        let place = MountView::new(vec![layer]).unwrap();
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
