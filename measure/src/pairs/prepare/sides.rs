//! Base and head, with their commands, directories, worktrees and builds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use perf_cli::load::benchmark_files::{fingerprints, root_of};
use perf_cli::load::git::short;
use perf_cli::{ResultExt, term};
use perf_config::{Config, HarnessFrom};
use perf_model::methodology::HARNESS;

use super::benchmark_files::BaseTree;
use super::checkout::{Checkout, NoSamePath, without_daemons};
use super::obstacles;
use super::worktree::{Worktree, keep_builds_apart};
use crate::git::{commit_of, git, git_with};
use crate::guardian::{Guardian, Stopped};
use crate::pairs::request::{PairsRequest, SideRequest, Tree};
use crate::process::{CommandSpec, Launcher};
use crate::schedule::Side;

/// The length of the commit hash in a changed working tree's name.
const SHORT_HASH: usize = 7;
/// The prefix of a changed working tree's name.
const WORKING_TREE: &str = "working tree of ";

/// One side, ready to run.
pub struct Prepared {
    /// The command to measure.
    pub command: CommandSpec,
    /// The commit; empty if it is unknown.
    pub commit: String,
    /// The side's directory outside of any mount view; `None` for a commit at the checkout's path.
    pub tree: Option<PathBuf>,
    /// Fingerprints of the benchmark files, for the methodology.
    pub fingerprints: String,
}

/// Base and head. Dropping this value removes their worktrees and mount views.
pub struct Sides {
    pub both: [Prepared; 2],
    /// The worktrees of commits that could not be prepared at the checkout's path.
    worktrees: Vec<Worktree>,
    pub checkout: Option<Checkout>,
    /// Whether the base is also measured with other heads.
    is_series: bool,
    /// Whether the base contains the head's benchmark files.
    pub has_head_benchmark: bool,
}

impl Sides {
    /// Resolves commits and creates their mount views or worktrees. If requested, the base gets the head's benchmark
    /// files.
    ///
    /// # Errors
    /// Fails if a commit does not exist or cannot be checked out, or if base and head would run the same code.
    pub fn of(
        request: &PairsRequest,
        config: &Config,
        guardian: &Guardian,
        kept: Option<&mut KeptBase>,
    ) -> anyhow::Result<Self> {
        let here = std::env::current_dir().context("cannot determine the working directory")?;
        let mut commits = [None, None];
        for (commit, side) in commits.iter_mut().zip([&request.base, &request.current]) {
            if let Tree::Commit(reference) = &side.tree {
                *commit = Some(commit_of(&here, reference)?);
            }
        }
        // The rows' commit does not include uncommitted changes.
        if commits[0].is_some() && !request.is_silent && is_changed(&here) {
            match &request.current.tree {
                Tree::Commit(_) => term::warn(
                    "the working tree has uncommitted changes, which are not measured: base and head are commits",
                ),
                _ => term::note("the head includes uncommitted changes, which are measured"),
            }
        }
        let is_series = kept.is_some();
        let mut checkout = None;
        if let Some(kept) = kept {
            checkout = kept.reuse(request, &commits, &here)?;
        }
        let is_base_ready = checkout.is_some();
        if checkout.is_none() {
            checkout = one_path(request, &commits, &here, guardian)?;
        }
        let mut base_tree = None;
        if let Some(base) = &commits[0]
            && (request.is_harness_of_current || config.harness.from == HarnessFrom::Current)
        {
            let (root, head) = (root_of(&here), commits[1].as_deref());
            base_tree = Some(BaseTree::with_head_benchmark(
                &root, base, head, config, guardian,
            )?);
        }
        let has_head_benchmark = base_tree.is_some();
        if let Some(checkout) = &mut checkout {
            checkout.base_tree = base_tree.take();
        }
        let random = getrandom::u64().context("cannot draw a random number")?;
        let mut worktrees = Vec::new();
        let mut prepare = |side: Side, request: &SideRequest| {
            let commit = &commits[side as usize];
            let mut folder = here.clone();
            match (&checkout, commit, &request.tree) {
                (Some(checkout), Some(commit), _) if side == Side::Current || !is_base_ready => {
                    term::step(&format!("preparing {}", describe(side, commit)));
                    checkout
                        .unpack(side, commit, guardian)
                        .hint("pass `--two-paths` to check the base out in a worktree instead")?;
                }
                (None, Some(commit), _) => {
                    let worktree = Worktree::add(&here, commit, guardian)?;
                    if let Some(tree) = base_tree.take() {
                        let read = ["read-tree", "--reset", "-u", &tree.tree];
                        let root = root_of(&worktree.folder);
                        git_with(&root, &read, &[tree.variable()], "")?;
                    }
                    folder.clone_from(&worktree.folder);
                    worktrees.push(worktree);
                }
                (None, None, Tree::Folder(own)) => folder.push(own),
                _ => {}
            }
            let mut command = CommandSpec::of(request.command.clone())?;
            command.folder.clone_from(&folder);
            if let Some(checkout) = &checkout {
                command.place = Some(checkout.place(side).clone());
                command.variables = without_daemons(side, random);
            }
            let is_hidden = checkout.is_some() && commit.is_some();
            anyhow::Ok(Prepared {
                command,
                commit: commit.clone().unwrap_or_else(|| commit_in(&folder)),
                tree: (!is_hidden).then_some(folder),
                fingerprints: String::new(),
            })
        };
        let mut base = prepare(Side::Base, &request.base)?;
        let current = prepare(Side::Current, &request.current)?;
        if !worktrees.is_empty() {
            keep_builds_apart(&mut base.command);
        }
        Ok(Self {
            both: [base, current],
            worktrees,
            checkout,
            is_series,
            has_head_benchmark,
        })
    }

