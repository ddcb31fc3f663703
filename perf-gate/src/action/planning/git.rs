//! Reads commits from the checkout's repository.
//!
//! A benchmark may have run in this checkout, so its files are untrusted. Git only ever opens the repository that
//! [`SuiteFolder`] found. Files are looked up by their path in a commit, regardless of links on the disk. Hooks, replacement
//! objects and configured remotes are ignored.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use perf_cli::actions::TOKENS;
use perf_cli::git::{Git, TreeEntry};
use perf_cli::{Failure, term};
use perf_model::commit::CommitId;

use super::place::SuiteFolder;
use crate::action::{environment::variable, log, search_path};

/// The checkout's repository, and a second one with the objects that had to be fetched.
pub struct CheckoutRepository<'p> {
    place: &'p SuiteFolder,
    /// This job's own repository, which receives the fetched objects.
    own: PathBuf,
}

impl<'p> CheckoutRepository<'p> {
    /// The repository of the suite's checkout. Missing commits are fetched into `folder`.
    pub fn new(place: &'p SuiteFolder, folder: &Path) -> Self {
        Self {
            place,
            own: folder.join("fetched"),
        }
    }

    /// True if something was fetched into this job's own repository.
    fn is_fetched(&self) -> bool {
        self.place.fetched.borrow().contains(&self.own)
    }

    /// The folder of the fetched objects, if any.
    pub fn objects(&self) -> Option<PathBuf> {
        self.is_fetched().then(|| self.own.join("objects"))
    }

    /// The repository with the base and its history. If something was fetched, it is this job's own repository, because only
    /// that one records where a shallow history ends.
    pub fn store(&self) -> PathBuf {
        if self.is_fetched() {
            self.own.clone()
        } else {
            self.checkout()
        }
    }

    fn checkout(&self) -> PathBuf {
        PathBuf::from(self.place.checkout.as_deref().unwrap_or_default()).join(".git")
    }

