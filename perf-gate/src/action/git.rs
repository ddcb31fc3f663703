//! Reads commits from the checkout's repository.
//!
//! A benchmark may have run in this checkout, so its files are untrusted. Git only ever opens the repository that
//! [`SuiteFolder`] found. Files are looked up by their path in a commit, regardless of links on the disk. Hooks, replacement
//! objects and configured remotes are ignored.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Output, Stdio};

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use perf_cli::actions::TOKENS;
use perf_cli::git::Git;
use perf_cli::{Failure, term};
use perf_model::commit::CommitId;

use super::environment::{GIT_OBJECTS, path_outside_workspace, variable};
use super::log;
use super::place::SuiteFolder;

/// The checkout's repository, and a second one with the objects that had to be fetched.
pub struct CheckoutRepository {
    pub place: SuiteFolder,
    /// This job's own repository, which receives the fetched objects.
    own: PathBuf,
    is_fetched: bool,
    /// Reads the objects of both repositories. `None` without a checkout.
    objects: Option<ObjectReader>,
}

impl CheckoutRepository {
    /// Opens the repository of the suite's checkout. Missing commits are fetched into `folder`.
    pub fn open(place: SuiteFolder, folder: &Path) -> anyhow::Result<Self> {
        let own = folder.join("fetched");
        // An empty repository.
        for name in ["objects", "refs"] {
            fs::create_dir_all(own.join(name))?;
        }
        fs::write(own.join("HEAD"), "ref: refs/heads/main\n")?;
        fs::write(own.join("config"), "[core]\n\tbare = true\n")?;
        let mut repository = Self {
            place,
            own,
            is_fetched: false,
            objects: None,
        };
        if repository.place.checkout.is_some() {
            repository.objects = Some(ObjectReader::start(&repository.git())?);
        }
        Ok(repository)
    }

    /// The folder with the fetched objects, if any.
    pub fn objects(&self) -> Option<PathBuf> {
        self.is_fetched.then(|| self.own.join("objects"))
    }

