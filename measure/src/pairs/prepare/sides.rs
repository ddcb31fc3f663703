//! Base and head: commands, directories, worktrees and builds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use perf_cli::load::benchmark_files::{fingerprints, root_of};
use perf_cli::{Failure, term};
use perf_config::{Config, HarnessFrom};
use perf_model::methodology::HARNESS;

use super::benchmark_files::BaseTree;
use super::checkout::{Checkout, NoSamePath, or_two_paths, without_daemons};
use super::outputs::Shared;
use super::worktree::{Worktree, keep_builds_apart};
use super::{newness, obstacles};
use crate::git::{commit_of, git};
use crate::guardian::{Guardian, Stopped};
use crate::pairs::request::{PairsRequest, Paths, SideRequest, Tree};
use crate::process::{CommandSpec, Launcher};
use crate::schedule::Side;

/// The length of commits in messages.
const SHORT: usize = 10;
/// The length of the commit in a changed working tree's name.
const SHORT_HASH: usize = 7;
/// The prefix of a changed working tree's name.
const WORKING_TREE: &str = "working tree of ";

/// One side, ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The command to measure.
    pub command: CommandSpec,
    /// The commit, or empty if unknown.
    pub commit: String,
    /// The directory outside of any mount view; `None` for a commit at the checkout's path.
    pub(crate) tree: Option<PathBuf>,
    /// Fingerprints of the benchmark files, for the methodology.
    pub fingerprints: String,
}

/// Both sides. Dropping this removes worktrees and mount views.
#[derive(Debug)]
pub struct Sides {
    /// The base, with which the head is compared.
    pub base: Prepared,
    /// The head, which is judged.
    pub current: Prepared,
    /// The paths of commits.
    pub paths: Paths,
    worktrees: Vec<Worktree>,
    pub(crate) checkout: Option<Checkout>,
    /// Whether the base is also measured with other heads.
    is_series: bool,
    /// Whether the base has the head's benchmark files.
    pub(crate) has_head_benchmark: bool,
}

impl Sides {
    /// Gives the base the fingerprint of the head's benchmark.
    pub(crate) fn share_fingerprint(&mut self) {
        let is_harness = |word: &&str| word.starts_with(HARNESS);
        let of_current = self.current.fingerprints.split(' ').filter(is_harness);
        let own = self.base.fingerprints.split(' ');
        let own = own.filter(|word| !is_harness(word));
        self.base.fingerprints = of_current.chain(own).collect::<Vec<_>>().join(" ");
    }

    /// Resolves commits and creates their mount views or worktrees. If requested, the base gets the head's benchmark files.
    ///
    /// # Errors
    /// A commit does not exist or cannot be checked out, or both sides would run the same code.
    pub fn of(
        request: &PairsRequest,
        config: &Config,
        guardian: &Guardian,
        kept: Option<&mut KeptBase>,
    ) -> anyhow::Result<Self> {
        let here = std::env::current_dir().context("cannot determine the working directory")?;
        let commit = |side: &SideRequest| match &side.tree {
            Tree::Commit(reference) => commit_of(&here, reference).map(Some),
            Tree::Here | Tree::Folder(_) => Ok(None),
        };
        let commits = [commit(&request.base)?, commit(&request.current)?];
        if commits[0].is_some() && !request.is_silent {
            note_uncommitted(&request.current.tree, &here);
        }
        let mut found = None;
        let is_series = kept.is_some();
        if let Some(kept) = kept {
            found = kept.reuse(request, &commits, &here)?;
        }
        if found.is_none() {
            found = one_path(request, &commits, &here, guardian)?;
        }
        let is_shared =
            request.is_harness_of_current || config.harness.from == HarnessFrom::Current;
        let base_tree = match &commits {
            [Some(base), head] if is_shared => {
                let (root, head) = (root_of(&here), head.as_deref());
                Some(BaseTree::with_head_benchmark(
                    &root, base, head, config, guardian,
                )?)
            }
            _ => None,
        };
        let has_head_benchmark = base_tree.is_some();
        let sides = Self::prepare(request, &commits, &here, found, base_tree, guardian)?;
        Ok(Self {
            is_series,
            has_head_benchmark,
            ..sides
        })
    }

