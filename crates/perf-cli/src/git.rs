//! Runs the `git` program. No other module of the shipped programs does.
//!
//! The program is used instead of a library because only the program handles every repository: worktrees, replacement
//! objects, lazily fetched objects, and other hash functions. Prompts, pagers, signatures, translated messages and
//! optional locks are always off.

use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::{Failure, term};

/// Overrides for user and repository settings that would change the output.
const SETTINGS: [&str; 3] = [
    "log.showSignature=false",
    "log.follow=false",
    "log.showRoot=true",
];

/// Options that turn off hooks, file monitors and submodules.
pub const INERT: [&str; 8] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "submodule.recurse=false",
];

/// Variables that change the meaning of paths. They are removed.
const MEANINGS: [&str; 4] = [
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// Variables that the runner's administrator may set. They are never removed.
const OF_RUNNER: [&str; 3] = ["GIT_CONFIG_NOSYSTEM", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"];

/// Variables to set in addition to this process's environment, and variables to remove (`None`).
type Variables = Vec<(OsString, Option<OsString>)>;

/// The variables for all commands, from [`set_environment`].
static ENVIRONMENT: OnceLock<Variables> = OnceLock::new();

/// Sets variables for all later `git` commands of this process. A variable without a value is removed. Only the first
/// call has an effect.
pub fn set_environment(variables: Variables) {
    let _ = ENVIRONMENT.set(variables);
}

/// `git` in a folder, with its options and environment.
#[derive(Clone, Debug)]
pub struct Git {
    pub(crate) folder: PathBuf,
    options: Vec<OsString>,
    variables: Variables,
}

impl Git {
    /// Git in the working directory.
    pub fn here() -> Self {
        Self::at(Path::new("."))
    }

    /// Git in a folder, with the configuration of the user and the repository.
    pub fn at(folder: &Path) -> Self {
        let git = Self {
            folder: folder.to_owned(),
            options: Vec::new(),
            variables: Vec::new(),
        };
        let git = SETTINGS.into_iter().fold(
            git.option("--no-pager").option("--no-optional-locks"),
            Self::with,
        );
        let git = MEANINGS.into_iter().fold(git, Self::without);
        git.variable("LC_ALL", "C")
            .variable("GIT_TERMINAL_PROMPT", "0")
            .variable("GIT_OPTIONAL_LOCKS", "0")
    }

    /// Ignores the user's configuration and all `GIT_` variables except the administrator's. The system configuration,
    /// with its certificates, and the repository's configuration are still used, but hooks and file monitors are off.
    #[must_use]
    pub fn isolated(mut self) -> Self {
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("GIT_") && !OF_RUNNER.contains(&&*text) {
                self.variables.insert(0, (name, None));
            }
        }
        self.inert().variable("GIT_CONFIG_GLOBAL", "/dev/null")
    }

    /// Runs no hooks and watches no files.
    #[must_use]
    pub fn inert(self) -> Self {
        INERT.into_iter().fold(self, Self::option)
    }

    /// Ignores replacement objects, and does not fetch missing objects.
    #[must_use]
    pub fn local(self) -> Self {
        self.variable("GIT_NO_REPLACE_OBJECTS", "1")
            .without_fetching()
    }

    /// Uses only objects that exist locally.
    #[must_use]
    pub fn without_fetching(self) -> Self {
        // Git before 2.45 ignores the first variable, but the second one allows no protocol.
        self.variable("GIT_NO_LAZY_FETCH", "1")
            .variable("GIT_ALLOW_PROTOCOL", "")
    }

    /// Uses the repository in a folder such as `.git`, independent of the working directory.
    #[must_use]
    pub fn repository_at(self, folder: &Path) -> Self {
        self.option("--git-dir").option(folder)
    }

    fn option(mut self, option: impl Into<OsString>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Sets a configuration value, `name=value`.
    #[must_use]
    pub fn with(self, setting: &str) -> Self {
        self.option("-c").option(setting)
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), Some(value.into())));
        self
    }

    /// Removes an environment variable.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.variables.push((name.into(), None));
        self
    }

    /// Creates a command that reads no input and never prompts.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(&self.folder)
            .args(&self.options)
            .args(arguments);
        for (name, value) in ENVIRONMENT
            .get()
            .into_iter()
            .flatten()
            .chain(&self.variables)
        {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command and returns its output, whether it succeeded or not.
    pub fn output(&self, arguments: &[&str]) -> Result<Output, Failure> {
        self.command(arguments)
            .output()
            .map_err(|error| self.cannot_start(error))
    }

    /// Runs a command and returns its standard output. If git fails, the error consists of `cannot` and git's message.
    pub(crate) fn read(&self, cannot: &str, arguments: &[&str]) -> Result<String, Failure> {
        let output = self.output(arguments)?;
        if !output.status.success() {
            return Err(refusal(&self.folder, cannot, &output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs a command and returns its standard output, or `None` if git fails.
    pub fn ask(&self, arguments: &[&str]) -> Option<String> {
        // The error is dropped, so it needs no text.
        self.read("", arguments).ok()
    }

    /// Runs a command and returns the NUL-separated names or fields in its output, or `None` if git fails.
    pub fn list(&self, arguments: &[&str]) -> Option<Vec<String>> {
        let listed = self.ask(arguments)?;
        Some(
            listed
                .split('\0')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    /// The error for a `git` that cannot be started.
    pub fn cannot_start(&self, error: io::Error) -> Failure {
        cannot_start(&self.folder, error)
    }
}

/// Runs a command made by [`Git`], and returns its standard output without trailing whitespace.
///
/// # Errors
/// Fails if the command fails. The error contains git's first error message.
pub fn run(command: &mut Command, name: &str) -> Result<String, Failure> {
    let folder = command
        .get_current_dir()
        .unwrap_or(Path::new("."))
        .to_owned();
    let output = command
        .output()
        .map_err(|error| cannot_start(&folder, error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned());
    }
    let what = format!("`git {name}` failed");
    Err(refusal(&folder, &what, &output.stderr))
}

/// The error for a failed git command, with git's first error message.
pub(crate) fn refusal(folder: &Path, what: &str, stderr: &[u8]) -> Failure {
    let reason = String::from_utf8_lossy(stderr);
    if reason.contains("not a git repository") {
        let shown = if folder == Path::new(".") {
            "the working directory".to_owned()
        } else {
            format!("`{}`", term::shown(folder))
        };
        return Failure::new(format!("{shown} is not in a git repository")).hint(
            "use `git clone` or `actions/checkout`; a downloaded archive is not a repository",
        );
    }
    let mut lines = reason.lines();
    let first = lines.clone().next().unwrap_or("no error message");
    let fatal = lines.find_map(|line| {
        line.strip_prefix("fatal: ")
            .or(line.strip_prefix("error: "))
    });
    let line = term::printable(fatal.unwrap_or(first));
    let failure = Failure::new(format!("{what}: git: {line}"));
    if !reason.contains("dubious ownership") {
        return failure;
    }
    failure.hint("if you trust its owner, run `git config --global --add safe.directory \"$PWD\"`")
}

pub(crate) fn cannot_start(folder: &Path, error: io::Error) -> Failure {
    if error.kind() != ErrorKind::NotFound {
        return Failure::new("cannot run `git`").because(error);
    }
    if !folder.is_dir() {
        return Failure::new(format!("no folder `{}`", term::shown(folder)));
    }
    Failure::new("cannot run `git`: it is not in the search path").hint("install git")
}
