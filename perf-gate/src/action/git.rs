//! Reads commits from the checkout's repository.
//!
//! A benchmark may have run in this checkout, so its files are untrusted. Git only ever opens the repository that
//! [`SuiteFolder`] found. Files are looked up by their path in a commit, regardless of links on the disk. Hooks,
//! replacement objects and configured remotes are ignored.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use perf_cli::actions::TOKENS;
use perf_cli::git::{self, Git};
use perf_cli::{Failure, term};
use perf_model::commit::CommitId;

use super::environment::{path_outside_workspace, variable};
use super::log;
use super::place::SuiteFolder;

/// This job's own repository in the run's folder.
const FETCHED: &str = "fetched";

/// Variables for every git process. The settings override those that a benchmark may have written to the repository.
/// `GIT_CONFIG_PARAMETERS`, which `git -c` also uses, leaves the workflow's own `GIT_CONFIG_COUNT` settings in effect.
const GIT: [(&str, &str); 3] = [
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    (
        "GIT_CONFIG_PARAMETERS",
        "'safe.directory=*' 'core.hooksPath=/dev/null' 'core.fsmonitor=false'",
    ),
];

/// The variable with a folder of additional git objects.
const GIT_OBJECTS: &str = "GIT_ALTERNATE_OBJECT_DIRECTORIES";

/// Makes this program's other git commands read the base from `store` or from the checkout. They also find the objects that
/// were fetched into the run's folder.
pub fn set_git_environment(store: Option<&Path>, folder: &Path) {
    let path = path_outside_workspace();
    let mut variables: Vec<(OsString, Option<OsString>)> = vec![("PATH".into(), Some(path))];
    for (name, value) in GIT {
        variables.push((name.into(), Some(value.into())));
    }
    let objects = folder.join(FETCHED).join("objects");
    if objects.is_dir() {
        variables.push((GIT_OBJECTS.into(), Some(objects.into())));
    }
    if let Some(store) = store {
        variables.push(("GIT_DIR".into(), Some(store.into())));
    }
    git::set_environment(variables);
}

/// The checkout's repository, and a second one with the objects that had to be fetched.
pub struct CheckoutRepository {
    pub place: SuiteFolder,
    /// The commit that is checked out.
    pub head: Option<CommitId>,
    /// This job's own repository, which receives the fetched objects.
    own: PathBuf,
    is_fetched: bool,
    /// Cached git output, which never changes because it is about commits.
    answers: HashMap<String, Vec<u8>>,
}