    /// Whether the base's build will be used with other heads.
    pub(crate) fn keeps_base(&self) -> bool {
        self.is_series
            && !self.has_head_benchmark
            && self.checkout.is_some()
            && self.current.tree.is_none()
    }

    /// Prepares both sides: at the checkout's path, or each in its own directory, with commits in worktrees.
    fn prepare(
        request: &PairsRequest,
        commits: &[Option<String>; 2],
        here: &Path,
        mut checkout: Option<Checkout>,
        base_tree: Option<BaseTree>,
        guardian: &Guardian,
    ) -> anyhow::Result<Self> {
        let paths = match &checkout {
            Some(_) => Paths::Same,
            None if commits[0].is_some() => Paths::Two,
            None => Paths::Given,
        };
        let random = getrandom::u64().context("cannot draw a random number")?;
        let mut worktrees = Vec::new();
        if let Some(checkout) = &mut checkout {
            checkout.base_tree = base_tree;
        } else if let Some(commit) = &commits[0] {
            let worktree = Worktree::add(here, commit, guardian)?;
            if let Some(tree) = base_tree {
                tree.check_out(&root_of(&worktree.folder))?;
            }
            worktrees.push(worktree);
        }
        let mut prepared = |number: usize, side: &SideRequest| {
            let commit = &commits[number];
            let mut folder = here.to_owned();
            match (&checkout, commit, &side.tree) {
                // A renewed checkout still contains the base.
                (Some(checkout), Some(commit), _) if number > 0 || checkout.renewals == 0 => {
                    let name = if number == 0 { "base" } else { "head" };
                    term::step(&format!("preparing the {name}{}", commit_suffix(commit)));
                    or_two_paths(checkout.unpack(number, commit, guardian))?;
                }
                (None, Some(commit), _) => {
                    if number > 0 {
                        worktrees.push(Worktree::add(here, commit, guardian)?);
                    }
                    folder.extend(worktrees.last().map(|worktree| &worktree.folder));
                }
                (None, None, Tree::Folder(own)) => folder.push(own),
                _ => {}
            }
            let mut command = CommandSpec::of(side.command.clone(), &folder)?;
            if let Some(checkout) = &checkout {
                command.place = Some(Arc::new(checkout.place(number).clone()));
                command.variables = without_daemons(number, random);
            }
            let is_hidden = checkout.is_some() && commit.is_some();
            anyhow::Ok(Prepared {
                command,
                commit: commit.clone().unwrap_or_else(|| commit_in(&folder)),
                tree: (!is_hidden).then_some(folder),
                fingerprints: String::new(),
            })
        };
        let mut base = prepared(0, &request.base)?;
        let current = prepared(1, &request.current)?;
        if paths == Paths::Two {
            keep_builds_apart(&mut base.command);
        }
        note_unequal_paths(&base.command.folder, &current.command.folder);
        Ok(Self {
            base,
            current,
            paths,
            worktrees,
            checkout,
            is_series: false,
            has_head_benchmark: false,
        })
    }

    /// Computes fingerprints of the benchmark files on both sides, before they are built.
    ///
    /// # Errors
    /// A file of `[harness]` cannot be read.
    pub fn compute_fingerprints(&mut self, config: &Config) -> anyhow::Result<()> {
        let patterns = || config.harness.paths.iter().chain(&config.harness.toolchain);
        for side in [&mut self.base, &mut self.current] {
            let root = match (&side.tree, &self.checkout) {
                (Some(tree), _) => root_of(tree),
                (None, Some(checkout)) if patterns().next().is_some() => checkout
                    .export(&side.commit, |path| {
                        patterns().any(|pattern| pattern.matches(path))
                    })?,
                (None, _) => continue,
            };
            let (words, found) = fingerprints(config, &root)?;
            term::diagnostics(&found);
            side.fingerprints = words.join(" ");
        }
        if self.has_head_benchmark {
            self.share_fingerprint();
        }
        Ok(())
    }

    pub fn side(&self, side: Side) -> &Prepared {
        match side {
            Side::Base => &self.base,
            Side::Current => &self.current,
        }
    }

