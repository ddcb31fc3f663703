//! Both sides at the path of the checkout: a place for each, and a commit's files in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::Context;
use perf_cli::ResultExt;
use perf_cli::term::shown;
use perf_config::PathPattern;

use super::obstacles;
use crate::git::{QUIETLY, git};
use crate::guardian::{Guardian, Stopped};
use crate::mount_view::scratch::Scratch;
use crate::mount_view::{Kind, Layer, MountView, copy_tree};
use crate::pairs::request::Paths;
use crate::removal::remove_tree;

/// Variables that name a folder into which a build installs. Where it is not in the checkout, it is covered as well.
const INSTALLED: [&str; 2] = ["VIRTUAL_ENV", "CARGO_TARGET_DIR"];
/// Folders with what a package manager installed. They stay, also where nobody told git to ignore them.
pub(crate) const DEPENDENCIES: [&str; 11] = [
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

/// A tracked file in which the base differs from the current side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The path from the top of the repository.
    pub(crate) path: String,
    /// True if both sides have it.
    pub(crate) is_of_both: bool,
}

/// The two places of a measurement; their folder is removed with it.
#[derive(Debug)]
pub(crate) struct Checkout {
    /// The top folder of the repository.
    pub(crate) root: PathBuf,
    /// The way in which both sides have one path.
    pub(crate) paths: Paths,
    pub(crate) places: [MountView; 2],
    /// The temporary folder of the measurement.
    pub(crate) scratch: Scratch,
    /// The number of current sides that began in a place of their own beside the same base.
    pub(crate) renewals: usize,
    /// True if the base's build is a layer below its place.
    pub(crate) is_base_kept: bool,
    /// Patterns of files that the base has from the current side.
    pub(crate) same_on_both: Vec<PathPattern>,
}

/// The reason why the sides cannot be at one path.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoSamePath(String);

impl Checkout {
    /// Makes the places.
    ///
    /// # Errors
    /// [`NoSamePath`] where the system allows none, and a repository that git cannot read.
    pub(crate) fn of(here: &Path, guardian: &Guardian) -> anyhow::Result<Self> {
        let root = PathBuf::from(git(here, &["rev-parse", "--show-toplevel"])?);
        let mut roots = vec![root.clone()];
        for folder in INSTALLED
            .into_iter()
            .filter_map(std::env::var_os)
            .map(PathBuf::from)
        {
            if let Some(folder) = folder
                .canonicalize()
                .ok()
                .filter(|folder| is_apart(folder, &roots))
            {
                roots.push(folder);
            }
        }
        let scratch = Scratch::outside(&roots, guardian)
            .map_err(|error| NoSamePath(perf_cli::failure::message(&error)))?;
        let mut reasons = Vec::new();
        // The runners of GitHub refuse namespaces, and let their user have all rights.
        let has_sudo = std::env::var_os("GITHUB_ACTIONS").is_some();
        let ways = [
            (Kind::Overlay, Paths::Same),
            (Kind::Copy, Paths::SameByCopy),
        ];
        let ways = ways
            .into_iter()
            .flat_map(|(kind, paths)| [(kind, paths, false), (kind, paths, true)]);
        for (kind, paths, is_sudo) in ways.filter(|(.., is_sudo)| has_sudo || !is_sudo) {
            match places(kind, is_sudo, &roots, scratch.path(), guardian) {
                Ok(places) => {
                    let (same_on_both, renewals, is_base_kept) = (Vec::new(), 0, false);
                    return Ok(Self {
                        root,
                        paths,
                        places,
                        scratch,
                        renewals,
                        is_base_kept,
                        same_on_both,
                    });
                }
                Err(error) if error.is::<Stopped>() => return Err(error),
                Err(error) => reasons.push(perf_cli::failure::message(&error)),
            }
        }
        reasons.dedup();
        Err(NoSamePath(reasons.join("; ")).into())
    }