impl CheckoutRepository {
    /// Opens the repository of the suite's checkout. Missing commits are fetched into `folder`.
    pub fn open(place: SuiteFolder, folder: &Path) -> Self {
        let mut repository = Self {
            place,
            head: None,
            own: folder.join(FETCHED),
            is_fetched: false,
            answers: HashMap::new(),
        };
        repository.head = repository.commit(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        repository
    }

    /// The repository with the base and its history. If something was fetched, it is this job's own repository, because
    /// only that one records where a shallow history ends.
    pub fn store(&self) -> PathBuf {
        if self.is_fetched {
            self.own.clone()
        } else {
            self.checkout()
        }
    }

    fn checkout(&self) -> PathBuf {
        self.place.checkout.clone().unwrap_or_default().join(".git")
    }

    /// Git in the checkout. A partial clone must not fetch from its configured remote.
    fn git(&self) -> Git {
        let git = isolated()
            .with("safe.directory=*")
            .local()
            .repository_at(&self.checkout());
        if self.is_fetched {
            git.variable(GIT_OBJECTS, self.own.join("objects"))
        } else {
            git
        }
    }

    /// Runs git in the checkout and returns its output, or `None` if it fails or nothing is checked out.
    fn ask(&mut self, arguments: &[&str]) -> Option<Vec<u8>> {
        self.place.checkout.as_ref()?;
        let question = arguments.join("\0");
        if let Some(known) = self.answers.get(&question) {
            return Some(known.clone());
        }
        let output = self.git().output(arguments).ok()?;
        if !output.status.success() {
            return None;
        }
        self.answers.insert(question, output.stdout.clone());
        Some(output.stdout)
    }

    /// The commit that git prints.
    fn commit(&mut self, arguments: &[&str]) -> Option<CommitId> {
        let printed = String::from_utf8(self.ask(arguments)?).ok()?;
        printed.trim().parse().ok()
    }

    /// Git's answer about a commit. Fetches the commit first if the checkout does not contain all of it.
    fn read(&mut self, commit: &CommitId, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
        if let Some(answer) = self.ask(arguments) {
            return Ok(answer);
        }
        self.fetch(commit)?;
        self.ask(arguments).ok_or_else(|| {
            Failure::new(format!("cannot read the commit `{commit}` from the checkout"))
                .hint("set `fetch-depth: 0` for `actions/checkout`, or give the action a `token` that may read the repository")
                .into()
        })
    }

    /// The parents of a commit, even if a shallow checkout does not contain them. `None` if the commit is missing.
    pub fn parents(&mut self, commit: &CommitId) -> Option<Vec<CommitId>> {
        // `git log` would read the parents as well, and fail without them.
        let text = self.ask(&["cat-file", "commit", commit.as_str()])?;
        let mut parents = Vec::new();
        for line in String::from_utf8_lossy(&text).lines() {
            // The message follows an empty line.
            if line.is_empty() {
                break;
            }
            let parent = line.strip_prefix("parent ");
            parents.extend(parent.and_then(|parent| parent.parse().ok()));
        }
        Some(parents)
    }

    pub fn merge_base(&mut self, one: &CommitId, other: &CommitId) -> Option<CommitId> {
        self.commit(&["merge-base", one.as_str(), other.as_str()])
    }

    /// Fetches a commit if it is missing.
    pub fn ensure(&mut self, commit: &CommitId) -> anyhow::Result<()> {
        let mut questions = self.answers.keys();
        if questions.any(|question| question.contains(commit.as_str())) {
            return Ok(());
        }
        self.read(commit, &["cat-file", "commit", commit.as_str()])
            .map(drop)
    }

    /// Fetches a commit that is missing in a shallow checkout, if possible. It is stored in this job's own repository,
    /// so the checkout stays unchanged and its configured remotes are not used.
    fn fetch(&mut self, commit: &CommitId) -> anyhow::Result<()> {
        let (Some(server), Some(repository)) =
            (variable("GITHUB_SERVER_URL"), variable("GITHUB_REPOSITORY"))
        else {
            return Ok(());
        };
        // The current folder may look like a repository.
        let mut git = isolated().repository_at(&self.own);
        if !self.is_fetched {
            git.output(&["init", "--quiet", "--bare", "--template="])?;
            self.is_fetched = true;
        }
        let server = server.trim_end_matches('/');
        if let Some(token) = variable("GITHUB_TOKEN") {
            // In the environment, so the token appears neither in arguments nor on the disk.
            let login = STANDARD.encode(format!("x-access-token:{token}"));
            git = git
                .variable("GIT_CONFIG_COUNT", "1")
                .variable("GIT_CONFIG_KEY_0", format!("http.{server}/.extraheader"))
                .variable(
                    "GIT_CONFIG_VALUE_0",
                    format!("AUTHORIZATION: basic {login}"),
                );
        }
        let output = git.output(&[
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--depth=1",
            "--",
            &format!("{server}/{repository}"),
            commit.as_str(),
        ])?;
        if !output.status.success() {
            let refusal = String::from_utf8_lossy(&output.stderr);
            log::without_commands(|| term::stdout(&refusal))?;
        }
        Ok(())
    }

    /// The object of a file in a commit, if it exists.
    ///
    /// # Errors
    /// If it is anything but a regular file, or one of its folders is a link or a submodule, inside which git can't look.
    pub fn object(&mut self, commit: &CommitId, file: &str) -> anyhow::Result<Option<String>> {
        let Some(path) = self.place.in_repository(file) else {
            let message = format!("cannot look up `{file}` in the commit `{commit}`");
            let hint = "use its path in the repository, relative to `working-directory`";
            return Err(Failure::new(message).hint(hint).into());
        };
        // Git does not look inside links or submodules, so the list contains any that are on the path.
        let mut paths = vec![format!(":(literal){path}")];
        for (end, _) in path.match_indices('/') {
            paths.push(format!(":(literal){}", &path[..end]));
        }
        let mut list = vec!["ls-tree", "-z", "--full-tree", commit.as_str(), "--"];
        list.extend(paths.iter().map(String::as_str));
        let listed = self.read(commit, &list)?;
        let mut object = None;
        for entry in String::from_utf8_lossy(&listed).split('\0') {
            // `MODE KIND OBJECT`, a tab, and the path.
            let Some((facts, found)) = entry.split_once('\t') else {
                continue;
            };
            // Files and folders next to the path are listed as well.
            let Some(rest) = path.strip_prefix(found) else {
                continue;
            };
            if !facts.starts_with("100") && (rest.is_empty() || rest.starts_with('/')) {
                let message = format!("`{found}` is not a regular file in the commit `{commit}`");
                let hint = "use the real path of a file in the repository";
                return Err(Failure::new(message).hint(hint).into());
            }
            if rest.is_empty() {
                object = facts.rsplit(' ').next().map(str::to_owned);
            }
        }
        Ok(object)
    }

    /// Writes an object of a commit to a file.
    pub fn write(
        &mut self,
        commit: &CommitId,
        object: &str,
        destination: &Path,
    ) -> anyhow::Result<()> {
        let content = self.read(commit, &["cat-file", "blob", object])?;
        if let Some(folder) = destination.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(destination, content)
            .with_context(|| format!("cannot write `{}`", term::shown(destination)))
    }
}

/// Git without prompts, without the token, and without programs or configuration from the workspace.
fn isolated() -> Git {
    let git = Git::here()
        .isolated()
        .variable("PATH", path_outside_workspace());
    TOKENS.into_iter().fold(git, Git::without)
}
