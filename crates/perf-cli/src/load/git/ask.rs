//! Runs `git`, and explains why it refuses.
//!
//! What a repository, its configuration or a caller's environment could make of a command is switched off here:
//! prompts, pagers, signatures, renames that are followed, programs for differences.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::{Failure, term};

use super::place::RefPath;

/// Settings of a user or a repository that would change what is printed.
const SETTINGS: [&str; 3] = ["log.showSignature=false", "log.follow=false", "log.showRoot=true"];

/// Variables that give paths another meaning.
const MEANINGS: [&str; 4] =
    ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

/// The variables that every command gets besides this process's environment.
static ENVIRONMENT: OnceLock<Vec<(OsString, Option<OsString>)>> = OnceLock::new();

/// Sets variables, or removes those without a value, for every `git` that this process runs from now on. The first call
/// counts.
pub fn set_environment(variables: Vec<(OsString, Option<OsString>)>) {
    let _ = ENVIRONMENT.set(variables);
}

/// `git`, in a folder.
pub(super) struct Git {
    folder: PathBuf,
}

/// The facts about a repository that its commands need.
pub(super) struct Repository {
    /// The path of the folder in it, empty at its top, else with a `/` behind.
    pub prefix: String,
    pub shallow: bool,
}

/// The object at a path of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub mode: String,
    pub object: String,
}

impl Entry {
    /// The kind of the entry when it is no file.
    pub(super) fn no_file(&self) -> Option<&'static str> {
        match self.mode.as_bytes() {
            [b'1', b'0', b'0', ..] => None,
            b"120000" => Some("a symbolic link"),
            b"160000" => Some("a submodule"),
            _ => Some("a folder"),
        }
    }
}

impl Git {
    /// Git in the working directory.
    pub(super) fn here() -> Self {
        Self::at(Path::new("."))
    }

    pub(super) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Git in the folder of a file, which need not be in the repository of the working directory; and the file's path
    /// from there.
    pub(super) fn beside(file: &Path) -> anyhow::Result<(Self, String)> {
        let shown = term::shown(file);
        let text = |part: &OsStr| part.to_str().map(|text| format!("./{text}"));
        let not_text = || Failure::new(format!("`{shown}` is not UTF-8"));
        // Git takes the folder in which it runs for the top of the work tree then.
        if std::env::var_os("GIT_DIR").is_some() {
            return Ok((Self::here(), text(file.as_os_str()).ok_or_else(not_text)?));
        }
        if file.file_name().is_none() {
            return Err(Failure::new(format!("`{shown}` names no file")).into());
        }
        // A sparse checkout may lack folders that a commit has.
        let is_there = |folder: &&Path| folder.as_os_str().is_empty() || folder.is_dir();
        let folder = file.ancestors().skip(1).find(is_there).unwrap_or(Path::new(""));
        let rest = file.strip_prefix(folder).unwrap_or(file);
        let path = text(rest.as_os_str()).ok_or_else(not_text)?;
        Ok((if folder.as_os_str().is_empty() { Self::here() } else { Self::at(folder) }, path))
    }