    /// A side's name with its commit, for messages.
    pub fn described(&self, side: Side) -> String {
        let name = if side == Side::Base {
            "the base"
        } else {
            "the head"
        };
        format!("{name}{}", commit_suffix(&self.side(side).commit))
    }

    /// Builds one side in its directory.
    pub(crate) fn build_side(
        &self,
        side: Side,
        command: &[OsString],
        launcher: &Launcher<'_>,
    ) -> anyhow::Result<()> {
        let (line, name) = (self.side(side).command.with(command)?, self.described(side));
        term::step(&format!("building {name}"));
        launcher.launch(&line, 1, 0).map(drop).map_err(|error| {
            if error.is::<Stopped>() {
                return error;
            }
            self.advised(side, error.context(format!("{name} does not build")))
        })
    }

    /// The reason why the base has nothing to measure: it does not contain the benchmark.
    ///
    /// # Errors
    /// A git error.
    pub fn missing_benchmark(
        &self,
        request: &PairsRequest,
        config: &Config,
    ) -> anyhow::Result<Option<String>> {
        if self.paths == Paths::Given {
            return Ok(None);
        }
        let (line, commit) = (&self.current.command, &self.base.commit);
        newness::missing_benchmark(
            line,
            commit,
            config,
            self.has_head_benchmark,
            request.build.is_some(),
        )
    }

    /// Runs `launch` for a side that is a commit. Also returns a file that it executed although the other side built it.
    ///
    /// # Errors
    /// `launch` fails, or a git error.
    pub fn shared_output<T>(
        &self,
        side: Side,
        request: &PairsRequest,
        launch: impl FnOnce(&CommandSpec) -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Option<PathBuf>)> {
        let (line, commit) = (&self.side(side).command, &self.side(side).commit);
        let number = usize::from(side == Side::Current);
        let commands: Vec<&[OsString]> = request
            .build
            .iter()
            .chain([&line.words])
            .map(Vec::as_slice)
            .collect();
        let Some(checkout) = &self.checkout else {
            return Ok((launch(line)?, None));
        };
        let Some(shared) = Shared::find(checkout, (number, commit), &commands)? else {
            return Ok((launch(line)?, None));
        };
        let watch = shared.watch(checkout)?;
        let place = Some(Arc::new(checkout.place(number).watching(watch.clone())));
        let launched = launch(&CommandSpec {
            place,
            ..line.clone()
        })?;
        Ok((
            launched,
            shared.opened(&watch, checkout.place(number), &checkout.root),
        ))
    }

    /// Adds a hint about a missing file or setup command, if this is a base commit.
    pub fn advised(&self, side: Side, error: anyhow::Error) -> anyhow::Error {
        if error.is::<Stopped>() {
            return error;
        }
        if self.paths == Paths::Given || side == Side::Current {
            return error;
        }
        let hint = newness::unknown_to_git(&self.current.command).unwrap_or_else(|| {
            "if the base needs other packages or a build, set `build`, such as `--build 'npm ci'`"
                .to_owned()
        });
        Failure::new(error.to_string())
            .because(error)
            .hint(hint)
            .into()
    }

    /// Removes mount views and worktrees, and reports errors, unlike dropping.
    ///
    /// # Errors
    /// Git cannot remove a worktree.
    pub fn close(self) -> anyhow::Result<()> {
        self.worktrees.into_iter().try_for_each(Worktree::remove)
    }
}

fn commit_suffix(commit: &str) -> String {
    if commit.is_empty() {
        return String::new();
    }
    if commit.starts_with(WORKING_TREE) {
        return format!(" ({commit})");
    }
    format!(" ({})", commit.chars().take(SHORT).collect::<String>())
}

/// The base of a series of measurements with different heads. It is unpacked and built once, if both sides are commits at the
/// same path.
#[derive(Debug, Default)]
pub struct KeptBase(Option<(String, Option<Vec<OsString>>, Checkout)>);

