//! A side's own view of the checkout: other files at the same path, which nothing outside of its launches sees.
//!
//! Code finds itself by its path: an editable install names the checkout, `node_modules` and a CMake cache lie in it. So
//! both sides of two commits are launched at the path of the checkout, each in a private mount namespace in which a *layer*
//! covers it: an overlay that keeps what the side writes in a temporary folder, or a copy. The user's files are only read.
//!
//! Both sides have a layer, although the current one needs no other files: loading 2,000 modules through an overlay costs
//! 5.6% more processor time than without, which would count for one side alone.
//!
//! The namespace belongs to the launch. When its last process ends, however it ends, the kernel takes the mounts away.

mod copy;
#[cfg(target_os = "linux")]
mod enter;
mod replace;
pub mod scratch;
#[cfg(target_os = "linux")]
mod sudo;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

pub use self::copy::copy_tree;
pub use self::replace::{Replacement, replace};

/// The hidden first argument with which this program enters a place and becomes the command.
const ENTER: &str = "__enter";
/// The hidden first argument with which this program, in a place, puts files there.
const REPLACE: &str = "__replace";
/// The exit code of a place that cannot be entered; the last line of the messages says why.
pub const NOT_ENTERED: i32 = 125;
/// The message of a command that cannot be started in a place, before the number of the error.
pub const NOT_STARTED: &str = "perf-gate: cannot start the command: error ";

/// Folders with other contents than everybody else sees. As JSON, it is an argument of the program that enters it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MountView {
    #[serde(skip)]
    program: PathBuf,
    layers: Vec<Layer>,
    watch: Option<Watch>,
    /// The file that keeps the environment for `sudo`, which mounts where the user may not.
    sudo: Option<PathBuf>,
    /// The file with the environment of the user for whom the program that enters is root.
    user: Option<PathBuf>,
}

/// A question for a launch: which of some files does it open?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// The file with their absolute paths, each ended by a zero byte.
    pub files: PathBuf,
    /// The file that gets the paths that were opened.
    pub opened: PathBuf,
}

/// A folder, and what covers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The folder that is covered.
    pub root: PathBuf,
    /// The kind of the cover.
    pub kind: Kind,
    /// The temporary folder with what the cover needs.
    pub folder: PathBuf,
    /// The files that a build wrote below the root, which an overlay shows where nothing was written since. Nothing changes it.
    pub below: Option<PathBuf>,
}

/// The way in which a layer covers its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// An overlay: the root shows through where nothing was written.
    Overlay,
    /// A copy of the root.
    Copy,
}

impl Layer {
    /// The folder outside of the place that has what was written below the root.
    pub fn written(&self) -> PathBuf {
        self.folder.join(match self.kind {
            Kind::Overlay => "upper",
            Kind::Copy => "tree",
        })
    }
}

impl MountView {
    /// The place of these layers.
    ///
    /// # Errors
    /// A program that cannot find itself.
    pub fn new(layers: Vec<Layer>) -> io::Result<Self> {
        Ok(Self {
            program: std::env::current_exe()?,
            layers,
            watch: None,
            sudo: None,
            user: None,
        })
    }

    /// The same place, in which `sudo` mounts; the command has the user's id and environment. The folder gets files for this.
    pub fn by_sudo(self, folder: &Path) -> Self {
        Self {
            sudo: Some(folder.join("environment")),
            ..self
        }
    }

    /// The same place, whose launches answer the question.
    pub fn watching(&self, watch: Watch) -> Self {
        Self {
            watch: Some(watch),
            ..self.clone()
        }
    }

    /// The same place with other layers.
    #[must_use]
    pub fn with(&self, layers: Vec<Layer>) -> Self {
        Self {
            layers,
            ..self.clone()
        }
    }

    /// The layers.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The command that runs `words` in the place, in its `folder`.
    pub fn command(&self, folder: &Path, words: &[impl AsRef<OsStr>]) -> Command {
        // A path that is not UTF-8 cannot be entered.
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

    /// The command that makes a [`Replacement`], which this file has as JSON, in a folder of the place.
    pub fn replacing(&self, folder: &Path, list: &Path) -> Command {
        let words = [
            self.program.as_os_str(),
            REPLACE.as_ref(),
            list.as_os_str(),
            folder.as_os_str(),
        ];
        self.command(folder, &words)
    }

    /// The path at which a file that a launch wrote is seen from outside.
    pub fn outside(&self, path: &Path) -> PathBuf {
        let mut covered = self
            .layers
            .iter()
            .filter_map(|layer| Some(layer.written().join(path.strip_prefix(&layer.root).ok()?)));
        covered.next().unwrap_or_else(|| path.to_owned())
    }

    /// The path at which a file that launches see is seen from outside, whoever wrote it.
    pub fn seen(&self, path: &Path) -> PathBuf {
        let in_layer = |layer: &Layer| {
            let below = path.strip_prefix(&layer.root).ok()?;
            let folders = [Some(layer.written()), layer.below.clone()];
            folders
                .into_iter()
                .flatten()
                .map(|folder| folder.join(below))
                .find(|file| file.exists())
        };
        self.layers
            .iter()
            .find_map(in_layer)
            .unwrap_or_else(|| path.to_owned())
    }
}

/// The arguments of a program that is to enter a place.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    place: MountView,
    folder: PathBuf,
    words: Vec<OsString>,
}

impl Entry {
    /// Reads the arguments that [`MountView::command`] writes.
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

/// The exit code if this process was started to enter a place and could not become the command, or to put files there.
pub fn entered() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next()?;
    if first == REPLACE {
        let replaced = replace::from_arguments(arguments);
        let why = replaced.map_err(|error| format!("cannot put files into the tree: {error}\n"));
        let _ = why
            .as_ref()
            .map_err(|why| io::Write::write_all(&mut io::stderr(), why.as_bytes()));
        return Some(if why.is_ok() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    if first != ENTER {
        return None;
    }
    let entry = Entry::read(arguments);
    let why = entry
        .as_ref()
        .map_or_else(|| "perf-gate: invalid arguments".to_owned(), become_command);
    // Its reader is the process that started this one, on a line of its own.
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
    fn entry_is_read_as_it_was_written() {
        let layer = |root: &str, kind| Layer {
            root: root.into(),
            kind,
            folder: "/tmp/layer".into(),
            below: (kind == Kind::Overlay).then(|| "/tmp/built".into()),
        };
        let layers = vec![layer("/src", Kind::Overlay), layer("/venv", Kind::Copy)];
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
            kind: Kind::Overlay,
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
