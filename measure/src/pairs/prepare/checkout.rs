//! Puts base and head at the checkout's path. Each has a mount view with its commit's files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::TempDir;

use super::benchmark_files::{BaseTree, entries};
use super::obstacles;
use crate::git::{INDEX, QUIETLY, git, git_with, in_folder, run};
use crate::guardian::{Guardian, Stopped, remove_tree};
use crate::mount_view::{Layer, MountView};
use crate::schedule::Side;

/// Environment variables that contain a directory to which builds write. If the directory is outside of the checkout, the
/// mount view covers it as well.
const INSTALLED: [&str; 2] = ["VIRTUAL_ENV", "CARGO_TARGET_DIR"];
/// Directories that contain installed packages. They are kept even if git does not ignore them.
pub const DEPENDENCIES: [&str; 11] = [
    "node_modules",
    ".venv",
    "venv",
    "vendor",
    ".cache",
    "__pycache__",
    "site-packages",
    ".tox",
    ".nox",
    ".eggs",
    ".yarn",
];

/// A tracked file that differs between base and head.
pub struct Difference {
    /// The path relative to the top of the repository.
    pub path: String,
    /// Whether the file exists on both sides.
    pub is_of_both: bool,
}

/// The two mount views of a measurement. Dropping this value removes their directory.
pub struct Checkout {
    /// The top-level directory of the repository.
    pub root: PathBuf,
    /// The path of git's index.
    index: PathBuf,
    pub places: [MountView; 2],
    /// The measurement's temporary directory.
    pub scratch: TempDir,
    /// Whether the base's build is a read-only layer below its mount view.
    pub is_base_kept: bool,
    /// The base's files, if the head's benchmark files replace some of them.
    pub base_tree: Option<BaseTree>,
}

/// The reason why the sides cannot have the same path.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoSamePath(String);

impl Checkout {
    /// Creates the mount views.
    ///
    /// # Errors
    /// Fails with [`NoSamePath`] if the system does not support mount views, or with git's error.
    pub fn of(here: &Path, guardian: &Guardian) -> anyhow::Result<Self> {
        let paths = git(
            here,
            &["rev-parse", "--show-toplevel", "--git-path", "index"],
        )?;
        let (root, index) = paths.split_once('\n').unwrap_or((&paths, ""));
        let (root, index) = (PathBuf::from(root), here.join(index));
        let mut roots = vec![root.clone()];
        for variable in INSTALLED {
            let folder = PathBuf::from(std::env::var_os(variable).unwrap_or_default());
            let Ok(folder) = folder.canonicalize() else {
                continue;
            };
            let overlaps = |root: &PathBuf| folder.starts_with(root) || root.starts_with(&folder);
            if folder.is_dir() && !roots.iter().any(overlaps) {
                roots.push(folder);
            }
        }
        let scratch = temporary_folder_outside(&roots, guardian)
            .map_err(|error| NoSamePath(perf_cli::failure::message(&error)))?;
        let mut attempts = vec![false];
        // GitHub's runners forbid user namespaces, but allow `sudo`.
        if std::env::var_os("GITHUB_ACTIONS").is_some() {
            attempts.push(true);
        }
        let mut reasons = Vec::new();
        for is_sudo in attempts {
            match places(is_sudo, &roots, scratch.path(), guardian) {
                Ok(places) => {
                    return Ok(Self {
                        root,
                        index,
                        places,
                        scratch,
                        is_base_kept: false,
                        base_tree: None,
                    });
                }
                Err(error) if error.is::<Stopped>() => return Err(error),
                Err(error) => reasons.push(perf_cli::failure::message(&error)),
            }
        }
        reasons.dedup();
        Err(NoSamePath(reasons.join("; ")).into())
    }

    pub fn place(&self, side: Side) -> &MountView {
        &self.places[side as usize]
    }

    /// Makes a side's build output a read-only layer below a new mount view.
    ///
    /// # Errors
    /// Fails if a directory cannot be created.
    pub fn freeze(&mut self, side: Side) -> anyhow::Result<()> {
        let layers = &self.places[side as usize].layers;
        let built = layers.iter().map(|layer| Some(layer.written())).collect();
        self.renew_layers(side, built)?;
        self.is_base_kept |= side == Side::Base;
        Ok(())
    }

    /// Replaces a side's mount view with an empty one: on top of the other side's frozen build if `is_on_other`, or of
    /// the checkout otherwise.
    ///
    /// # Errors
    /// Fails if a directory cannot be created.
    pub fn renew(&mut self, side: Side, is_on_other: bool) -> anyhow::Result<()> {
        for layer in &self.places[side as usize].layers {
            // Files that cannot be removed now are removed at the end of the measurement.
            remove_tree(&layer.folder);
        }
        let others = &self.places[1 - side as usize].layers;
        let below = |layer: &Layer| layer.below.clone().filter(|_| is_on_other);
        let below = others.iter().map(below).collect();
        self.renew_layers(side, below)
    }

