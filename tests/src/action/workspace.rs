//! A checkout of a repository, as left by `actions/checkout`, and the server's repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::folder::visit;

/// Runs git without the user's configuration and returns its output.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "core.autocrlf=false", "-c", "commit.gpgsign=false"]);
    command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]);
    // Otherwise, each commit and push would start a process that looks for maintenance work.
    command.args(["-c", "maintenance.auto=false", "-c", "core.fsync=none"]);
    command.args(arguments).current_dir(folder);
    command
        .env("GIT_CONFIG_GLOBAL", "")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

/// Creates an empty repository with branch `main`. Writing its files is faster than `git init`; the tests need
/// hundreds.
fn create_repository(folder: &Path, is_bare: bool, settings: &str) {
    for name in ["objects", "refs/heads", "refs/tags"] {
        fs::create_dir_all(folder.join(name)).expect("a writable folder");
    }
    let core = format!("[core]\nrepositoryformatversion = 0\nfilemode = true\nbare = {is_bare}\n");
    fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").expect("a writable file");
    fs::write(folder.join("config"), core + settings).expect("a writable file");
}

/// A job's folders: the server's repository, the checkout, and temporary files.
///
/// The server's repository has the branch `main`. [`Workspace::write`] changes files in the checkout;
/// [`Workspace::commit`] and [`Workspace::push`] add them to the history.
#[derive(Debug)]
pub struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// The repository's name.
    pub const REPOSITORY: &str = "octo/quill";

    /// Creates an empty repository and its checkout.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("perf-gate action-")
            .tempdir()
            .expect("a folder");
        let workspace = Self { folder };
        fs::create_dir(workspace.temporary()).expect("a writable folder");
        let settings = "[uploadpack]\nallowAnySHA1InWant = true\n[receive]\nautogc = false\n";
        create_repository(&workspace.server(), true, settings);
        let server = workspace.server().to_string_lossy().into_owned();
        let origin = format!(
            "[remote \"origin\"]\nurl = {server:?}\nfetch = +refs/heads/*:refs/remotes/origin/*\n[maintenance]\nauto = false\n"
        );
        create_repository(&workspace.checkout().join(".git"), false, &origin);
        workspace
    }

    /// The folder that contains all others.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The server's bare repository.
    pub fn server(&self) -> PathBuf {
        self.folder.path().join("server").join(Self::REPOSITORY)
    }

    /// The checkout.
    pub fn checkout(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// The folder for temporary files.
    pub fn temporary(&self) -> PathBuf {
        self.folder.path().join("_temp")
    }

    /// Writes a file in the checkout.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.checkout().join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("a writable folder");
        fs::write(path, content).expect("a writable file");
    }

    /// Reads a text file in the checkout.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.checkout().join(name))
            .unwrap_or_else(|error| panic!("`{name}`: {error}"))
    }

    /// Copies a folder's files into a folder in the checkout.
    pub fn copy(&self, from: &Path, into: &str) {
        visit(from, into, &mut |name, path| {
            self.write(&name, fs::read(path).expect("a readable file"));
        });
    }

    /// Commits everything in the checkout and returns the commit.
    pub fn commit(&self, message: &str) -> String {
        git(&self.checkout(), &["add", "--all"]);
        git(
            &self.checkout(),
            &["commit", "--quiet", "--allow-empty", "--message", message],
        );
        self.tip()
    }

    /// The commit that is checked out.
    pub fn tip(&self) -> String {
        let folder = self.checkout().join(".git");
        let read = |name: &str| {
            fs::read_to_string(folder.join(name)).map(|text| text.trim_end().to_owned())
        };
        let head = read("HEAD").expect("a repository has a head");
        head.strip_prefix("ref: ").map_or_else(
            || head.clone(),
            |branch| read(branch).expect("the branch has a commit"),
        )
    }

    /// Commits everything and pushes it to a branch on the server.
    pub fn push(&self, branch: &str, message: &str) -> String {
        let commit = self.commit(message);
        self.push_to(&format!("refs/heads/{branch}"), &commit);
        self.write(
            &format!(".git/refs/remotes/origin/{branch}"),
            format!("{commit}\n"),
        );
        commit
    }

    /// Sets a reference on the server. Copies the objects, because `git push` starts six processes.
    pub fn push_to(&self, reference: &str, commit: &str) {
        let copy = |name: &str, from: &Path| {
            let to = self.server().join(name);
            if !to.exists() {
                fs::create_dir_all(to.parent().expect("a file is in a folder"))
                    .expect("a writable folder");
                fs::copy(from, to).expect("a writable file");
            }
        };
        visit(
            &self.checkout().join(".git/objects"),
            "objects/",
            &mut |name, path| copy(&name, path),
        );
        let path = self.server().join(reference);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("a writable folder");
        fs::write(path, format!("{commit}\n")).expect("a writable file");
    }

    /// Checks out the merge of `head` into `base`, as GitHub does for a pull request.
    pub fn check_out_merge(&self, base: &str, head: &str) -> String {
        git(&self.checkout(), &["checkout", "--quiet", "--detach", base]);
        git(
            &self.checkout(),
            &["merge", "--quiet", "--no-ff", "--message", "Merge", head],
        );
        self.tip()
    }

    /// Makes a fresh checkout of one commit without its history, as `fetch-depth: 1` does.
    pub fn check_out_shallow(&self, commit: &str) {
        let url = format!("file://{}", self.server().to_string_lossy());
        fs::remove_dir_all(self.checkout()).expect("a removable folder");
        fs::create_dir(self.checkout()).expect("a writable folder");
        git(&self.checkout(), &["init", "--quiet"]);
        git(
            &self.checkout(),
            &["fetch", "--quiet", "--depth=1", &url, commit],
        );
        git(
            &self.checkout(),
            &["checkout", "--quiet", "--detach", "FETCH_HEAD"],
        );
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}