    /// The place of the side with this number.
    pub(crate) fn place(&self, side: usize) -> &MountView {
        &self.places[side]
    }

    /// Makes what was written for the current side a layer below both, each of which begins anew above it. Returns the
    /// places as they were.
    ///
    /// # Errors
    /// Folders that cannot be made.
    pub(crate) fn stack(&mut self) -> anyhow::Result<[MountView; 2]> {
        let built: Vec<_> = self.places[1]
            .layers()
            .iter()
            .map(|layer| Some(layer.written()))
            .collect();
        let stacked = [
            self.place_above(0, "above-0", &built)?,
            self.place_above(1, "above-1", &built)?,
        ];
        Ok(std::mem::replace(&mut self.places, stacked))
    }

    /// A side's place with nothing written yet, above what each of its layers has below.
    fn place_above(
        &self,
        side: usize,
        name: &str,
        below: &[Option<PathBuf>],
    ) -> anyhow::Result<MountView> {
        let mut layers = Vec::new();
        for (number, (layer, below)) in self.places[side].layers().iter().zip(below).enumerate() {
            let folder = self.scratch.path().join(format!("{name}-{number}"));
            layers.push(with_folders(Layer {
                folder,
                below: below.clone(),
                ..layer.clone()
            })?);
        }
        Ok(self.places[side].with(layers))
    }

    /// Makes what was written for the base a layer below it, which nothing changes from here on.
    ///
    /// # Errors
    /// Folders that cannot be made.
    pub(crate) fn keep_base(&mut self) -> anyhow::Result<()> {
        let built: Vec<_> = self.places[0]
            .layers()
            .iter()
            .map(|layer| Some(layer.written()))
            .collect();
        self.places[0] = self.place_above(0, "kept", &built)?;
        self.is_base_kept = true;
        Ok(())
    }

    /// Begins the place of a current side anew, above the base's build or above the checkout.
    ///
    /// # Errors
    /// Folders that cannot be made.
    pub(crate) fn renew_current(&mut self, is_on_base: bool) -> anyhow::Result<()> {
        for layer in self.places[1].layers() {
            // What is left is removed at the end.
            let _ = remove_tree(&layer.folder);
        }
        self.renewals += 1;
        let below = |layer: &Layer| {
            layer
                .below
                .clone()
                .filter(|_| is_on_base && self.is_base_kept)
        };
        let below: Vec<_> = self.places[0].layers().iter().map(below).collect();
        self.places[1] = self.place_above(1, &format!("current-{}", self.renewals), &below)?;
        Ok(())
    }

    /// Replaces the tracked files in a place by those of a commit, as `git checkout` does: what did not change keeps its
    /// time, so that builds see what they have to do. Ignored files stay, other files that the commit lacks are removed.
    ///
    /// # Errors
    /// What git cannot do.
    pub(crate) fn unpack(
        &self,
        side: usize,
        commit: &str,
        guardian: &Guardian,
    ) -> anyhow::Result<()> {
        let index = self.copied_index(&format!("index-{side}"))?;
        let git_in = |arguments: &[&str]| {
            let words: Vec<&str> = ["git"]
                .iter()
                .chain(&QUIETLY)
                .chain(arguments)
                .copied()
                .collect();
            let mut command = self.places[side].command(&self.root, &words);
            command.env("GIT_INDEX_FILE", &index).stdin(Stdio::null());
            guardian.run(&mut command, &format!("git {}", arguments[0]))
        };
        let kept = kept_folders(&self.root)?;
        let mut clean = vec!["clean", "-fdq"];
        clean.extend(kept.iter().map(String::as_str));
        git_in(&clean)?;
        // Files of an overlay may have other numbers, which only looking at their contents excuses. Fails where it finds changes.
        let _ = git_in(&["update-index", "-q", "--refresh"]);
        git_in(&["read-tree", "--reset", "-u", commit])?;
        if self.root.join(".git").is_dir() {
            // Elsewhere the repository is outside of the place, where nothing may change.
            git_in(&["update-ref", "--no-deref", "HEAD", commit])?;
            let covered = self.places[side].outside(&self.root.join(".git/index"));
            fs::copy(&index, covered).context("cannot write git's index")?;
        }
        Ok(())
    }