    /// Replaces a side's layers with empty ones, on top of the directories in `below`.
    fn renew_layers(&mut self, side: Side, below: Vec<Option<PathBuf>>) -> anyhow::Result<()> {
        for (layer, below) in self.places[side as usize].layers.iter_mut().zip(below) {
            *layer = new_layer(&layer.root, below, self.scratch.path())?;
        }
        Ok(())
    }

    /// Checks out a commit in a mount view. Like `git checkout`, this keeps the modification times of unchanged files, so
    /// that builds are incremental. Ignored files are kept. Other files that are not in the commit are removed.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn unpack(&self, side: Side, commit: &str, guardian: &Guardian) -> anyhow::Result<()> {
        let index = self.copied_index(&format!("index-{side:?}"))?;
        let git_in = |arguments: &[&str]| {
            let words = [&["git"], &QUIETLY[..], arguments].concat();
            let mut command = self.place(side).command(&self.root, &words);
            let outside = in_folder(&self.root, arguments);
            command.envs(
                outside
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            );
            command.env(INDEX, &index);
            command.envs(self.base_tree.iter().map(BaseTree::variable));
            guardian.run(&mut command, &format!("git {}", arguments[0]))
        };
        let kept = kept_folders(&self.root)?;
        let mut clean = vec!["clean", "-fdq"];
        clean.extend(kept.iter().map(String::as_str));
        git_in(&clean)?;
        // In an overlay, inode numbers can differ, so let git compare contents first. The command fails if it finds
        // changes.
        let _ = git_in(&["update-index", "-q", "--refresh"]);
        git_in(&["read-tree", "--reset", "-u", self.tree_of(commit)])?;
        if self.root.join(".git").is_dir() {
            // Do this only if the repository is inside the mount view. A repository outside of it must not be changed.
            git_in(&["update-ref", "--no-deref", "HEAD", commit])?;
            let covered = self.place(side).outside(&self.root.join(".git/index"));
            fs::copy(&index, covered).context("cannot write git's index")?;
        }
        Ok(())
    }

    /// Returns the tracked files that differ between a commit and the head. Without a `current` commit, the head is the
    /// working tree.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn differences(
        &self,
        base: &str,
        current: Option<&str>,
    ) -> anyhow::Result<Vec<Difference>> {
        let index = self.copied_index("index-now")?;
        // Our git commands turn this setting off. With it, files that were touched but not changed are not listed. Git may
        // write to the copy of the index.
        let mut arguments = vec!["-c", "diff.autoRefreshIndex=true", "diff", "--name-status"];
        arguments.extend(["-z", "--no-renames", self.tree_of(base)]);
        arguments.extend(current);
        let mut command = in_folder(&self.root, &arguments);
        command.env(INDEX, &index);
        command.envs(self.base_tree.iter().map(BaseTree::variable));
        let changed = run(&mut command, "diff")?;
        let fields: Vec<&str> = changed.split('\0').collect();
        let difference = |found: &[&str]| Difference {
            path: found[1].to_owned(),
            is_of_both: found[0] == "M",
        };
        Ok(fields.chunks_exact(2).map(difference).collect())
    }

    /// Returns the tree to check out for a commit, which may contain the head's benchmark files.
    fn tree_of<'t>(&'t self, commit: &'t str) -> &'t str {
        match &self.base_tree {
            Some(base) if base.commit == commit => &base.tree,
            _ => commit,
        }
    }

    /// Copies the index, because even git commands that only read may change it.
    fn copied_index(&self, name: &str) -> anyhow::Result<PathBuf> {
        let index = self.scratch.path().join(name);
        if self.index.is_file() {
            fs::copy(&self.index, &index).context("cannot copy git's index")?;
            // Git compares the contents of files that are as new as the index, so the copy must have the same time.
            let written = fs::metadata(&self.index)?.modified()?;
            let copy = fs::File::options().write(true).open(&index)?;
            copy.set_modified(written)?;
        }
        Ok(index)
    }

    /// Writes a commit's selected files to a directory, and returns the directory.
    ///
    /// # Errors
    /// Fails if git fails.
    pub fn export(
        &self,
        commit: &str,
        is_wanted: impl Fn(&str) -> bool,
    ) -> anyhow::Result<PathBuf> {
        let [folder, index] = ["files", "files-index"]
            .map(|name| self.scratch.path().join(format!("{commit}-{name}")));
        fs::create_dir_all(&folder)?;
        let names = git(&self.root, &["ls-tree", "-r", "-z", "--name-only", commit])?;
        let variables = [(INDEX, &*index)];
        git_with(&self.root, &["read-tree", commit], &variables, "")?;
        let prefix = format!("--prefix={}/", folder.display());
        let check_out = ["checkout-index", "-z", "--stdin", "--force", &prefix];
        let wanted = entries(&names, is_wanted);
        git_with(&self.root, &check_out, &variables, &wanted)?;
        Ok(folder)
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        // Unlike the temporary directory itself, this removes directories without permissions.
        remove_tree(self.scratch.path());
    }
}