    /// A command that reads nothing and asks nobody.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.current_dir(&self.folder).args(["--no-pager", "--no-optional-locks"]);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        for name in MEANINGS {
            command.env_remove(name);
        }
        for (name, value) in ENVIRONMENT.get().into_iter().flatten() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command that may use only the objects that are here, without fetching any.
    fn ask_locally(&self, arguments: &[&str]) -> anyhow::Result<Output> {
        let output = self.command().env("GIT_NO_LAZY_FETCH", "1").args(arguments).output();
        output.map_err(|error| self.cannot_start(error))
    }

    /// The error for a `git` that does not run.
    pub(super) fn cannot_start(&self, error: std::io::Error) -> anyhow::Error {
        if error.kind() != ErrorKind::NotFound {
            return Failure::new("cannot run `git`").because(error).into();
        }
        if !self.folder.is_dir() {
            return Failure::new(format!("there is no folder `{}`", term::shown(&self.folder))).into();
        }
        Failure::new("cannot run `git`: it is not in the search path")
            .hint("install git, or name the baseline as a file")
            .into()
    }

    /// The place of the folder in its repository, and whether the clone is shallow.
    pub(super) fn repository(&self) -> anyhow::Result<Repository> {
        let output = self.ask_locally(&["rev-parse", "--is-shallow-repository", "--show-prefix"])?;
        if !output.status.success() {
            return Err(self.refused("cannot look at the repository", &output.stderr));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let (shallow, prefix) = text.split_once('\n').unwrap_or((&text, ""));
        let prefix = prefix.strip_suffix('\n').unwrap_or(prefix).trim_end_matches('\r');
        Ok(Repository { prefix: prefix.to_owned(), shallow: shallow.trim() == "true" })
    }

    /// The full name of a commit.
    pub(super) fn commit(&self, spec: &RefPath, shallow: bool) -> anyhow::Result<String> {
        let reference = spec.reference();
        match self.resolved(reference)? {
            Some(commit) => Ok(commit),
            None => Err(self.unknown(reference, shallow)),
        }
    }

    fn resolved(&self, reference: &str) -> anyhow::Result<Option<String>> {
        let revision = format!("{reference}^{{commit}}");
        let output =
            self.ask_locally(&["rev-parse", "--verify", "--quiet", "--end-of-options", &revision])?;
        let text = String::from_utf8_lossy(&output.stdout);
        let name = text.lines().last().unwrap_or_default().trim();
        Ok((output.status.success() && is_object(name)).then(|| name.to_owned()))
    }

    fn unknown(&self, reference: &str, shallow: bool) -> anyhow::Error {
        let shown = term::printable(reference);
        let failure = Failure::new(format!("`{shown}` names no commit that is here"));
        if reference == "HEAD" {
            return failure.hint("the branch has no commit yet").into();
        }
        let remote = format!("refs/remotes/origin/{reference}");
        if matches!(self.resolved(&remote), Ok(Some(_))) {
            return failure.hint(format!("`origin/{shown}` does")).into();
        }
        let name = reference.trim_start_matches("refs/").trim_start_matches("remotes/");
        let name = name.trim_start_matches("heads/").trim_start_matches("origin/");
        // Only what nobody's shell would take for more than a name is part of a command to paste.
        let plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
        let fetch = if name.chars().all(plain) { name } else { "REF" };
        let why = if shallow { "the clone is shallow: " } else { "" };
        failure
            .hint(format!(
                "{why}fetch it with `git fetch origin {fetch}`, or all with `fetch-depth: 0` of `actions/checkout`"
            ))
            .into()
    }

    /// The entry at a path of a commit; `None` where there is nothing.
    pub(super) fn entry(&self, commit: &str, path: &str) -> anyhow::Result<Option<Entry>> {
        let arguments = ["ls-tree", "-z", "--full-tree", commit, "--", path];
        let output = self.command().args(arguments).output().map_err(|error| self.cannot_start(error))?;
        if !output.status.success() {
            return Err(self.refused("cannot look into the commit", &output.stderr));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let (facts, _) = text.split_once('\t').unwrap_or_default();
        let mut facts = facts.split(' ');
        let entry = (facts.next(), facts.next(), facts.next());
        let (Some(mode), Some(_), Some(object)) = entry else { return Ok(None) };
        Ok(Some(Entry { mode: mode.to_owned(), object: object.to_owned() }))
    }

    /// The date of a commit, in seconds since 1970.
    pub(super) fn date(&self, commit: &str) -> anyhow::Result<i64> {
        let output = self.ask_locally(&["rev-list", "--no-walk", "--format=%ct", commit, "--"])?;
        let text = String::from_utf8_lossy(&output.stdout);
        let date = text.lines().last().and_then(|date| date.trim().parse().ok());
        date.ok_or_else(|| self.refused("cannot look at the commit", &output.stderr))
    }

    /// The files in which the work tree differs from a commit.
    pub(super) fn changed_since(&self, commit: &str) -> Option<Vec<String>> {
        let options = ["diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "--no-textconv"];
        let arguments = [&options[..], &["--ignore-submodules", commit, "--"]].concat();
        let output = self.ask_locally(&arguments).ok().filter(|output| output.status.success())?;
        let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Some(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// The error for a command that git refused, with git's own reason.
    pub(super) fn refused(&self, what: &str, said: &[u8]) -> anyhow::Error {
        let said = String::from_utf8_lossy(said);
        let folder = if self.folder == Path::new(".") {
            "the working directory".to_owned()
        } else {
            format!("`{}`", term::shown(&self.folder))
        };
        if said.contains("not a git repository") {
            return Failure::new(format!("{folder} is in no git repository"))
                .hint("`actions/checkout` makes one; a downloaded archive has none")
                .into();
        }
        let line =
            said.lines().find_map(|line| line.strip_prefix("fatal: ").or(line.strip_prefix("error: ")));
        let line = line.or(said.lines().next()).unwrap_or("it did not say why");
        let failure = Failure::new(format!("{what}: git says: {}", term::printable(line)));
        if said.contains("dubious ownership") {
            let trust = "`git config --global --add safe.directory \"$PWD\"` makes git trust what others own";
            return failure.hint(trust).into();
        }
        failure.into()
    }
}

/// True for the full name of an object.
pub(crate) fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