    /// Git in the checkout. A partial clone must not fetch from its configured remote.
    fn git(&self) -> Git {
        let git = isolated()
            .with("safe.directory=*")
            .local()
            .repository_at(&self.checkout());
        match self.objects() {
            Some(objects) => git.variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects),
            None => git,
        }
    }

    /// The output of a git command, cached, or `None` if it fails.
    fn ask(&self, arguments: &[&str]) -> Option<String> {
        self.place.checkout.as_ref()?;
        let mut question = vec![self.own.to_string_lossy().into_owned()];
        question.extend(arguments.iter().map(ToString::to_string));
        if let Some(answer) = self.place.answers.borrow().get(&question) {
            return Some(answer.clone());
        }
        let answer = self.git().ask(arguments)?;
        let mut answers = self.place.answers.borrow_mut();
        answers.insert(question, answer.clone());
        Some(answer)
    }

    pub fn has(&self, commit: &CommitId) -> bool {
        self.ask(&["cat-file", "-e", &format!("{commit}^{{commit}}")])
            .is_some()
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Option<CommitId> {
        self.ask(&["rev-parse", "--verify", "--quiet", "HEAD"])?
            .trim()
            .parse()
            .ok()
    }

    /// The parents of a commit, even if a shallow checkout does not contain them.
    pub fn parents(&self, commit: &CommitId) -> Vec<CommitId> {
        let text = self
            .ask(&["cat-file", "commit", commit.as_str()])
            .unwrap_or_default();
        let lines = text.lines().take_while(|line| !line.is_empty());
        lines
            .filter_map(|line| line.strip_prefix("parent ")?.parse().ok())
            .collect()
    }

    pub fn merge_base(&self, one: &CommitId, other: &CommitId) -> Option<CommitId> {
        self.ask(&["merge-base", one.as_str(), other.as_str()])?
            .trim()
            .parse()
            .ok()
    }

    /// Fetches a commit if it is missing.
    pub fn ensure(&mut self, commit: &CommitId) -> anyhow::Result<()> {
        if self.has(commit) || self.fetch(commit)? {
            return Ok(());
        }
        let message =
            format!("cannot read the commit `{commit}` to compare with from the checkout");
        Err(Failure::new(message)
            .hint("set `fetch-depth: 0` for `actions/checkout`, or give the action a `token` that may read the repository")
            .into())
    }

    /// Fetches a commit that is missing in a shallow checkout. It goes into this job's own repository, so the checkout stays
    /// unchanged and its configured remotes are not used. Returns false if the commit cannot be fetched.
    ///
    /// # Errors
    /// If git's output cannot be printed.
    pub fn fetch(&mut self, commit: &CommitId) -> anyhow::Result<bool> {
        self.fetch_with(commit, &["--depth=1"])
    }

    /// Fetches a commit with its whole history.
    pub fn fetch_history(&mut self, commit: &CommitId) -> anyhow::Result<bool> {
        self.fetch_with(commit, &[])
    }

    fn fetch_with(&mut self, commit: &CommitId, options: &[&str]) -> anyhow::Result<bool> {
        let Some((git, address)) = self.remote()? else {
            return Ok(false);
        };
        let fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
        print_refusal(
            &git.output(&[&fetch[..], options, &["--", &address, commit.as_str()]].concat())?,
        )?;
        self.place.fetched.borrow_mut().insert(self.own.clone());
        Ok(self.has(commit))
    }

    /// The head of a branch on the server, or `None` if the branch does not exist.
    ///
    /// # Errors
    /// If the server cannot be asked. That must not look like a missing branch.
    pub fn branch_head(&self, name: &str) -> anyhow::Result<Option<CommitId>> {
        let cannot = || {
            Failure::new(format!("cannot read the branch `{name}` of the repository"))
                .hint("the input `token` must be allowed to read it")
        };
        let (git, address) = self.remote()?.ok_or_else(cannot)?;
        let list = [
            "ls-remote",
            "--exit-code",
            "--",
            &address,
            &format!("refs/heads/{name}"),
        ];
        let output = git.output(&list).map_err(|error| cannot().because(error))?;
        // With `--exit-code`, 2 means that no branch matched.
        if output.status.code() == Some(2) {
            return Ok(None);
        }
        print_refusal(&output)?;
        let tip = String::from_utf8_lossy(&output.stdout)
            .split_whitespace()
            .next()
            .and_then(|word| word.parse().ok());
        Ok(Some(tip.ok_or_else(cannot)?))
    }

    /// Git in this job's own repository, and the URL of the repository on the server. `None` outside of a workflow.
    fn remote(&self) -> anyhow::Result<Option<(Git, String)>> {
        let Some((server, repository)) =
            variable("GITHUB_SERVER_URL").zip(variable("GITHUB_REPOSITORY"))
        else {
            return Ok(None);
        };
        let server = server.trim_end_matches('/');
        let git = isolated();
        if !self.own.exists() {
            let output = git
                .command(&["init", "--quiet", "--bare", "--template="])
                .arg(&self.own)
                .output();
            print_refusal(&output.map_err(|error| git.cannot_start(error))?)?;
        }
        let git = with_token(git.repository_at(&self.own), server);
        Ok(Some((git, format!("{server}/{repository}"))))
    }

    /// The tree entry at a path in a commit, if it exists.
    fn entry(&self, commit: &CommitId, path: &str) -> Result<Option<TreeEntry>, Failure> {
        if self.place.checkout.is_none() {
            return Err(Failure::new("the workspace contains no checkout"));
        }
        self.git().entry(commit.as_str(), path)
    }

    /// The object of a file in a commit, if it exists.
    ///
    /// # Errors
    /// If it is anything but a regular file.
    pub fn object(&self, commit: &CommitId, file: &str) -> Result<Option<String>, Failure> {
        let path = self.place.in_repository(file);
        let entry = path
            .and_then(|path| self.entry(commit, &path).ok())
            .ok_or_else(|| {
                Failure::new(format!("cannot look up `{file}` in the commit `{commit}`"))
                    .hint("use its path in the repository, relative to `working-directory`")
            })?;
        match entry {
            Some(entry) if entry.no_file().is_some() => Err(Failure::new(format!(
                "`{file}` is not a regular file in the commit `{commit}`"
            ))),
            entry => Ok(entry.map(|entry| entry.object)),
        }
    }

    /// Fails if one of the path's folders is a link or a submodule in the commit, because git can't look inside it.
    pub fn refuse_links(&self, commit: &CommitId, file: &str) -> Result<(), Failure> {
        // `object` reports a path outside of the repository.
        let Some(path) = self.place.in_repository(file) else {
            return Ok(());
        };
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            let entry = self.entry(commit, folder).ok().flatten();
            if entry.is_some_and(|entry| matches!(entry.mode.as_str(), "120000" | "160000")) {
                let message = format!(
                    "`{file}` is in `{folder}`, a link or a submodule in the commit `{commit}`"
                );
                return Err(
                    Failure::new(message).hint("use the file's real path in the repository")
                );
            }
        }
        Ok(())
    }

    /// Writes an object to a file. Fetches it first if a partial clone contains only the commit.
    pub fn write(
        &mut self,
        commit: &CommitId,
        object: &str,
        destination: &Path,
    ) -> anyhow::Result<()> {
        let cannot = || format!("cannot write `{}`", term::shown(destination));
        if let Some(folder) = destination.parent() {
            fs::create_dir_all(folder).with_context(cannot)?;
        }
        let mut is_fetched = false;
        loop {
            let file = File::create(destination).with_context(cannot)?;
            let status = self
                .git()
                .command(&["cat-file", "blob", object])
                .stdout(file)
                .stderr(Stdio::null())
                .status();
            if status.is_ok_and(|status| status.success()) {
                return Ok(());
            }
            if is_fetched {
                return Err(
                    Failure::new(format!("cannot read the whole commit `{commit}`")).into(),
                );
            }
            self.fetch(commit)?;
            is_fetched = true;
        }
    }
}

/// Git without prompts, without the token, and without programs or configuration from the workspace.
fn isolated() -> Git {
    let git = Git::here()
        .isolated()
        .variable("PATH", search_path::outside_workspace());
    TOKENS.into_iter().fold(git, Git::without)
}

/// Passes the token to git in the environment, so it appears neither in arguments nor on the disk.
fn with_token(git: Git, server: &str) -> Git {
    let Some(token) = variable("GITHUB_TOKEN") else {
        return git;
    };
    let login = STANDARD.encode(format!("x-access-token:{token}"));
    git.variable("GIT_CONFIG_COUNT", "1")
        .variable("GIT_CONFIG_KEY_0", format!("http.{server}/.extraheader"))
        .variable(
            "GIT_CONFIG_VALUE_0",
            format!("AUTHORIZATION: basic {login}"),
        )
}

/// Prints git's error output if it failed.
fn print_refusal(output: &Output) -> anyhow::Result<()> {
    if output.status.success() {
        return Ok(());
    }
    log::print_untrusted(&String::from_utf8_lossy(&output.stderr))
}
