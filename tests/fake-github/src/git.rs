//! The bare repository, through the `git` command.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::world::DEFAULT_BRANCH;

/// The time of the first commit; each later commit is one second newer than its parent.
const EPOCH: u64 = 1_767_225_600;

/// A bare repository.
#[derive(Clone, Debug)]
pub struct Git {
    path: PathBuf,
}

/// The name and email address of a commit's author and committer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature<'a> {
    pub(crate) author: (&'a str, &'a str),
    pub(crate) committer: (&'a str, &'a str),
}

/// The committer of commits that GitHub makes.
pub(crate) const GITHUB: (&str, &str) = ("GitHub", "noreply@github.com");
const ADA: (&str, &str) = ("Ada", "ada@example.org");

/// A path and its new content; `None` removes the file.
pub(crate) type Edit = (String, Option<Vec<u8>>);

impl Git {
    /// Opens the repository at `path`, or creates it with one commit.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let git = Self { path: path.into() };
        if !path.join("objects").is_dir() {
            std::fs::create_dir_all(path)?;
            git.run(&[
                "init",
                "--quiet",
                "--bare",
                "--initial-branch",
                DEFAULT_BRANCH,
            ])?;
            git.push(DEFAULT_BRANCH, &[("README.md", "# Quill\n")], "Begin")?;
        }
        Ok(git)
    }

    /// The folder, for `git clone`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a commit to a branch and returns its hash. Creates the branch from the default branch if it does not exist.
    pub fn push(&self, branch: &str, files: &[(&str, &str)], message: &str) -> io::Result<String> {
        let edits: Vec<Edit> = files
            .iter()
            .map(|(path, content)| ((*path).into(), Some((*content).into())))
            .collect();
        self.edit(branch, &edits, message)
    }

    /// Adds a commit that removes a file.
    pub fn remove(&self, branch: &str, path: &str, message: &str) -> io::Result<String> {
        self.edit(branch, &[(path.into(), None)], message)
    }

    fn edit(&self, branch: &str, edits: &[Edit], message: &str) -> io::Result<String> {
        let parent = self.head(branch).or_else(|| self.resolve("HEAD"));
        let signature = Signature {
            author: ADA,
            committer: ADA,
        };
        self.commit(branch, parent.as_deref(), edits, message, signature)
    }

    /// Merges a branch into another one, as the button "Update branch" of a pull request does.
    pub fn update_branch(&self, branch: &str, from: &str) -> io::Result<String> {
        let [head, other] = [branch, from].map(|name| self.head(name).unwrap_or_default());
        let tree = text(self.run(&["merge-tree", "--write-tree", &head, &other])?);
        let edits = format!("merge {other}\nM 040000 {} \"\"\n", tree.trim());
        let signature = Signature {
            author: ADA,
            committer: GITHUB,
        };
        let message = format!("Merge branch '{from}' into {branch}");
        self.import(
            &full(branch),
            Some(&head),
            edits.as_bytes(),
            &message,
            signature,
        )
    }

    /// Creates a branch at a commit, or force-pushes it there.
    pub fn reset(&self, branch: &str, to: &str) -> io::Result<()> {
        self.run(&["update-ref", &full(branch), to]).map(drop)
    }

    /// Deletes a branch.
    pub fn delete(&self, branch: &str) -> io::Result<()> {
        self.run(&["update-ref", "-d", &full(branch)]).map(drop)
    }

    /// A branch's head commit.
    pub fn head(&self, branch: &str) -> Option<String> {
        self.resolve(&full(branch))
    }

    /// All branches, sorted by name.
    pub fn branches(&self) -> Vec<String> {
        let listed = self.run(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"]);
        text(listed.unwrap_or_default())
            .lines()
            .map(Into::into)
            .collect()
    }

    /// The content of a file at a commit or branch.
    pub fn file(&self, revision: &str, path: &str) -> Option<Vec<u8>> {
        self.run(&["cat-file", "blob", &format!("{revision}:{path}")])
            .ok()
    }

    /// The content of a file at a commit or branch, as text.
    pub fn text(&self, revision: &str, path: &str) -> Option<String> {
        self.file(revision, path).map(text)
    }

    /// A commit's message.
    pub fn message(&self, revision: &str) -> Option<String> {
        self.run(&["log", "-1", "--format=%B", revision])
            .ok()
            .map(|message| text(message).trim_end().into())
    }

    /// A commit's parents.
    pub fn parents(&self, revision: &str) -> Vec<String> {
        let parents = self
            .run(&["log", "-1", "--format=%P", revision])
            .unwrap_or_default();
        text(parents).split_whitespace().map(Into::into).collect()
    }

    /// The commit that a revision denotes.
    pub(crate) fn resolve(&self, name: &str) -> Option<String> {
        let commit = format!("{name}^{{commit}}");
        let found = self
            .run(&[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &commit,
            ])
            .ok()?;
        Some(text(found).trim().into())
    }

    /// Adds a commit to a branch, which must be at `parent` or not exist.
    pub(crate) fn commit(
        &self,
        branch: &str,
        parent: Option<&str>,
        edits: &[Edit],
        message: &str,
        signature: Signature<'_>,
    ) -> io::Result<String> {
        let mut stream = Vec::new();
        for (path, content) in edits {
            match content {
                Some(content) => {
                    writeln!(stream, "M 100644 inline {}", quoted(path))?;
                    inline(&mut stream, content)?;
                }
                None => writeln!(stream, "D {}", quoted(path))?,
            }
        }
        self.import(&full(branch), parent, &stream, message, signature)
    }

    /// Creates a commit from these `fast-import` lines and sets a reference to it.
    fn import(
        &self,
        reference: &str,
        parent: Option<&str>,
        edits: &[u8],
        message: &str,
        signature: Signature<'_>,
    ) -> io::Result<String> {
        let time = parent.map_or(EPOCH, |parent| self.time(parent) + 1);
        let mut stream = format!("commit {reference}\n").into_bytes();
        for (role, (name, email)) in [
            ("author", signature.author),
            ("committer", signature.committer),
        ] {
            writeln!(stream, "{role} {name} <{email}> {time} +0000")?;
        }
        inline(&mut stream, message.as_bytes())?;
        if let Some(parent) = parent {
            writeln!(stream, "from {parent}")?;
        }
        stream.extend_from_slice(edits);
        // One process writes the objects and the reference, because the tests make hundreds of commits.
        self.run_with(&["fast-import", "--quiet"], &stream)?;
        let missing = || io::Error::other(format!("no `{reference}` after a commit to it"));
        self.resolve(reference).ok_or_else(missing)
    }

    fn time(&self, commit: &str) -> u64 {
        let time = self
            .run(&["log", "-1", "--format=%ct", commit])
            .unwrap_or_default();
        text(time).trim().parse().unwrap_or(EPOCH)
    }

    /// Runs `git` and returns its stdout.
    pub(crate) fn run(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        self.run_with(arguments, b"")
    }

    fn run_with(&self, arguments: &[&str], input: &[u8]) -> io::Result<Vec<u8>> {
        let mut command = self.command();
        let mut child = command.args(arguments).stdin(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input)?;
        }
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output()?;
        if status.success() {
            return Ok(stdout);
        }
        let (command, stderr) = (arguments.join(" "), String::from_utf8_lossy(&stderr));
        Err(io::Error::other(format!(
            "`git {command}` failed in `{}`: {}",
            self.path.display(),
            stderr.trim()
        )))
    }

    /// `git` without the user's settings and environment.
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "")
            .arg("--git-dir")
            .arg(&self.path)
            .args(["-c", "core.quotePath=false", "-c", "core.autocrlf=false"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

pub(crate) fn full(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn inline(stream: &mut Vec<u8>, content: &[u8]) -> io::Result<()> {
    writeln!(stream, "data {}", content.len())?;
    stream.extend_from_slice(content);
    writeln!(stream)
}

/// A quoted path for `fast-import`.
fn quoted(path: &str) -> String {
    let quote = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        other => format!("\\{other:03o}"),
    };
    format!("\"{}\"", path.bytes().map(quote).collect::<String>())
}