/// Creates a temporary directory outside of `roots`, because an overlay cannot store its files below itself.
fn temporary_folder_outside(roots: &[PathBuf], guardian: &Guardian) -> anyhow::Result<TempDir> {
    for parent in [std::env::temp_dir(), "/var/tmp".into(), "/tmp".into()] {
        let is_inside = |parent: PathBuf| roots.iter().any(|root| parent.starts_with(root));
        if parent.canonicalize().is_ok_and(|parent| !is_inside(parent)) {
            return guardian.temporary_folder_in(&parent);
        }
    }
    anyhow::bail!("all temporary folders are inside the checkout")
}

/// Creates a mount view for each side, and checks that such a view works.
fn places(
    is_sudo: bool,
    roots: &[PathBuf],
    scratch: &Path,
    guardian: &Guardian,
) -> anyhow::Result<[MountView; 2]> {
    obstacles::reject_mounts_below(roots)?;
    let new_view = || -> anyhow::Result<MountView> {
        let mut layers = Vec::new();
        for root in roots {
            layers.push(new_layer(root, None, scratch)?);
        }
        Ok(MountView {
            program: std::env::current_exe()?,
            layers,
            sudo: is_sudo.then(|| scratch.join("environment")),
            ..MountView::default()
        })
    };
    // Write to a third mount view and its directories, so that the views of the sides stay empty. This can fail in a user
    // namespace, in which an overlay cannot write to directories of another group.
    let write = "d=.perf-gate-$$; mkdir $d && : >$d/file || exit; set -- $d; \
                 for f in .git */; do if [ -d \"$f\" ] && [ -w \"$f\" ]; then : >\"$f/$d\" || exit; set -- \"$@\" \"$f/$d\"; fi; done; \
                 exec rm -r \"$@\"";
    let mut command = new_view()?.command(&roots[0], &["sh", "-c", write]);
    guardian.run(&mut command, "sh")?;
    Ok([new_view()?, new_view()?])
}

/// Creates a layer with new directories in `scratch`.
fn new_layer(root: &Path, below: Option<PathBuf>, scratch: &Path) -> anyhow::Result<Layer> {
    let layer = Layer {
        root: root.to_owned(),
        folder: tempfile::tempdir_in(scratch)?.keep(),
        below,
    };
    fs::create_dir(layer.written())?;
    fs::create_dir(layer.folder.join("work"))?;
    Ok(layer)
}

/// Returns options for `git clean` that keep untracked directories with dependencies, virtual environments or CMake
/// builds.
fn kept_folders(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut kept: Vec<String> = DEPENDENCIES
        .iter()
        .map(|name| format!("--exclude={name}/"))
        .collect();
    let untracked = [
        "ls-files",
        "-z",
        "--others",
        "--exclude-standard",
        "--directory",
    ];
    for entry in git(root, &untracked)?.split('\0') {
        let folder = root.join(entry);
        let marks = ["pyvenv.cfg", "CMakeCache.txt"];
        if entry.ends_with('/') && marks.iter().any(|mark| folder.join(mark).is_file()) {
            kept.push(format!("--exclude=/{}", entry.trim_end_matches('/')));
        }
    }
    Ok(kept)
}

/// Returns environment variables that switch off build servers. A server would keep running and see the files outside
/// of the mount view.
pub fn without_daemons(side: Side, random: u64) -> Vec<(OsString, OsString)> {
    let gradle = std::env::var("GRADLE_OPTS").unwrap_or_default();
    let gradle = format!(
        "{gradle} -Dorg.gradle.daemon=false -Dkotlin.compiler.execution.strategy=in-process"
    );
    // Each side gets its own sccache server, which the guardian ends.
    let port = 20_000 + 2 * (random % 10_000) + u64::from(side == Side::Current);
    [
        ("GRADLE_OPTS", gradle.trim_start().to_owned()),
        ("MSBUILDDISABLENODEREUSE", "1".to_owned()),
        ("UseSharedCompilation", "false".to_owned()),
        ("NX_DAEMON", "false".to_owned()),
        ("PANTS_PANTSD", "false".to_owned()),
        ("SCCACHE_SERVER_PORT", port.to_string()),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into()
}