    /// The repository with the base and its history. If something was fetched, it is this job's own repository, because only
    /// that one records where a shallow history ends.
    pub fn store(&self) -> PathBuf {
        if self.is_fetched {
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
        isolated()
            .with("safe.directory=*")
            .local()
            .repository_at(&self.checkout())
            .variable(GIT_OBJECTS, self.own.join("objects"))
    }

    fn read(&mut self, name: &str) -> Option<GitObject> {
        self.objects.as_mut()?.read(name)
    }

    fn commit(&mut self, name: &str) -> Option<GitObject> {
        self.read(name).filter(|object| object.kind == "commit")
    }

    /// Reads an object of a commit. Fetches the commit first if a partial clone does not contain the object.
    fn read_in(&mut self, commit: &CommitId, object: &str) -> anyhow::Result<GitObject> {
        let mut found = self.read(object);
        if found.is_none() {
            self.fetch(commit)?;
            found = self.read(object);
        }
        found.ok_or_else(|| Failure::new(format!("cannot read the whole commit `{commit}`")).into())
    }

    pub fn has(&mut self, commit: &CommitId) -> bool {
        self.commit(commit.as_str()).is_some()
    }

    /// The commit that is checked out.
    pub fn head(&mut self) -> Option<CommitId> {
        self.commit("HEAD")?.id.parse().ok()
    }

    /// The parents of a commit, even if a shallow checkout does not contain them.
    pub fn parents(&mut self, commit: &CommitId) -> Vec<CommitId> {
        let Some(commit) = self.commit(commit.as_str()) else {
            return Vec::new();
        };
        let text = String::from_utf8_lossy(&commit.content);
        let lines = text.lines().take_while(|line| !line.is_empty());
        lines
            .filter_map(|line| line.strip_prefix("parent ")?.parse().ok())
            .collect()
    }

    pub fn merge_base(&self, one: &CommitId, other: &CommitId) -> Option<CommitId> {
        self.git()
            .ask(&["merge-base", one.as_str(), other.as_str()])?
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
        let Some((git, address)) = self.remote() else {
            return Ok(false);
        };
        print_refusal(&git.output(&[
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--depth=1",
            "--",
            &address,
            commit.as_str(),
        ])?)?;
        self.is_fetched = true;
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
        let (git, address) = self.remote().ok_or_else(cannot)?;
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
    fn remote(&self) -> Option<(Git, String)> {
        let server = variable("GITHUB_SERVER_URL")?;
        let repository = variable("GITHUB_REPOSITORY")?;
        let server = server.trim_end_matches('/');
        let git = with_token(isolated().repository_at(&self.own), server);
        Some((git, format!("{server}/{repository}")))
    }

    /// The object of a file in a commit, if it exists.
    ///
    /// # Errors
    /// If it is anything but a regular file, or one of its folders is a link or a submodule, inside which git can't look.
    pub fn object(&mut self, commit: &CommitId, file: &str) -> anyhow::Result<Option<String>> {
        let cannot = || {
            Failure::new(format!("cannot look up `{file}` in the commit `{commit}`"))
                .hint("use its path in the repository, relative to `working-directory`")
        };
        let path = self.place.in_repository(file).ok_or_else(cannot)?;
        let tree = format!("{commit}^{{tree}}");
        let mut tree = self.read_in(commit, &tree).map_err(|_| cannot())?;
        let mut end = 0;
        for part in path.split('/') {
            end += part.len();
            let Some((mode, object)) = tree.entry(part) else {
                return Ok(None);
            };
            let is_last = end == path.len();
            match mode.as_str() {
                "40000" if !is_last => tree = self.read_in(commit, &object)?,
                "120000" | "160000" if !is_last => {
                    let folder = &path[..end];
                    let message = format!(
                        "`{file}` is in `{folder}`, a link or a submodule in the commit `{commit}`"
                    );
                    let hint = "use the file's real path in the repository";
                    return Err(Failure::new(message).hint(hint).into());
                }
                _ if !is_last => return Ok(None),
                mode if mode.starts_with("100") => return Ok(Some(object)),
                _ => {
                    let message =
                        format!("`{file}` is not a regular file in the commit `{commit}`");
                    return Err(Failure::new(message).into());
                }
            }
            end += 1;
        }
        Ok(None)
    }

    /// Writes an object of a commit to a file.
    pub fn write(
        &mut self,
        commit: &CommitId,
        object: &str,
        destination: &Path,
    ) -> anyhow::Result<()> {
        let object = self.read_in(commit, object)?;
        if let Some(folder) = destination.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(destination, object.content)
            .with_context(|| format!("cannot write `{}`", term::shown(destination)))
    }
}

/// A `git cat-file --batch`, which answers all questions about objects in one process.
struct ObjectReader {
    git: Child,
    answers: BufReader<ChildStdout>,
}

struct GitObject {
    id: String,
    kind: String,
    content: Vec<u8>,
}

impl ObjectReader {
    fn start(git: &Git) -> anyhow::Result<Self> {
        let mut command = git.command(&["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| git.cannot_start(error))?;
        let answers = child.stdout.take().context("git has no output")?;
        Ok(Self {
            git: child,
            answers: BufReader::new(answers),
        })
    }

    /// Reads an object by its name, which must not contain untrusted text.
    fn read(&mut self, name: &str) -> Option<GitObject> {
        writeln!(self.git.stdin.as_mut()?, "{name}").ok()?;
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        // A missing object is answered by its name and `missing`.
        let [id, kind, size] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        let mut content = vec![0; size.parse().ok()?];
        self.answers.read_exact(&mut content).ok()?;
        self.answers.read_exact(&mut [0]).ok()?;
        Some(GitObject {
            id: id.to_owned(),
            kind: kind.to_owned(),
            content,
        })
    }
}

impl GitObject {
    /// The mode and the object of a tree's entry. A tree is a list of `MODE NAME`, a zero byte, and a binary hash.
    fn entry(&self, name: &str) -> Option<(String, String)> {
        let hash_length = self.id.len() / 2;
        let mut rest = &self.content[..];
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let (facts, hash) = (&rest[..end], rest.get(end + 1..end + 1 + hash_length)?);
            rest = &rest[end + 1 + hash_length..];
            let facts = String::from_utf8_lossy(facts);
            let (mode, found) = facts.split_once(' ')?;
            if found == name {
                let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
                let hash = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
                return Some((mode.to_owned(), hash.collect()));
            }
        }
        None
    }
}

/// Git without prompts, without the token, and without programs or configuration from the workspace.
fn isolated() -> Git {
    let git = Git::here()
        .isolated()
        .variable("PATH", path_outside_workspace());
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