    pub fn side(&self, side: Side) -> &Prepared {
        &self.both[side as usize]
    }

    /// Whether commits are checked out in worktrees.
    pub fn is_at_two_paths(&self) -> bool {
        !self.worktrees.is_empty()
    }

    /// Whether the base's build will be used again, with other heads.
    pub fn keeps_base(&self) -> bool {
        self.is_series
            && !self.has_head_benchmark
            && self.checkout.is_some()
            && self.side(Side::Current).tree.is_none()
    }

    /// Computes fingerprints of the benchmark files in base and head, before they are built.
    ///
    /// # Errors
    /// Fails if one of these files cannot be read.
    pub fn compute_fingerprints(&mut self, config: &Config) -> anyhow::Result<()> {
        let patterns = || config.harness.paths.iter().chain(&config.harness.toolchain);
        for side in &mut self.both {
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
            // The base runs the head's benchmark files, so it has their fingerprint.
            let [base, current] = &mut self.both;
            let is_harness = |word: &&str| word.starts_with(HARNESS);
            let of_current = current.fingerprints.split(' ').filter(is_harness);
            let own = base.fingerprints.split(' ');
            let own = own.filter(|word| !is_harness(word));
            base.fingerprints = of_current.chain(own).collect::<Vec<_>>().join(" ");
        }
        Ok(())
    }

    /// Returns a side's name with its commit, for messages.
    pub fn described(&self, side: Side) -> String {
        describe(side, &self.side(side).commit)
    }

    /// Builds one side in its directory.
    pub fn build_side(
        &self,
        side: Side,
        command: &[OsString],
        launcher: &Launcher<'_>,
    ) -> anyhow::Result<()> {
        let line = self.side(side).command.with(command)?;
        term::step(&format!("building {}", self.described(side)));
        let built = launcher.launch(&line, 1, 0);
        self.explain(side, "does not build", built).map(drop)
    }

    /// If a side failed, states the problem, such as `the base does not build`, and adds a hint.
    pub fn explain<T>(
        &self,
        side: Side,
        problem: &str,
        result: anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let result = result.map_err(|error| {
            if error.is::<Stopped>() {
                return error;
            }
            error.context(format!("{} {problem}", self.described(side)))
        });
        self.advise(side, result)
    }

    /// Whether the base is a commit.
    pub fn has_base_commit(&self) -> bool {
        self.checkout.is_some() || self.is_at_two_paths()
    }
}