impl KeptBase {
    /// Returns the kept base with a new mount view for the head, if the request has the same base and build.
    fn reuse(
        &mut self,
        request: &PairsRequest,
        commits: &[Option<String>; 2],
        here: &Path,
    ) -> anyhow::Result<Option<Checkout>> {
        let Some((commit, build, mut checkout)) = self.0.take() else {
            return Ok(None);
        };
        let current: Vec<&str> = commits[1].iter().map(String::as_str).collect();
        let is_same = commits[0].as_ref() == Some(&commit) && build == request.build;
        let root = PathBuf::from(git(here, &["rev-parse", "--show-toplevel"])?);
        if !is_same
            || current.is_empty()
            || obstacles::to_one_path(request, &root, &current).is_some()
        {
            return Ok(None);
        }
        checkout.renew(Side::Current, false)?;
        Ok(Some(checkout))
    }

    /// Keeps the base after a measurement, unless its build failed.
    pub(crate) fn keep(&mut self, sides: &mut Sides, request: &PairsRequest) {
        if !sides.keeps_base() {
            return;
        }
        let is_whole = |checkout: &Checkout| request.build.is_none() || checkout.is_base_kept;
        self.0 = sides
            .checkout
            .take()
            .filter(is_whole)
            .map(|checkout| (sides.base.commit.clone(), request.build.clone(), checkout));
    }
}

/// Creates mount views at the checkout's path, if the base is a commit and nothing prevents it.
fn one_path(
    request: &PairsRequest,
    commits: &[Option<String>; 2],
    here: &Path,
    guardian: &Guardian,
) -> anyhow::Result<Option<Checkout>> {
    if commits[0].is_none() || matches!(request.current.tree, Tree::Folder(_)) {
        return Ok(None);
    }
    let root = PathBuf::from(git(here, &["rev-parse", "--show-toplevel"])?);
    let commits: Vec<&str> = commits.iter().flatten().map(String::as_str).collect();
    let asked = request
        .is_at_two_paths
        .then(|| "`--two-paths` is set".to_owned());
    let why = match asked.or_else(|| obstacles::to_one_path(request, &root, &commits)) {
        Some(why) => why,
        None => match Checkout::of(here, guardian) {
            Ok(checkout) => return Ok(Some(checkout)),
            Err(error) => error.downcast::<NoSamePath>()?.to_string(),
        },
    };
    if let Some(shared) = obstacles::to_two_paths(&root, &request.base.command) {
        return Err(Failure::new(format!(
            "both sides would run the checkout's code: {shared}"
        ))
        .hint(format!("base and head run at two paths: {why}"))
        .hint("install the package without `-e` in each side's build")
        .into());
    }
    term::note(&format!("base and head run at two paths: {why}"));
    Ok(None)
}

/// Notes uncommitted changes, because the rows' commit does not include them.
fn note_uncommitted(current: &Tree, here: &Path) {
    match current {
        _ if !is_changed(here) => {}
        Tree::Commit(_) => term::warn(
            "the working tree has uncommitted changes, which are not measured: both sides are commits",
        ),
        _ => term::note("the head includes uncommitted changes, which are measured"),
    }
}

/// The commit in a directory, if any.
///
/// If there are uncommitted changes, it is marked as a working tree. Not in a workflow, because earlier steps may change tracked
/// files such as lock files, and results are stored by commit.
fn commit_in(folder: &Path) -> String {
    let commit = git(folder, &["rev-parse", "HEAD"]).unwrap_or_default();
    let is_workflow = std::env::var_os("GITHUB_ACTIONS").is_some();
    match commit.get(..SHORT_HASH) {
        Some(short) if !is_workflow && is_changed(folder) => format!("{WORKING_TREE}{short}"),
        _ => commit,
    }
}

/// Whether the working tree's tracked files differ from HEAD.
fn is_changed(folder: &Path) -> bool {
    let status = git(folder, &["status", "--porcelain", "--untracked-files=no"]);
    status.is_ok_and(|changes| !changes.is_empty())
}

/// Notes paths of different length. They are in the arguments and the environment, so they move the stack.
fn note_unequal_paths(base: &Path, current: &Path) {
    let length = |path: &Path| path.as_os_str().len();
    if length(base) != length(current) {
        term::note(&format!(
            "the paths of base and head have {} and {} bytes; different lengths can shift the memory layout",
            length(base),
            length(current)
        ));
    }
}