    /// The tracked files in which a commit differs from the current side: another commit, or the working tree.
    ///
    /// # Errors
    /// What git cannot do.
    pub(crate) fn differences(
        &self,
        base: &str,
        current: Option<&str>,
    ) -> anyhow::Result<Vec<Difference>> {
        let index = self.copied_index("index-now")?;
        let run = |arguments: &[&str]| {
            let mut command = crate::git::in_folder(&self.root, arguments);
            crate::git::run(command.env("GIT_INDEX_FILE", &index), arguments[0])
        };
        let format = ["-r", "--name-status", "-z", "--no-renames", base];
        let changed = if let Some(current) = current {
            run(&[&["diff-tree"], &format[..], &[current]].concat())?
        } else {
            // Else files that were only touched count as changed.
            let _ = run(&["update-index", "-q", "--refresh"]);
            run(&[&["diff-index"], &format[1..]].concat())?
        };
        let fields: Vec<&str> = changed.split('\0').collect();
        let difference = |found: &[&str]| Difference {
            path: found[1].to_owned(),
            is_of_both: found[0] == "M",
        };
        let is_same = |found: &Difference| {
            self.same_on_both
                .iter()
                .any(|same| same.matches(&found.path))
        };
        Ok(fields
            .chunks_exact(2)
            .map(difference)
            .filter(|found| !is_same(found))
            .collect())
    }

    /// A copy of the index, as even reading may change it.
    fn copied_index(&self, name: &str) -> anyhow::Result<PathBuf> {
        let index = self.scratch.path().join(name);
        let own_index = self
            .root
            .join(git(&self.root, &["rev-parse", "--git-path", "index"])?);
        if own_index.is_file() {
            fs::copy(&own_index, &index).context("cannot copy git's index")?;
            // Files as new as their index may have changed since: git looks into them, and into no others.
            let written = fs::metadata(&own_index).and_then(|metadata| metadata.modified());
            let copy = fs::File::options().write(true).open(&index);
            copy.and_then(|copy| copy.set_modified(written?))
                .context("cannot copy git's index")?;
        }
        Ok(index)
    }

    /// A folder with the files of a commit whose paths are wanted.
    ///
    /// # Errors
    /// What git cannot do.
    pub(crate) fn export(
        &self,
        commit: &str,
        is_wanted: impl Fn(&str) -> bool,
    ) -> anyhow::Result<PathBuf> {
        let [folder, index, list] = ["files", "files-index", "files-list"]
            .map(|name| self.scratch.path().join(format!("{commit}-{name}")));
        fs::create_dir_all(&folder)?;
        let names = git(&self.root, &["ls-tree", "-r", "-z", "--name-only", commit])?;
        let wanted: String = names
            .split_inclusive('\0')
            .filter(|name| is_wanted(name.trim_end_matches('\0')))
            .collect();
        fs::write(&list, wanted)?;
        let run = |arguments: &[&str]| {
            let mut command = crate::git::in_folder(&self.root, arguments);
            command
                .env("GIT_INDEX_FILE", &index)
                .stdin(fs::File::open(&list)?);
            crate::git::run(&mut command, arguments[0])
        };
        run(&["read-tree", commit])?;
        run(&[
            "checkout-index",
            "-z",
            "--stdin",
            "--force",
            &format!("--prefix={}/", folder.display()),
        ])?;
        Ok(folder)
    }
}

/// True if neither folder is in the other.
fn is_apart(folder: &Path, roots: &[PathBuf]) -> bool {
    folder.is_dir()
        && !roots
            .iter()
            .any(|root| folder.starts_with(root) || root.starts_with(folder))
}