fn describe(side: Side, commit: &str) -> String {
    let name = match side {
        Side::Base => "the base",
        Side::Current => "the head",
    };
    if commit.is_empty() {
        return name.to_owned();
    }
    if commit.starts_with(WORKING_TREE) {
        return format!("{name} ({commit})");
    }
    format!("{name} ({})", short(commit))
}

/// The base of a series of measurements with different heads. If base and head are commits at the same path, the base is
/// unpacked and built only once.
#[derive(Default)]
pub struct KeptBase(Option<(String, Option<Vec<OsString>>, Checkout)>);

impl KeptBase {
    /// Returns the kept base with a new mount view for the head. Returns `None` if the request has another base or build.
    fn reuse(
        &mut self,
        request: &PairsRequest,
        commits: &[Option<String>; 2],
        here: &Path,
    ) -> anyhow::Result<Option<Checkout>> {
        let kept = self.0.take();
        let (Some((commit, build, mut checkout)), [Some(base), Some(current)]) = (kept, commits)
        else {
            return Ok(None);
        };
        if *base != commit
            || build != request.build
            || obstacles::to_one_path(&commands_of(request), &root_of(here), &[current]).is_some()
        {
            return Ok(None);
        }
        checkout.renew(Side::Current, false)?;
        Ok(Some(checkout))
    }

    /// Keeps the base after a measurement, unless its build failed.
    pub fn keep(&mut self, sides: &mut Sides, request: &PairsRequest) {
        if !sides.keeps_base() {
            return;
        }
        let is_built = |checkout: &Checkout| request.build.is_none() || checkout.is_base_kept;
        let commit = sides.side(Side::Base).commit.clone();
        self.0 = sides
            .checkout
            .take()
            .filter(is_built)
            .map(|checkout| (commit, request.build.clone(), checkout));
    }
}

/// Returns the commands that run in a side's tree.
fn commands_of(request: &PairsRequest) -> Vec<&[OsString]> {
    let commands = [&request.base.command, &request.current.command];
    let all = commands.into_iter().chain(&request.build);
    all.map(Vec::as_slice).collect()
}

/// Creates mount views at the checkout's path. Returns `None` if the base is not a commit, or if base and head must run
/// at two paths. Fails if both sides would run the checkout's code there.
fn one_path(
    request: &PairsRequest,
    commits: &[Option<String>; 2],
    here: &Path,
    guardian: &Guardian,
) -> anyhow::Result<Option<Checkout>> {
    if commits[0].is_none() || matches!(request.current.tree, Tree::Folder(_)) {
        return Ok(None);
    }
    let root = root_of(here);
    let commits: Vec<&str> = commits.iter().flatten().map(String::as_str).collect();
    let asked = request
        .is_at_two_paths
        .then(|| "`--two-paths` is set".to_owned());
    let why = match asked.or_else(|| obstacles::to_one_path(&commands_of(request), &root, &commits))
    {
        Some(why) => why,
        None => match Checkout::of(here, guardian) {
            Ok(checkout) => return Ok(Some(checkout)),
            Err(error) => error.downcast::<NoSamePath>()?.to_string(),
        },
    };
    let words = &request.base.command;
    let shared = obstacles::to_two_paths(&root, words).or_else(|| {
        let copies = obstacles::installed_copies(&root, words);
        let file = copies.first()?;
        Some(format!(
            "`{}` is an installed copy of it",
            term::shown(file)
        ))
    });
    if let Some(shared) = shared {
        return Err(anyhow!(
            "base and head would run the checkout's code: {shared}"
        ))
        .hint(format!("base and head run at two paths: {why}"))
        .hint("in `build`, create a virtual environment in the folder of each, and install the package there");
    }
    term::note(&format!("base and head run at two paths: {why}"));
    Ok(None)
}

/// Returns the commit in a directory, or an empty string outside of a repository.
///
/// If there are uncommitted changes, returns `working tree of COMMIT` instead. In a workflow, the commit is returned
/// even then, because earlier steps may change tracked files such as lock files, and results are stored by commit.
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