/// A place for each side, which was entered once.
fn places(
    kind: Kind,
    is_sudo: bool,
    roots: &[PathBuf],
    scratch: &Path,
    guardian: &Guardian,
) -> anyhow::Result<[MountView; 2]> {
    if kind == Kind::Overlay {
        obstacles::no_mounts_below(roots)?;
    }
    let of_side = |side: usize| {
        let mut layers = Vec::new();
        for (number, root) in roots.iter().enumerate() {
            // An attempt that failed leaves its folders.
            let folder = scratch.join(format!("{kind:?}-{is_sudo}-{side}-{number}").to_lowercase());
            layers.push(with_folders(Layer {
                root: root.clone(),
                kind,
                folder,
                below: None,
            })?);
        }
        let place = MountView::new(layers)?;
        let place = if is_sudo {
            place.by_sudo(scratch)
        } else {
            place
        };
        try_out(&place, &roots[0], guardian).map(|()| place)
    };
    let places = [of_side(0)?, of_side(1)?];
    for layer in places
        .iter()
        .flat_map(MountView::layers)
        .filter(|layer| layer.kind == Kind::Copy)
    {
        copy_tree(&layer.root, &layer.written())
            .with_context(|| format!("cannot copy `{}`", shown(&layer.root)))?;
    }
    Ok(places)
}

/// A layer with its folders.
fn with_folders(layer: Layer) -> anyhow::Result<Layer> {
    fs::create_dir_all(layer.written())?;
    fs::create_dir_all(layer.folder.join("work"))?;
    Ok(layer)
}

/// Enters a place and writes in it, also in its folders: those of another group cannot be copied up in a user's namespace.
fn try_out(place: &MountView, root: &Path, guardian: &Guardian) -> anyhow::Result<()> {
    let write = "d=.perf-gate-$$; mkdir $d && : >$d/file && rm $d/file && rmdir $d || exit; \
                 for f in .git */; do if [ -d \"$f\" ] && [ -w \"$f\" ]; then : >\"$f/$d\" && rm \"$f/$d\" || exit; fi; done";
    guardian
        .run(
            place
                .command(root, &["sh", "-c", write])
                .stdin(Stdio::null()),
            "sh",
        )
        .map(drop)
}

/// Options of `git clean` for untracked folders that hold what was installed or configured.
fn kept_folders(root: &Path) -> anyhow::Result<Vec<String>> {
    let listed = git(
        root,
        &[
            "ls-files",
            "-z",
            "--others",
            "--exclude-standard",
            "--directory",
        ],
    )?;
    let is_kept = |folder: &str| {
        let folder = root.join(folder);
        folder.join("pyvenv.cfg").is_file() || folder.join("CMakeCache.txt").is_file()
    };
    let found = listed
        .split('\0')
        .filter_map(|entry| entry.strip_suffix('/'))
        .filter(|folder| is_kept(folder));
    let found = found.map(|folder| format!("--exclude=/{folder}"));
    Ok(DEPENDENCIES
        .iter()
        .map(|name| format!("--exclude={name}/"))
        .chain(found)
        .collect())
}

/// Switches off servers that keep running after a build and see the files that are outside of the place, as variables.
pub(crate) fn without_daemons(side: usize, random: u64) -> Vec<(OsString, OsString)> {
    let gradle = std::env::var("GRADLE_OPTS").unwrap_or_default();
    let gradle = format!(
        "{gradle} -Dorg.gradle.daemon=false -Dkotlin.compiler.execution.strategy=in-process"
    );
    let of_side = u64::try_from(side).unwrap_or_default();
    // A server of its own, which the guardian ends.
    let port = 20_000 + 2 * (random % 10_000) + of_side;
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

/// Adds the way out of places to an error.
pub(crate) fn or_two_paths<T>(result: anyhow::Result<T>) -> anyhow::Result<T> {
    result.hint("`--two-paths` checks the base out beside the working tree instead")
}
